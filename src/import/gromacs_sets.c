/* Sets of position restraints: a topology that is read with the macros of several stages has in
   each stage some of its restraints, with constants of their own. A set has those of one macro, or
   of one file outside of #ifdef, that a stage can turn on and off together, and give one constant:
   there is more than one where there must be. Those of a file that are the same in all stages are
   in none. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3d.h"
#include "import/gromacs.h"
#include "import/gromacs_yaml.h"

/* The next line from *at on that is no restraint; NULL at the end. */
static const struct gromacs_line *next_line(const struct gromacs_lines *l, int64_t *at, int64_t end)
{
  while (*at < end && l->line[*at].directive == GROMACS_position_restraints)
    ++*at;
  return *at < end ? &l->line[(*at)++] : NULL;
}

/* Adds an error at the first place where something is not the same in both stages. */
static void differ(struct error_list *m, const char *const name[2], struct file_line a,
                   struct file_line b)
{
  LINE_ERROR(m, b,
             "this line, with the macros of %s, differs from %s:%d with those of %s: stages may "
             "differ in [ position_restraints ] alone",
             name[1], a.file, a.line, name[0]);
}

/* Adds an error at the first line of two ranges that differs, but for restraints. before: where
   they begin, for a line that only one of them has. */
static void compare_lines(const struct gromacs_lines *a, int64_t at_a, int64_t end_a,
                          const struct gromacs_lines *b, int64_t at_b, int64_t end_b,
                          struct file_line before, const char *const name[2], struct error_list *m)
{
  for (;;) {
    const struct gromacs_line *x = next_line(a, &at_a, end_a), *y = next_line(b, &at_b, end_b);
    if (!x && !y) return;
    if (!x || !y || x->directive != y->directive || strcmp(x->text, y->text) != 0) {
      differ(m, name, x ? x->where : before, y ? y->where : before);
      return;
    }
  }
}

static int same_type(const struct gromacs_type *a, const struct gromacs_type *b)
{
  return a->mass == b->mass && a->charge == b->charge && a->c[0] == b->c[0] && a->c[1] == b->c[1] &&
         !strcmp(a->bonded, b->bonded);
}

static int same_pair(const struct gromacs_pair *a, const struct gromacs_pair *b)
{
  return a->type[0] == b->type[0] && a->type[1] == b->type[1] && a->c[0] == b->c[0] &&
         a->c[1] == b->c[1];
}

static int same_block(const struct gromacs_block *a, const struct gromacs_block *b)
{
  return a->molecule == b->molecule && a->count == b->count;
}

/* 1 if they have as many rows of each kind, with the same names. */
static int same_numbers(const struct gromacs_topology *a, const struct gromacs_topology *b)
{
  int same = a->type_names.n == b->type_names.n && a->n_pairs == b->n_pairs &&
             a->n_blocks == b->n_blocks && a->molecule_names.n == b->molecule_names.n &&
             a->rule == b->rule && a->generates_pairs == b->generates_pairs &&
             a->fudge_lj == b->fudge_lj && a->fudge_qq == b->fudge_qq &&
             a->distance_k == b->distance_k;
  for (int k = 0; same && k < a->type_names.n; k++)
    same = !strcmp(a->type_names.name[k], b->type_names.name[k]);
  for (int k = 0; same && k < a->molecule_names.n; k++)
    same = !strcmp(a->molecule_names.name[k], b->molecule_names.name[k]);
  return same;
}

void gromacs_sets_compare(const struct gromacs_topology *a, const struct gromacs_topology *b,
                          const char *const name[2], struct error_list *m)
{
  const struct file_line top = {gromacs_text_file(a->text, 0), 0};
  if (!same_numbers(a, b)) {
    LINE_ERROR(m, top,
               "with the macros of %s the topology has other atom types, pairs, molecules, "
               "defaults or restraints of distances than with those of %s: stages may differ in "
               "[ position_restraints ] alone",
               name[1], name[0]);
    return;
  }
  for (int k = 0; k < a->type_names.n; k++)
    if (!same_type(&a->type[k], &b->type[k])) differ(m, name, a->type[k].where, b->type[k].where);
  for (int64_t k = 0; k < a->n_pairs; k++)
    if (!same_pair(&a->pair[k], &b->pair[k])) differ(m, name, a->pair[k].where, b->pair[k].where);
  for (int k = 0; k < a->n_blocks; k++)
    if (!same_block(&a->block[k], &b->block[k]))
      differ(m, name, a->block[k].where, b->block[k].where);
  compare_lines(&a->bonded_types, 0, a->bonded_types.n, &b->bonded_types, 0, b->bonded_types.n, top,
                name, m);
  for (int k = 0; k < a->molecule_names.n; k++) {
    const struct gromacs_moleculetype *x = &a->molecule[k], *y = &b->molecule[k];
    if (!x->used) continue;
    if (x->nrexcl != y->nrexcl) differ(m, name, x->where, y->where);
    compare_lines(&a->molecule_lines, x->first_line, x->end_line, &b->molecule_lines, y->first_line,
                  y->end_line, x->where, name, m);
  }
}

