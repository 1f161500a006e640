/* Scalars, bonded types and molecules of force fields: see gromacs_yaml.h. */
#include "import/gromacs_yaml.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

void gromacs_yaml_text(FILE *out, const char *text)
{
  for (const char *c = text; *c; c++)
    fputc(isprint((unsigned char)*c) ? *c : isspace((unsigned char)*c) ? ' ' : '?', out);
}

/* 1 for a name that readers of YAML take for a text without quotes. */
static int is_plain(const char *name)
{
  static const char other[] = "y|n|yes|no|on|off|true|false|null|inf|nan";
  char lower[FF_NAME];
  int plain = isalpha((unsigned char)name[0]) != 0;
  snprintf(lower, sizeof lower, "%.*s", FF_NAME - 1, name);
  for (char *c = lower; *c; c++) {
    plain &= isalnum((unsigned char)*c) || strchr("_+-.", *c) != NULL;
    *c = (char)tolower((unsigned char)*c);
  }
  return plain && word_list_find(other, lower) < 0;
}

const char *gromacs_yaml_name(const char *name, char text[GROMACS_SCALAR])
{
  if (is_plain(name)) return name;
  char *quoted = format_yaml_string(name);
  snprintf(text, GROMACS_SCALAR, "%s", quoted);
  free(quoted);
  return text;
}

void gromacs_yaml_line(FILE *out, struct file_line where)
{
  fputs("  # ", out);
  gromacs_yaml_text(out, where.file);
  fprintf(out, ":%d\n", where.line);
}

/* A bonded type. */
struct entry {
  int form;
  const double *value;
  struct file_line where; /* of the first term */
};

struct entries {
  int n;
  struct entry *entry;
};

/* The number of a bonded type, from 1; it is added if it is new. */
static int entry_number(struct entries *e, int form, const struct gromacs_term *term)
{
  for (int k = e->n - 1; k >= 0; k--) {
    int same = e->entry[k].form == form;
    for (int p = 0; p < BONDED_PARAMETERS_MOST; p++)
      same &= e->entry[k].value[p] == term->value[p];
    if (same) return k + 1;
  }
  e->entry = extend_array(e->entry, e->n, sizeof *e->entry);
  e->entry[e->n++] = (struct entry){form, term->value, term->where};
  return e->n;
}

/* 1 if an earlier bond that makes exclusions joins the same beads. */
static int is_joined(const struct gromacs_molecule *molecule, int before, const int *bead)
{
  for (int k = 0; k < before; k++) {
    const struct gromacs_term *t = &molecule->term[k];
    if (bonded_form_info[t->form].joins && gromacs_joins_same(t->bead, bead)) return 1;
  }
  return 0;
}

/* The form of a term. Force fields have one bond that makes exclusions between two beads: a second
   one is `elastic`. */
static int form_of(const struct gromacs_molecule *molecule, int k, struct error_list *m)
{
  const struct gromacs_term *term = &molecule->term[k];
  if (!bonded_form_info[term->form].joins || !is_joined(molecule, k, term->bead)) return term->form;
  if (term->form == FORM_bond_table) return FORM_bond_table_apart;
  if (term->form != FORM_bond_harmonic)
    LINE_ERROR(m, term->where,
               "atoms %d and %d are bonded already: a second bond can be of function 1, 6, 8 or 9 "
               "only",
               term->bead[0] + 1, term->bead[1] + 1);
  return FORM_bond_elastic;
}

static void write_entries(FILE *out, const struct entries *e, int section)
{
  if (e->n == 0) return;
  fprintf(out, "%ss:\n", bonded_section_name[section]);
  for (int k = 0; k < e->n; k++) {
    const struct bonded_form_info *info = &bonded_form_info[e->entry[k].form];
    fprintf(out, "  %c%d: {form: %s", bonded_section_name[section][0], k + 1, info->name);
    for (int p = 0; info->parameter[p].name; p++) {
      const int is_table = !strcmp(info->parameter[p].unit, "table");
      fprintf(out, ", %s: ", info->parameter[p].name);
      if (is_table) fputc(bonded_section_name[section][0], out); /* as in the names of the files */
      fputs(YAML_REAL(e->entry[k].value[p]), out);
    }
    fputs("}", out);
    gromacs_yaml_line(out, e->entry[k].where);
  }
}

