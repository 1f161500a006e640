/* Maps of a potential for external fields: HDF5 files of lamella map and OpenDX files. */
#ifndef FIELD_MAP_H
#define FIELD_MAP_H

#include "base/box.h"
#include "model/external.h"
#include "mpi/comm/ranks.h"

/* Reads a map and makes the coefficients of cubic B-splines that go through its values. fills: axes
   along which it is periodic and stretched to the box edge (nm), as bits; along others it lies at
   the place that the file says. name: of the field, in messages. Status 2 if the file cannot be
   read, the map does not fit, or the box is oblique. Collective. The caller frees the coefficients.
 */
struct external_map field_map_read(const struct ranks *r, const char *name, const char *path,
                                   int fills, const double box[BOX]);

#endif
