/* The state of the CUDA backend, shared by its files. Pointers are device memory unless their
   comment says host or pinned. Nothing here depends on precision. Functions enqueue their work in
   streams.main and return at once unless their comment says that they wait or names another stream.
   They are local to the rank; an error of CUDA ends the program. */
#ifndef GPU_H
#define GPU_H

#include <assert.h>
#include <cuda_runtime_api.h>

#include "backend/backend.h"
#include "backend/grid.h"
#include "backend/offender.h"
#include "cuda/runtime/cuda_check.h"
#include "dynamics/cluster_body.h"
#include "dynamics/move_body.h"
#include "pair/bead_record.h"
#include "pair/bonded_entry.h"
#include "pair/external_body.h"
#include "pair/pair_pass.h"
#include "pair/pair_terms.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Migrating fields, ids and old positions as arrays of 32-bit words, for sorting and migration. */
struct column {
  uint32_t *data, *spare;
  int words; /* of a bead */
};
enum { COLUMNS_MOST = FIELDS + 2 };
struct columns {
  int n, words, id; /* words: of a bead in all columns; id: index of the column of ids */
  struct column column[COLUMNS_MOST];
};

struct cuda_type {
  struct body_type body;
  double axis_scale, charge; /* as in the model, in the precision of the run */
  int oriented;              /* 1: has axes that are sent in halo messages */
  int interaction;           /* enum interaction_class */
  int list_class;            /* pair/pair_pass.h */
};

/* Interaction classes and the loops over partners that they need: runtime/classes.h. */
enum interaction_class {
#define CLASS(name, ...) CLASS_##name,
#include "cuda/runtime/classes.h"
#undef CLASS
  CLASSES
};
enum rows_set {
#define ROWS(name, terms) ROWS_##name,
#include "cuda/runtime/classes.h"
#undef ROWS
  ROWS_SETS
};

/* Parts of a bead's list, by the class of the partners. It has two: rows grow from both ends. */
enum { LIST_PARTS = 2 };

/* Groups of beads in the work order of a list: interior and boundary beads, each by interaction
   class, and within it by list class. Beads without a list of this pass are the last group of the
   interior and the last one of the boundary. GROUPS_MOST: the number with the most list classes. */
enum { GROUPS_MOST = 2 * (CLASSES * PAIR_CLASSES_MOST + 1) };
static_assert(GROUPS_MOST <= 256, "the number of a group is a byte");

struct cuda_peer {
  int n_send, n_send_axis, n_receive, n_receive_axis;
  int first;             /* its beads here: [first, first + n_receive), by cell and id */
  int *send, *send_axis; /* owned beads that it needs, ascending; the oriented ones, in any order */
  int *receive_axis;
  int send_room, send_axis_room, receive_axis_room;
};

/* An error found by a kernel: the bead and values for the message. Set by the first thread that
   finds one. */
struct cuda_fault {
  int found, pad;
  int64_t bead, other, step;
  double value[4];
};

/* The present box with the other results of couplings, and the box of the list build, nm. If the
   box changes, kernels read both from here, so that launches do not change from build to build and
   CUDA graphs can be used again. */
struct cuda_box {
  struct coupling_state now;
  double build[3];
};

/* Clusters (model/cluster.h) by their size. A warp works on several small ones, or on a large one,
   a block on one with sparse equations. Of these each size has up to twice the beads of the one
   before, so that no more than half of its memory is idle. */
enum cluster_size {
  CLUSTERS_SMALL,
  CLUSTERS_LARGE,
  CLUSTERS_SPARSE,
  CLUSTERS_SIZES = CLUSTERS_SPARSE + 4
};
enum { CLUSTERS_SMALL_MOST = 16 /* beads, and constraints, of a small one */ };

/* Results of kernels for the host, in device memory; cuda_report_read copies it. Squared lengths
   and forces are stored as the bits of a double that is not negative: their order as integers is
   that of the numbers. */