void gromacs_yaml_bonded(FILE *out, struct gromacs *g, double epsilon_r, struct error_list *m)
{
  struct entries all[SECTIONS] = {{0, NULL}};
  for (int n = 0; n < g->n_molecules; n++)
    for (int k = 0; k < g->molecule[n].n_terms; k++) {
      struct gromacs_term *term = &g->molecule[n].term[k];
      const int form = form_of(&g->molecule[n], k, m);
      if (form == FORM_bond_coulomb) term->value[1] = epsilon_r;
      term->type = entry_number(&all[bonded_form_info[form].section], form, term);
    }
  for (int s = 0; s < SECTIONS; s++) {
    write_entries(out, &all[s], s);
    free(all[s].entry);
  }
}

/* Lists are written item by item, some in a line. */
struct list {
  FILE *out;
  int n, per_line;
};

static void list_next(struct list *l)
{
  if (l->n) fputs(l->n % l->per_line ? ", " : ",\n      ", l->out);
  l->n++;
}

static void write_beads(FILE *out, const struct gromacs *g, int n)
{
  const struct gromacs_molecule *molecule = &g->molecule[n];
  struct list beads = {out, 0, 12};
  fputs("    beads: [", out);
  for (int k = 0; k < molecule->n_atoms; k++) {
    list_next(&beads);
    fputs(YAML_NAME(g->variant[molecule->atom[k].variant].name), out);
  }
  fputs("]\n", out);
}

/* Names of beads, and residues: consecutive atoms of one number and name. */
static void write_names(FILE *out, const struct gromacs_molecule *molecule)
{
  struct list names = {out, 0, 12}, residues = {out, 0, 6};
  fputs("    names: [", out);
  for (int k = 0; k < molecule->n_atoms; k++) {
    char name[FF_NAME];
    list_next(&names);
    fputs(YAML_NAME(gromacs_name_clean(molecule->atom[k].name, name)), out);
  }
  fputs("]\n    residues: [", out);
  for (int k = 0; k < molecule->n_atoms; k++) {
    const struct gromacs_atom *a = &molecule->atom[k], *before = a - (k > 0);
    char name[FF_NAME];
    if (k && a->residue == before->residue && !strcmp(a->residue_name, before->residue_name))
      continue;
    list_next(&residues);
    fprintf(out, "[%s, %lld, %d]", YAML_NAME(gromacs_name_clean(a->residue_name, name)), a->residue,
            k + 1);
  }
  fputs("]\n", out);
}

static void write_terms(FILE *out, const struct gromacs_molecule *molecule)
{
  for (int s = 0; s < SECTIONS; s++) {
    struct list terms = {out, 0, 6};
    for (int k = 0; k < molecule->n_terms; k++) {
      const struct bonded_form_info *info = &bonded_form_info[molecule->term[k].form];
      if ((int)info->section != s) continue;
      if (!terms.n) fprintf(out, "    %ss: [", bonded_section_name[s]);
      list_next(&terms);
      fprintf(out, "[%c%d", bonded_section_name[s][0], molecule->term[k].type);
      for (int b = 0; b < info->beads; b++)
        fprintf(out, ", %d", molecule->term[k].bead[b] + 1);
      fputs("]", out);
    }
    if (terms.n) fputs("]\n", out);
  }
}

/* A row for each first bead. */
static void write_exclusions(FILE *out, const struct gromacs *g, int n, struct error_list *m)
{
  int64_t count;
  int(*pair)[2] = gromacs_excluded(g, n, m, &count);
  if (count) fputs("    exclusions:\n", out);
  for (int64_t k = 0; k < count; k++) {
    if (k == 0 || pair[k][0] != pair[k - 1][0])
      fprintf(out, "%s      - [%d", k ? "]\n" : "", pair[k][0] + 1);
    fprintf(out, ", %d", pair[k][1] + 1);
  }
  if (count) fputs("]\n", out);
  free(pair);
}

