/* The record of a run, kept in its checkpoints: where it comes from, what has happened in it, and
   what it has measured so far, over all its jobs. */
#ifndef RUN_RECORD_H
#define RUN_RECORD_H

#include <stdint.h>

/* What an observable (observe/observable.h) has accumulated: kept in checkpoints. */
struct accumulated {
  char name[32];
  char *options; /* kind and options, YAML text; owned */
  int64_t n;     /* the same on all ranks */
  double *data;  /* [n] on rank 0, NULL elsewhere; owned */
};

/* The beads of a selection that depends on the start of the run: kept in states. */
struct kept_beads {
  char *text;          /* of the selection, such as "{leaflet: upper}"; owned */
  int64_t n;           /* ranges of ids */
  int64_t (*range)[2]; /* [n]: ascending and disjoint; owned */
};

enum {
  RUN_ID = 17,       /* bytes of the identity of a run: 16 hexadecimal digits */
  ENERGY_LINE = 2048 /* bytes of a line of energies */
};

/* Written by model/run_record.c. */
struct run_record {
  char id[RUN_ID];     /* identity of the run, also in its files; empty: no run, or unknown */
  uint64_t input_hash; /* fingerprint_state of the input state; 0: no run */
  char *input;         /* path of the input state; owned, may be NULL */
  char *parameters;    /* effective parameters (YAML) of the last job; owned, may be NULL */
  char *contents;      /* what files of the run file held (md/contents.h); owned, may be NULL */
  char *history;       /* log of all jobs of the run, a line or more each; owned, may be NULL */
  char kernel[64]; /* backend, precision and instruction set that computed it; empty: none yet */
  char git[64];    /* version of the program that wrote the state file; empty: unknown */

  int64_t builds; /* neighbour lists built */

  double conserved_work;         /* kJ/mol; energy added by thermostat and barostat */
  char energy_line[ENERGY_LINE]; /* last line of PREFIX.csv, rank 0 in a run; empty: none; "?":
                                    unknown */
  int n_accumulated;
  struct accumulated *accumulated; /* owned */
  /* What forces of the run file have of the steps before, such as the work of biases; the data are
     on all ranks. */
  int n_forces;
  struct accumulated *forces; /* owned */
  int n_kept;
  struct kept_beads *kept; /* [n_kept], the same on all ranks; owned */
};

/* A run begins from this state (path and fingerprint): empties the record, but for kernel, git and
   what is kept of selections. */
void run_record_begin(struct run_record *r, const char *input, uint64_t input_hash);
/* The same, but keeps what forces have by a name. */
void run_record_begin_keeping(struct run_record *r, const char *input, uint64_t input_hash,
                              const char *name);
void run_record_set_input(struct run_record *r, const char *input, uint64_t input_hash);
void run_record_set_id(struct run_record *r, const char *id);
void run_record_set_kernel(struct run_record *r, const char *kernel);
void run_record_set_energy_line(struct run_record *r, const char *line);
void run_record_set_contents(struct run_record *r, const char *contents);
void run_record_set_work(struct run_record *r, double conserved_work);
/* Appends one line to the history. printf format, without newline. */
__attribute__((format(printf, 2, 3))) void run_record_add(struct run_record *r, const char *format,
                                                          ...);
/* Lists were built. */
void run_record_count_build(struct run_record *r);
/* Takes ownership of n results (NULL: none) in the place of those before, which it frees. */
void run_record_set_accumulated(struct run_record *r, int n, struct accumulated *accumulated);
/* The same of what forces keep. */
void run_record_set_forces(struct run_record *r, int n, struct accumulated *forces);
/* Takes ownership of one, in the place of that of its name, if there is one. */
void run_record_set_force(struct run_record *r, struct accumulated force);
/* What forces keep by a name; NULL: nothing. */
const struct accumulated *run_record_force(const struct run_record *r, const char *name);
/* Keeps the beads of a selection (copied); what is kept of one, NULL: nothing; keeps nothing. */
void run_record_keep(struct run_record *r, const char *text, int64_t n, const int64_t (*range)[2]);
const struct kept_beads *run_record_kept(const struct run_record *r, const char *text);
void run_record_forget_kept(struct run_record *r);
/* Numbers and texts as a file has them. The texts are copied; NULL: there are none. */
void run_record_restore_numbers(struct run_record *r, const struct run_record *stored);
void run_record_restore_texts(struct run_record *r, const char *git, const char *parameters,
                              const char *history);
/* All but what observables have accumulated. to: zero-initialised, or an earlier copy. */
void run_record_copy(struct run_record *to, const struct run_record *from);
void run_record_free(struct run_record *r);
void accumulated_free(struct accumulated *o, int n);

#endif
