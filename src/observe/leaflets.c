/* The lipids of each leaflet, the changes of leaflet (flip-flops) between samples, and the contacts
   of lipids in the plane: pairs of lipids of one leaflet whose heads are within `range` of each
   other laterally. The fraction of the contacts that are between molecule types A and B (or groups
   of lipids) stands beside the fraction of such pairs among all pairs of the leaflets: what random
   mixing gives. The area of a lipid is that of the Voronoi cell of its head. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3d.h"
#include "observe/bilayer.h"
#include "observe/items.h"
#include "observe/neighbours.h"
#include "observe/observe_group.h"

struct leaflets {
  struct bilayer bilayer;
  double range; /* nm */
  /* Molecule types of the lipids, in the order of the force field, or the groups of the option and
     all other lipids. */
  int types;
  const char **name;  /* [types] */
  int64_t *lipids;    /* [types], of the system */
  int *type_of;       /* [lipids of this rank] */
  struct items poses; /* of each lipid its pose, and its type << POSE_BITS */
  int64_t pose_words; /* kept numbers with the poses of LIPIDS_A_WORD lipids each */
};

/* Bits of the pose of a lipid: UPPER, its leaflet; UPRIGHT, its axis is within 60 degrees of the
   normal of this leaflet. A lipid has changed leaflet when it stands upright in the other one: one
   that lies flat for a moment has not. */
enum { UPPER = 1, UPRIGHT = 2, POSE_BITS = 2, LIPIDS_A_WORD = 16, GROUPS_MOST = 30 };

/* Words: lipids of the upper leaflet and of the lower one by type, contacts by types [A][B] of the
   lipid with the lower index and of the other, areas by type.
   Values: lipids of both leaflets and flips by type; time since the sample before, ps; contacts and
   pairs of A and B, A not after B; mean areas by type, nm2.
   Kept: time of the sample before, ps, and the poses, with the leaflet in which each lipid last
   stood upright. */
static int pairs_of(const struct leaflets *l)
{
  return l->types * (l->types + 1) / 2;
}

/* Sets the type of lipids with beads in a group, and its name, and adds up how many lipids there
   are. Collective. */
static void type_of_group(struct leaflets *l, struct observable *o, struct yaml_tree *t, int node,
                          int group, const char *name[])
{
  const struct observe_system *a = o->about;
  char *text = observe_memory(o, OBSERVE_NAME, 1);
  int64_t all, found = 0, both = -1;
  name[group] = text;
  snprintf(text, OBSERVE_NAME, "group%d", group + 1);
  const char *in = observe_group_read(o, t, node, text, &all);
  for (int k = 0; k < group; k++)
    if (!strcmp(name[k], text)) yaml_add_error(t, node, "%s stands in the list twice", text);
  if (!strcmp(text, observe_molecule_name(a, -1)))
    yaml_add_error(t, node, "%s are the lipids of no group: give the group another name", text);
  for (int64_t k = 0; in && k < l->bilayer.lipids; k++) {
    const struct observe_molecule *m = &a->share.molecule[l->bilayer.lipid[k]];
    if (!memchr(in + m->first, 1, (size_t)m->n)) continue;
    if (l->type_of[k] < group) both = l->type_of[k];
    l->type_of[k] = group;
    found++;
  }
  ranks_max_int64(a->ranks, &both, 1);
  if (in && share_sum(a->ranks, found, NULL) == 0)
    yaml_add_error(t, node, "no bead of %s is in a lipid", text);
  if (both >= 0)
    yaml_add_error(t, node,
                   "lipids have beads in %s and in %s, and each is counted once: take one "
                   "out of the other with 'not'",
                   name[both], text);
}

