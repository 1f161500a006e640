/* Names, types and attributes of the datasets of a state file, for writing and reading. */
#ifndef STATE_LAYOUT_H
#define STATE_LAYOUT_H

#include <stddef.h>

#include "io/h5.h"
#include "model/system.h"

#define STATE_FORMAT "lamella state"
/* Files of oblique boxes have a version of their own, which earlier programs refuse. */
enum { STATE_FORMAT_VERSION = 2, STATE_FORMAT_OBLIQUE = 3 };

/* Accepted deviation of the length of quaternions from 1. */
#define STATE_UNIT_ERROR 1e-6

/* A dataset of one or a few numbers of struct system, the same on all ranks. A reader gets them as
   a system of their own, which the owners of the members take over. */
struct state_item {
  const char *name, *unit, *text;
  char datatype; /* a letter of h5.h */
  int rows;
  size_t offset;
  int oblique; /* 1: only in files of oblique boxes; else 0 */
};
enum { STATE_ITEMS = 15 };
extern const struct state_item state_item[STATE_ITEMS];
struct h5_reader;
/* The format version of a file; 0 if it has none. */
int state_version(struct h5_reader *in);

/* Topology: one dataset for each member of struct topology. Terms and exclusions of bonded
   environment k are rows start[k] to start[k + 1] - 1. */
#define STATE_TERM_START "topology/term_start"
#define STATE_TERM_KIND "topology/term_kind"
#define STATE_TERM_TYPE "topology/term_type"
#define STATE_TERM_ROLE "topology/term_role"
/* Columns: those of the term with the most beads, and at least STATE_PARTNERS. */
#define STATE_TERM_PARTNER "topology/term_partner"
enum { STATE_PARTNERS = 2 };
#define STATE_EXCLUDE_START "topology/exclude_start"
#define STATE_EXCLUDE "topology/exclude"
/* Only of systems with restrained beads that have begun to move: members of struct anchors. */
#define STATE_ANCHOR_BEAD "topology/anchor_bead"
#define STATE_ANCHOR_PLACE "topology/anchor_place"
/* Only in files of systems with clusters: a row for each bonded environment. */
#define STATE_CLUSTER "topology/cluster"
#define STATE_PLACE "topology/place"

/* Rows of these datasets. */
struct state_rows {
  int64_t envs, terms, excluded, anchors;
  int columns; /* of the partners of terms */
  int has_clusters;
};
enum { STATE_TABLES = 11 };
/* Sets the list of them, in the order of the names above but with the anchors last; the number of
   rows of those that a file has not is -1. */
void state_tables(const struct state_rows *n, struct h5_table table[STATE_TABLES]);

#define STATE_FORCEFIELD "forcefield/text"
#define STATE_RUN "run/text"
#define STATE_INPUT "run/input"
#define STATE_HISTORY "run/history"
#define STATE_CONTENTS "run/contents"
#define STATE_ENERGIES "run/energies"

/* What observables have accumulated, and what forces of the run file keep: in a group their names,
   a line each, and for each name a group with its kind and options and its numbers. */
#define STATE_OBSERVED "observables"
#define STATE_FORCES "forces"
/* Writes the path of a dataset ("options", "values") of a name of such a group; or that of the
   names: "names" of "". */
void state_accumulated_name(const char *group, const char *of, const char *dataset, char name[96]);

/* What selections that depend on the start of the run have chosen: their texts, a line each; how
   many ranges of ids each has; and these, one selection after the other. */
#define STATE_KEPT "groups"
#define STATE_KEPT_TEXTS "groups/selections"
#define STATE_KEPT_COUNTS "groups/ranges"
#define STATE_KEPT_IDS "groups/ids"

/* Writes "beads/" and the name of the field in files. */
void state_field_name(int field, char name[64]);

#endif
