/* Teams: the beads that move alike, as they have the same heat bath, the same group whose linear
   momentum is removed, and are frozen along the same axes. A run without such groups has one team
   of all beads. What a bead has follows from the rules of the run file, each for a group. */
#ifndef TEAM_H
#define TEAM_H

#include <string.h>

#include "model/bead_group.h"
#include "model/heat_bath.h"

enum {
  TEAMS_MOST = 8,
  MOMENTUM_GROUPS_MOST = 8,
  TEAM_RULES_MOST = 48,
  FROZEN_WHOLLY = 7, /* along x, y and z: then a bead does not rotate either */
  TEAM_BITS = 3      /* of the number of a team: TEAMS_MOST = 2^3 */
};

struct team {
  int bath;     /* heat bath */
  int momentum; /* group whose momentum is removed; -1: none */
  int frozen;   /* bit d: along axis d */
};

/* What the run file says of the beads of a group. */
struct team_rule {
  struct bead_group group;
  struct team says; /* bath, momentum: -1: nothing */
};

/* The same as backends read it. */
struct team_set {
  struct bead_set set;
  struct team says;
};

/* In host memory. At least one team. Written by md/teams.c. */
struct teams {
  int n, n_rules;
  int momentum;                         /* group of the beads that no rule names */
  int n_groups;                         /* of momenta, at least 1 */
  double mass[MOMENTUM_GROUPS_MOST][3]; /* of such a group, what can move along each axis, amu */
  struct team team[TEAMS_MOST];
  struct team_rule rule[TEAM_RULES_MOST];
};

struct team_sets {
  int n, n_rules, momentum;
  struct team team[TEAMS_MOST];
  struct team_set rule[TEAM_RULES_MOST];
};

/* What a bead has. On host and device. */
HD struct team team_of(const struct team_sets *t, int type, int64_t id)
{
  struct team of = {0, 0, 0};
  of.momentum = t->momentum;
  for (int k = 0; k < t->n_rules; k++) {
    const struct team_set *r = &t->rule[k];
    if (!bead_set_has(&r->set, type, id)) continue;
    if (r->says.bath >= 0) of.bath = r->says.bath;
    if (r->says.momentum >= 0) of.momentum = r->says.momentum;
    of.frozen |= r->says.frozen;
  }
  return of;
}

/* The byte that backends keep for a bead: its team, and above that the axes along which it is
   frozen. */
HD unsigned char team_byte(const struct team_sets *t, int type, int64_t id)
{
  const struct team of = team_of(t, type, id);
  int k = 0;
  while (k < t->n - 1 && (t->team[k].bath != of.bath || t->team[k].momentum != of.momentum ||
                          t->team[k].frozen != of.frozen))
    k++;
  return (unsigned char)(k | of.frozen << TEAM_BITS);
}

HD int team_number(unsigned char byte)
{
  return byte & (TEAMS_MOST - 1);
}

HD int team_frozen(unsigned char byte)
{
  return byte >> TEAM_BITS;
}

/* The axes along which beads of some team are frozen. NULL: one team that moves freely. */
static inline int teams_frozen(const struct teams *t)
{
  int all = 0;
  for (int k = 0; t && k < t->n; k++)
    all |= t->team[k].frozen;
  return all;
}

/* 0 if all beads move alike, and freely: then backends keep no bytes. */
static inline int teams_differ(const struct teams *t)
{
  return t && (t->n > 1 || t->team[0].frozen != 0);
}

/* The rules with the sets of their groups, whose ranges have been found, in host memory. */
static inline struct team_sets teams_sets(const struct teams *t)
{
  struct team_sets s;
  s.n = t->n;
  s.n_rules = t->n_rules;
  s.momentum = t->momentum;
  memcpy(s.team, t->team, sizeof s.team);
  for (int k = 0; k < t->n_rules; k++) {
    s.rule[k].set = bead_group_set(&t->rule[k].group);
    s.rule[k].says = t->rule[k].says;
  }
  return s;
}

#endif
