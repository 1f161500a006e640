/* The lipids of each leaflet, the changes of leaflet (flip-flops) between samples, and the contacts
   of lipids in the plane: pairs of lipids of one leaflet whose heads are within `range` of each
   other laterally. The fraction of the contacts that are between molecule types A and B stands
   beside the fraction of such pairs among all pairs of the leaflets: what random mixing gives. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "observe/bilayer.h"
#include "observe/kinds.h"
#include "observe/neighbours.h"

struct leaflets {
  struct bilayer bilayer;
  double range;       /* nm */
  int types;          /* molecule types of the lipids, in the order of the force field */
  int *type;          /* [types]: molecule type; -1, lipids without one, comes last */
  int64_t *lipids;    /* [types] */
  int *type_of;       /* [lipids]: index into type */
  int64_t pose_words; /* words of LIPIDS_A_WORD lipids, a pose each */
};

/* Bits of the pose of a lipid: UPPER, its leaflet; UPRIGHT, its axis is within 60 degrees of the
   normal of this leaflet. A lipid has changed leaflet when it stands upright in the other one: one
   that lies flat for a moment has not. */
enum { UPPER = 1, UPRIGHT = 2, POSE_BITS = 2, LIPIDS_A_WORD = 16 };

/* Words: lipids of the upper leaflet and of the lower one by type, contacts by types [A][B] of the
   lipid with the lower index and of the other, poses.
   Values: lipids of both leaflets and flips by type; time since the sample before, ps; contacts and
   pairs of A and B, A not after B.
   Kept: time of the sample before, ps, and the poses, with the leaflet in which each lipid last
   stood upright. */
static int pairs_of(const struct leaflets *l)
{
  return l->types * (l->types + 1) / 2;
}

static void types_list(struct leaflets *l, const struct observe_system *a)
{
  const int most = a->ff->n_molecules;
  int *index = alloc_array(most + 1, sizeof *index);
  l->type = alloc_array(most + 1, sizeof *l->type);
  l->lipids = alloc_array(most + 1, sizeof *l->lipids);
  l->type_of = alloc_array(l->bilayer.lipids, sizeof *l->type_of);
  for (int64_t k = 0; k < l->bilayer.lipids; k++) {
    const int type = a->molecule[l->bilayer.lipid[k]].type;
    l->type_of[k] = type < 0 ? most : type;
    index[l->type_of[k]] = 1;
  }
  for (int k = 0; k <= most; k++)
    if (index[k]) {
      l->type[l->types] = k == most ? -1 : k;
      index[k] = l->types++;
    }
  for (int64_t k = 0; k < l->bilayer.lipids; k++) {
    l->type_of[k] = index[l->type_of[k]];
    l->lipids[l->type_of[k]]++;
  }
  l->pose_words = (l->bilayer.lipids + LIPIDS_A_WORD - 1) / LIPIDS_A_WORD;
  free(index);
}

static void tables_add(struct observable *o, const struct leaflets *l)
{
  struct observe_table *t = observable_add_table(o, "leaflets", NULL, NULL, l->types);
  for (int k = 0; k < l->types; k++)
    snprintf(t->label[k], OBSERVE_NAME, "%s", observe_molecule_name(o->about, l->type[k]));
  observable_add_column(o, "upper", "1", 0);
  observable_add_column(o, "lower", "1", l->types);
  observable_add_column(o, "flips", "1", -1);
  observable_add_column(o, "flip_rate", "us-1", -1);
  t = observable_add_table(o, "contacts", NULL, NULL, pairs_of(l));
  for (int i = 0, row = 0; i < l->types; i++)
    for (int j = i; j < l->types; j++, row++)
      snprintf(t->label[row], OBSERVE_NAME, "%s_%s", observe_molecule_name(o->about, l->type[i]),
               observe_molecule_name(o->about, l->type[j]));
  observable_add_column(o, "fraction", "1", -1);
  observable_add_column(o, "expected", "1", -1);
}

static void open(struct observable *o, struct yaml_tree *t, int options)
{
  struct leaflets *l = alloc_array(1, sizeof *l);
  o->own = l;
  bilayer_open(&l->bilayer, o, t, options);
  l->range = yaml_real(t, yaml_get(t, options, "range"), 1.2, YAML_POSITIVE, 1e3);
  if (l->bilayer.lipids == 0) return;
  types_list(l, o->about);
  o->words = (2 + (int64_t)l->types) * l->types + l->pose_words;
  o->values = 3 * l->types + 1 + 2 * pairs_of(l);
  tables_add(o, l);
}

static int pose_of(const struct lipid_pose *p)
{
  const double *a = p->axis, length2 = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
  return (p->leaflet > 0 ? UPPER : 0) | (4 * a[2] * a[2] >= length2 ? UPRIGHT : 0);
}

