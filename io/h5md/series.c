#include "io/h5md/series.h"

#include <stdio.h>

#include "io/h5md/layout.h"

const char *trajectory_series(int series, char path[96])
{
  static const char *const first[] = {[SERIES_STEP] = "position/step",
                                      [SERIES_TIME] = "position/time",
                                      [SERIES_EDGES] = "box/edges/value"};
  if (series == SERIES_CHECKSUMS)
    snprintf(path, 96, "%s", TRAJECTORY_CHECKSUMS);
  else if (series < SERIES_ELEMENT)
    snprintf(path, 96, TRAJECTORY_GROUP "/%s", first[series]);
  else
    snprintf(path, 96, TRAJECTORY_GROUP "/%s/value",
             trajectory_element[series - SERIES_ELEMENT].name);
  return path;
}

void trajectory_read_element(struct h5_reader *in, int element, int64_t frame, int64_t first,
                             int64_t n, void *data)
{
  char path[96];
  h5_get_rows(in, trajectory_series(SERIES_ELEMENT + element, path),
              trajectory_element[element].datatype, frame, first, n, data);
}

void trajectory_read_edges(struct h5_reader *in, int64_t frame, int64_t n, double (*edges)[9])
{
  char path[96];
  h5_get(in, trajectory_series(SERIES_EDGES, path), 'd', frame, n, edges);
}
