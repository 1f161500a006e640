/* Run parameters of GROMACS (.mdp): what they mean here. Local. */
#ifndef GROMACS_MDP_H
#define GROMACS_MDP_H

#include <stdio.h>

#include "import/gromacs_index.h"

struct gromacs_mdp;

/* Reads a file; unknown keys, and values that mean what is not implemented, are added to m. */
struct gromacs_mdp *gromacs_mdp_read(const char *path, struct error_list *m);
void gromacs_mdp_destroy(struct gromacs_mdp *mdp);
/* The value of a key as the file has it, or as GROMACS has it where the file does not. */
const char *gromacs_mdp_value(const struct gromacs_mdp *mdp, const char *key, const char *preset);
/* The place of a key, or of the file. */
struct gromacs_place gromacs_mdp_place(const struct gromacs_mdp *mdp, const char *key);
/* A number; the preset and an error if the value is none or out of range. */
double gromacs_mdp_real(const struct gromacs_mdp *mdp, const char *key, double preset, double low,
                        double high, struct error_list *m);
long long gromacs_mdp_int(const struct gromacs_mdp *mdp, const char *key, long long preset,
                          long long low, long long high, struct error_list *m);
/* The numbers of a list, at most `most`; returns how many. */
int gromacs_mdp_reals(const struct gromacs_mdp *mdp, const char *key, int most, double *value,
                      struct error_list *m);
/* 1 if two words are one for GROMACS, which ignores case, '-' and '_'. */
int gromacs_word_equal(const char *a, const char *b);
/* Index of the value in the list "a|b|c", of which the first is what GROMACS has where the file
   does not say; -1: it is none of them. */
int gromacs_mdp_choice(const struct gromacs_mdp *mdp, const char *key, const char *words);
/* Word k of a value, "" where there are fewer, in word. */
const char *gromacs_mdp_word(const struct gromacs_mdp *mdp, const char *key, int k, char word[256]);
/* Prints as comments the keys of the file without effect. */
void gromacs_mdp_print_unused(const struct gromacs_mdp *mdp, FILE *out);

/* How pairs end. */
struct gromacs_pairs gromacs_run_pairs(const struct gromacs_mdp *mdp, struct error_list *m);
/* The temperature of drawn velocities and their seed; below 0: those of the configuration hold. */
double gromacs_run_velocities(const struct gromacs_mdp *mdp, uint64_t *seed, struct error_list *m);
/* How the places of restraints in another box become those of the system (refcoord-scaling). */
enum gromacs_scaling { GROMACS_SCALE_NO, GROMACS_SCALE_ALL, GROMACS_SCALE_COM };
enum gromacs_scaling gromacs_run_scaling(const struct gromacs_mdp *mdp, struct error_list *m);
/* The run file as YAML, for the state file `input`. index: of the groups of thermostats. Caller
   frees. */
char *gromacs_run_text(const struct gromacs_mdp *mdp, const struct gromacs_index *index,
                       const char *input, struct error_list *m);

#endif
