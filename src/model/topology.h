/* Bonded terms and exclusions, per bonded environment. A bonded environment is the set of terms a
   bead takes part in, its role in each, and its partners as differences of ids. Beads carry only
   the index of their environment (bonded_env). So a million equal lipids share a table of a few
   rows, and only this index is sent when a bead changes rank. In host memory, the same on every
   rank. */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include <stdint.h>

#include "base/integers.h"
#include "model/forcefield.h"

enum { TOPOLOGY_JOINS_MOST = 1024 }; /* terms that join one bead; more is an error of the input */

struct topology_term {
  int32_t section; /* enum bonded_section */
  int32_t type;    /* in that section of the force field */
  int32_t role;    /* position of this bead in the term, from 0 */
  int32_t beads;   /* of the term */
  /* Ids of the other beads minus this one's, in the order of the term; then 0. */
  int64_t partner[BONDED_BEADS_MOST - 1];
};

/* Reference positions of restrained beads, in units of 2^-32 of the box, ascending by id. */
struct anchors {
  int64_t n;
  int64_t *id;
  int32_t (*place)[3];
};

/* The index of the anchor of a bead, -1 if it has none. On host and device. */
HD int64_t anchor_find(const struct anchors *a, int64_t id)
{
  const int64_t k = search_ascending(a->id, a->n, id);
  return k < a->n && a->id[k] == id ? k : -1;
}

/* Written by model/topology.c. */
struct topology {
  int n_envs;
  int *term_start; /* [n_envs + 1] index into term */
  struct topology_term *term;
  int *exclude_start;     /* [n_envs + 1] index into exclude */
  int64_t *exclude;       /* excluded partners: their ids minus this bead's, ascending */
  struct anchors anchors; /* of the beads with a restraint; none before a run has begun */
  /* [n_envs]: the cluster type (of the force field) of the bead and its number there, or -1. */
  int *cluster, *place;
};

/* A bonded term with ids, as files have them: as many as its form has beads. */
struct bonded_ids {
  int32_t type;
  int64_t id[BONDED_BEADS_MOST];
};

/* The terms of a section. */
struct bonded_terms {
  int64_t n;
  const struct bonded_ids *term;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Appends the environments of one molecule type and returns the index of the first; bead k of the
   molecule has first + k. Call once for each molecule type, so that equal molecules share them. */
int topology_add_molecule(struct topology *t, const struct forcefield *ff, int molecule);
/* Appends the environments of the terms of each section over beads 1..n and stores the index of
   each bead in env[n] (-1 without terms). Equal environments are stored once. Terms are ordered, by
   section first, independent of the order of the lists. type: of the beads, for the terms of
   excluded charges, or NULL. Dies with STATUS_INPUT on wrong types or ids. */
void topology_add_lists(struct topology *t, const struct forcefield *ff, int64_t n,
                        const int32_t *type, const struct bonded_terms terms[SECTIONS],
                        int32_t *env);
/* 1 if beads of an environment (-1: none) have a position restraint. */
static inline int topology_restrains(const struct topology *t, int env)
{
  for (int k = env < 0 ? 0 : t->term_start[env]; env >= 0 && k < t->term_start[env + 1]; k++)
    if (t->term[k].section == SECTION_restraint) return 1;
  return 0;
}
/* 1 for a chemical bond: see `joins` in bonded_list.h. */
static inline int topology_joins(const struct forcefield *ff, const struct topology_term *term)
{
  return forcefield_form(ff, term->section, term->type)->joins;
}
/* 1 for a term that holds a molecule together: a bond of any form, a constraint. */
static inline int topology_holds(const struct forcefield *ff, int section, int type)
{
  return section == SECTION_bond && forcefield_form(ff, section, type)->channel == ENERGY_bond;
}
/* The beads of a term of bead i in its order; of a form without a direction from the lower end.
   Returns their number. */
int topology_beads(const struct forcefield *ff, const struct topology_term *term, int64_t i,
                   int64_t bead[BONDED_BEADS_MOST]);
/* 1 if some bead has a bonded term. */
static inline int topology_has_terms(const struct topology *t)
{
  return t->n_envs > 0 && t->term_start[t->n_envs] > 0;
}
/* Without anchors, as before a run: anchors_complete (md/anchors.h) makes new ones. */
void topology_forget_anchors(struct topology *t);
/* 1 if some bead is in a cluster. */
int topology_has_clusters(const struct topology *t);
/* Allocates the arrays of so many environments, terms and excluded partners, without clusters, and
   of so many anchors. The caller, who has just made them, fills them. */
void topology_reserve(struct topology *t, int n_envs, int64_t terms, int64_t excluded);
void topology_reserve_anchors(struct topology *t, int64_t n);
void topology_copy(struct topology *to, const struct topology *from);
/* Moves the contents of `from`, which is empty afterwards. */
void topology_move(struct topology *to, struct topology *from);
void topology_free(struct topology *t);

#ifdef __cplusplus
}
#endif

#endif
