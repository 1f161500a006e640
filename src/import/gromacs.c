/* Topology, molecule types and the types of the force field: see gromacs.h. */
#include "import/gromacs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* Adds variants of the atom types of walls that no atom has. */
static void add_walls(struct gromacs *g, const struct gromacs_options *o)
{
  for (int k = 0; k < o->n_walls; k++) {
    const int type = name_map_find(&g->topology->type_names, o->wall[k]);
    int has = type < 0 || g->n_variants == FF_TYPES_MOST;
    for (int v = 0; v < g->n_variants; v++)
      has |= g->variant[v].type == type;
    if (has) continue;
    const struct gromacs_type *t = &g->topology->type[type];
    g->variant[g->n_variants++] =
        (struct gromacs_variant){.type = type, .mass = t->mass, .where = t->where};
  }
}

static void find_variants(struct gromacs *g, struct error_list *m)
{
  g->variant = alloc_array(FF_TYPES_MOST, sizeof *g->variant);
  for (int n = 0; n < g->n_molecules; n++)
    for (int k = 0; k < g->molecule[n].n_atoms; k++) {
      struct gromacs_atom *a = &g->molecule[n].atom[k];
      const struct gromacs_variant *v = g->variant;
      for (a->variant = 0; a->variant < g->n_variants; a->variant++, v++)
        if (v->type == a->type && v->mass == a->mass && v->charge == a->charge &&
            v->coupled == g->molecule[n].coupled)
          break;
      if (a->variant < g->n_variants) continue;
      if (g->n_variants == FF_TYPES_MOST) {
        LINE_ERROR(m, a->where, "more than %d different types, masses and charges", FF_TYPES_MOST);
        error_list_check(m);
      }
      g->variant[g->n_variants++] = (struct gromacs_variant){.type = a->type,
                                                             .mass = a->mass,
                                                             .charge = a->charge,
                                                             .coupled = g->molecule[n].coupled,
                                                             .where = a->where};
    }
}

/* The first variant of an atom type has its name; others have numbers. */
static void name_variants(struct gromacs *g)
{
  struct name_map taken = {0};
  for (int later = 0; later < 2; later++)
    for (int k = 0; k < g->n_variants; k++) {
      struct gromacs_variant *v = &g->variant[k];
      int before = 0;
      for (int j = 0; j < k; j++)
        before += g->variant[j].type == v->type;
      if ((before > 0) == later)
        gromacs_name_make(&taken, g->topology->type_names.name[v->type], v->name);
    }
  name_map_free(&taken);
}

/* 1 if bonds or constraints make exclusions. */
static int has_joins(const struct gromacs_molecule *molecule)
{
  for (int k = 0; k < molecule->n_terms; k++)
    if (bonded_form_info[molecule->term[k].form].joins) return 1;
  for (int k = 0; k < molecule->n_constraints; k++)
    if (molecule->constraint[k].joins) return 1;
  return 0;
}

/* The common nrexcl of all molecules with bonds, if force fields have a rule for it. */
static int common_exclude(const struct gromacs *g)
{
  int common = -1;
  for (int k = 0; k < g->n_molecules; k++) {
    const struct gromacs_molecule *molecule = &g->molecule[k];
    if (!has_joins(molecule)) continue;
    if (molecule->nrexcl > 3 || (common >= 0 && molecule->nrexcl != common)) return -1;
    common = molecule->nrexcl;
  }
  return common < 0 ? 1 : common;
}

static void read_molecules(struct gromacs *g, struct error_list *m)
{
  struct gromacs_topology *t = g->topology;
  struct gromacs_types *types = gromacs_types_create(t, m);
  struct name_map taken = {0};
  const int n_all = t->molecule_names.n;
  int *index = alloc_array(n_all, sizeof *index);
  g->molecule = alloc_array(n_all, sizeof *g->molecule);
  g->molecule_name = alloc_array(n_all, sizeof *g->molecule_name);
  for (int k = 0; k < n_all; k++) {
    if (!t->molecule[k].used) continue;
    index[k] = g->n_molecules;
    gromacs_molecule_read(t, k, types, &g->molecule[g->n_molecules], m);
    gromacs_name_make(&taken, t->molecule_names.name[k], g->molecule_name[g->n_molecules++]);
  }
  for (int k = 0; k < t->n_blocks; k++)
    t->block[k].molecule = index[t->block[k].molecule];
  free(index);
  gromacs_types_destroy(types);
  name_map_free(&taken);
  error_list_check(m);
}

