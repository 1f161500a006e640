/* Order parameters S = <3 cos^2 t - 1>/2 with the normal z of the membrane: of the bonds and of the
   axes of dipoles and ellipsoids of each molecule type, and of the vector from the tails of a lipid
   to its head, with its tilt. A site is a bond or a bead of the template of the molecule; molecules
   without a template are left out. The tail order is the mean over the bonds between two tail
   beads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/portable.h"
#include "base/units.h"
#include "observe/bilayer.h"

/* Bonds, and axes of beads, which the results call dipoles. */
enum { BONDS, AXES, SITES };

/* A molecule type. */
struct order_type {
  int first[SITES], end[SITES]; /* its sites */
  int row;                      /* of the table of lipids; -1: no lipid, or none in the system */
};

struct site {
  int molecule_type;
  int bead[2]; /* of a bond; of an axis: the first. From 0 */
  int is_tail; /* a bond between tail beads */
};

struct order {
  struct bilayer bilayer;
  struct order_type *type; /* [ff->n_molecules] */
  int64_t *molecules;      /* [ff->n_molecules]: of all ranks */
  int sites, n[SITES], rows;
  struct site *site; /* [sites]: bonds, then axes */
  int *type_of_row;  /* [rows] */
};

/* Values: S of bonds and of dipoles; tail order, tilt (degrees) and S of the tilt by row. Words: S
   of bonds and of dipoles, tilt (radians) and its S, summed over molecules. */
#define ORDER_SCALE 1073741824.0 /* 2^30 */

static void bonds_add(struct order *s, const struct observe_system *a, int type)
{
  const struct ff_terms *bonds = &a->ff->molecule[type].bonded[SECTION_bond];
  const char *mark = s->bilayer.of_type[type];
  for (int k = 0; k < bonds->n; k++) {
    const int i = bonds->term[k].bead[0], j = bonds->term[k].bead[1];
    const int tail = mark && (mark[i] & mark[j] & LIPID_TAIL);
    if (topology_holds(a->ff, SECTION_bond, bonds->term[k].type))
      s->site[s->sites++] = (struct site){type, {i, j}, tail};
  }
}

static void axes_add(struct order *s, const struct observe_system *a, int type)
{
  const struct ff_molecule *m = &a->ff->molecule[type];
  for (int k = 0; k < m->n_beads; k++)
    if (forcefield_has_axis(a->ff, m->bead[k]))
      s->site[s->sites++] = (struct site){type, {k, k}, 0};
}

static void molecules_count(struct order *s, const struct observe_system *a)
{
  for (int64_t k = 0; k < a->share.molecules; k++)
    if (observe_is_whole(a, &a->share.molecule[k])) s->molecules[a->share.molecule[k].type]++;
  ranks_sum_int64(a->ranks, s->molecules, a->ff->n_molecules);
}

static void sites_list(struct order *s, struct observable *o)
{
  const struct observe_system *a = o->about;
  const struct forcefield *ff = a->ff;
  int most = 0;
  for (int k = 0; k < ff->n_molecules; k++)
    most += ff->molecule[k].bonded[SECTION_bond].n + ff->molecule[k].n_beads;
  s->type = observe_memory(o, ff->n_molecules, sizeof *s->type);
  s->molecules = observe_memory(o, ff->n_molecules, sizeof *s->molecules);
  s->site = observe_memory(o, most, sizeof *s->site);
  s->type_of_row = observe_memory(o, ff->n_molecules, sizeof *s->type_of_row);
  molecules_count(s, a);
  for (int which = 0; which < SITES; which++)
    for (int k = 0; k < ff->n_molecules; k++) {
      struct order_type *t = &s->type[k];
      t->first[which] = s->sites;
      if (s->molecules[k]) (which == BONDS ? bonds_add : axes_add)(s, a, k);
      t->end[which] = s->sites;
      s->n[which] += t->end[which] - t->first[which];
    }
  for (int k = 0; k < ff->n_molecules; k++) {
    s->type[k].row = s->molecules[k] && s->bilayer.of_type[k] ? s->rows++ : -1;
    if (s->type[k].row >= 0) s->type_of_row[s->type[k].row] = k;
  }
}

