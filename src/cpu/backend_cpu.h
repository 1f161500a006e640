/* The state of the CPU backend, shared by its files. Everything is host memory, and every function
   is complete when it returns. Loops over beads are shared by the threads of the rank:
   base/parallel_loop.h says what they may write. */
#ifndef BACKEND_CPU_H
#define BACKEND_CPU_H

#include "backend/backend.h"
#include "backend/clusters.h"
#include "backend/offender.h"
#include "base/box.h"
#include "base/id_map.h"
#include "base/parallel_loop.h"
#include "cpu/cells.h"
#include "cpu/force_cpu.h"
#include "pair/external_body.h"

struct cpu_peer {
  int n_send, send_room;
  int *send;            /* owned beads that the peer needs, ascending */
  int n_receive, first; /* its beads in the halo: [first, first + n_receive) */
};

/* What one thread has added up in a loop. */
struct cpu_part {
  struct sums sums;
  struct external_work work;
  double displacement2[2]; /* as in struct cpu */
  int64_t apart;           /* listed pairs */
  int64_t *bin;            /* of profiles */
  int bins;                /* room of bin */
};

/* The fewest items of a loop that are worth a chunk: those of some microseconds. */
enum { LEAST_FORCES = 16, LEAST_CLUSTERS = 16, LEAST_MOVES = 128 };

struct cpu {
  struct backend base;
  struct backend_config config;
  const struct force_kernel *kernel;
  void *model;
  /* [types]; oriented: 1 for those with axes that are sent in halo messages. */
  struct body_type *inertia;
  unsigned char *oriented;
  double box[BOX], build_box[BOX];
  int64_t step; /* of the present state */
  char description[128];
  struct cpu_part *part; /* [threads] */

  struct beads beads; /* owned */
  int room, halo_room;
  /* Owned beads, then the halo. id to grid_position have room for both, halo_room; force and torque
     for owned beads. */
  int64_t *id;
  struct bead_record *record;
  void *axis[PAIR_AXES_MOST]; /* records: struct axis_record */
  int32_t *grid_position;     /* build positions for cells_sort */
  double *force, *torque;
  double *site_force;   /* on sites, of the last call with energies; NULL: no clusters */
  unsigned char *team;  /* [n]: team_byte of a bead; NULL: 0 for all */
  unsigned char *lipid; /* 1 for beads of lipids: halo; owned ones while stress is added */

  struct cells cells;
  struct neighbor_list list[PAIR_PASSES_MOST]; /* of the plan */
  double list_radius;                          /* of the widest, nm */
  struct id_map map;
  int *exclude_row, *exclude;
  int exclude_room;
  int *bonded_row;
  struct bonded_entry *bonded;
  int bonded_room;
  int *interior, *boundary;
  struct cpu_peer peer[PEERS_MOST];

  char *packed; /* records of beads that migrate */
  int64_t packed_room;
  int *destination;
  char *spare; /* copies of arrays while beads are sorted */
  int64_t spare_room;
  struct sums sums;
  struct external_work work[2]; /* of even and odd steps */
  double displacement2[2];      /* squares of the two largest since the build, nm2 */
  struct beads saved;           /* cpu_save_positions */
  struct clusters *clusters;    /* NULL: the system has none */
  struct cpu_bias *bias;        /* bias_cpu.c; NULL: no coordinates */
};

static inline struct cpu *cpu_of(struct backend *b)
{
  return (struct cpu *)b;
}

/* backend_cpu_arrays.c */
/* What goes with an owned bead where it is sorted or changes its rank: id and the migrating
   fields. Sets the arrays and the bytes a bead, and returns their number. */
enum { CPU_PARTS_MOST = FIELDS + 1 };
struct cpu_array {
  char *array;
  size_t bytes;
};
int cpu_parts(const struct cpu *c, struct cpu_array part[CPU_PARTS_MOST]);
/* Copies the migrating fields of n beads where both have them. */
void cpu_beads_copy(struct beads *to, const struct beads *from, int64_t n);
/* Puts the ids of owned and halo beads of systems with bonded terms into the map. */
void cpu_map_ids(struct cpu *c);
/* Grows the bead arrays to n owned beads and n_halo halo beads; keeps their contents. */
void cpu_reserve(struct cpu *c, int n, int n_halo);
/* A loop over n items of what `of` points to. */
static inline int cpu_loop(const struct cpu *c, int n, int least, parallel_body *body, void *of)
{
  return parallel_loop(c->base.threads, n, least, body, of);
}
/* Before and after loops that add to the sums of threads. */
void cpu_sums_begin(struct cpu *c);
void cpu_sums_end(struct cpu *c, struct sums *add_to);
/* Updates the records that pair kernels read (position, type, axis) from the positions and
   orientations of owned beads. */