static void write_constraints(FILE *out, const struct gromacs_molecule *molecule)
{
  if (molecule->n_constraints) fputs("    constraints:\n", out);
  for (int k = 0; k < molecule->n_constraints; k++) {
    const struct gromacs_constraint *c = &molecule->constraint[k];
    fprintf(out, "      - [%d, %d, %s%s]", c->bead[0] + 1, c->bead[1] + 1, YAML_REAL(c->length),
            !c->joins || is_joined(molecule, molecule->n_terms, c->bead) ? ", no_exclusions" : "");
    gromacs_yaml_line(out, c->where);
  }
}

static void write_sites(FILE *out, const struct gromacs_molecule *molecule)
{
  if (molecule->n_sites) fputs("    sites:\n", out);
  for (int k = 0; k < molecule->n_sites; k++) {
    const struct gromacs_site *s = &molecule->site[k];
    const struct site_form_info *form = &site_form_info[s->form];
    fprintf(out, "      - {bead: %d, form: %s, from: [", s->bead + 1, form->name);
    for (int b = 0; b < s->n_from; b++)
      fprintf(out, "%s%d", b ? ", " : "", s->from[b] + 1);
    for (int b = 0; s->weight && b < s->n_from; b++)
      fprintf(out, "%s%s", b ? ", " : "], weights: [", YAML_REAL(s->weight[b]));
    fputs("]", out);
    for (int p = 0; form->parameter[p].name; p++)
      fprintf(out, ", %s: %s", form->parameter[p].name, YAML_REAL(s->number[p]));
    fputs("}", out);
    gromacs_yaml_line(out, s->where);
  }
}

/* The restraints of a set. named: their list stands under its name. */
static void write_set(FILE *out, const struct gromacs *g, const struct gromacs_molecule *molecule,
                      int set, int named)
{
  int n = 0;
  for (int k = 0; k < molecule->n_restraints; k++) {
    const struct gromacs_restraint *r = &molecule->restraint[k];
    if (r->set != set) continue;
    if (n++ == 0 && named)
      fprintf(out, "      %s:\n", set == SET_ALWAYS ? FF_SET_ALWAYS : YAML_NAME(g->set[set]));
    fprintf(out, "%s      - [%d, %s, ", named ? "  " : "", r->bead + 1,
            r->shape ? r->shape->name : YAML_REAL(r->k[0]));
    fprintf(out, "%s, %s]", YAML_REAL(r->k[r->shape ? 0 : 1]), YAML_REAL(r->k[r->shape ? 1 : 2]));
    gromacs_yaml_line(out, r->where);
  }
}

/* A list for each set, or one without a name if there are none. */
static void write_restraints(FILE *out, const struct gromacs *g,
                             const struct gromacs_molecule *molecule)
{
  int named = 0;
  for (int k = 0; k < molecule->n_restraints; k++)
    named |= molecule->restraint[k].set != SET_ALWAYS;
  if (molecule->n_restraints) fputs("    restraints:\n", out);
  for (int s = SET_ALWAYS; s < g->n_sets; s++)
    write_set(out, g, molecule, s, named);
}

void gromacs_yaml_molecules(FILE *out, const struct gromacs *g, struct error_list *m)
{
  fputs("molecules:\n", out);
  for (int n = 0; n < g->n_molecules; n++) {
    const struct gromacs_molecule *molecule = &g->molecule[n];
    fprintf(out, "  %s:", YAML_NAME(g->molecule_name[n]));
    gromacs_yaml_line(out, molecule->where);
    write_beads(out, g, n);
    write_names(out, molecule);
    write_terms(out, molecule);
    write_constraints(out, molecule);
    write_sites(out, molecule);
    write_exclusions(out, g, n, m);
    write_restraints(out, g, molecule);
  }
}
