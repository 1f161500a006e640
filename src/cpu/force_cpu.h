/* Forces and motion on the CPU: one kernel object a precision and instruction set, compiled from
   the same file (force_cpu.c, move_cpu.c); nothing in this header depends on either. Host memory.
 */
#ifndef FORCE_CPU_H
#define FORCE_CPU_H

#include "backend/backend.h"
#include "base/box.h"
#include "cpu/cells.h"
#include "dynamics/move_body.h"
#include "model/forcefield.h"
#include "model/sums.h"
#include "pair/bead_record.h"
#include "pair/pair_pass.h"
#include "pair/pair_terms.h"
#include "pair/stress_ends.h"

/* Names that end in KERNEL_NAME. */
#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

struct force_job {
  int begin, end;                   /* beads to do */
  const int *bead;                  /* bead[begin] .. bead[end - 1]; NULL: begin .. end - 1 */
  const struct bead_record *record; /* owned and halo */
  const void *axis[PAIR_AXES_MOST]; /* records of axes, struct axis_record; NULL: none */
  const struct neighbor_list *list; /* [lists of the plan] */
  const int *bonded_row;            /* [owned + 1] */
  const struct bonded_entry *bonded;
  const int32_t (*anchor)[3]; /* places of restrained beads, struct anchors */
  double box[BOX];
  const void *model;      /* from model_create */
  double *force, *torque; /* [owned][3], kJ/mol/nm and kJ/mol, laboratory frame */
  struct sums *sums;      /* with flags: added to */
  double sum_scale;       /* 2^sum_bits */
};

/* Sets out[end - begin] to what beads [begin, end) add to pressure profiles. lipid: 1 for the
   beads, owned and halo, of lipids. There is one function for each kernel. */
typedef void force_stress_function(const struct force_job *job, const unsigned char *lipid,
                                   int begin, int end, struct stress_bead *out);

/* All functions of a kernel do a part of the beads, and may run in several threads for others.
   Motion of the beads that are in no cluster, in blocks for vector units (move_cpu.c); the same
   bits as body_move and body_kick of each bead. */
struct move_job {
  struct beads beads;                 /* borrowed */
  const struct body_type *inertia;    /* by type */
  const double *force, *torque;       /* [n][3], kJ/mol/nm and kJ/mol */
  const unsigned char *team, *member; /* [n] team_byte, 1 in a cluster; NULL: 0 for all */
  int frozen;                         /* axes along which some bead is frozen, as bits */
  const int64_t *id;
  double box[BOX]; /* nm, after the scaling */
};

/* Beads of a block. */
enum { MOVE_BLOCK = 32 };

/* The first half of a step of beads begin ... end - 1. Returns end, or the first of them that moves
   further than m->max_displacement: it and some others are then not moved. */
typedef int move_function(const struct move_job *job, const struct integrate_params *m, int begin,
                          int end);
/* Half a kick: momenta and angular momenta change by the forces and torques during h, ps. */
typedef void kick_function(const struct move_job *job, double h, int begin, int end);

struct force_kernel {
  const char *precision, *isa;
  int axis_bytes; /* of a record of one axis */
  /* Coefficients of a force field in working precision. */
  void *(*model_create)(const struct forcefield *ff, const struct pair_plan *plan);
  void (*model_destroy)(void *model);
  /* Axis records of beads [begin, end) from orientations [bead][4] (may be NULL: of types only). */
  void (*axes)(const void *model, int begin, int end, const struct bead_record *record,
               const double *orientation, void *const axis[PAIR_AXES_MOST]);
  cells_list_function *list;
  /* Every pass over the beads of a job, then bonded terms. flags: enum force_flags. */
  void (*run)(const struct force_job *job, int flags);
  force_stress_function *stress;
  move_function *move;
  kick_function *kick;
};

/* The kernel of a precision ("mixed", "double") and level (0: any x86-64 or aarch64, 1: AVX2 and
   FMA, 2: AVX-512), or NULL where it was not built. */
const struct force_kernel *force_kernel_get(int precision, int level);
/* Why there is none for this processor. */
#define FORCE_KERNEL_NONE                                                                          \
  "this program has no CPU kernels for this processor: configure with --with-isa=all"
/* The highest level that this processor has and that was built; -1 where there is none. */
int force_kernel_level(void);

#endif
