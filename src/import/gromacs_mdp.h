/* Run parameters of GROMACS (.mdp): what they mean here. Local. */
#ifndef GROMACS_MDP_H
#define GROMACS_MDP_H

#include <stdio.h>

#include "import/gromacs_index.h"

struct gromacs_mdp;

/* Reads a file; unknown keys, and values that mean what is not implemented, are added to m, as is
   what the functions below find wrong. */
struct gromacs_mdp *gromacs_mdp_read(const char *path, struct error_list *m);
void gromacs_mdp_destroy(struct gromacs_mdp *mdp);

/* In all of these mdp may be NULL: a file that says nothing. */

/* The value of a key as the file has it, or as GROMACS has it where the file does not. */
const char *gromacs_mdp_value(const struct gromacs_mdp *mdp, const char *key, const char *preset);
/* Word k of a value, "" where there are fewer. */
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
/* Prints as comments the keys of the file that are in no row of the run file. */
void gromacs_mdp_print_rest(const struct gromacs_mdp *mdp, FILE *out);

/* How pairs end. */
struct gromacs_pairs gromacs_run_pairs(const struct gromacs_mdp *mdp);
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
/* The run file as YAML, for the state file `input`. index: of the groups of thermostats. Caller
   frees. */
char *gromacs_run_text(const struct gromacs_mdp *mdp, const struct gromacs_index *index,
                       const char *input);

#endif
