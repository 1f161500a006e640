/* Clusters: the beads of a molecule that constraints and the construction of virtual sites connect.
   A cluster is solved as a whole, by the rank that owns its lead bead. Equal molecules share a
   cluster type. The arrays of a type are host memory, or of its copy on a device, device memory. */
#ifndef CLUSTER_H
#define CLUSTER_H

#include "model/bonded_form.h"

enum {
  CLUSTER_BEADS_MOST = 64,
  CLUSTER_CONSTRAINTS_MOST = 192, /* 3 beads - 6 is the most that can be independent */
  CLUSTER_PARTS_MOST = 11, /* constraints of a cluster a bead of it, and a site: for sums.h */
  SITE_PARAMETERS_MOST = 3
};

enum site_form {
#define SITE(form, ...) SITE_##form,
#include "model/site_list.h"
#undef SITE
  SITE_FORMS
};

/* The members are those of a row of site_list.h. */
struct site_form_info {
  const char *name;
  int parents;
  const char *formula;
  struct bonded_parameter parameter[SITE_PARAMETERS_MOST + 1]; /* then one without a name */
};

/* A virtual site of a molecule, or of a cluster: beads are numbered from 0 there. */
struct ff_site {
  int bead, form; /* enum site_form */
  int n, from[CLUSTER_BEADS_MOST - 1];
  double value[CLUSTER_BEADS_MOST - 1]; /* of the parameters, or the weights, which add up to 1 */
};

/* Two beads of a cluster at a constant distance. */
struct cluster_constraint {
  int bead[2];
  double length; /* nm */
};

struct cluster_type {
  int n_beads, n_constraints, n_sites;
  int independent;      /* constraints that count: degrees of freedom that they remove */
  int *offset;          /* [n_beads] id less that of the first bead, ascending */
  double *inverse_mass; /* [n_beads] 1/amu; 0 for virtual sites */
  struct cluster_constraint *constraint;
  /* The constraints of bead k, ascending: incident[row[k] ... row[k + 1] - 1], 2 c for the first
     bead of constraint c, 2 c + 1 for the second. */
  int *row, *incident;
  /* [constraint][constraint] 1/amu: the inverse masses of the beads that two share, with the sign
     of the work of one against the other. */
  double *shared;
  int lead;     /* a bead in the middle: the rank that owns it owns the cluster */
  double reach; /* nm; no bead can be further from the lead; infinite where constraints allow it */
  struct ff_site *site; /* in the order of construction */
  int most_parents;     /* of a site */
  int sites_apart;      /* 1: no site is built on a site */
};

struct forcefield;
struct ff_molecule;

#ifdef __cplusplus
extern "C" {
#endif

extern const struct site_form_info site_form_info[SITE_FORMS];
/* Sorts the sites of a molecule so that each stands after those that it is constructed from. 0 if
   they are built on each other in a circle. */
int cluster_order_sites(struct ff_molecule *m);
/* Finds the clusters of a molecule, whose sites are sorted: sets cluster and place of its beads,
   and appends the types to the force field. Returns 0, or the number of beads or constraints (then
   *constraints is 1) that are too many for one cluster, and sets *bead to the first bead of it. */
int cluster_find(struct forcefield *ff, struct ff_molecule *m, int *bead, int *constraints);
/* The index of a constraint that is longer than the way between its beads along others, so that
   they contradict each other; -1 if there is none. Beads are numbered from 0. *way: its length, nm.
 */
int cluster_contradiction(int n_beads, int n, const struct cluster_constraint *c, double *way);
void cluster_type_free(struct cluster_type *t);

#ifdef __cplusplus
}
#endif

#endif
