#include "md/membrane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "input/run_lists.h"
#include "molecules/leaflet.h"

/* Decides by the positions of its molecules whether a molecule type is a lipid, and warns of
   doubtful cases. */
static void judge(struct lipids *l, int molecule, enum place place, int any)
{
  static const char list[] = "List the lipids in membrane: {lipids: [...]}";
  struct lipid_type *type = &l->type[molecule];
  const char *name = l->ff->molecule[molecule].name;
  const int stands = place == PLACE_STANDING;
  if (place == PLACE_NONE || type->is_said) return;
  if (type->is_lipid && !stands && place != PLACE_UNKNOWN) {
    warn("%s has a head and a tail, but most of its molecules do not stand in the layer: they do "
         "not count as lipids. %s if they are to",
         name, list);
    lipids_exclude(l, molecule);
  } else if (type->is_odd && stands) {
    type->is_lipid = 1;
  } else if (type->is_odd && place == PLACE_UNKNOWN && any) {
    warn("%s has a head and a tail, but %s, and there is no flat bilayer that shows whether it "
         "stands in the layer: it does not count as a lipid. %s if it is to",
         name,
         l->ff->molecule[molecule].n_beads > LIPID_BEADS_MOST
             ? "is a large molecule"
             : "the name of an amino acid or nucleotide",
         list);
  } else if (!type->is_lipid && place == PLACE_BETWEEN) {
    warn("most molecules of %s are between the heads of the lipids, but %s: they do not count as "
         "lipids. %s if they are to",
         name, type->is_odd ? "do not stand there" : "no head of it is known", list);
  }
}

void membrane_judge(const struct ranks *r, const struct system *y, struct lipids *l)
{
  int any = 0;
  if (l->is_given) return;
  char *place = leaflets_stand(r, y, l);
  for (int k = 0; k < y->ff->n_molecules; k++)
    any |= l->type[k].is_lipid && place[k] != PLACE_NONE;
  for (int k = 0; k < y->ff->n_molecules; k++)
    judge(l, k, (enum place)place[k], any);
  free(place);
}

int64_t *membrane_molecules(const struct ranks *r, const struct system *y)
{
  const int n = y->ff->n_molecules;
  int64_t *count = alloc_array(n + 1, sizeof *count);
  for (int64_t k = 0; k < y->n; k++)
    count[y->beads.molecule_type[k] < 0 ? n : y->beads.molecule_type[k]]++;
  ranks_sum_int64(r, count, n + 1);
  for (int k = 0; k < n; k++)
    count[k] /= y->ff->molecule[k].n_beads;
  return count;
}

struct lipids *membrane_open(const struct ranks *r, const struct params *p, const struct system *y)
{
  struct lipids *l = membrane_lipids_read(p, y->ff);
  l->molecules = membrane_molecules(r, y);
  membrane_judge(r, y, l);
  return l;
}

/* 1 if beads of some rank are in molecules of no molecule type. Collective. */
static int has_unknown(const struct ranks *r, const struct system *y)
{
  int64_t unknown = 0;
  for (int64_t k = 0; k < y->n; k++)
    unknown |= y->beads.molecule_type[k] < 0 && y->beads.molecule[k] > 0;
  ranks_max_int64(r, &unknown, 1);
  return (int)unknown;
}

void membrane_keep(const struct ranks *r, struct params *p, const struct system *y)
{
  struct params *old = y->run.parameters ? params_from_text(y->run.parameters) : NULL;
  struct lipids *given = membrane_lipids_read(p, y->ff);
  if (!given->is_given && !has_unknown(r, y)) {
    const int kept = old && strcmp(old->membrane_lipids, p->membrane_lipids) != 0 &&
                     !strcmp(old->membrane_heads, p->membrane_heads);
    struct lipids *l = kept ? NULL : membrane_open(r, p, y);
    char *list = kept ? text_copy(old->membrane_lipids) : lipids_list(l);
    params_set_text(p, "membrane.lipids", list);
    free(list);
    lipids_destroy(l);
  }
  lipids_destroy(given);
  params_destroy(old);
}

int64_t membrane_count(const struct ranks *r, const struct system *y, const struct lipids *l)
{
  int64_t lipids;
  enum flatness flat;
  if (!has_unknown(r, y)) return lipids_count(l);
  free(leaflets_find(r, y, l, &lipids, &flat));
  return lipids;
}

unsigned char *membrane_envs(const struct ranks *r, const struct system *y, const struct lipids *l)
{
  const int n = y->topology.n_envs;
  unsigned char *lipid = alloc_array(n, 1);
  int64_t *found = alloc_array(n, sizeof *found), lipids;
  enum flatness flat;
  int32_t *leaflet = has_unknown(r, y) ? leaflets_find(r, y, l, &lipids, &flat) : NULL;
  for (int64_t k = 0; k < y->n; k++) {
    const int env = y->beads.bonded_env[k], type = y->beads.molecule_type[k];
    if (env >= 0) found[env] |= leaflet ? leaflet[k] != 0 : type >= 0 && l->type[type].is_lipid;
  }
  ranks_max_int64(r, found, n);
  for (int env = 0; env < n; env++)
    lipid[env] = found[env] != 0;
  free(leaflet);
  free(found);
  return lipid;
}

/* The molecule types of several beads that are no lipids, for the end of a message. Caller frees.
 */
static char *others_text(const struct lipids *l)
{
  char *text = NULL;
  size_t size;
  int n = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f) die(STATUS_INPUT, "out of memory");
  for (int k = 0; k < l->ff->n_molecules; k++) {
    const struct ff_molecule *m = &l->ff->molecule[k];
    if (l->type[k].is_lipid || m->n_beads < 2 || l->molecules[k] == 0) continue;
    fprintf(f, "%s%s", n++ ? ", " : "; not lipids: ", m->name);
  }
  if (fclose(f)) die(STATUS_INPUT, "out of memory");
  return text;
}

void membrane_say(struct sim *s)
{
  int64_t lipids;
  enum flatness flat;
  char *text = lipids_text(s->lipids), *others = others_text(s->lipids);
  if (s->n_lipids > 0 || others[0]) info("membrane: %s%s", text, others);
  free(text);
  free(others);
  for (int k = 0; k < s->lipids->ff->n_molecules; k++)
    if (s->lipids->molecules[k] > 0 && s->lipids->type[k].is_lipid &&
        !lipids_has_heads(s->lipids, k))
      warn("no bead of %s is known as a head: its first bead stands for it. Say which is with "
           "membrane: {heads: {%s: [BEAD]}}",
           s->lipids->ff->molecule[k].name, s->lipids->ff->molecule[k].name);
  s->lipids_are_flat = 0;
  if (s->n_lipids == 0) return;
  free(leaflets_find(s->ranks, s->system, s->lipids, &lipids, &flat));
  s->lipids_are_flat = flat == FLAT;
  if (flat == FLAT) return;
  warn("the lipids are no flat bilayer across the box with normal z: %s. A run that begins so has "
       "no area per lipid in its energies, observables of leaflets, area and thickness have no "
       "numbers while it is so, and profiles along z are only centred on the lipids. membrane: "
       "{flat: yes} gives numbers whatever the lipids are",
       flatness_text(flat));
}
