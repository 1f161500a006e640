/* What the parts of the program variants share: frames of soft sticky dipole water, neighbour
   lists, and the operations of one kind of arithmetic. Nothing here depends on the type real. */
#ifndef VARIANTS_H
#define VARIANTS_H

#include <stdint.h>
#include <stdio.h>

/* Pass 0: Lennard-Jones and dipoles. Pass 1: the sticky term. LANES threads work for a bead; each
   reads 4 indices of a row of its list at a time. */
enum { PASSES = 2, LANES = 8, ROW = 4 * LANES, REFERENCES = 3 };

/* Where the coefficients of pairs of types are. */
#define COEFFICIENT_MEMORY(M) M(global) M(constant) M(shared) M(texture)
/* How records of beads are read: plain loads, __ldg, tex1Dfetch. */
#define RECORD_MEMORY(M) M(plain) M(ldg) M(texture)

enum {
#define M(name) COEFFICIENTS_##name,
  COEFFICIENT_MEMORY(M)
#undef M
      COEFFICIENT_MEMORIES
};
enum {
#define M(name) RECORDS_##name,
  RECORD_MEMORY(M)
#undef M
      RECORD_MEMORIES
};

/* Of the force field; nm, e nm, kJ/mol, amu, amu nm2. */
struct water_model {
  double cutoff, switch_from;
  double epsilon, sigma, dipole;
  double v0, v0_prime, w0;
  double on, end, on_prime, end_prime; /* of the switching functions of the sticky term */
  double mass, inertia[3];
};

/* The candidates of every bead within a radius, from both beads of a pair. Bead i has rows[i] rows
   of ROW indices, from index + i * most_rows * ROW; i itself fills the last one up. */
struct full_list {
  double cutoff; /* nm; the radius is this and the skin */
  int most_rows;
  int64_t candidates;
  int *rows;
  int32_t *index;
};

struct frame {
  int n, n_types;
  double box[3];
  struct water_model model;
  int32_t *x;      /* [n][3], box / 2^32 */
  int32_t *type;   /* [n]; all types have the same coefficients */
  double *axis[2]; /* [n][3], body z and x, of length 1 */
  /* What lamella energy gives in double precision: potential energy, sums of squared forces and of
     squared torques; kJ/mol, nm. */
  double reference[REFERENCES];
  struct full_list list[PASSES];
};

/* A file of frames, little endian: this, and for each frame the references (double), then of
   each bead, in three arrays, the position (int32_t[3], box / 2^32), body z and body x (double[3]).
 */
struct frames_head {
  char magic[8]; /* FRAMES_MAGIC, without the 0 at its end */
  int64_t n, frames;
  double box[3]; /* nm */
  struct water_model model;
};
#define FRAMES_MAGIC "variants"

/* The head of a file. Ends the program where the file is none. */
FILE *frames_open(const char *path, struct frames_head *head);
/* The next frame: beads sorted along a Morton curve, with n_types types that take turns, and lists
   with a skin. */
struct frame *frame_create(FILE *file, const struct frames_head *head, int n_types, double skin);
/* New lists of the present positions, beads in their order. */
void frame_lists_set(struct frame *frame, double skin);
void frame_destroy(struct frame *frame);

/* What an evaluation gives, summed over both passes: kJ/mol/nm, kJ/mol. */
struct outcome {
  double *force, *torque; /* [n][3] */
  double energy[PASSES];
};

struct choice {
  int coefficients, records, energies; /* energies: 1 with, 0 without */
  int first_pass, end_pass;
};

/* One kind of arithmetic. Functions other than host call the GPU, and end the program where a call
   fails. Kernels run on cudaStreamPerThread. */
struct variant {
  const char *name;
  int bytes; /* of a real */
  /* Copies a frame to the GPU; the caller's arrays may go. Given to destroy. */
  void *(*create)(const struct frame *frame);
  /* Copies the present positions and axes of the frame; its lists are those of create. */
  void (*move)(void *data, const struct frame *frame);
  void (*launch)(void *data, struct choice choice); /* returns at once */
  /* After launches. Energies are those of the last launch with energies. */
  void (*result)(void *data, struct outcome *outcome);
  void (*destroy)(void *data);
  /* The same arithmetic on one core, but for the functions that only GPUs have. */
  void (*host)(const struct frame *frame, struct outcome *outcome);
};

/* Dynamics at constant energy with the forces of a variant, from a frame and random momenta. */
struct run_options {
  int64_t steps;                /* 0: no dynamics */
  int every;                    /* steps between lists, and between samples of the energies */
  double dt, temperature, skin; /* ps, K, nm */
  int host;                     /* 1: forces on one core */
};
/* Prints the energies of all samples as JSON, with NaN where they are not finite. The run ends
   where a bead is further than half of the skin from its place in the lists. */
void run_print(const struct variant *variant, struct frame *frame, const struct run_options *o);

#define VARIANTS(V) V(double) V(mixed) V(fast) V(rounded) V(sums) V(fixed64) V(fixed32)

#endif