struct cuda_report {
  /* The first step whose lists have expired (0: none): expired_local as found by this rank,
     expired_agreed as reduced over ranks. While expired_agreed is set, kernels are no-ops; the host
     resets both when it drains. */
  uint64_t expired_local, expired_agreed;
  int64_t begun[2]; /* the step that the next first half begins, by its parity */
  unsigned long long displacement2_bits[2]; /* the largest since the build, by parity of the step */
  unsigned displaced[2];                    /* number of beads beyond search_above2, by parity */
  unsigned ended[2]; /* [0]: blocks that have ended (block_is_last), 0 between two kernels */
  struct cuda_box box;
  struct cuda_fault blown;
  struct cuda_fault rigid;         /* beads of a constraint that cannot be solved */
  struct cuda_fault broken, point; /* this and the rest: of a build */
  int group_end[PAIR_PASSES_MOST]
               [GROUPS_MOST];      /* ends of the groups of each work order, in beads */
  int most_rows[PAIR_PASSES_MOST]; /* of a bead */
  int bonded;
  int clusters[CLUSTERS_SIZES];
  /* By peer: beads selected for its halo, the oriented ones of these, and axes packed so far. */
  int sent[PEERS_MOST], oriented[PEERS_MOST], axes[PEERS_MOST];
  int64_t listed, missed;
  unsigned long long missed_force;
};

/* The progress of the device, written by kernels into pinned host memory and polled by the host. */
struct cuda_progress {
  uint64_t begun_step;     /* the last step that the device has begun */
  uint64_t valid_step;     /* with early_notify: the last step whose lists are known to hold */
  uint64_t expired_agreed; /* as in the report: not 0 if lists have expired */
};

/* The columns of cells that this rank has beads in, and so has in its table: n[k] columns along
   axis k (x and y) from first[k] on, continued across the face of the box. */
struct cuda_held {
  int first[2], n[2];
};

/* The list of a bead: rows of partners of each part. */
struct list_head {
  int rows[LIST_PARTS];
};

/* A neighbour list of the plan. A bead has lanes threads and room for most_rows rows of 4 lanes
   indices; the rows of partners of part 1 go down from the last. Entry k of a part stands in its
   row k / (4 lanes), lane k mod lanes, slot (k mod (4 lanes)) / lanes. Rows are filled up with the
   bead itself. Threads process the beads whose list class takes part in the list in its work order:
   interior beads, then boundary beads, each sorted by interaction class and list class. Each group
   starts at a multiple of PLACES_ALIGN, so that no warp has beads of two classes. */
enum { PLACES_ALIGN = 128 };

/* A place of a work order: a bead with the rows of its list. Loaded as an int2. */
struct cuda_place {
  int bead; /* -1: none; then rows are not set */
  uint16_t rows[LIST_PARTS];
};
struct cuda_list {
  int lanes, most_rows;
  int half, all;                    /* groups of the interior beads; 1: every bead takes part */
  int n_places;                     /* at most */
  int group_first[GROUPS_MOST + 1]; /* places in the work order; [2 * half + 1] */
  struct cuda_place *place;         /* [n_places] */
  struct list_head *head;           /* of a bead */
  int *index;
  int64_t index_bytes;
};

/* An entry of sorted beads: the local index, above it the list class of the bead, and in the
   highest bit the part of lists that it belongs to. */
enum {
  PART_SHIFT = 31,
  CLASS_SHIFT = 28,
  SORTED_BEAD = (1 << CLASS_SHIFT) - 1 /* the bits of the index */
};
static_assert(LIST_PARTS <= 1 << (32 - PART_SHIFT), "the part of a sorted bead has its own bits");
static_assert(PAIR_CLASSES_MOST <= 1 << (PART_SHIFT - CLASS_SHIFT), "so has its list class");

struct force_cuda;
struct cuda_graphs;
struct graph_node;

/* The two streams. Work is in main, except work that runs concurrently with main: halo messages,
   forces of boundary beads where there are many, the search for unlisted pairs, and the part of a
   build that does not need the lists. cuda_fork and cuda_join order the streams by events. */
struct gpu_streams {
  cudaStream_t main, side; /* side: of highest priority */
  cudaEvent_t main_event, side_event, halo_event;
  int side_busy;  /* 1: main does not wait yet for the work in side */
  int halo_noted; /* 1: halo_event tells that the halo of this step has arrived */
};

/* What the device offers. */
struct gpu_limits {
  int chained;      /* 1: a kernel may begin while the one before it ends: runtime/chain.cuh */
  int shared_bytes; /* shared memory of a multiprocessor */
  int multiprocessors;
};