/* Lists the types that there are. list: option `groups`; 0: molecule types. */
static void types_list(struct leaflets *l, struct observable *o, struct yaml_tree *t, int list)
{
  const struct observe_system *a = o->about;
  const int most = list ? yaml_expect_list(t, list, 1, GROUPS_MOST) : a->ff->n_molecules;
  int *index = alloc_array(most + 1, sizeof *index);
  int64_t *count = alloc_array(most + 1, sizeof *count);
  const char **name = observe_memory(o, most + 1, sizeof *name);
  l->name = observe_memory(o, most + 1, sizeof *l->name);
  l->lipids = observe_memory(o, most + 1, sizeof *l->lipids);
  l->type_of = observe_memory(o, l->bilayer.lipids, sizeof *l->type_of);
  for (int64_t k = 0; k < l->bilayer.lipids; k++) {
    const int type = a->share.molecule[l->bilayer.lipid[k]].type;
    l->type_of[k] = type < 0 || list ? most : type;
  }
  for (int k = 0; k < most; k++)
    if (list)
      type_of_group(l, o, t, yaml_item(t, list, k), k, name);
    else
      name[k] = observe_molecule_name(a, k);
  name[most] = observe_molecule_name(a, -1);
  for (int64_t k = 0; k < l->bilayer.lipids; k++)
    count[l->type_of[k]]++;
  ranks_sum_int64(a->ranks, count, most + 1);
  for (int k = 0; k <= most; k++)
    if (count[k]) {
      l->name[l->types] = name[k];
      l->lipids[l->types] = count[k];
      index[k] = l->types++;
    }
  for (int64_t k = 0; k < l->bilayer.lipids; k++)
    l->type_of[k] = index[l->type_of[k]];
  l->pose_words = (l->bilayer.all + LIPIDS_A_WORD - 1) / LIPIDS_A_WORD;
  items_open(&l->poses, o, 1, &l->bilayer.lipids, 1);
  free(index);
  free(count);
}

static void tables_add(struct observable *o, const struct leaflets *l)
{
  const int n = l->types;
  struct observe_table *t = observable_add_table(o, "leaflets", NULL, NULL, n);
  for (int k = 0; k < n; k++)
    snprintf(t->label[k], OBSERVE_NAME, "%s", l->name[k]);
  observable_add_column(o, "upper", "1", OBSERVE_NEXT);
  observable_add_column(o, "lower", "1", OBSERVE_NEXT);
  observable_add_column(o, "flips", "1", OBSERVE_DERIVED);
  observable_add_column(o, "flip_rate", "us-1", OBSERVE_DERIVED);
  o->values += n + 1 + 2 * pairs_of(l);
  observable_add_column(o, "area", "nm2", OBSERVE_NEXT);
  t = observable_add_table(o, "contacts", NULL, NULL, pairs_of(l));
  for (int i = 0, row = 0; i < n; i++)
    for (int j = i; j < n; j++, row++)
      snprintf(t->label[row], OBSERVE_NAME, "%.31s_%.31s", l->name[i], l->name[j]);
  observable_add_column(o, "fraction", "1", OBSERVE_DERIVED);
  observable_add_column(o, "expected", "1", OBSERVE_DERIVED);
}

void observe_leaflets_open(struct observable *o, struct yaml_tree *t, int options)
{
  struct leaflets *l = o->own = observe_memory(o, 1, sizeof *l);
  bilayer_open(&l->bilayer, o, t, options);
  l->range = yaml_real(t, yaml_get(t, options, "range"), 1.2, YAML_POSITIVE, 1e3);
  observable_chose(o, "range: %g", l->range);
  observe_needs_lateral(o, t, options);
  if (l->bilayer.all == 0) return;
  types_list(l, o, t, yaml_get(t, options, "groups"));
  o->words = (3 + (int64_t)l->types) * l->types;
  tables_add(o, l);
}

static int pose_of(const struct lipid_pose *p)
{
  const double *a = p->axis, length2 = vec3d_dot(a, a);
  return (p->leaflet > 0 ? UPPER : 0) | (4 * a[2] * a[2] >= length2 ? UPRIGHT : 0);
}

void observe_leaflets_collect(const struct observable *o, const struct observe_frame *f,
                              int64_t *word)
{
  struct leaflets *l = o->own;
  const struct bilayer *b = &l->bilayer;
  const struct bilayer_lipid *p = bilayer_poses(b, o, f, observe_flat_words(o, word));
  struct neighbour *own = alloc_array(b->lipids, sizeof *own), *all;
  int64_t bytes;
  for (int64_t k = 0; k < b->lipids; k++) {
    const int type = l->type_of[k], lower = p[k].pose.leaflet < 0;
    own[k] = (struct neighbour){
        {p[k].lateral[0], p[k].lateral[1], lower ? LOWER_LEAFLET : 0}, type, b->before + k};
    l->poses.own[k] = (int64_t)type << POSE_BITS | pose_of(&p[k].pose);
    word[lower * l->types + type]++;
  }
  all = ranks_allgather(o->about->ranks, own, b->lipids * (int64_t)sizeof *own, &bytes);
  const struct neighbours near = {
      b->all, all, b->before, b->lipids, l->types, l->range, {f->box[0], f->box[1], f->box[3]}};
  neighbours_count(&near, word + (int64_t)2 * l->types);
  voronoi_areas(&near, word + (2 + (int64_t)l->types) * l->types);
  items_gather(&l->poses);
  free(all);
  free(own);
}

