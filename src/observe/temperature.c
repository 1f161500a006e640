/* Kinetic temperatures of bead types, of molecule types and of the centres of mass of molecules.
   Momenta are relative to the centre of mass of the whole system: p' = p - m P/M. So 3 degrees of
   freedom of translation are missing whatever the thermostat is. Equipartition makes <p'^2/m> =
   3 kT (1 - m/M), hence a group of N bodies (beads, or centres) with the mass m_g of all of them
   has 3 (N - m_g/M) degrees of freedom, less those that constraints take from its beads where these
   are (observe/cluster_freedom.h). Virtual sites have none. Rotation: about axes with inertia,
   nothing is missing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "base/vec3d.h"
#include "observe/bilayer.h"
#include "observe/cluster_freedom.h"

/* Beads of a type, or of molecules of a type. */
struct group {
  int64_t beads, molecules, axes; /* axes: degrees of freedom of rotation */
  double mass;
};

struct temperature {
  int groups;                      /* types, molecule types, and molecules of no type */
  struct group *group;             /* [groups] */
  double *inverse_mass;            /* [types] */
  double (*inverse_i)[3];          /* [types]: inverse moments of inertia; 0: no rotation */
  int *row[2];                     /* groups that are rows of the first two tables */
  struct cluster_freedom *freedom; /* NULL: no bead of the system is in a cluster */
  double (*vector)[3];             /* room for those of the constraints of a cluster */
};

/* Words of a group: sums of p^2/m of beads, L^2/I, p^2/m of centres (kJ/mol), degrees of freedom
   that constraints take, and p (amu nm/ps). */
enum { MOTION, SPIN, CENTRE, TAKEN, MOMENTUM, WORDS = MOMENTUM + 3 };

/* Steps of 1e-6 kJ/mol: 1e9 beads may have 8000 kJ/mol each. */
#define SCALE 1048576.0 /* 2^20 */

static int64_t fixed(double x)
{
  return (int64_t)(x * SCALE + copysign(0.5, x));
}

/* Index of the group of molecules of a type. */
static int group_of(const struct observe_system *a, int molecule_type)
{
  return a->ff->n_types + (molecule_type < 0 ? a->ff->n_molecules : molecule_type);
}

static void group_add(struct group *g, const struct ff_type *type, int64_t beads)
{
  const int axes = (type->inertia[0] > 0) + (type->inertia[1] > 0) + (type->inertia[2] > 0);
  if (type->mass > 0) g->beads += beads;
  g->axes += axes * beads;
  g->mass += type->mass * (double)beads;
}

static void count_groups(struct temperature *t, const struct observe_system *a)
{
  const int types = a->ff->n_types, rows = t->groups - types;
  /* By group of molecules: beads of each type, and molecules. */
  int64_t *count = alloc_array((long long)rows * (types + 1), sizeof *count);
  for (int64_t k = 0; k < a->share.molecules; k++) {
    const struct observe_molecule *m = &a->share.molecule[k];
    int64_t *row = count + (int64_t)(group_of(a, m->type) - types) * (types + 1);
    row[types]++;
    for (int64_t i = m->first; i < m->first + m->n; i++)
      row[a->share.type[i]]++;
  }
  ranks_sum_int64(a->ranks, count, rows * (types + 1));
  for (int r = 0; r < rows; r++) {
    const int64_t *row = count + (int64_t)r * (types + 1);
    t->group[types + r].molecules = row[types];
    for (int k = 0; k < types; k++) {
      group_add(&t->group[types + r], &a->ff->type[k], row[k]);
      group_add(&t->group[k], &a->ff->type[k], row[k]);
    }
  }
  free(count);
}

static void table(struct observable *o, int which, const char *name, int first, int end)
{
  struct temperature *t = o->own;
  int rows = 0;
  t->row[which] = observe_memory(o, end - first, sizeof *t->row[which]);
  for (int g = first; g < end; g++)
    if (t->group[g].beads > 0) t->row[which][rows++] = g;
  struct observe_table *to = observable_add_table(o, name, NULL, NULL, rows);
  for (int r = 0; r < rows; r++) {
    const int type = t->row[which][r] - first;
    const struct forcefield *ff = o->about->ff;
    const int molecule = type < ff->n_molecules ? type : -1;
    snprintf(to->label[r], OBSERVE_NAME, "%s",
             which == 0 ? ff->type[type].name : observe_molecule_name(o->about, molecule));
  }
  static const char *const column[] = {"translation", "rotation", "centre"};
  for (int c = 0; c < 2 + which; c++)
    observable_add_column(o, column[c], "K", OBSERVE_NEXT);
}