struct gpu_memory {
  int64_t bytes;                           /* allocated in all */
  struct memory_use use[MEMORY_USES_MOST]; /* [uses] */
  int uses;
  void *scratch; /* cuda_scratch */
  int64_t scratch_room;
};

/* The force field in device memory, in the precision of the run. */
struct gpu_coefficients {
  const struct force_cuda *kernel;
  void *model; /* host; its arrays are device memory */
  struct cuda_type *type;
  int rotates; /* some type does */
};

/* Beads: the owned ones, then those of the halo. */
struct gpu_arrays {
  /* Halo beads: build position, type, and bonded_env 0 if they have one, else -1. */
  struct beads beads, spare;
  int64_t *id, *spare_id;
  int32_t *old_position, *spare_old; /* build positions of the build before */
  int room;                          /* capacity of these and the following arrays, beads */
  struct bead_record *record;
  void *axis[PAIR_AXES_MOST]; /* records of axes: struct axis_record; NULL: none */
  int axis_bytes;             /* of a record of one axis */
  double *force, *torque;
  unsigned char *bath; /* heat bath of an owned bead; NULL: there is one for all */
};

/* Beads in the order of cells. */
struct gpu_sorting {
  struct grid grid;
  double build_box[3]; /* host */
  int coarse;  /* 1: cells are wider than for the radius, and may contain any number of beads */
  int counted; /* 1: owned beads were sorted by counting, which leaves the table of their cells */
  struct bead_record *sorted; /* build position and local index, in the order of cells, with
                                 the part of the lists above it */
  uint64_t *key, *key_sorted;
  int *value, *order;
  unsigned char *group, *group_sorted;
  int *flag;  /* 1 for a bead of the boundary */
  int *start; /* into sorted: [columns of the grid that are held][cells along z + 1] */
  int64_t start_room;
  int n_migrated; /* rows of beads that have left, among and after the owned ones */
};

/* The local index of each id that this rank has, owned or halo; device memory. One rank: a table
   of all ids. Several: a hash table with open addressing, so that its memory follows what the rank
   holds and not the whole system. */
enum { ID_INDEX_BITS = 28 }; /* of the index in a slot; the id has the others */
struct cuda_ids {
  int64_t n_total;
  int *index;     /* [n_total + 1] */
  uint64_t *slot; /* [mask + 1], a power of 2: id and index; ID_FREE */
  uint64_t mask;
  int64_t room; /* bytes */
};
#define ID_FREE UINT64_MAX

/* Bonded terms: the topology's tables, and the entries of the owned beads. */
struct gpu_bonded {
  struct bonded_entry *entry;
  int64_t room;
  unsigned forms; /* bits of the forms of bonded types */
  int apart;      /* 1: a kernel of their own, not part of the passes */
  int *row;       /* [owned + 1] into entry */
  struct cuda_ids ids;
  double *rest; /* length at rest of each bonded type, nm, or 0: forcefield_rest */
  int *term_start, *exclude_start;
  struct topology_term *term; /* types are numbered among those of all sections */
  int64_t *exclude;
  unsigned char *lipid;   /* of an environment: struct backend_config; NULL: all are of lipids */
  struct anchors anchors; /* arrays are device memory */
};

/* Clusters of a size. */
struct gpu_clusters_of {
  int n, room;               /* clusters of the owned beads; clusters that entry has room for */
  int most_beads, most_work; /* of the types of this size: beads, and doubles to work with */
  int *entry;                /* [room][1 + most_beads]: type, then beads as local indices */
  double *work;              /* [room][most_work]; NULL: of small ones */
  int64_t entry_bytes, work_bytes;
};
struct gpu_clusters {
  int present; /* 1: some beads are in clusters; else all the rest is 0 */
  int sites;   /* 1: some cluster type has virtual sites */
  int n_types;
  struct cluster_type *host_type; /* host; the arrays are device memory */
  struct cluster_type *type;
  unsigned char *size_of;     /* of a type */
  int *cluster_of, *place_of; /* of a bonded environment */
  int *lead; /* local index of the lead bead of the cluster of a bead, or -1; NULL: no clusters */
  /* [owned][3]: forces on sites of the last call with energies; NULL: there are none */
  double *site_force;
  struct gpu_clusters_of of[CLUSTERS_SIZES];
};