static void collect(const struct observable *o, const struct observe_frame *f, int64_t *word)
{
  const struct leaflets *l = o->own;
  const int64_t n = l->bilayer.lipids;
  int64_t *poses = word + (2 + (int64_t)l->types) * l->types;
  double(*x)[3] = alloc_array(l->bilayer.most, sizeof *x);
  uint32_t(*head)[2] = alloc_array(n, sizeof *head);
  unsigned char *leaflet = alloc_array(n, 1);
  int64_t end;
  const int64_t first = observe_share(f, n, &end);
  for (int64_t k = 0; k < n; k++) {
    const struct lipid_pose p = bilayer_pose(&l->bilayer, o->about, f, k, x);
    head[k][0] = p.head[0];
    head[k][1] = p.head[1];
    leaflet[k] = p.leaflet < 0;
    if (k >= first && k < end)
      poses[k / LIPIDS_A_WORD] += (int64_t)pose_of(&p) << k % LIPIDS_A_WORD * POSE_BITS;
  }
  for (int64_t k = first; k < end; k++)
    word[leaflet[k] * l->types + l->type_of[k]]++;
  const struct neighbours near = {
      n,        (const uint32_t(*)[2])head, leaflet, l->type_of, l->types,
      l->range, {f->box[0], f->box[1]}};
  neighbours_count(&near, first, end, word + (int64_t)2 * l->types);
  free(leaflet);
  free(head);
  free(x);
}

/* Adds the lipids that stand upright in another leaflet than the one kept to flips[types], and
   keeps it. */
static void flips_count(struct observable *o, const int64_t *poses, double *flips)
{
  const struct leaflets *l = o->own;
  for (int64_t k = 0; k < l->bilayer.lipids; k++) {
    double *kept = &o->kept[1 + k / LIPIDS_A_WORD];
    const int shift = (int)(k % LIPIDS_A_WORD) * POSE_BITS;
    const uint32_t before = *kept >= 0 && *kept <= UINT32_MAX ? (uint32_t)*kept : 0;
    const int now = (int)(poses[k / LIPIDS_A_WORD] >> shift);
    if (!(now & UPRIGHT) || !((now ^ (int)(before >> shift)) & UPPER)) continue;
    flips[l->type_of[k]]++;
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

static void sample(struct observable *o, const struct observe_frame *f, const int64_t *word,
                   double *value)
{
  const struct leaflets *l = o->own;
  const int64_t *poses = word + (2 + (int64_t)l->types) * l->types;
  double *contacts = value + 3 * l->types + 1;
  for (int k = 0; k < 2 * l->types; k++)
    value[k] = (double)word[k];
  if (o->n_kept == 1 + l->pose_words) {
    flips_count(o, poses, value + 2 * l->types);
    value[3 * l->types] = f->time - o->kept[0];
  } else {
    observable_keep(o, 1 + l->pose_words);
    for (int64_t k = 0; k < l->pose_words; k++)
      o->kept[1 + k] = (double)poses[k];
  }
  o->kept[0] = f->time;
  contacts_set(l, word, contacts, contacts + pairs_of(l));
}

/* part[n] over its sum. */
static void fractions_set(int n, const double *part, double *fraction)
{
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += part[k];
  for (int k = 0; k < n; k++)
    fraction[k] = sum > 0 ? part[k] / sum : (double)NAN;
}

static void derive(const struct observable *o, const double *mean, double *result)
{
  const struct leaflets *l = o->own;
  const double *flips = mean + 2 * l->types, time = mean[3 * l->types];
  const double *contacts = mean + 3 * l->types + 1;
  for (int k = 0; k < l->types; k++) {
    const double lipid_time = time * (double)l->lipids[k];
    observe_column_of(o, result, 0, 0)[k] = mean[k];
    observe_column_of(o, result, 0, 1)[k] = mean[l->types + k];
    observe_column_of(o, result, 0, 2)[k] = flips[k] * (double)o->blocks.samples;
    observe_column_of(o, result, 0, 3)[k] =
        lipid_time > 0 ? 1e6 * flips[k] / lipid_time : (double)NAN;
  }
  fractions_set(pairs_of(l), contacts, observe_column_of(o, result, 1, 0));
  fractions_set(pairs_of(l), contacts + pairs_of(l), observe_column_of(o, result, 1, 1));
}

static void close(struct observable *o)
{
  struct leaflets *l = o->own;
  bilayer_close(&l->bilayer);
  free(l->type);
  free(l->lipids);
  free(l->type_of);
  free(l);
}

const struct observable_kind kind_leaflets = {
    .name = "leaflets",
    .summary = "lipids by leaflet, flip-flops, lateral contacts",
    .options = "head|range",
    .every = 1000,
    .needs = NEEDS_POSITIONS,
    .open = open,
    .collect = collect,
    .sample = sample,
    .derive = derive,
    .close = close,
};
