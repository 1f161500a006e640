/* What `lamella build` is asked for: the SPEC.yaml, checked against its force field. */
#ifndef BUILD_SPEC_H
#define BUILD_SPEC_H

#include <stdint.h>

#include "base/choices.h"
#include "model/forcefield.h"

enum build_kind { BUILD_BILAYER, BUILD_WATER, BUILD_LATTICE, BUILD_STATE };
#define LATTICE_CHOICES(C)                                                                         \
  C(LATTICE_SC, sc)                                                                                \
  C(LATTICE_BCC, bcc)                                                                              \
  C(LATTICE_FCC, fcc)
enum lattice_type { LATTICE_CHOICES(CHOICE_CONSTANT) };

/* Lipids by kind, in the order of the file. */
struct leaflet {
  int n_kinds;
  int *molecule; /* of the force field */
  int64_t *count;
  int64_t n_lipids;
};

struct build_spec {
  enum build_kind kind;
  struct forcefield *ff; /* NULL where a state brings its own */
  uint64_t seed;
  double temperature; /* K; 0: at rest; below 0: keep the momenta of the state */
  int replicate[3];
  int minimise;
  int64_t max_steps; /* of the minimiser */
  double force;      /* kJ/mol/nm, where it may stop */

  struct leaflet leaflet[2]; /* upper, lower */
  double area_per_lipid;     /* nm2, of the fuller leaflet */
  int64_t n_waters;          /* of a bilayer or a box */
  int water;                 /* molecule of the force field */
  double water_density;      /* molecules per nm3 */

  enum lattice_type lattice;
  int cells[3];
  double density; /* beads per nm3 */
  int molecule;   /* of one bead */

  char *state; /* path */
};

/* All mistakes are reported at once, with line numbers; then status 2. */
struct build_spec *build_spec_load(const char *path);
void build_spec_destroy(struct build_spec *s);

#endif