/* External fields of the run: arrays in device memory, the rest on the host. */
struct gpu_external {
  struct external_type *of_type; /* [types] */
  struct external_kernel field[EXTERNAL_FIELDS_MOST];
};

/* The groups of the heat baths, where there are several: arrays in device memory. */
struct gpu_baths {
  int n; /* 0: there is one for all */
  struct bead_set group[HEAT_BATHS_MOST];
};

/* Bounds of the regions along both cuts, for kernels, with a pinned copy. */
struct gpu_bounds {
  uint64_t *device, *host;
  int64_t room; /* bytes */
};

struct gpu_halo {
  struct domain domain;              /* of the last build, without bounds; all zero with one rank */
  struct cuda_peer peer[PEERS_MOST]; /* [domain.n_peers] */
  uint32_t *migrants;                /* packed records of beads that migrate to other ranks */
  int64_t migrants_room;
  struct gpu_bounds bounds;
  int *counts; /* [ranks + 1], pinned: migrants to each rank, and to all */
};

/* How a list build is done: lists/build_graph.h. */
enum build_way { BUILD_PLAIN, BUILD_CAPTURED, BUILD_REPLAYED };
struct build_graphs;
struct gpu_builds {
  enum build_way way;          /* of the present build */
  struct build_graphs *graphs; /* host; NULL: none yet */
};

/* Parameters of couplings; the step of the last coupling is on the device only. NULL: none yet. */
struct gpu_coupling {
  struct coupling_params *device, *host;
};

struct gpu_reports {
  struct cuda_report *device, *host; /* host: pinned */
  struct cuda_progress *progress;    /* pinned */
  int outdated;                      /* 1: the device has a newer coupling state than host */
};

struct gpu_step {
  uint64_t number;                 /* of the last step submitted */
  int parity;                      /* of that step: alternates between 0 and 1 */
  int reduce_expired, box_changes; /* of its struct integrate_params */
  int pending_spread;              /* 1: the forces on virtual sites are not spread yet: the next
                                      first half does that too */
  double pending_kick; /* ps; 0: none. Duration of a second half kick that is not done yet: the
                          next first half does both kicks in one pass */
  struct cuda_graphs *graphs; /* host; NULL: none yet */
  struct graph_node
      *searches; /* host; where the next search is noted. NULL: no batch is captured */
};

/* Sums of this rank: device memory, except host, which is pinned. */
struct gpu_sums {
  struct sums *forces; /* pair and bonded */
  struct sums *motion; /* kinetic sums and the virial of constraints; 0 until cuda_sums_find */
  struct sums *all;    /* both together */
  struct sums *spare;  /* target of passes without energies */
  struct sums *host;
};

/* Profiles (backend/profile.h): allocated when they are first asked for. Device memory, except
   host, which is pinned. */
struct gpu_profile {
  int64_t generation; /* of the tables; 0: none yet */
  int32_t *species_of_env, *species_of_type, *has_dipole;
  double *weight;
  unsigned char *lipid;           /* of a bead, owned or halo: 1 if it is in a lipid */
  struct stress_ends *ends;       /* [owned][2] */
  int64_t *word;                  /* of the bins that were not waited for, one after the other */
  uint32_t *centre;               /* of the last words of TALLY_CENTRE */
  int64_t room[8];                /* bytes of the arrays above, in their order */
  int64_t *host;                  /* [host_room] */
  const int64_t *centre_word;     /* where the caller gets those words: host memory, not read */
  int host_room, used, n_waiting; /* words, words, calls */
  struct gpu_bins {
    int64_t *bin; /* of the caller, host memory */
    int n;
  } waiting[8];
};

struct gpu {
  struct backend base;
  struct device_channel channel;
  struct backend_config config;
  char description[320];
  struct gpu_streams streams;
  struct gpu_limits limits;
  struct gpu_memory memory;
  struct gpu_coefficients coefficients;
  struct gpu_arrays arrays;
  struct gpu_sorting sorting;
  struct cuda_list list[PAIR_PASSES_MOST]; /* of the plan */
  struct gpu_bonded bonded;
  struct gpu_clusters clusters;
  struct gpu_external external;
  struct gpu_baths baths;
  struct gpu_halo halo;
  struct gpu_coupling coupling;
  struct gpu_builds builds;
  struct gpu_reports reports;
  struct gpu_step step;
  struct gpu_sums sums;
  struct gpu_profile profile;
};

