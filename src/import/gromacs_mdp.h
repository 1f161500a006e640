/* Run parameters of GROMACS (.mdp): what they mean here. Local. */
#ifndef GROMACS_MDP_H
#define GROMACS_MDP_H

#include <stdio.h>

#include "import/gromacs_index.h"
#include "input/stages.h"

struct gromacs_mdp;

/* Words that are taken for others (--substitute=FROM:TO,...): for the value FROM of any key that
   may have the value TO. gromacs_substitute.c. */
struct gromacs_substitutes {
  int n;
  struct gromacs_substitute {
    char *from, *to; /* in one piece of memory */
    int used;
  } * item;
};
/* Adds errors for what is not well formed. */
struct gromacs_substitutes gromacs_substitutes_read(int n, const char *const *text,
                                                    struct error_list *m);
/* Warns of those that no file has used, and frees them, after the files. */
void gromacs_substitutes_end(struct gromacs_substitutes *all);

/* Reads a file; keys that may be misspelled, and values that mean what is not implemented, are
   added to m, as is what the functions below find wrong. other: borrowed. */
struct gromacs_mdp *gromacs_mdp_read(const char *path, const struct gromacs_substitutes *other,
                                     struct error_list *m);
void gromacs_mdp_destroy(struct gromacs_mdp *mdp);

/* In all of these mdp may be NULL: a file that says nothing. */

/* The value of a key as the file has it, or as GROMACS has it where the file does not. */
const char *gromacs_mdp_value(const struct gromacs_mdp *mdp, const char *key, const char *preset);
/* How many words a value has, and word k; "" where there are fewer. */
int gromacs_mdp_words(const struct gromacs_mdp *mdp, const char *key);
const char *gromacs_mdp_word(const struct gromacs_mdp *mdp, const char *key, int k);
/* The line of a key, or the file. */
struct file_line gromacs_mdp_line(const struct gromacs_mdp *mdp, const char *key);
/* A number; the preset and an error if the value is none or out of range. */
double gromacs_mdp_real(const struct gromacs_mdp *mdp, const char *key, double preset, double low,
                        double high);
int64_t gromacs_mdp_int(const struct gromacs_mdp *mdp, const char *key, int64_t preset, int64_t low,
                        int64_t high);
/* The numbers of a list, at most `most`; returns how many. */
int gromacs_mdp_reals(const struct gromacs_mdp *mdp, const char *key, int most, double *value);
/* Index of the value in the words "a|b|c", of which the first is what GROMACS has where the file
   does not say; -1: it is none of them. */
int gromacs_mdp_find(const struct gromacs_mdp *mdp, const char *key, const char *words);
/* The same in the words of the key's row (gromacs_mdp_list.h); -1 with an error. */
int gromacs_mdp_choice(const struct gromacs_mdp *mdp, const char *key);

/* Adds an error at the line of a key. */
#define GROMACS_REFUSE(mdp, key, ...)                                                              \
  LINE_ERROR(gromacs_mdp_errors(mdp), gromacs_mdp_line(mdp, key), __VA_ARGS__)
struct error_list *gromacs_mdp_errors(const struct gromacs_mdp *mdp);
/* Prints "key = value" as the file has it, or that it does not. */
void gromacs_mdp_print(const struct gromacs_mdp *mdp, const char *key, FILE *out);
/* Prints as comments the keys of the file that are in no row of the run file. without: a word of
   `define` that a minimiser leaves out, or "". */
void gromacs_mdp_print_rest(const struct gromacs_mdp *mdp, const char *without, FILE *out);

/* How pairs end. */
struct gromacs_pairs gromacs_run_pairs(const struct gromacs_mdp *mdp);
/* 1 if pairs end in the same way. */
int gromacs_pairs_same(const struct gromacs_pairs *a, const struct gromacs_pairs *b);
/* Which pairs of energy groups have files of user tables of their own: sets group and file of t. */
void gromacs_run_tables(const struct gromacs_mdp *mdp, const struct gromacs_index *index,
                        struct gromacs_tables *t);
/* The temperature of drawn velocities and their seed; below 0: those of the configuration hold. */
double gromacs_run_velocities(const struct gromacs_mdp *mdp, uint64_t *seed);
/* The force constant of restraints of distances, kJ/mol/nm2; 0: they are not applied. */
double gromacs_run_distance_k(const struct gromacs_mdp *mdp);
/* How the places of restraints in another box become those of the system (refcoord-scaling). */
enum gromacs_scaling { GROMACS_SCALE_NO, GROMACS_SCALE_ALL, GROMACS_SCALE_COM };
enum gromacs_scaling gromacs_run_scaling(const struct gromacs_mdp *mdp);
/* What free energies change in the topology: gromacs_free_energy.c. */
struct gromacs_coupling gromacs_run_coupling(const struct gromacs_mdp *mdp);
/* 1 if no pair of the system interacts. */
int gromacs_run_decouples(const struct gromacs_mdp *mdp);
/* 1 if groups are frozen. gromacs_motion.c. */
int gromacs_run_freezes(const struct gromacs_mdp *mdp);
/* 1 if there are two walls, which become fields: gromacs_fields.c. The box becomes higher, so that
   what is at one wall does not see what is at the other: the walls are at 0 and at this part. */
int gromacs_run_walls(const struct gromacs_mdp *mdp);
#define GROMACS_WALLS_PART 0.5
/* 1 if the integrator is a minimiser. */
int gromacs_run_minimises(const struct gromacs_mdp *mdp);
/* The keys of a run file as YAML; of a minimiser those that are forces. index: of the groups of
   thermostats. stage: its number, from 0, which has restraints and velocities of its own; -1: those
   of the state. Caller frees. gromacs_run.c. */
char *gromacs_run_keys(const struct gromacs_mdp *mdp, const struct gromacs_index *index,
                       int staged);

/* A stage of a run. */
struct gromacs_stage {
  char name[STAGE_NAME];
  const struct gromacs_mdp *mdp; /* NULL: the minimiser of --minimise */
  int minimises;
  int64_t steps;                            /* of the minimiser of --minimise */
  const struct gromacs_mdp *pairs_of;       /* whose pairs it has; NULL: its own */
  const struct gromacs_mdp *constraints_of; /* whose constraints it has; NULL: its own */
  int flexible;                             /* 1 if these are bonds */
  char *keys;                               /* of its run file; NULL: none. Owned */
};

/* The name of a stage, after a file without its ending, with _ for what no name has; different from
   those of the n stages before. */
void gromacs_stage_name(struct gromacs_stage *stages, int n, const char *path);
/* The run file as YAML, for the state file `input`. observe: NULL, or kinds of observables, "a,b".
   Caller frees. gromacs_stage.c. */
char *gromacs_stages_text(const struct gromacs_stage *stages, int n, const char *input,
                          const char *observe);

#endif
