/* Names and datasets of H5MD trajectories: see layout.h. */
#include "io/h5md/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

const struct trajectory_element trajectory_element[ELEMENTS] = {
    [ELEMENT_POSITION] = {"position", "nm", 'f', 3, ELEMENT_POSITION},
    [ELEMENT_IMAGE] = {"image", NULL, 'i', 3, ELEMENT_IMAGE},
    [ELEMENT_VELOCITY] = {"velocity", "nm ps-1", 'f', 3, ELEMENT_VELOCITY},
    [ELEMENT_DIPOLE] = {"dipole", "e nm", 'f', 3, ELEMENT_DIPOLE},
    [ELEMENT_AXIS] = {"orientation", NULL, 'f', 3, ELEMENT_AXIS},
    [ELEMENT_QUATERNION] = {"quaternion", NULL, 'f', 4, CHECKSUM_QUATERNION},
    [ELEMENT_FORCE] = {"force", "kJ mol-1 nm-1", 'f', 3, CHECKSUM_FORCE}};

size_t trajectory_element_bytes(int element)
{
  return sizeof(float) * (size_t)trajectory_element[element].components;
}

double trajectory_frame_bytes(int elements, int64_t beads, int64_t observed)
{
  double bead = 0;
  for (int k = 0; k < ELEMENTS; k++)
    if (elements >> k & 1) bead += (double)trajectory_element_bytes(k);
  return bead * (double)beads + 8.0 * (double)observed + 256;
}

int trajectory_checksum_columns(int elements)
{
  int columns = CHECKSUM_ROW + 1;
  for (int k = 0; k < ELEMENTS; k++)
    if (elements >> k & 1 && trajectory_element[k].checksum >= columns)
      columns = trajectory_element[k].checksum + 1;
  if (elements & HAS_OBSERVED) columns = CHECKSUM_OBSERVED + 1;
  return columns;
}

int trajectory_elements(const struct forcefield *ff, const struct trajectory_request *want)
{
  int set = 1 << ELEMENT_POSITION;
  if (want->positions != POSITIONS_UNWRAPPED) set |= 1 << ELEMENT_IMAGE;
  if (want->velocities) set |= 1 << ELEMENT_VELOCITY;
  if (want->forces) set |= 1 << ELEMENT_FORCE;
  if (want->observed.n) set |= HAS_OBSERVED;
  for (int k = 0; k < ff->n_types; k++) {
    const double *i = ff->type[k].inertia;
    if (ff->type[k].dipole != 0)
      set |= 1 << ELEMENT_DIPOLE;
    else if (i[0] > 0)
      set |= 1 << ELEMENT_AXIS;
    if (i[0] > 0 && i[2] > 0) set |= 1 << ELEMENT_QUATERNION;
  }
  return set;
}

int64_t trajectory_observed_count(const struct trajectory_observed_list *l)
{
  int64_t n = 0;
  for (int k = 0; k < l->n; k++)
    n += l->one[k].values;
  return n;
}

const struct trajectory_observed *trajectory_observed_find(const struct trajectory_observed_list *l,
                                                           const char *name, int64_t *first)
{
  *first = 0;
  for (int k = 0; k < l->n; k++) {
    if (!strcmp(l->one[k].name, name)) return &l->one[k];
    *first += l->one[k].values;
  }
  return NULL;
}

const char *trajectory_observed_path(const struct trajectory_observed *o, const char *dataset,
                                     char path[96])
{
  snprintf(path, 96, TRAJECTORY_OBSERVED "/%s/%s", o->name, dataset);
  return path;
}

void trajectory_observed_free(struct trajectory_observed_list *l)
{
  for (int k = 0; k < l->n; k++) {
    free(l->one[k].options);
    free(l->one[k].columns);
  }
  free(l->one);
  memset(l, 0, sizeof *l);
}

static void observed_copy(const struct trajectory_observed_list *from,
                          struct trajectory_observed_list *to)
{
  to->n = from->n;
  to->one = alloc_array(from->n, sizeof *to->one);
  for (int k = 0; k < from->n; k++) {
    to->one[k] = from->one[k];
    to->one[k].options = text_copy(from->one[k].options);
    to->one[k].columns = text_copy(from->one[k].columns);
  }
}

void trajectory_layout_of(struct trajectory_layout *l, const struct forcefield *ff,
                          const struct trajectory_request *want)
{
  int exponent;
  frexp(want->precision, &exponent);
  const double precision = want->precision > 0 ? ldexp(0.5, exponent) : 0;
  *l = (struct trajectory_layout){trajectory_elements(ff, want), want->positions, precision, {0}};
  observed_copy(&want->observed, &l->observed);
}

int trajectory_series_count(const struct trajectory_layout *l)
{
  return SERIES_OBSERVED + l->observed.n;
}

static void element_series(int element, int64_t n, struct h5_series *s)
{
  const struct trajectory_element *e = &trajectory_element[element];
  snprintf(s->path, sizeof s->path, TRAJECTORY_GROUP "/%s/value", e->name);
  s->unit = e->unit;
  s->datatype = e->datatype;
  s->rows = n;
  s->components = e->components;
}

int trajectory_series(const struct trajectory_layout *l, int64_t n, int k, struct h5_series *s)
{
  static const struct h5_series first[SERIES_ELEMENT] = {
      [SERIES_STEP] = {TRAJECTORY_GROUP "/position/step", NULL, 'l', 0, 0, -1},
      [SERIES_TIME] = {TRAJECTORY_GROUP "/position/time", "ps", 'd', 0, 0, -1},
      [SERIES_EDGES] = {TRAJECTORY_GROUP "/box/edges/value", "nm", 'd', 3, 3, -1},
      [SERIES_CHECKSUMS] = {TRAJECTORY_CHECKSUMS, NULL, 'w', 0, 1, -1}};
  *s = first[k < SERIES_ELEMENT ? k : SERIES_STEP];
  if (k == SERIES_CHECKSUMS) s->components = trajectory_checksum_columns(l->elements);
  if (k < SERIES_ELEMENT) return 1;
  if (k < SERIES_OBSERVED) {
    element_series(k - SERIES_ELEMENT, n, s);
    return l->elements >> (k - SERIES_ELEMENT) & 1;
  }
  trajectory_observed_path(&l->observed.one[k - SERIES_OBSERVED], "value", s->path);
  s->datatype = 'd';
  s->rows = l->observed.one[k - SERIES_OBSERVED].values;
  return 1;
}

void trajectory_get(struct h5_reader *in, const struct trajectory_layout *l, int series,
                    int64_t frame, int64_t frames, void *data)
{
  struct h5_series s;
  trajectory_series(l, 0, series, &s);
  h5_get(in, s.path, s.datatype, frame, frames, data);
}

void trajectory_index_free(struct trajectory_index *c)
{
  free(c->selection);
  free(c->step);
  free(c->time);
  trajectory_observed_free(&c->layout.observed);
  memset(c, 0, sizeof *c);
}