static void open_freedom(struct observable *o, struct temperature *t)
{
  const struct forcefield *ff = o->about->ff;
  int most = 0;
  for (int k = 0; k < ff->n_clusters; k++)
    if (ff->cluster[k].n_constraints > most) most = ff->cluster[k].n_constraints;
  t->freedom = cluster_freedom_create(o, ff);
  t->vector = observe_memory(o, most, sizeof *t->vector);
  o->needs |= NEEDS_POSITIONS;
}

void observe_temperature_open(struct observable *o, struct yaml_tree *tree, int options)
{
  const struct observe_system *a = o->about;
  struct temperature *t = o->own = observe_memory(o, 1, sizeof *t);
  (void)tree;
  (void)options;
  t->groups = a->ff->n_types + a->ff->n_molecules + 1;
  t->group = observe_memory(o, t->groups, sizeof *t->group);
  t->inverse_mass = observe_memory(o, a->ff->n_types, sizeof *t->inverse_mass);
  t->inverse_i = observe_memory(o, a->ff->n_types, sizeof *t->inverse_i);
  for (int k = 0; k < a->ff->n_types; k++) {
    const struct ff_type *type = &a->ff->type[k];
    t->inverse_mass[k] = type->mass > 0 ? 1 / type->mass : 0;
    for (int d = 0; d < 3; d++)
      t->inverse_i[k][d] = type->inertia[d] > 0 ? 1 / type->inertia[d] : 0;
  }
  count_groups(t, a);
  if (topology_has_clusters(a->topology)) open_freedom(o, t);
  o->words = (int64_t)WORDS * t->groups;
  table(o, 0, "types", 0, a->ff->n_types);
  table(o, 1, "molecules", a->ff->n_types, t->groups);
  observable_add_table(o, "all", NULL, NULL, 1);
  observable_add_column(o, "translation", "K", OBSERVE_NEXT);
  observable_add_column(o, "rotation", "K", OBSERVE_NEXT);
  observable_add_column(o, "all", "K", OBSERVE_NEXT);
}

/* Adds a bead to the group of its type; then the words that it adds are in addend[WORDS]. */
static void add_bead(const struct temperature *t, int type, const double *p, const double *l,
                     int64_t *word, int64_t *addend)
{
  const double *inverse = t->inverse_i[type];
  addend[MOTION] = fixed((vec3d_dot(p, p)) * t->inverse_mass[type]);
  addend[SPIN] =
      fixed(l[0] * l[0] * inverse[0] + l[1] * l[1] * inverse[1] + l[2] * l[2] * inverse[2]);
  addend[CENTRE] = addend[TAKEN] = 0;
  for (int d = 0; d < 3; d++)
    addend[MOMENTUM + d] = fixed(p[d]);
  for (int w = 0; w < WORDS; w++)
    word[WORDS * type + w] += addend[w];
}

/* Adds what constraints take from the beads of the cluster whose first is bead k of the share to
   the groups of their types, and to that of their molecule, whose words are `to`. */
static void add_taken(const struct temperature *t, const struct observe_system *a,
                      const struct observe_frame *f, int64_t k, int64_t *word, int64_t *to)
{
  const int cluster = a->topology->cluster[a->share.env[k]];
  const struct cluster_type *type = &a->ff->cluster[cluster];
  double h[BOX];
  torus_units(f->box, h);
  for (int c = 0; c < type->n_constraints; c++) {
    const int64_t i = k + type->offset[type->constraint[c].bead[0]],
                  j = k + type->offset[type->constraint[c].bead[1]];
    torus_vector(f->position + 3 * i, f->position + 3 * j, h, t->vector[c]);
  }
  const double *taken = cluster_freedom_taken(t->freedom, cluster, (const double(*)[3])t->vector);
  for (int b = 0; b < type->n_beads; b++) {
    const int64_t addend = fixed(taken[b]);
    word[WORDS * a->share.type[k + type->offset[b]] + TAKEN] += addend;
    to[TAKEN] += addend;
  }
}

