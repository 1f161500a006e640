/* Conformation of a lipid: see lipid.h. Traverses the bonds from bead 1; beads with one bond are
   the ends of chains. */
#include "setup/lipid.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/portable.h"
#include "base/rng.h"
#include "base/units.h"

/* Volume of a bonded bead over sigma^3, chosen so that ELBA's DOPC has 1.32 nm3. */
#define BEAD_VOLUME 0.88
/* Largest spacing of chains over the edge of the square that each chain has in the plane. */
#define CHAIN_SPACING 0.8

/* Of the arm of a virtual site before it comes to its place, nm. */
#define SITE_ARM 0.1
/* Rounds over the bonds of a molecule with constraints, and by how far its beads are moved off
   their chains first, nm: lengths cannot change along a line that all beads are on. */
#define JITTER 0.1
enum { ROUNDS = 4000 };

struct tree {
  int *order; /* beads, parents before children */
  int *parent;
  double *bond; /* length of the bond to the parent */
  int *tips;    /* chain ends below each bead, itself included */
};

static double sigma(const struct forcefield *ff, const struct ff_molecule *m, int bead)
{
  return ff->pair[m->bead[bead] * ff->n_types + m->bead[bead]].sigma;
}

static double volume(const struct forcefield *ff, const struct ff_molecule *m, int bead)
{
  double kappa = ff->type[m->bead[bead]].kappa;
  return BEAD_VOLUME * (kappa > 0 ? kappa : 1) * portable_power(sigma(ff, m, bead), 3);
}

/* The length of a bond or constraint at rest, nm; 0: none. */
static double length_of(const struct forcefield *ff, const struct ff_term *bond)
{
  if (forcefield_is_constraint(ff, SECTION_bond, bond->type))
    return ff->bonded[SECTION_bond].type[bond->type].value[0];
  const struct ff_bonded *type = &ff->bonded[SECTION_bond].type[bond->type];
  const struct tabulated *table = forcefield_bonded_table(ff, type);
  return table ? tabulated_lowest(table, type->value[0])
               : forcefield_rest(ff, SECTION_bond, bond->type);
}

static void tree_free(struct tree *t)
{
  free(t->order);
  free(t->parent);
  free(t->bond);
  free(t->tips);
}

/* Appends bead `next` behind bead `here`, if it is one, and not there yet. */
static int tree_add(struct tree *t, int found, int here, int next, double length)
{
  if (next < 0 || t->parent[next] != -2) return found;
  t->parent[next] = here;
  t->bond[next] = length;
  t->order[found] = next;
  return found + 1;
}

/* Appends what is joined to the beads of the traversal, from the first one on, and to those
   appended. apart: also by bonds that are not chemical, which have no length at rest here. */
static int tree_extend(struct tree *t, const struct forcefield *ff, const struct ff_molecule *m,
                       int found, int apart)
{
  const struct ff_terms *bonds = &m->bonded[SECTION_bond];
  for (int k = 0; k < found; k++) {
    const int here = t->order[k];
    for (int b = 0; b < bonds->n; b++) {
      const struct ff_term *bond = &bonds->term[b];
      const int i = bond->bead[0], j = bond->bead[1];
      const int next = i == here ? j : j == here ? i : -1;
      if (!apart && !forcefield_form(ff, SECTION_bond, bond->type)->joins &&
          !forcefield_is_constraint(ff, SECTION_bond, bond->type))
        continue;
      found = tree_add(t, found, here, next, length_of(ff, bond));
    }
    for (int n = 0; n < m->n_sites; n++) {
      const int site = m->site[n].bead, from = m->site[n].from[0];
      found = tree_add(t, found, here, from == here ? site : site == here ? from : -1, SITE_ARM);
    }
  }
  return found;
}

/* Breadth-first traversal; bonds that close a ring are skipped. A virtual site is joined to the
   first bead that it is built on. */
static void tree_walk(struct tree *t, const struct forcefield *ff, const struct ff_molecule *m)
{
  int found = 1;
  t->order = alloc_array(m->n_beads, sizeof *t->order);
  t->parent = alloc_array(m->n_beads, sizeof *t->parent);
  t->bond = alloc_array(m->n_beads, sizeof *t->bond);
  t->tips = alloc_array(m->n_beads, sizeof *t->tips);
  for (int k = 0; k < m->n_beads; k++)
    t->parent[k] = -2; /* not visited yet */
  t->order[0] = 0;
  t->parent[0] = -1;
  for (int apart = 0; apart < 2; apart++)
    found = tree_extend(t, ff, m, found, apart);
  if (found < m->n_beads)
    die(STATUS_INPUT, "force field %s: bonds join only %d of the %d beads of molecule %s", ff->name,
        found, m->n_beads, m->name);
  for (int k = m->n_beads - 1; k > 0; k--) {
    int bead = t->order[k];
    if (t->tips[bead] == 0) t->tips[bead] = -1; /* a chain end, until it is numbered */
    t->tips[t->parent[bead]] = 1;
  }
}

/* Chain ends lie on a circle, in the order of bead numbers; other beads at the mean of the chain
   ends below them. */
