/* Types and pairs of force fields: see gromacs_forcefield_text in gromacs.h. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/portable.h"
#include "base/text.h"
#include "base/units.h"
#include "import/gromacs_yaml.h"
#include "input/forcefield_file.h"

/* What pairs without any interaction have as sigma. */
#define SIGMA_OF_NONE 0.47

/* At most n bytes of a text, without what a text in quotes may not have. */
static void write_plain(FILE *out, const char *text, int n)
{
  for (const char *c = text; *c && c - text < n; c++)
    fputc(isprint((unsigned char)*c) && !strchr("\"\\", *c) ? *c : '?', out);
}

static const struct gromacs_variant *find_charged(const struct gromacs *g)
{
  for (int k = 0; k < g->n_variants; k++)
    if (g->variant[k].charge != 0) return &g->variant[k];
  return NULL;
}

static double cutoff_of(const struct gromacs *g, const struct ff_treatment *t)
{
  return find_charged(g) ? fmax(t->lj_end.cutoff, t->charge_end.cutoff) : t->lj_end.cutoff;
}

static void write_head(FILE *out, const struct gromacs *g, const struct gromacs_pairs *pairs)
{
  const char *slash = strrchr(g->path, '/'), *base = slash ? slash + 1 : g->path;
  char name[FF_NAME], stem[FF_NAME];
  snprintf(stem, sizeof stem, "%.*s", (int)strcspn(base, "."), base);
  gromacs_name_clean(stem[0] ? stem : "gromacs", name);
  fputs("# Made of the GROMACS topology ", out);
  gromacs_yaml_text(out, g->path);
  fprintf(out,
          "; comments name the lines of its files.\nformat: 1\nname: %s\nversion: \"1\"\nsource: "
          "\"GROMACS topology ",
          YAML_NAME(name));
  write_plain(out, base, INT_MAX);
  fputs(": ", out);
  write_plain(out, g->topology->title, 200);
  fprintf(out, "\"\ncutoff: %s\nexclude: [", YAML_REAL(cutoff_of(g, &pairs->treatment)));
  for (int k = 1; k <= g->exclude; k++)
    fprintf(out, "%s1-%d", k > 1 ? ", " : "", k + 1);
  fputs(g->exclude < 0 ? "]  # each molecule has its exclusions\n" : "]\n", out);
}

static void write_types(FILE *out, const struct gromacs *g)
{
  fputs("types:\n", out);
  for (int k = 0; k < g->n_variants; k++) {
    const struct gromacs_variant *v = &g->variant[k];
    fprintf(out, "  %s: {mass: %s", YAML_NAME(v->name), YAML_REAL(v->mass));
    if (v->charge != 0) fprintf(out, ", charge: %s", YAML_REAL(v->charge));
    fputs("}", out);
    gromacs_yaml_line(out, g->topology->type[v->type].where);
  }
}

/* A pair of atom types in use. row: the last of nonbond_params, or NULL. */
struct lj_pair {
  const struct gromacs_pair *row;
  double sigma, epsilon; /* may be below 0 */
  int is_lj;             /* 0: the two numbers are not of the form of Lennard-Jones */
};

/* The types in use, each once, and their pairs. */
struct table {
  int n;
  int *type;            /* [n] */
  int *index;           /* of a type of the topology among them, or -1 */
  struct lj_pair *pair; /* [n][n] */
};

/* The numbers of a pair, of its row or by the combination rule. */
static void set_pair(const struct gromacs_topology *t, struct lj_pair *p, int i, int j)
{
  double c[2];
  gromacs_combine(t, p->row, i, j, c);
  const double v = c[0], w = c[1];
  p->sigma = SIGMA_OF_NONE;
  p->is_lj = 1;
  if (v == 0 && w == 0) return;
  if (t->rule != 1) {
    if (v > 0) p->sigma = v;
    p->epsilon = w;
    p->is_lj = v >= 0 && (v > 0 || w == 0);
  } else if (v * w > 0) {
    p->sigma = portable_cbrt(sqrt(w / v));
    p->epsilon = v * v / (4 * w);
  } else {
    p->is_lj = 0;
  }
}

static void find_rows(const struct gromacs_topology *t, struct table *table)
{
  const int n = table->n;
  for (int64_t k = 0; k < t->n_pairs; k++) {
    const struct gromacs_pair *p = &t->pair[k];
    const int i = table->index[p->type[0]], j = table->index[p->type[1]];
    if (i < 0 || j < 0) continue;
    const struct gromacs_pair *before = table->pair[i * n + j].row;
    if (before && (before->c[0] != p->c[0] || before->c[1] != p->c[1]))
      warn("%s:%d: the pair %s %s replaces that of %s:%d", p->where.file, p->where.line,
           t->type_names.name[p->type[0]], t->type_names.name[p->type[1]], before->where.file,
           before->where.line);
    table->pair[i * n + j].row = table->pair[j * n + i].row = p;
  }
}