static int begins_cluster(const struct observe_system *a, int64_t k)
{
  const int env = a->share.env[k];
  return env >= 0 && a->topology->cluster[env] >= 0 && a->topology->place[env] == 0;
}

void observe_temperature_collect(const struct observable *o, const struct observe_frame *f,
                                 int64_t *word)
{
  const struct temperature *t = o->own;
  const struct observe_system *a = o->about;
  for (int64_t k = 0; k < a->share.molecules; k++) {
    const struct observe_molecule *m = &a->share.molecule[k];
    int64_t addend[WORDS], *to = word + (int64_t)WORDS * group_of(a, m->type);
    double sum[3] = {0, 0, 0}, mass = 0;
    for (int64_t i = m->first; i < m->first + m->n; i++) {
      const double *p = f->momentum + 3 * i;
      add_bead(t, a->share.type[i], p, f->angular_momentum + 3 * i, word, addend);
      for (int w = 0; w < WORDS; w++)
        to[w] += addend[w];
      for (int d = 0; d < 3; d++)
        sum[d] += p[d];
      if (t->freedom && begins_cluster(a, i)) add_taken(t, a, f, i, word, to);
      mass += a->ff->type[a->share.type[i]].mass;
    }
    to[CENTRE] += fixed((vec3d_dot(sum, sum)) / mass);
  }
}

/* The velocity of the centre of mass of the system. Returns the mass. */
static double velocity_of(const struct temperature *t, int types, const int64_t *word, double v[3])
{
  double mass = 0;
  for (int d = 0; d < 3; d++) {
    int64_t sum = 0;
    for (int g = 0; g < types; g++)
      sum += word[WORDS * g + MOMENTUM + d];
    v[d] = (double)sum / SCALE;
  }
  for (int g = 0; g < types; g++)
    mass += t->group[g].mass;
  for (int d = 0; d < 3; d++)
    v[d] /= mass;
  return mass;
}

static double kelvin(double energy, double freedom)
{
  return freedom > 1e-6 ? energy / (freedom * UNITS_BOLTZMANN) : (double)NAN;
}

/* Sum of p'^2/m from that of p^2/m. */
static double relative(const struct group *g, const int64_t *word, int which, const double v[3])
{
  double sum = (double)word[which] / SCALE;
  for (int d = 0; d < 3; d++)
    sum += v[d] * (g->mass * v[d] - 2 * (double)word[MOMENTUM + d] / SCALE);
  return sum;
}

/* Sum of L^2/I; NaN if it is unknown. */
static double spin_of(const struct observe_system *a, const struct group *g, const int64_t *word)
{
  return a->no_rotation && g->axes > 0 ? (double)NAN : (double)word[SPIN] / SCALE;
}

void observe_temperature_sample(struct observable *o, const struct observe_frame *f,
                                const int64_t *word, double *value)
{
  const struct temperature *t = o->own;
  const int types = o->about->ff->n_types;
  (void)f;
  double v[3], motion = 0, spin = 0, beads = 0, axes = 0, taken = 0;
  const double mass = velocity_of(t, types, word, v);
  for (int which = 0; which < 2; which++) {
    const int rows = o->table[which].rows;
    for (int r = 0; r < rows; r++) {
      const struct group *g = &t->group[t->row[which][r]];
      const int64_t *of = word + (int64_t)WORDS * t->row[which][r];
      const double own = relative(g, of, MOTION, v), turning = spin_of(o->about, g, of);
      const double lost = (double)of[TAKEN] / SCALE;
      value[r] = kelvin(own, 3 * ((double)g->beads - g->mass / mass) - lost);
      value[rows + r] = kelvin(turning, (double)g->axes);
      if (which == 1)
        value[2 * rows + r] =
            kelvin(relative(g, of, CENTRE, v), 3 * ((double)g->molecules - g->mass / mass));
      if (which == 1) continue;
      motion += own;
      spin += turning;
      beads += (double)g->beads;
      axes += (double)g->axes;
      taken += lost;
    }
    value += (2 + which) * rows;
  }
  value[0] = kelvin(motion, 3 * (beads - 1) - taken);
  value[1] = kelvin(spin, axes);
  value[2] = kelvin(motion + spin, 3 * (beads - 1) - taken + axes);
}
