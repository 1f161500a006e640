/* The state of the cpu backend, shared by its files. Everything is host memory. */
#ifndef BACKEND_CPU_H
#define BACKEND_CPU_H

#include "backend/backend.h"
#include "backend/offender.h"
#include "base/id_map.h"
#include "cpu/cells.h"
#include "cpu/force_cpu.h"
#include "dynamics/move_body.h"

struct cpu_peer {
  int n_send, send_room;
  int *send;            /* owned beads that it needs, ascending */
  int n_receive, first; /* its beads here: [first, first + n_receive) */
};

/* What the integrator needs of a type. */
struct cpu_type {
  struct body_type body;
  int oriented; /* has an axis that travels in the halo */
};

struct cpu {
  struct backend base;
  struct backend_config config;
  const struct force_kernel *kernel;
  void *model;
  struct cpu_type *type;
  double box[3], build_box[3];
  char text[128];

  struct beads beads; /* owned */
  int room, halo_room;
  /* Owned beads, then the halo. */
  int64_t *id;
  struct bead_record *record;
  char *axis;
  int32_t *grid_position; /* build positions, as cells_sort takes them */
  int32_t *old_position;  /* of the build before */
  double *force, *torque;

  struct cells cells;
  struct neighbor_list list;
  struct id_map map;
  int *exclude_row, *exclude;
  int exclude_room;
  int *bonded_row;
  struct bonded_entry *bonded;
  int bonded_room;
  int *interior, *boundary;
  struct cpu_peer peer[PEERS_MOST];

  char *packed; /* beads that change rank */
  int64_t packed_room;
  int *destination;
  char *spare; /* one array while beads are sorted */
  int64_t spare_room;
  struct sums sums;
  double moved; /* square of the largest displacement since the build */
  struct beads marked;
};

/* Room for n owned beads and n_halo copies. */
void cpu_reserve(struct cpu *c, int n, int n_halo);

/* What is here of the state of a step, for the file about an offender. */
struct offender_state cpu_offender(const struct cpu *c, int64_t step);

/* backend_cpu_build.c */
void cpu_build_begin(struct backend *b, int keep);
void cpu_sort(struct backend *b, double radius);
void cpu_build(struct backend *b, const struct build_params *p, struct audit *out);

/* backend_cpu_halo.c */
void cpu_histogram(struct backend *b, const struct domain *d, int bins, int64_t *count);
const void *cpu_pack_migrants(struct backend *b, const struct domain *d, int64_t *count,
                              int *record);
void cpu_unpack_migrants(struct backend *b, const void *record, int64_t n);
void cpu_halo_select(struct backend *b, const struct domain *d, struct halo_count *count);
int64_t cpu_halo_bytes(struct backend *b, enum halo_kind kind, struct halo_count n);
void cpu_halo_pack(struct backend *b, enum halo_kind kind, int k, void *buffer);
void cpu_halo_unpack(struct backend *b, enum halo_kind kind, int k, const void *buffer,
                     struct halo_count n);

/* backend_cpu_move.c */
void cpu_integrate_first_half(struct backend *b, const struct integrate_params *m);
double cpu_displacement2(struct backend *b);
void cpu_integrate_second_half(struct backend *b, double dt);
void cpu_sums(struct backend *b, struct sums *out);
void cpu_save_positions(struct backend *b);
void cpu_restore_positions(struct backend *b);
void cpu_descend(struct backend *b, double step, double limit);
/* Records and axes of owned beads from positions and orientations. */
void cpu_derive(struct cpu *c);

#endif