static struct gromacs *open_topology(const char *path, const struct gromacs_options *o,
                                     struct error_list *m)
{
  struct gromacs *g = alloc_array(1, sizeof *g);
  g->topology = gromacs_topology_read(path, o, m);
  g->path = text_copy(path);
  error_list_check(m);
  return g;
}

static int same_texts(const char *const *a, int n_a, const char *const *b, int n_b)
{
  int same = n_a == n_b;
  for (int k = 0; same && k < n_a; k++)
    same = !strcmp(a[k], b[k]);
  return same;
}

/* The first of stages 0 ... k whose options are those of stage k. */
static int first_like(const struct gromacs_options *o, int k)
{
  int at = 0;
  while (!same_texts(o[at].define, o[at].n_defines, o[k].define, o[k].n_defines) ||
         !same_texts(o[at].folder, o[at].n_folders, o[k].folder, o[k].n_folders) ||
         o[at].distance_k != o[k].distance_k)
    at++;
  return at;
}

/* The topologies of stages, each read once. reading: receives which of them a stage has. */
static struct gromacs *open_stages(const char *path, int n, const struct gromacs_options *o,
                                   const char *const *name, int *reading, struct error_list *m)
{
  struct gromacs *g = open_topology(path, &o[0], m), **end = &g->next;
  int readings = 1;
  reading[0] = 0;
  error_list_check(m);
  for (int k = 1; k < n; k++) {
    const int like = first_like(o, k);
    reading[k] = like < k ? reading[like] : readings++;
    if (like < k) continue;
    *end = open_topology(path, &o[k], m);
    gromacs_sets_compare(g->topology, (*end)->topology, (const char *const[2]){name[0], name[k]},
                         m);
    error_list_check(m);
    end = &(*end)->next;
  }
  return g;
}

struct gromacs *gromacs_read_stages(const char *path, int n, const struct gromacs_options *o,
                                    const char *const *name, struct error_list *m)
{
  int *reading = alloc_array(n, sizeof *reading);
  struct gromacs *g = open_stages(path, n, o, name, reading, m);
  for (struct gromacs *of = g; of; of = of->next)
    read_molecules(of, m);
  if (g->n_molecules > FF_TYPES_MOST)
    error_list_add(m, path, 0, "%d molecule types: at most %d", g->n_molecules, FF_TYPES_MOST);
  gromacs_couple(g, o->n_couplings, o->coupling, m);
  error_list_check(m);
  find_variants(g, m);
  for (int k = 0; k < n; k++)
    add_walls(g, &o[k]);
  name_variants(g);
  g->exclude = common_exclude(g);
  g->n_stages = n;
  gromacs_sets_make(g, reading);
  free(reading);
  return g;
}

const struct gromacs_molecule *gromacs_block_molecule(const struct gromacs *g, int block)
{
  return &g->molecule[g->topology->block[block].molecule];
}

int64_t gromacs_block_atoms(const struct gromacs *g, int block)
{
  return g->topology->block[block].count * gromacs_block_molecule(g, block)->n_atoms;
}

int64_t gromacs_atoms(const struct gromacs *g)
{
  int64_t n = 0;
  for (int b = 0; b < g->topology->n_blocks; b++)
    n += gromacs_block_atoms(g, b);
  return n;
}

void gromacs_destroy(struct gromacs *g)
{
  if (!g) return;
  gromacs_destroy(g->next);
  for (int k = 0; k < g->n_molecules; k++)
    gromacs_molecule_free(&g->molecule[k]);
  gromacs_topology_destroy(g->topology);
  free(g->molecule);
  free(g->molecule_name);
  free(g->variant);
  free(g->set);
  free(g->strength);
  free(g->path);
  free(g);
}