static void set_lateral(struct lipid *l, struct tree *t, double spacing, int n_tips)
{
  double radius = n_tips > 1 ? 0.5 * spacing / portable_sin(UNITS_PI / n_tips) : 0;
  for (int k = 0, tip = 0; k < l->n_beads; k++) {
    int is_tip = t->tips[k] == -1;
    double angle = 2 * UNITS_PI * tip / n_tips;
    l->x[k][0] = is_tip ? radius * portable_cos(angle) : 0;
    l->x[k][1] = is_tip ? radius * portable_sin(angle) : 0;
    t->tips[k] = is_tip;
    tip += is_tip;
  }
  for (int k = l->n_beads - 1; k >= 0; k--) {
    int bead = t->order[k], parent = t->parent[bead];
    if (parent >= 0) {
      for (int d = 0; d < 2; d++)
        l->x[parent][d] += l->x[bead][d];
      t->tips[parent] += t->tips[bead];
    }
    for (int d = 0; d < 2; d++)
      l->x[bead][d] /= t->tips[bead];
  }
}

static void set_depth(struct lipid *l, const struct tree *t)
{
  double top[2] = {l->x[0][0], l->x[0][1]};
  l->x[0][2] = 0;
  l->length = 0;
  for (int k = 1; k < l->n_beads; k++) {
    int bead = t->order[k], parent = t->parent[bead];
    const double *at = l->x[bead], *above = l->x[parent], x = at[0] - above[0],
                 y = at[1] - above[1];
    double bond = t->bond[bead], down2 = bond * bond - (x * x + y * y);
    l->x[bead][2] = l->x[parent][2] - sqrt(fmax(down2, 0.25 * bond * bond));
    l->length = fmax(l->length, -l->x[bead][2]);
  }
  for (int k = 0; k < l->n_beads; k++)
    for (int d = 0; d < 2; d++)
      l->x[k][d] -= top[d];
}

/* Brings bonds and constraints of a molecule with clusters close to their lengths, one after the
   other. */
static void set_lengths(struct lipid *l, const struct forcefield *ff, const struct ff_molecule *m)
{
  const struct ff_terms *bonds = &m->bonded[SECTION_bond];
  int clusters = 0;
  for (int k = 0; k < m->n_beads; k++)
    clusters |= m->cluster[k] >= 0;
  for (int k = 1; k < m->n_beads && clusters; k++) {
    double u[4];
    rng_uniform(0, 0, (uint64_t)k, RNG_BUILD, u);
    for (int d = 0; d < 3; d++)
      l->x[k][d] += JITTER * (u[d] - 0.5);
  }
  for (int k = 0; k < ROUNDS * bonds->n && clusters; k++) {
    const struct ff_term *bond = &bonds->term[k % bonds->n];
    double *a = l->x[bond->bead[0]], *b = l->x[bond->bead[1]], r2 = 0;
    const double rest = length_of(ff, bond);
    for (int d = 0; d < 3; d++)
      r2 += (a[d] - b[d]) * (a[d] - b[d]);
    if (!(rest > 0 && r2 > 0)) continue;
    for (int d = 0; d < 3; d++) {
      const double move = 0.5 * (rest / sqrt(r2) - 1) * (a[d] - b[d]);
      a[d] += move;
      b[d] -= move;
    }
  }
  for (int k = m->n_beads - 1; k >= 0 && clusters; k--)
    for (int d = 0; d < 3; d++)
      l->x[k][d] -= l->x[0][d];
}

/* The line along which body z of each bead lies: dipoles as their restraints say, that is angles of
   two beads; ellipsoids along the chain, away from bead 1: from the parent to a child. Children
   come after their parents in the order. */
static void set_axes(struct lipid *l, const struct tree *t, const struct forcefield *ff,
                     const struct ff_molecule *m)
{
  for (int k = 0; k < m->n_beads; k++) {
    l->origin[k] = k;
    l->target[k] = -1;
  }
  for (int k = m->n_beads - 1; k > 0; k--) {
    int bead = t->order[k], parent = t->parent[bead];
    if (ff->type[m->bead[parent]].kappa > 0) l->target[parent] = bead;
    if (ff->type[m->bead[bead]].kappa <= 0) continue;
    l->origin[bead] = parent;
    if (l->target[bead] < 0) l->target[bead] = bead;
  }
  for (int s = 0; s < SECTIONS; s++)
    for (int k = 0; k < m->bonded[s].n; k++) {
      const struct ff_term *term = &m->bonded[s].term[k];
      const struct bonded_form_info *form = forcefield_form(ff, s, term->type);
      if (s != SECTION_angle || form->beads != 2) continue;
      if (ff->type[m->bead[term->bead[0]]].kappa > 0) continue;
      l->origin[term->bead[0]] = term->bead[0];
      l->target[term->bead[0]] = term->bead[1];
    }
}

void lipid_set(struct lipid *l, const struct forcefield *ff, int molecule, double area)
{
  const struct ff_molecule *m = &ff->molecule[molecule];
  struct tree t;
  tree_walk(&t, ff, m);
  l->n_beads = m->n_beads;
  l->x = alloc_array(m->n_beads, sizeof *l->x);
  l->origin = alloc_array(m->n_beads, sizeof *l->origin);
  l->target = alloc_array(m->n_beads, sizeof *l->target);
  l->volume = l->tip = 0;
  int n_tips = 0;
  for (int k = 0; k < m->n_beads; k++) {
    l->volume += volume(ff, m, k);
    if (t.tips[k] != -1) continue;
    n_tips++;
    l->tip = fmax(l->tip, sigma(ff, m, k));
  }
  set_axes(l, &t, ff, m);
  set_lateral(l, &t, fmin(l->tip, CHAIN_SPACING * sqrt(area / n_tips)), n_tips);
  set_depth(l, &t);
  set_lengths(l, ff, m);
  tree_free(&t);
}

void lipid_free(struct lipid *l)
{
  free(l->x);
  free(l->origin);
  free(l->target);
}