/* The force constants of a restraint: three, or one of a shape and two that are 0. */
static void constants_of(const struct gromacs_restraint *r, double k[3])
{
  for (int d = 0; d < 3; d++)
    k[d] = !r->shape ? r->k[d] : d == 0 ? r->k[1] : 0;
}

/* What a set has in common: a macro, or a file. */
static const char *origin_of(const struct gromacs_restraint *r)
{
  return r->macro ? r->macro : r->where.file;
}

/* 1 if two restraints of one bead cannot be in one set. */
static int is_again(const struct gromacs_restraint *a, const struct gromacs_restraint *b)
{
  return a->bead == b->bead && !strcmp(origin_of(a), origin_of(b));
}

/* 1 if two restraints may differ in their constants alone. */
static int is_alike(const struct gromacs_restraint *a, const struct gromacs_restraint *b)
{
  return is_again(a, b) && a->shape == b->shape && (!a->shape || a->k[0] == b->k[0]);
}

static int is_none(const double k[3])
{
  return isnan(k[0]) || (k[0] == 0 && k[1] == 0 && k[2] == 0);
}

/* 1 if constants are those of the force field, or one number in the same directions, which goes to
 *all unless there is another already. NAN: none yet. */
static int is_scaled(const double base[3], const double k[3], double *all)
{
  int fits = !isnan(k[0]);
  for (int d = 0; d < 3; d++) {
    if (base[d] != 0 && isnan(*all)) *all = k[d];
    fits &= base[d] != 0 ? k[d] == *all : k[d] == 0;
  }
  return fits;
}

/* 1 if a run can change the first constants into the others. */
static int is_reached(const double base[3], const double k[3])
{
  double all = (double)NAN;
  return is_none(k) || vec3d_same(base, k) || is_scaled(base, k, &all);
}

/* Appends a restraint that no stage has, of `stages`; returns its number. */
static int append(struct gromacs_molecule *to, struct gromacs_restraint r, int stages)
{
  const int n = to->n_restraints++;
  r.set = SET_NONE_YET;
  to->restraint = grow_array(to->restraint, n + 1LL, sizeof *to->restraint);
  to->stage_k = grow_array(to->stage_k, (n + 1LL) * stages, sizeof *to->stage_k);
  to->restraint[n] = r;
  for (int i = 0; i < stages; i++)
    for (int d = 0; d < 3; d++)
      to->stage_k[n * stages + i][d] = (double)NAN;
  return n;
}

/* Adds the restraints of a molecule in one stage to those of all. */
static void add_stage(struct gromacs_molecule *to, const struct gromacs_restraint *from, int n,
                      int stage, int stages)
{
  for (int k = 0, at = 0; k < n; k++) {
    int found = -1;
    for (int tried = 0; tried < to->n_restraints && found < 0; tried++) {
      const int j = (at + tried) % to->n_restraints;
      if (isnan(to->stage_k[j * stages + stage][0]) && is_alike(&to->restraint[j], &from[k]))
        found = j;
    }
    if (found < 0) found = append(to, from[k], stages);
    constants_of(&from[k], to->stage_k[found * stages + stage]);
    at = found + 1;
  }
}

/* Sets the constants in the force field: the first that are not 0. Stages that cannot be reached
   from them get another restraint of the bead, which is processed later. */
static void set_base(struct gromacs_molecule *molecule, int n, int stages)
{
  int other = -1, first = 0;
  while (first < stages - 1 && is_none(molecule->stage_k[n * stages + first]))
    first++;
  struct gromacs_restraint *r = &molecule->restraint[n];
  double base[3], *set = r->k + (r->shape != NULL);
  memcpy(base, molecule->stage_k[n * stages + first], sizeof base);
  for (int d = 0; d < (r->shape ? 1 : 3); d++)
    set[d] = isnan(base[d]) ? 0 : base[d];
  for (int i = 0; i < stages; i++) {
    if (is_reached(base, molecule->stage_k[n * stages + i])) continue;
    if (other < 0) other = append(molecule, molecule->restraint[n], stages);
    double *k = molecule->stage_k[n * stages + i];
    memcpy(molecule->stage_k[other * stages + i], k, sizeof base);
    k[0] = k[1] = k[2] = (double)NAN;
  }
}

/* A restraint, and how many of its macro and bead stand before it. */
struct member {
  struct gromacs_restraint *r;
  double base[3], (*k)[3]; /* in the force field; [stages] */
  int before;
};

static struct member *members_of(const struct gromacs *g, int stages, int *n)
{
  struct member *all = NULL;
  *n = 0;
  for (int i = 0; i < g->n_molecules; i++) {
    const struct gromacs_molecule *molecule = &g->molecule[i];
    for (int k = 0; k < molecule->n_restraints; k++) {
      struct member now = {.r = &molecule->restraint[k], .k = molecule->stage_k + k * stages};
      constants_of(now.r, now.base);
      for (int j = 0; j < k; j++)
        now.before += is_again(&molecule->restraint[j], now.r);
      all = extend_array(all, *n, sizeof *all);
      all[(*n)++] = now;
    }
  }
  return all;
}

