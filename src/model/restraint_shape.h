/* The shapes in which flat-bottomed restraints leave a bead free (GROMACS manual, "Flat-bottomed
   position restraints"): the distance from the place of the restraint is taken along the axes whose
   number is 1. */
#ifndef RESTRAINT_SHAPE_H
#define RESTRAINT_SHAPE_H

/* S(word in files, number of GROMACS, x, y, z). Its number 2 is that of cylinder_z, too. */
#define RESTRAINT_SHAPES(S)                                                                        \
  S(sphere, 1, 1, 1, 1)                                                                            \
  S(layer_x, 3, 1, 0, 0)                                                                           \
  S(layer_y, 4, 0, 1, 0)                                                                           \
  S(layer_z, 5, 0, 0, 1)                                                                           \
  S(cylinder_x, 6, 0, 1, 1)                                                                        \
  S(cylinder_y, 7, 1, 0, 1)                                                                        \
  S(cylinder_z, 8, 1, 1, 0)

struct restraint_shape {
  const char *name;
  int gromacs;
  double axis[3];
};

#define RESTRAINT_SHAPE_ROW(name, gromacs, x, y, z) {#name, gromacs, {x, y, z}},
static const struct restraint_shape restraint_shapes[] = {RESTRAINT_SHAPES(RESTRAINT_SHAPE_ROW)};
#undef RESTRAINT_SHAPE_ROW
enum { RESTRAINT_SHAPES_N = sizeof restraint_shapes / sizeof restraint_shapes[0] };

/* As yaml_choice reads them, in their order. */
#define RESTRAINT_SHAPE_WORD(name, ...) #name "|"
#define RESTRAINT_SHAPE_WORDS RESTRAINT_SHAPES(RESTRAINT_SHAPE_WORD)

#endif
