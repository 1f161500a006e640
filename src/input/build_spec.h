/* The specification of a system for `lamella build`: SPEC.yaml, checked against its force field. */
#ifndef BUILD_SPEC_H
#define BUILD_SPEC_H

#include <stdint.h>

#include "base/choices.h"
#include "model/forcefield.h"
#include "model/soft_core.h"

#define SHAPE_CHOICES(C)                                                                           \
  C(SHAPE_SQUARE, square)                                                                          \
  C(SHAPE_HEXAGONAL, hexagonal)
enum shape { SHAPE_CHOICES(CHOICE_CONSTANT) };
enum build_kind { BUILD_BILAYER, BUILD_WATER, BUILD_LATTICE, BUILD_STATE };
#define LATTICE_CHOICES(C)                                                                         \
  C(LATTICE_SC, sc)                                                                                \
  C(LATTICE_BCC, bcc)                                                                              \
  C(LATTICE_FCC, fcc)
enum lattice_type { LATTICE_CHOICES(CHOICE_CONSTANT) };
#define ORIENTATION_CHOICES(C)                                                                     \
  C(ORIENTATION_RANDOM, random)                                                                    \
  C(ORIENTATION_ALIGNED, aligned)
enum orientation { ORIENTATION_CHOICES(CHOICE_CONSTANT) };

/* The lipids of one leaflet: molecule types and their counts, in the order of the file. */
struct leaflet {
  int n_molecules;
  int *molecule; /* [n_molecules] index of the molecule in the force field */
  int64_t *count;
  int64_t n_lipids;
};

struct build_spec {
  enum build_kind kind;
  char *forcefield;      /* its name or path in the file; "" for none */
  struct forcefield *ff; /* NULL: that of the state is used */
  uint64_t seed;
  double temperature; /* K; 0: momenta are 0; below 0: keep the momenta of the state */
  int replicate[3];
  int minimise;
  int64_t max_steps;        /* of the minimiser */
  double force;             /* kJ/mol/nm; the minimiser stops when no force is larger */
  struct soft_lambdas soft; /* of a minimisation before */

  struct leaflet leaflet[2]; /* upper, lower */
  enum shape shape;          /* of the box in the plane of the bilayer */
  double area_per_lipid;     /* nm2, of the leaflet with more lipids */
  double height;             /* nm, of the box at least: above water and lipids it stays empty */
  int64_t n_waters;          /* of a bilayer or a water box */
  int water;                 /* index of the molecule in the force field */
  double water_density;      /* beads per nm3 */

  enum lattice_type lattice;
  int cells[3];
  double density; /* beads per nm3 */
  int molecule;   /* index of the molecule, which has one bead */
  enum orientation orientation;
  int axis;    /* of aligned beads: 0 x, 1 y, 2 z */
  char *where; /* the density in the file, for messages: "spec.yaml:4: lattice.density" */

  char *state; /* path */
};

/* Reads and checks a specification. All errors are reported together, with line numbers; then all
   ranks end with STATUS_INPUT. Local: every rank reads the file. */
struct build_spec *build_spec_load(const char *path);
void build_spec_destroy(struct build_spec *s);

#endif
