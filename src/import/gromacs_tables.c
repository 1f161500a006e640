/* User tables of GROMACS: which files pairs and bonded terms read, and how (GROMACS manual 2019,
   "User-specified potential functions"). See gromacs_tables_write in gromacs.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"
#include "import/gromacs_mdp.h"
#include "import/gromacs_yaml.h"

static const char suffix[] = ".xvg", preset[] = "table.xvg";

/* 1 for a name that ends in _b0.xvg or the like, of a bonded table. */
static int is_of_bonded(const char *name)
{
  const char *at = strrchr(name, '_');
  if (!at || !at[1] || !strchr("bad", at[1])) return 0;
  return !strcmp(at + 2 + strspn(at + 2, "0123456789"), suffix);
}

/* The file of a bonded table that ends so: a value of --tableb, or made of one without such an
   ending. Caller frees. */
static char *bonded_file(const struct gromacs_tables *t, const char *ending)
{
  const char *base = preset;
  for (int k = 0; k < t->n_bonded; k++) {
    if (path_ends(t->bonded[k], ending)) return text_copy(t->bonded[k]);
    if (!is_of_bonded(t->bonded[k])) base = t->bonded[k];
  }
  return path_instead(base, suffix, ending);
}

/* An entry of `tables:` as far as its file. */
static void write_file(FILE *out, const char *name, const char *file)
{
  char *text = format_yaml_string(file);
  fprintf(out, "  %s: {file: %s, interpolation: hermite", name, text);
  free(text);
}

/* The table of a bonded term, unless it stands already. done: names of all before. */
static void write_bonded(FILE *out, const struct gromacs_tables *t, const struct gromacs_term *term,
                         struct name_map *done, struct error_list *m)
{
  const struct bonded_form_info *form = &bonded_form_info[term->form];
  const char *section = bonded_section_name[form->section];
  const int number = (int)term->value[1];
  char name[16], ending[24];
  snprintf(name, sizeof name, "%c%d", section[0], number);
  snprintf(ending, sizeof ending, "_%s%s", name, suffix);
  if (name_map_find(done, name) >= 0) return;
  name_map_put(done, name);
  char *file = bonded_file(t, ending);
  if (access(file, R_OK) != 0)
    LINE_ERROR(m, term->where,
               "the table %d of %ss is read from a file of user tables (mdrun -tableb): cannot "
               "read '%s': %s; name it by --tableb=FILE%s",
               number, section, file, strerror(errno), ending);
  write_file(out, name, file);
  fputs("}", out);
  gromacs_yaml_line(out, term->where);
  free(file);
}

/* The number of an energy group, from 1; 0 and an error: there is none of the name. */
static int group_number(const struct gromacs_mdp *mdp, const char *name)
{
  const char *word;
  for (int k = 0; *(word = gromacs_mdp_word(mdp, "energygrps", k)); k++)
    if (!strcasecmp(word, name)) return k + 1;
  GROMACS_REFUSE(mdp, "energygrp-table", "energygrp-table: energygrps has no group '%.60s'", name);
  return 0;
}

/* The energy group of each atom, from 1; 0: none. Caller frees. */
static int *groups_of_atoms(const struct gromacs_mdp *mdp, const struct gromacs_index *x)
{
  int *of = alloc_array(x->n, sizeof *of);
  char *in = alloc_array(x->n, 1);
  const char *name;
  for (int number = 1; *(name = gromacs_mdp_word(mdp, "energygrps", number - 1)); number++) {
    if (!gromacs_index_mark(x, name, in, gromacs_mdp_errors(mdp)))
      GROMACS_REFUSE(mdp, "energygrps", "energygrps: there is no group '%.60s'", name);
    for (int64_t k = 0; k < x->n; k++)
      if (in[k]) of[k] = number;
  }
  free(in);
  return of;
}

/* The same of each variant, whose atoms must all be in one. Caller frees. */
static int *groups_of_variants(const struct gromacs_mdp *mdp, const struct gromacs_index *x)
{
  const struct gromacs *g = x->g;
  int *of_atom = groups_of_atoms(mdp, x), *group = alloc_array(g->n_variants, sizeof *group);
  int64_t at = 0;
  int reported = 0;
  memset(group, -1, (size_t)g->n_variants * sizeof *group);
  for (int b = 0; b < g->topology->n_blocks; b++) {
    const struct gromacs_molecule *molecule = gromacs_block_molecule(g, b);
    for (int64_t k = 0, n = gromacs_block_atoms(g, b); k < n; k++, at++) {
      const int variant = molecule->atom[k % molecule->n_atoms].variant;
      const int differs = group[variant] >= 0 && group[variant] != of_atom[at];
      if (differs && reported++ == 0)
        GROMACS_REFUSE(mdp, "energygrps",
                       "energygrps: atoms of type %s are in several groups, atom "
                       "%lld is one that differs; tables are of pairs of types: give the atoms of "
                       "each group types of their own",
                       g->variant[variant].name, (long long)at + 1);
      group[variant] = of_atom[at];
    }
  }
  free(of_atom);
  return group;
}