static struct table table_make(const struct gromacs *g)
{
  const struct gromacs_topology *t = g->topology;
  struct table table = {.type = alloc_array(g->n_variants, sizeof *table.type),
                        .index = alloc_array(t->type_names.n, sizeof *table.index)};
  memset(table.index, -1, (size_t)t->type_names.n * sizeof *table.index);
  for (int k = 0; k < g->n_variants; k++) {
    const int type = g->variant[k].type;
    if (table.index[type] >= 0) continue;
    table.type[table.n] = type;
    table.index[type] = table.n++;
  }
  table.pair = alloc_array((long long)table.n * table.n, sizeof *table.pair);
  find_rows(t, &table);
  for (int i = 0; i < table.n; i++)
    for (int j = 0; j < table.n; j++)
      set_pair(t, &table.pair[i * table.n + j], table.type[i], table.type[j]);
  return table;
}

/* Types that act on themselves, and not on each other although no row says so: rows were lost. */
static void warn_missing(const struct gromacs_topology *t, const struct table *table)
{
  const int n = table->n;
  const struct lj_pair *p = table->pair;
  int missing = 0, first[2] = {0, 0};
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      if (p[i * n + j].row || p[i * n + j].epsilon != 0 || p[i * n + i].epsilon == 0 ||
          p[j * n + j].epsilon == 0)
        continue;
      if (missing++ > 0) continue;
      first[0] = table->type[i];
      first[1] = table->type[j];
    }
  if (missing > 0)
    warn("no row of [ nonbond_params ] has the types %s and %s%s: they act on themselves, and not "
         "on each other. Is a row missing, or an .itp file cut off? A row with two zeros says that "
         "it is meant",
         t->type_names.name[first[0]], t->type_names.name[first[1]],
         missing > 1 ? ", and there are more such pairs" : "");
}

/* Lennard-Jones of two variants. */
static void write_lj(FILE *out, const struct gromacs *g, const struct lj_pair *p, int i, int j,
                     struct error_list *m)
{
  const struct gromacs_topology *t = g->topology;
  const struct gromacs_variant *a = &g->variant[i], *b = &g->variant[j];
  /* A virtual site may weaken what the bead attracts that it is built on. */
  const int may_repel = i != j && (a->mass == 0 || b->mass == 0);
  if (!p->is_lj || (p->epsilon < 0 && !may_repel))
    LINE_ERROR(m, p->row ? p->row->where : t->type[a->type].where,
               "the pair %s %s is no Lennard-Jones pair: with combination rule %d its two "
               "numbers must both be above 0, or both 0 (an epsilon below 0 is for a virtual "
               "site and another type)",
               t->type_names.name[a->type], t->type_names.name[b->type], t->rule);
  fprintf(out, "{epsilon: %s, sigma: %s}", YAML_REAL(p->epsilon), YAML_REAL(p->sigma));
}

/* The user table of two variants, by their charges, C6 and C12. */
static void write_user(FILE *out, const struct gromacs *g, const struct gromacs_pairs *pairs,
                       const struct lj_pair *p, int i, int j, struct gromacs_tables *tables)
{
  const struct gromacs_variant *a = &g->variant[i], *b = &g->variant[j];
  const double scale = pairs->charges_are_user ? UNITS_COULOMB / pairs->treatment.epsilon_r : 0;
  double factor[3] = {scale * a->charge * b->charge};
  gromacs_combine(g->topology, p->row, a->type, b->type, factor + 1);
  gromacs_powers(g->topology, factor + 1);
  fprintf(out, "{tabulated: p%d}", gromacs_table_of(tables, i, j, factor));
}

static void write_table(FILE *out, const struct gromacs *g, const struct gromacs_pairs *pairs,
                        struct gromacs_tables *tables, struct error_list *m)
{
  const struct gromacs_topology *t = g->topology;
  struct table table = table_make(g);
  if (!pairs->lj_is_user) warn_missing(t, &table);
  fputs("  table:\n", out);
  for (int i = 0; i < g->n_variants; i++)
    for (int j = i; j < g->n_variants; j++) {
      const struct gromacs_variant *a = &g->variant[i], *b = &g->variant[j];
      const struct lj_pair *p = &table.pair[table.index[a->type] * table.n + table.index[b->type]];
      fprintf(out, "    - [%s, %s, ", YAML_NAME(a->name), YAML_NAME(b->name));
      if (pairs->lj_is_user)
        write_user(out, g, pairs, p, i, j, tables);
      else
        write_lj(out, g, p, i, j, m);
      fputs("]", out);
      if (p->row)
        gromacs_yaml_line(out, p->row->where);
      else
        fprintf(out, "  # combination rule %d\n", t->rule);
    }
  free(table.type);
  free(table.index);
  free(table.pair);
}

