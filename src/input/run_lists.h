/* Lists of a run file: heat baths (`thermostat.groups`), frozen beads
   (`frozen`) and momenta that are removed (`run.momentum_groups`), each with a group of beads
   (input/group_reader.h); sets of restraints (`restraints`); the lipids (`membrane`), {lipids:
   [POPC, CHOL], heads: {POPC: [PO4], CHOL: [ROH]}}; the molecules that `soft_core` couples,
   {molecules: [POPC]}; and lambdas of a minimisation (`minimise.soft`). All mistakes of a list are
   reported together, with lines and the nearest known word; then all ranks end with status 2.
   Local: every rank reads the lists. n_total: beads of the system. */
#ifndef RUN_LISTS_H
#define RUN_LISTS_H

#include "input/param.h"
#include "input/yaml_tree.h"
#include "model/forcefield.h"
#include "model/heat_bath.h"
#include "model/lipids.h"
#include "model/soft_core.h"
#include "model/team.h"

/* What `restraints` says of the sets of the force field, as restraints_open takes it; NULL:
   nothing. The caller frees it. */
double *restraint_sets_read(const struct params *p, const struct forcefield *ff);
/* The baths of a run, at least one; sets *n. Their ranges of ids and degrees of freedom are not
   found yet. */
struct heat_bath *heat_baths_read(const struct params *p, const struct forcefield *ff,
                                  int64_t n_total, int *n);
/* The rules of `run.momentum_groups` (at most MOMENTUM_GROUPS_MOST) and of `frozen`. Return how
   many there are. Their ranges of ids are not found yet. */
int momentum_rules_read(const struct params *p, const struct forcefield *ff, int64_t n_total,
                        struct team_rule *rule);
int frozen_rules_read(const struct params *p, const struct forcefield *ff, int64_t n_total,
                      struct team_rule *rule, int most);
/* The lipids of a run; p NULL: by default. The caller destroys them. */
struct lipids *membrane_lipids_read(const struct params *p, const struct forcefield *ff);
/* The list minimise.soft. */
struct soft_lambdas soft_lambdas_read(const struct params *p);
/* The same at a node of a file; errors are added to the tree. */
struct soft_lambdas soft_lambdas_parse(struct yaml_tree *t, int list);
/* The soft cores of a run, without their bead types. Returns the coupled ones of [n_molecules],
   which the caller frees. */
char *soft_core_read(const struct params *p, const struct forcefield *ff, struct soft_core *s);

#endif