/* The files of pairs of groups, named in the order of energygrps. */
static void set_files(const struct gromacs_mdp *mdp, struct gromacs_tables *t)
{
  const char *const base = t->pairs ? t->pairs : preset, *first;
  for (int k = 0; *(first = gromacs_mdp_word(mdp, "energygrp-table", k)); k += 2) {
    const char *second = gromacs_mdp_word(mdp, "energygrp-table", k + 1);
    if (!*second)
      GROMACS_REFUSE(mdp, "energygrp-table",
                     "energygrp-table: '%.60s' stands alone: expected pairs of groups", first);
    int a = *second ? group_number(mdp, first) : 0, b = *second ? group_number(mdp, second) : 0;
    if (!a || !b) return;
    const int low = a < b ? a : b, high = a < b ? b : a;
    char ending[256];
    snprintf(ending, sizeof ending, "_%.100s_%.100s%s",
             gromacs_mdp_word(mdp, "energygrps", low - 1),
             gromacs_mdp_word(mdp, "energygrps", high - 1), suffix);
    char **file = &t->file[low * t->n_groups + high];
    free(*file);
    *file = path_instead(base, suffix, ending);
  }
}

void gromacs_run_tables(const struct gromacs_mdp *mdp, const struct gromacs_index *x,
                        struct gromacs_tables *t)
{
  if (!*gromacs_mdp_word(mdp, "energygrp-table", 0)) return;
  if (gromacs_mdp_find(mdp, "vdwtype", "|user") != 1)
    GROMACS_REFUSE(mdp, "energygrp-table", "energygrp-table: vdwtype is not user");
  t->n_groups = gromacs_mdp_words(mdp, "energygrps") + 1;
  t->group = groups_of_variants(mdp, x);
  t->file = alloc_array((long long)t->n_groups * t->n_groups, sizeof *t->file);
  set_files(mdp, t);
}

/* A file, and what its three potentials are multiplied with. */
struct gromacs_table {
  const char *file;
  double factor[3];
};

int gromacs_table_of(struct gromacs_tables *t, int i, int j, const double factor[3])
{
  const char *file = t->pairs ? t->pairs : preset;
  if (t->group) {
    const int a = t->group[i], b = t->group[j];
    const char *own = t->file[a < b ? a * t->n_groups + b : b * t->n_groups + a];
    if (own) file = own;
  }
  for (int k = 0; k < t->n_made; k++) {
    const struct gromacs_table *made = &t->made[k];
    if (made->file == file && made->factor[0] == factor[0] && made->factor[1] == factor[1] &&
        made->factor[2] == factor[2])
      return k + 1;
  }
  t->made = extend_array(t->made, t->n_made, sizeof *t->made);
  t->made[t->n_made++] = (struct gromacs_table){file, {factor[0], factor[1], factor[2]}};
  return t->n_made;
}

/* The tables of pairs. */
static void write_made(FILE *out, const struct gromacs_pairs *pairs, const struct gromacs_tables *t,
                       struct error_list *m)
{
  for (int k = 0; k < t->n_made; k++) {
    const struct gromacs_table *made = &t->made[k];
    char name[16];
    int earlier = 0;
    for (int n = 0; n < k; n++)
      earlier |= t->made[n].file == made->file;
    if (!earlier && access(made->file, R_OK) != 0)
      LINE_ERROR(m, pairs->user,
                 "vdwtype = user reads a file of user tables (mdrun -table): cannot read '%s': %s; "
                 "name it by --table=FILE.xvg, from which the names of tables of energy groups "
                 "follow",
                 made->file, strerror(errno));
    snprintf(name, sizeof name, "p%d", k + 1);
    write_file(out, name, made->file);
    fprintf(out, ", factors: [%s, %s, %s], cutoff: %s}\n", YAML_REAL(made->factor[0]),
            YAML_REAL(made->factor[1]), YAML_REAL(made->factor[2]),
            YAML_REAL(pairs->treatment.lj_end.cutoff));
  }
}

int gromacs_tables_write(FILE *out, const struct gromacs *g, const struct gromacs_pairs *pairs,
                         const struct gromacs_tables *t, struct error_list *m)
{
  struct name_map done = {0};
  if (t->n_made > 0) fputs("tables:\n", out);
  write_made(out, pairs, t, m);
  for (int n = 0; n < g->n_molecules; n++)
    for (int k = 0; k < g->molecule[n].n_terms; k++) {
      const struct gromacs_term *term = &g->molecule[n].term[k];
      if (bonded_form_info[term->form].reads != BONDED_READS_table) continue;
      if (done.n == 0 && t->n_made == 0) fputs("tables:\n", out);
      write_bonded(out, t, term, &done, m);
    }
  const int n = done.n + t->n_made;
  name_map_free(&done);
  return n;
}

void gromacs_tables_free(struct gromacs_tables *t)
{
  for (int k = 0; k < t->n_groups * t->n_groups; k++)
    free(t->file[k]);
  free(t->file);
  free(t->group);
  free(t->made);
}