/* The rest of a mapping: where an interaction ends. */
static void write_end(FILE *out, const struct ff_end *end, int switches, double cutoff)
{
  if (switches) fprintf(out, ", switch_from: %s", YAML_REAL(end->switch_from));
  if (end->cutoff != cutoff) fprintf(out, ", cutoff: %s", YAML_REAL(end->cutoff));
  fputs("}\n", out);
}

/* What user tables of pairs cannot have. */
static void check_user(const struct gromacs *g, const struct gromacs_pairs *pairs,
                       struct error_list *m)
{
  const struct ff_treatment *t = &pairs->treatment;
  if (pairs->charges_are_user && find_charged(g) && t->charge_end.cutoff != t->lj_end.cutoff)
    LINE_ERROR(m, pairs->user,
               "rvdw = %g and rcoulomb = %g: the user tables of charges and of the rest end at "
               "one distance: give both the same",
               t->lj_end.cutoff, t->charge_end.cutoff);
  for (int n = 0; n < g->n_molecules; n++)
    for (int k = 0; k < g->molecule[n].n_terms; k++) {
      const struct gromacs_term *term = &g->molecule[n].term[k];
      if (term->form != FORM_bond_lennard_jones && term->form != FORM_bond_coulomb) continue;
      LINE_ERROR(m, term->where,
                 "with vdwtype = user mdrun reads [ pairs ] from tables of their own (-tablep), "
                 "which are not implemented");
      return;
    }
}

static void write_pairs(FILE *out, const struct gromacs *g, const struct gromacs_pairs *pairs,
                        struct gromacs_tables *tables, struct error_list *m)
{
  static const char *const lj[] = {TRUNCATION_CHOICES(CHOICE_WORD)};
  static const char *const electrostatics[] = {ELECTROSTATICS_CHOICES(CHOICE_WORD)};
  const struct gromacs_variant *charged = find_charged(g);
  const struct ff_treatment *t = &pairs->treatment;
  if (pairs->lj_is_user) check_user(g, pairs, m);
  if (pairs->charges_are_user) charged = NULL; /* in the tables */
  if (charged && t->electrostatics == ELECTROSTATICS_NONE)
    LINE_ERROR(
        m, pairs->where,
        "coulombtype = %.40s is not implemented for charges, which the topology has (type "
        "%s: %g e): reaction-field (of Martini with epsilon-r = 15), shift, cut-off and, with "
        "vdwtype = user, user are; --substitute=%.40s:reaction-field takes one for the other",
        pairs->coulomb, charged->name, charged->charge, pairs->coulomb);
  fputs("pair:\n", out);
  if (!pairs->lj_is_user) {
    fprintf(out, "  lj: {truncation: %s, mixing: none", lj[t->lj]);
    write_end(out, &t->lj_end, forcefield_switches_lj(t), cutoff_of(g, t));
  }
  fprintf(out, "  electrostatics: {truncation: %s",
          electrostatics[charged ? t->electrostatics : 0]);
  if (charged) fprintf(out, ", epsilon_r: %s", YAML_REAL(t->epsilon_r));
  if (charged && t->electrostatics == ELECTROSTATICS_CHARGE_REACTION_FIELD)
    fprintf(out, ", epsilon_rf: %s", YAML_REAL(t->epsilon_rf));
  write_end(out, &t->charge_end, charged && t->electrostatics == ELECTROSTATICS_CHARGE_FORCE_SWITCH,
            charged ? cutoff_of(g, t) : t->charge_end.cutoff);
  write_table(out, g, pairs, tables, m);
}

char *gromacs_forcefield_text(struct gromacs *g, const struct gromacs_pairs *pairs,
                              struct gromacs_tables *tables, struct error_list *m)
{
  struct text_stream text;
  FILE *out = text_begin(&text);
  write_head(out, g, pairs);
  write_types(out, g);
  write_pairs(out, g, pairs, tables, m);
  gromacs_yaml_bonded(out, g, pairs->treatment.epsilon_r, m);
  gromacs_yaml_molecules(out, g, m);
  const int n_tables = gromacs_tables_write(out, g, pairs, tables, m);
  char *all = text_end(&text);
  return n_tables > 0 && m->count == 0 ? forcefield_add_files(all, "the force field made") : all;
}