/* 1 if passes without energies are chained (runtime/chain.cuh): those of mixtures. */
static inline int cuda_passes_chain(const struct gpu *c)
{
  return c->limits.chained && c->config.plan->n_passes > 2;
}

/* Threads to launch for work that `threads` could share: at most what fits on the device at once,
   with `room` threads on each multiprocessor; each thread loops over its part. */
static inline int64_t cuda_threads_at_once(const struct gpu *c, int64_t threads, int room)
{
  const int64_t most = (int64_t)c->limits.multiprocessors * room;
  return threads < most ? threads : most;
}

/* Bytes of all axis records of a bead. */
static inline int cuda_axes_bytes(const struct gpu *c)
{
  return c->config.plan->n_axes * c->arrays.axis_bytes;
}

/* By how much the radius of a list is smaller than the largest, nm. */
static inline double cuda_list_margin(const struct gpu *c, int list)
{
  return pair_margin(c->config.plan, c->config.ff, c->config.topology, list);
}

static inline int launch_blocks(int64_t n, int threads)
{
  return (int)((n + threads - 1) / threads);
}

/* memory.c: grows *p from *room to at least `bytes` bytes and keeps the first `keep` of them. what:
   its use, a static string. Status 2 if the memory of the GPU does not suffice. Waits if keep > 0.
 */
void cuda_grow(struct gpu *c, void **p, int64_t *room, int64_t bytes, int64_t keep,
               const char *what);
/* Copies host data to new device memory. Waits. */
void *cuda_uploaded(struct gpu *c, const void *from, int64_t bytes, const char *what);
/* Copies a group to new device memory, and frees it. */
struct bead_set cuda_bead_set(struct gpu *c, const struct bead_group *from, const char *what);
void cuda_bead_set_free(const struct bead_set *s);
/* Grows the bead arrays to n beads, owned and halo; keeps their contents. */
void cuda_reserve(struct gpu *c, int64_t n);
/* The columns of the bead arrays. */
struct columns cuda_columns(struct gpu *c);
/* Swaps the columns with their spares, after a kernel has written those. */
void cuda_columns_swap(struct gpu *c);
/* Device memory for temporary use; valid until the next call. */
void *cuda_scratch(struct gpu *c, int64_t bytes);
/* cub.cu: replaces each of n values by the sum of those before it. */
void cuda_sum_before(struct gpu *c, int *value, int n, cudaStream_t stream);
/* Sort the numbers 0 ... n - 1 in sorting.value by their keys, or groups, which have so many bits,
   into sorting.order; equal ones keep their order. */
void cuda_sort_keys(struct gpu *c, int n, int bits, cudaStream_t stream);
void cuda_sort_groups(struct gpu *c, int n, int bits, cudaStream_t stream);
/* Selects the owned beads that the only peer of a domain needs in its halo, in ascending order, and
   counts them; out and count are device memory. */
void cuda_select_near(struct gpu *c, const struct domain *domain, int *out, int *count);
/* streams.c: waits for both streams and copies the report to the host. Status 3 if a bead has moved
   too far, status 5 if a halo message was lost. */
void cuda_report_read(struct gpu *c);
/* cuda_fork: side waits for the work enqueued in main so far. cuda_join: main waits for the work
   enqueued in side so far. cuda_join_if_busy: cuda_join if streams.side_busy is set.
   cuda_halo_note: notes that the work enqueued in side so far unpacks the halo of the step.
   cuda_halo_join: main waits for that, or where it was not noted as by cuda_join_if_busy. The host
   does not wait. */
void cuda_fork(struct gpu *c);
void cuda_join(struct gpu *c);
void cuda_join_if_busy(struct gpu *c);
void cuda_halo_note(struct gpu *c);
void cuda_halo_join(struct gpu *c);

/* offender.c: the state of this rank for the file about an offender, in host memory that is never
   freed, since the program ends. Waits. */
struct offender_state cuda_offender(struct gpu *c, int64_t step);

#ifdef __cplusplus
}
#endif

#endif