/* What the restraints of a set do in a stage: 1 while all are off, are those of the force field, or
   have one number in its directions. */
struct stage {
  int off, same, scaled;
  double number;
};

/* Adds a restraint to a set, in all stages; 0 if no value could say then what the set does. */
static int add_member(const struct member *a, struct stage *stage, int stages)
{
  int good = 1;
  for (int i = 0; i < stages; i++) {
    stage[i].off &= is_none(a->k[i]);
    stage[i].same &= vec3d_same(a->base, a->k[i]);
    stage[i].scaled &= is_scaled(a->base, a->k[i], &stage[i].number);
    good &= stage[i].off || stage[i].same || stage[i].scaled;
  }
  return good;
}

/* Makes set s of restraint k and of all those of its macro that fit. stage, room: [stages]. */
static void gather(const struct member *all, int n, int k, int s, struct stage *stage,
                   struct stage *room, int stages)
{
  for (int i = 0; i < stages; i++)
    stage[i] = (struct stage){1, 1, 1, (double)NAN};
  for (int j = k; j < n; j++) {
    if (all[j].r->set != SET_NONE_YET || all[j].before != all[k].before ||
        strcmp(origin_of(all[j].r), origin_of(all[k].r)) != 0)
      continue;
    memcpy(room, stage, (size_t)stages * sizeof *room);
    if (!add_member(&all[j], room, stages)) continue;
    memcpy(stage, room, (size_t)stages * sizeof *room);
    all[j].r->set = s;
  }
}

/* Gives a molecule the restraints that it has in the topologies g and g->next ...; number i. */
static void unite(struct gromacs *g, int i, int stages)
{
  struct gromacs_molecule *molecule = &g->molecule[i];
  struct gromacs_restraint *own = molecule->restraint;
  const int n = molecule->n_restraints;
  int stage = 0;
  molecule->restraint = NULL;
  molecule->n_restraints = 0;
  add_stage(molecule, own, n, stage++, stages);
  for (const struct gromacs *of = g->next; of; of = of->next)
    add_stage(molecule, of->molecule[i].restraint, of->molecule[i].n_restraints, stage++, stages);
  for (int k = 0; k < molecule->n_restraints; k++)
    set_base(molecule, k, stages);
  free(own);
}

/* 1 if the restraints of a set are those of the force field in all stages. */
static int acts_always(const struct stage *stage, int stages)
{
  int always = 1;
  for (int i = 0; i < stages; i++)
    always &= stage[i].same;
  return always;
}

/* Adds a set, which r is in: its name, and what it does in each stage. */
static void name_set(struct gromacs *g, const struct gromacs_restraint *r, struct name_map *taken,
                     const struct stage *stage, const int *reading)
{
  const char *slash = strrchr(r->where.file, '/'), *name = slash ? slash + 1 : r->where.file;
  char stem[FF_NAME];
  const int s = g->n_sets++;
  snprintf(stem, sizeof stem, "%.*s", (int)strcspn(name, "."), name);
  g->set = grow_array(g->set, g->n_sets, sizeof *g->set);
  gromacs_name_make(taken, r->macro ? r->macro : stem, g->set[s]);
  g->strength = grow_array(g->strength, (long long)g->n_sets * g->n_stages, sizeof *g->strength);
  for (int i = 0; i < g->n_stages; i++) {
    const struct stage *in = &stage[reading[i]];
    g->strength[s * g->n_stages + i] = in->same ? (double)NAN : in->off ? 0 : in->number;
  }
}

void gromacs_sets_make(struct gromacs *g, const int *reading)
{
  struct name_map taken = {0};
  int stages = 1, n;
  for (const struct gromacs *of = g->next; of; of = of->next)
    stages++;
  for (int i = 0; i < g->n_molecules; i++)
    unite(g, i, stages);
  struct member *all = members_of(g, stages, &n);
  struct stage *stage = alloc_array(2LL * stages, sizeof *stage);
  name_map_put(&taken, FF_SET_ALWAYS);
  for (int k = 0; k < n; k++) {
    if (all[k].r->set != SET_NONE_YET) continue;
    gather(all, n, k, g->n_sets, stage, stage + stages, stages);
    if (all[k].r->macro || !acts_always(stage, stages))
      name_set(g, all[k].r, &taken, stage, reading);
    else
      for (int j = k; j < n; j++)
        if (all[j].r->set == g->n_sets) all[j].r->set = SET_ALWAYS;
  }
  free(stage);
  free(all);
  name_map_free(&taken);
}

void gromacs_sets_write(FILE *out, const struct gromacs *g, int stage)
{
  fputs("{", out);
  for (int s = 0; s < g->n_sets; s++) {
    const double k = g->strength[s * g->n_stages + stage];
    fprintf(out, "%s%s: %s", s ? ", " : "", YAML_NAME(g->set[s]),
            isnan(k) ? "yes"
            : k == 0 ? "no"
                     : YAML_REAL(k));
  }
  fputs("}", out);
}