void cpu_update_pair_records(struct cpu *c);
/* The same, and the largest displacements, after the beads have moved. _part: for those of a chunk,
   between a begin and an end. */
void cpu_moved(struct cpu *c);
void cpu_moved_begin(struct cpu *c);
void cpu_moved_part(struct cpu *c, int begin, int end, int thread);
void cpu_moved_end(struct cpu *c);
/* Finds the teams of the owned beads. */
void cpu_teams_find(struct cpu *c);
/* The arrays of all owned beads, for force kernels. It borrows them. */
struct force_job cpu_force_job(struct cpu *c);
/* The state of this rank for the file about an offender. It borrows the arrays. */
struct offender_state cpu_offender(const struct cpu *c, int64_t step);

/* backend_cpu_build.c */
void cpu_build_begin(struct backend *b, int keep);
void cpu_sort(struct backend *b, double radius);
void cpu_build(struct backend *b, const struct build_params *p);
int64_t cpu_count_apart(struct backend *b, double built, double now);

/* backend_cpu_halo.c */
int64_t cpu_extent(struct backend *b, int axis);
void cpu_histogram(struct backend *b, const struct domain *d, int cut, int bins, int64_t *count);
const void *cpu_pack_migrants(struct backend *b, const struct domain *d, int64_t *count,
                              int *record);
void cpu_unpack_migrants(struct backend *b, const void *record, int64_t n);
void cpu_halo_select(struct backend *b, const struct domain *d, struct halo_count *count);
int64_t cpu_halo_bytes(struct backend *b, enum halo_message message, struct halo_count n);
void cpu_halo_pack(struct backend *b, enum halo_message message, int peers, void *const *buffer,
                   const struct device_signal *then);
void cpu_halo_unpack(struct backend *b, enum halo_message message, int peers, void *const *buffer,
                     const struct halo_count *n, const struct device_wait *until);

/* unlisted_cpu.c */
int cpu_find_unlisted(struct backend *b, double above2, double reach);

/* backend_cpu_clusters.c: nothing where the system has no clusters. */
/* Finds the clusters of the owned beads, whose ids are in the map. */
void cpu_clusters_find(struct cpu *c);
/* First half of a step and half a kick at its end. h: ps. */
void cpu_clusters_move(struct cpu *c, const struct integrate_params *m);
void cpu_clusters_kick(struct cpu *c, double h);
/* Moves the forces on virtual sites to their parents. energy 1: adds the virial of that to the
   sums of threads, and, if keeps is 1, sets site_force. */
void cpu_clusters_spread(struct cpu *c, int energy, int keeps);
/* Adds the virial of the constraints of the present state to the sums of threads. */
void cpu_clusters_sums(struct cpu *c);
/* Adds them to pressure profiles, one of each thread. */
struct cluster_stress;
void cpu_clusters_stress(struct cpu *c, const struct cluster_stress *to);
/* For the minimiser: projects out the forces along constraints, and moves the beads along what is
   left. */
void cpu_clusters_relax(struct cpu *c);
void cpu_clusters_descend(struct cpu *c, double step, double limit);
/* 1 if bead i moves with its cluster. */
static inline int cpu_in_cluster(const struct cpu *c, int i)
{
  return c->clusters && c->clusters->member[i];
}

/* bias_cpu.c: coordinates and biases; nothing where there are none. */
extern const struct bias_ops cpu_bias_ops;
void cpu_bias_open(struct cpu *c);
void cpu_bias_close(struct cpu *c);
/* Finds the beads of the groups among the owned ones. */
void cpu_bias_find(struct cpu *c);
/* Adds the forces of the biases, and where energy is set their energy and virial. */
void cpu_bias_add(struct cpu *c, int energy);
/* Adds the virial of constraints of the present state. */
void cpu_bias_sums(const struct cpu *c, double scale, struct sums *out);

/* profile_cpu.c */
void cpu_accumulate(struct backend *b, const struct tally *what, int64_t *bin);

/* backend_cpu_move.c */
void cpu_integrate_first_half(struct backend *b, const struct integrate_params *m);
void cpu_displacement2(struct backend *b, double largest[2]);
void cpu_integrate_second_half(struct backend *b, double dt);
void cpu_sums(struct backend *b, struct sums *out);
void cpu_save_positions(struct backend *b);
void cpu_restore_positions(struct backend *b);
void cpu_descend(struct backend *b, double step, double limit);

#endif
