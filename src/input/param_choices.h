/* The choices of the run file: a constant of the program and a word of the file for each. To add a
   choice, add a line. */
#ifndef PARAM_CHOICES_H
#define PARAM_CHOICES_H

#include "model/soft_core.h"

#define PRECISION_CHOICES(C)                                                                       \
  C(PRECISION_MIXED, mixed)                                                                        \
  C(PRECISION_DOUBLE, double)
#define THERMOSTAT_CHOICES(C)                                                                      \
  C(THERMOSTAT_NONE, none)                                                                         \
  C(THERMOSTAT_BERENDSEN, berendsen)                                                               \
  C(THERMOSTAT_LANGEVIN, langevin)                                                                 \
  C(THERMOSTAT_BUSSI, bussi)
#define BAROSTAT_CHOICES(C)                                                                        \
  C(BAROSTAT_NONE, none)                                                                           \
  C(BAROSTAT_BERENDSEN, berendsen)                                                                 \
  C(BAROSTAT_CRESCALE, crescale)
#define COUPLING_CHOICES(C)                                                                        \
  C(COUPLING_ISOTROPIC, isotropic)                                                                 \
  C(COUPLING_SEMI_ISOTROPIC, semi_isotropic)                                                       \
  C(COUPLING_ANISOTROPIC, anisotropic)                                                             \
  C(COUPLING_SURFACE_TENSION, surface_tension)                                                     \
  C(COUPLING_CONSTANT_AREA, constant_area)
#define BACKEND_CHOICES(C)                                                                         \
  C(BACKEND_AUTO, auto)                                                                            \
  C(BACKEND_CPU, cpu)                                                                              \
  C(BACKEND_CUDA, cuda)
#define AXIS_CHOICES(C)                                                                            \
  C(AXIS_X, x)                                                                                     \
  C(AXIS_Y, y)
#define FLAT_CHOICES(C)                                                                            \
  C(FLAT_AUTO, auto)                                                                               \
  C(FLAT_YES, yes)
#define GRAPH_CHOICES(C)                                                                           \
  C(GRAPH_NO, no)                                                                                  \
  C(GRAPH_YES, yes)
#define MPS_CHOICES(C)                                                                             \
  C(MPS_NO, no)                                                                                    \
  C(MPS_AUTO, auto)
#define POSITIONS_CHOICES(C)                                                                       \
  C(POSITIONS_WRAPPED, wrapped)                                                                    \
  C(POSITIONS_UNWRAPPED, unwrapped)                                                                \
  C(POSITIONS_WHOLE, whole)
#define SOFT_CHARGES_CHOICES(C)                                                                    \
  C(SOFT_CHARGES_NO, no)                                                                           \
  C(SOFT_CHARGES_YES, yes)
#define WRITER_CHOICES(C)                                                                          \
  C(WRITER_AUTO, auto)                                                                             \
  C(WRITER_THREAD, thread)                                                                         \
  C(WRITER_NONE, none)

enum { PRECISION_CHOICES(CHOICE_CONSTANT) };
enum { THERMOSTAT_CHOICES(CHOICE_CONSTANT) };
enum { BAROSTAT_CHOICES(CHOICE_CONSTANT) };
enum { COUPLING_CHOICES(CHOICE_CONSTANT) };
enum { BACKEND_CHOICES(CHOICE_CONSTANT) };
enum { AXIS_CHOICES(CHOICE_CONSTANT) };
enum { FLAT_CHOICES(CHOICE_CONSTANT) };
enum { GRAPH_CHOICES(CHOICE_CONSTANT) };
enum { MPS_CHOICES(CHOICE_CONSTANT) };
enum trajectory_positions { POSITIONS_CHOICES(CHOICE_CONSTANT) };
enum { SOFT_CHARGES_CHOICES(CHOICE_CONSTANT) };
enum { WRITER_CHOICES(CHOICE_CONSTANT) };

#endif