/* Adds the lipids that stand upright in another leaflet than the one kept to flips[types], and
   keeps it. */
static void flips_count(struct observable *o, double *flips)
{
  const struct leaflets *l = o->own;
  for (int64_t k = 0; k < l->bilayer.all; k++) {
    double *kept = &o->kept[1 + k / LIPIDS_A_WORD];
    const int shift = (int)(k % LIPIDS_A_WORD) * POSE_BITS;
    const uint32_t before = *kept >= 0 && *kept <= UINT32_MAX ? (uint32_t)*kept : 0;
    const int now = (int)l->poses.whole[k];
    if (!(now & UPRIGHT) || !((now ^ (int)(before >> shift)) & UPPER)) continue;
    flips[l->poses.whole[k] >> POSE_BITS]++;
    *kept = before ^ (uint32_t)UPPER << shift;
  }
}

/* Contacts and pairs of each two types. */
static void contacts_set(const struct leaflets *l, const int64_t *word, double *contacts,
                         double *pairs)
{
  const int n = l->types;
  const int64_t *upper = word, *lower = word + n, *found = word + 2 * (int64_t)n;
  for (int i = 0, row = 0; i < n; i++)
    for (int j = i; j < n; j++, row++) {
      const double of_upper = (double)upper[i] * (double)(upper[j] - (i == j));
      const double of_lower = (double)lower[i] * (double)(lower[j] - (i == j));
      const int64_t other = i == j ? 0 : found[j * n + i];
      contacts[row] = (double)(found[i * n + j] + other);
      pairs[row] = (of_upper + of_lower) / (i == j ? 2 : 1);
    }
}

void observe_leaflets_sample(struct observable *o, const struct observe_frame *f,
                             const int64_t *word, double *value)
{
  const struct leaflets *l = o->own;
  double *contacts = value + 3 * l->types + 1;
  for (int k = 0; k < 2 * l->types; k++)
    value[k] = (double)word[k];
  if (o->n_kept == 1 + l->pose_words) {
    flips_count(o, value + 2 * l->types);
    value[3 * l->types] = f->time - o->kept[0];
  } else {
    observable_keep(o, 1 + l->pose_words);
    for (int64_t k = 0; k < l->pose_words; k++)
      o->kept[1 + k] = 0;
    for (int64_t k = 0; k < l->bilayer.all; k++)
      o->kept[1 + k / LIPIDS_A_WORD] +=
          (double)((l->poses.whole[k] & (UPPER | UPRIGHT)) << k % LIPIDS_A_WORD * POSE_BITS);
  }
  o->kept[0] = f->time;
  contacts_set(l, word, contacts, contacts + pairs_of(l));
  for (int k = 0; k < l->types; k++)
    contacts[2 * pairs_of(l) + k] =
        ldexp((double)word[(2 + (int64_t)l->types) * l->types + k], -VORONOI_BITS) /
        (double)l->lipids[k];
}

/* number[n] over its sum. */
static void fractions_set(int n, const double *number, double *fraction)
{
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += number[k];
  for (int k = 0; k < n; k++)
    fraction[k] = sum > 0 ? number[k] / sum : (double)NAN;
}

void observe_leaflets_derive(const struct observable *o, const double *mean, double *result)
{
  const struct leaflets *l = o->own;
  const double *flips = mean + 2 * l->types, time = mean[3 * l->types];
  const double *contacts = mean + 3 * l->types + 1;
  for (int k = 0; k < l->types; k++) {
    const double lipid_time = time * (double)l->lipids[k];
    observe_column_of(o, result, 0, 2)[k] = flips[k] * (double)o->blocks.samples;
    observe_column_of(o, result, 0, 3)[k] =
        lipid_time > 0 ? 1e6 * flips[k] / lipid_time : (double)NAN;
  }
  fractions_set(pairs_of(l), contacts, observe_column_of(o, result, 1, 0));
  fractions_set(pairs_of(l), contacts + pairs_of(l), observe_column_of(o, result, 1, 1));
}