static void tables_add(struct observable *o, const struct order *s)
{
  const struct ff_molecule *molecule = o->about->ff->molecule;
  const struct site *site = s->site;
  struct observe_table *t;
  for (int which = 0; which < SITES; which++) {
    if (!s->n[which]) continue;
    t = observable_add_table(o, which == BONDS ? "bonds" : "dipoles", NULL, NULL, s->n[which]);
    for (int k = 0; k < s->n[which]; k++, site++)
      snprintf(t->label[k], OBSERVE_NAME, which == BONDS ? "%s:%d-%d" : "%s:%d",
               molecule[site->molecule_type].name, site->bead[0] + 1, site->bead[1] + 1);
    observable_add_column(o, "order", "1", OBSERVE_NEXT);
  }
  t = observable_add_table(o, "molecules", NULL, NULL, s->rows);
  for (int k = 0; k < s->rows; k++)
    snprintf(t->label[k], OBSERVE_NAME, "%s", molecule[s->type_of_row[k]].name);
  observable_add_column(o, "tail_order", "1", OBSERVE_NEXT);
  observable_add_column(o, "tilt", "degree", OBSERVE_NEXT);
  observable_add_column(o, "tilt_order", "1", OBSERVE_NEXT);
}

void observe_order_open(struct observable *o, struct yaml_tree *t, int options)
{
  struct order *s = o->own = observe_memory(o, 1, sizeof *s);
  bilayer_open(&s->bilayer, o, t, options);
  sites_list(s, o);
  o->words = s->sites + 2 * s->rows;
  if (s->rows)
    tables_add(o, s);
  else if (s->bilayer.all)
    yaml_add_error(t, options, "'order' needs lipids that are molecules of the force field");
}

/* (3 cos^2 t - 1)/2 in fixed point, from the z component of a vector and its squares. */
static int64_t legendre(double z2, double r2)
{
  return r2 > 0 ? llrint((1.5 * (z2 / r2) - 0.5) * ORDER_SCALE) : 0;
}

static int64_t bond_order(const struct observe_frame *f, const int32_t *position,
                          const struct site *bond)
{
  double x[3], h[BOX];
  torus_units(f->box, h);
  torus_vector(position + 3 * bond->bead[1], position + 3 * bond->bead[0], h, x);
  return legendre(x[2] * x[2], x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static void collect_sites(const struct observable *o, const struct observe_frame *f, int64_t *word)
{
  const struct order *s = o->own;
  const struct observe_system *a = o->about;
  for (int64_t k = 0; k < a->share.molecules; k++) {
    const struct observe_molecule *m = &a->share.molecule[k];
    if (!observe_is_whole(a, m)) continue;
    const struct order_type *t = &s->type[m->type];
    for (int j = t->first[BONDS]; j < t->end[BONDS]; j++)
      word[j] += bond_order(f, f->position + 3 * m->first, &s->site[j]);
    for (int j = t->first[AXES]; j < t->end[AXES]; j++) {
      const double *q = f->orientation + 4 * (m->first + s->site[j].bead[0]);
      const double z = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
      word[j] += legendre(z * z, 1);
    }
  }
}

void observe_order_collect(const struct observable *o, const struct observe_frame *f, int64_t *word)
{
  const struct order *s = o->own;
  const struct observe_system *a = o->about;
  const struct bilayer *b = &s->bilayer;
  const struct bilayer_lipid *p = bilayer_poses(b, o, f, observe_flat_words(o, word));
  collect_sites(o, f, word);
  word += s->sites;
  for (int64_t k = 0; k < b->lipids; k++) {
    const struct observe_molecule *m = &a->share.molecule[b->lipid[k]];
    if (!observe_is_whole(a, m)) continue;
    const double *u = p[k].pose.axis, z2 = u[2] * u[2], xy2 = u[0] * u[0] + u[1] * u[1];
    const int row = s->type[m->type].row;
    word[row] += llrint(portable_atan2(sqrt(xy2), fabs(u[2])) * ORDER_SCALE);
    word[s->rows + row] += legendre(z2, xy2 + z2);
  }
}

void observe_order_sample(struct observable *o, const struct observe_frame *f, const int64_t *word,
                          double *value)
{
  const struct order *s = o->own;
  const int sites = s->sites;
  double *tail = value + sites, *tilt = tail + s->rows, *tilt_order = tilt + s->rows;
  int *tail_bonds = alloc_array(s->rows, sizeof *tail_bonds);
  (void)f;
  for (int k = 0; k < sites; k++) {
    const struct site *at = &s->site[k];
    const struct order_type *t = &s->type[at->molecule_type];
    value[k] = (double)word[k] / ORDER_SCALE / (double)s->molecules[at->molecule_type];
    if (!at->is_tail) continue;
    tail[t->row] += value[k];
    tail_bonds[t->row]++;
  }
  for (int k = 0; k < s->rows; k++) {
    const double scale = 1 / ORDER_SCALE / (double)s->molecules[s->type_of_row[k]];
    tail[k] = tail_bonds[k] ? tail[k] / tail_bonds[k] : (double)NAN;
    tilt[k] = (double)word[sites + k] * scale * (180 / UNITS_PI);
    tilt_order[k] = (double)word[sites + s->rows + k] * scale;
  }
  free(tail_bonds);
}
