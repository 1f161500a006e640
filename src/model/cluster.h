/* Clusters: the beads of a molecule that constraints and the construction of virtual sites connect.
   A cluster is solved as a whole, by the rank that owns its lead bead. Equal molecules share a
   cluster type. The arrays of a type are host memory, or of its copy on a device, device memory. */
#ifndef CLUSTER_H
#define CLUSTER_H

#include "model/bonded_form.h"

enum {
  CLUSTER_BEADS_MOST = 1024,
  CLUSTER_FULL_BEADS = 64, /* with more the matrix of the constraints is sparse */
  CLUSTER_FULL_CONSTRAINTS = 192,
  CLUSTER_PARTS_MOST = 11, /* most addends per bead that a cluster gives a word of sums */
  SITE_PARAMETERS_MOST = 3
};

enum site_form {
#define SITE(form, ...) SITE_##form,
#include "model/site_list.h"
  SITE_FORMS
};

/* The members are those of a row of site_list.h. */
struct site_form_info {
  const char *name;
  int parents;
  const char *formula;
  struct form_parameter parameter[SITE_PARAMETERS_MOST + 1]; /* then one without a name */
};

/* A virtual site of a molecule, or of a cluster: beads are numbered from 0 there. */
struct ff_site {
  int bead, form; /* enum site_form */
  int n, *from;   /* [n] */
  double *value;  /* of the parameters, or [n] the weights, which add up to 1 */
};

/* Two beads of a cluster at a constant distance. */
struct cluster_constraint {
  int bead[2];
  double length; /* nm */
};

/* The matrix of the equations of a large cluster: its entries below the diagonal, column by column,
   with those that elimination adds. Rows and columns are the constraints, which stand in the order
   of elimination. */
struct cluster_pattern {
  int n_levels; /* 0: the matrix is full */
  int n_entries;
  int *level;        /* [n_levels + 1] no column of level[l] ... level[l + 1] - 1 needs another */
  int *column;       /* [n_constraints + 1] entries of column k: column[k] ... column[k + 1] - 1 */
  int *row_of;       /* [n_entries] ascending in a column */
  int *column_of;    /* [n_entries] */
  int *row, *in_row; /* entries of row k: in_row[row[k] ... row[k + 1] - 1], columns ascending */
};

struct cluster_type {
  int n_beads, n_constraints, n_sites;
  int independent; /* independent constraints: degrees of freedom that they remove */
  int *offset;     /* [n_beads] id less that of the first bead, ascending */
  int *walk; /* [n_beads - 1][2] spanning tree from the first bead: the next bead, and an earlier
                one that it is connected to */
  double *inverse_mass; /* [n_beads] 1/amu; 0 for virtual sites */
  struct cluster_constraint *constraint;
  /* The constraints of bead k, ascending: incident[row[k] ... row[k + 1] - 1], 2 c for the first
     bead of constraint c, 2 c + 1 for the second. */
  int *row, *incident;
  struct cluster_pattern pattern;
  /* 1/amu: for two constraints the sum of the inverse masses of the beads that they share, negative
     for a bead that is the first of one and the second of the other. [constraint][constraint]; with
     a pattern the diagonal, [constraint], and then [entry]. */
  double *shared;
  int lead;             /* a bead in the middle: the rank that owns it owns the cluster */
  double reach;         /* nm; upper bound of the distance of a bead from the lead; infinite if the
                           constraints give none */
  struct ff_site *site; /* in the order of construction */
  /* Members `from` and `value` of the sites point into these. */
  int n_parents, n_values, *parent;
  double *value;
  /* The indices in `parent` at which bead k stands, those of the last site first: role[role_row[k]
     ... role_row[k + 1] - 1]. */
  int *role_row, *role;
  int sites_apart; /* 1: no site is the parent of a site */
};

struct forcefield;
struct ff_molecule;

extern const struct site_form_info site_form_info[SITE_FORMS];
/* Sorts the sites of a molecule so that each stands after those that it is constructed from. 0 if
   they are built on each other in a circle. */
int cluster_order_sites(struct ff_molecule *m);
/* Values that a site has room for. */
int site_values(const struct ff_site *s);
void site_free(struct ff_site *s);
/* Connects two beads; 0 if they are connected already. first[b] is b for all beads before the first
   call; after the last, cluster_roots sets it to the first bead that b is connected with. */
int cluster_join(int *first, int a, int b);
void cluster_roots(int *first, int n_beads);
/* A cluster: its first bead, and its size. */
struct cluster_counts {
  int bead, beads, constraints;
};
/* The largest possible number of beads, or of constraints, if the cluster has more; else 0. */
int cluster_beads_beyond(const struct cluster_counts *s);
int cluster_constraints_beyond(const struct cluster_counts *s);
/* Finds the clusters of a molecule, whose sites are sorted: sets cluster and place of its beads,
   and appends the types to the force field. 0 if a cluster is too large, whose size is then set. */
int cluster_find(struct forcefield *ff, struct ff_molecule *m, struct cluster_counts *large);
/* The index of a constraint that is longer than the shortest path between its beads along other
   constraints, so that they contradict each other; -1 if there is none. Beads are numbered from 0.
   *way: the length of the path, nm. */
int cluster_contradiction(int n_beads, int n, const struct cluster_constraint *c, double *way);
void cluster_type_free(struct cluster_type *t);
/* Sorts the constraints of a large cluster type into the order in which they are eliminated, and
   sets its pattern: the entries that the factors of their matrix then have. Both depend on the
   constraints and their order alone. cluster_pattern.c. */
void cluster_pattern_set(struct cluster_type *t);
void cluster_pattern_free(struct cluster_pattern *p);

#endif
