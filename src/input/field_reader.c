#include "input/field_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "input/group_reader.h"
#include "input/ramp_yaml.h"

/* 1 if a parameter is a word of a list "a|b|c". */
static int has_words(const struct form_parameter *p)
{
  return strchr(p->unit, '|') != NULL;
}

/* 1 if a field exerts no force where such parameters are 0. */
static int is_strength(const struct form_parameter *p)
{
  return p->preset == 0 && (!strncmp(p->unit, "kJ/mol", 6) || p->unit[0] == 'V');
}

/* The number, from 1, of the bead type at a node; 0: there is no node. */
static int read_type(struct yaml_tree *t, int node, const struct forcefield *ff)
{
  struct nearest near = {{0}, 0};
  char hint[96];
  if (!node) return 0;
  const char *name = yaml_text(t, node, "");
  const int found = forcefield_type(ff, name);
  for (int k = 0; k < ff->n_types; k++)
    nearest_offer(&near, name, ff->type[k].name);
  if (found < 0 && name[0])
    yaml_add_error(t, node, "the force field has no bead type '%s'%s", name,
                   nearest_text(&near, hint));
  return found + 1;
}

/* Lennard-Jones of all types with one; NAN where there is none. */
static struct external_well *wells_make(const struct forcefield *ff, int type)
{
  struct external_well *well = alloc_array(ff->n_types, sizeof *well);
  for (int k = 0; k < ff->n_types; k++) {
    const struct ff_pair *pair = &ff->pair[type * ff->n_types + k];
    const double s2 = pair->sigma * pair->sigma, s6 = s2 * s2 * s2;
    well[k] = (struct external_well){4 * pair->epsilon * s6, 4 * pair->epsilon * s6 * s6};
    if (!forcefield_is_lj(ff, type, k)) well[k].c6 = (double)NAN;
  }
  return well;
}

/* Reads a parameter. Returns 1 if it makes the field exert a force. */
static int read_parameter(struct yaml_tree *t, int map, const struct forcefield *ff,
                          const struct form_parameter *p, struct external_field *field, int k)
{
  struct ramp *value = &field->value[k];
  const int is_file = !strcmp(p->unit, "file");
  const int node = is_file ? yaml_need(t, map, p->name) : yaml_get(t, map, p->name);
  *value = ramp_constant(p->preset);
  if (is_file) {
    field->file = text_copy(yaml_text(t, node, ""));
    return 1;
  }
  if (!strcmp(p->unit, "type")) {
    const int type = read_type(t, node, ff);
    if (type > 0) field->well = wells_make(ff, type - 1);
    *value = ramp_constant(type);
    return node != 0;
  }
  if (has_words(p)) {
    *value = ramp_constant(yaml_choice(t, node, (int)p->preset, p->unit));
    return 0;
  }
  ramp_read(t, node, value, p->low, p->high);
  field->moves |= value->n > 1;
  return is_strength(p) && (ramp_least(value) != 0 || ramp_largest(value) != 0);
}

/* 1 if the form has a parameter of the name, and it is always 0. */
static int is_zero(const struct external_field *field, const char *name)
{
  const int k = external_parameter(field->form, name);
  return k >= 0 && ramp_least(&field->value[k]) == 0 && ramp_largest(&field->value[k]) == 0;
}

/* 1 if energy and force are 0 whatever the strength is. */
static int is_idle(const struct external_field *field)
{
  return is_zero(field, "density") || is_zero(field, "factor") ||
         (is_zero(field, "radius") && is_zero(field, "k_inside"));
}

/* A length or time that has a meaning at 0, and above 0 must not be so small that its inverse
   overflows. */
static void check_least(struct yaml_tree *t, int node, const struct external_field *field,
                        const char *name, double least)
{
  const int k = external_parameter(field->form, name);
  const double smallest = k < 0 ? 0 : ramp_least(&field->value[k]);
  if (smallest > 0 && smallest < least)
    yaml_add_error(t, yaml_get(t, node, name), "%g is less than %g: 0 is none", smallest, least);
}

/* What parameters of a field mean together. */
static void check_field(struct yaml_tree *t, int node, const struct external_field *field)
{
  const struct form_parameter *p = external_form_info[field->form].parameter;
  check_least(t, node, field, "sigma", 1e-6);
  check_least(t, node, field, "linear", 1e-3);
  const int low = external_parameter(field->form, "low"),
            k = external_parameter(field->form, "type");
  const int epsilon = external_parameter(field->form, "epsilon");
  const int sigma = external_parameter(field->form, "sigma");
  if (low >= 0 && !(ramp_largest(&field->value[low]) < ramp_least(&field->value[low + 1]) &&
                    ramp_largest(&field->value[low + 1]) - ramp_least(&field->value[low]) <= 1))
    yaml_add_error(t, node,
                   "the planes are at %g and %g: high must be above low, by at most 1 (the plane "
                   "itself, of its other side)",
                   ramp_largest(&field->value[low]), ramp_least(&field->value[low + 1]));
  if (k < 0 || field->value[k].value[0] == 0) return;
  if (yaml_get(t, node, p[epsilon].name) || yaml_get(t, node, p[sigma].name))
    yaml_add_error(t, node, "give either epsilon and sigma, or type, whose pairs have them");
}

/* Reads an item of the list. A field that cannot exert a force is an error. */
static void read_field(struct yaml_tree *t, int node, const struct params *p,
                       const struct forcefield *ff, int64_t n_total, struct external_field *field)
{
  char words[200] = "", known[200] = "form|group";
  for (int k = 0; k < EXTERNALS; k++)
    word_list_add(words, sizeof words, external_form_info[k].name);
  if (!yaml_expect_map(t, node, NULL)) return;
  const int word = yaml_need(t, node, "form");
  if (yaml_is_text(t, word, "harmonic")) { /* a form of earlier versions */
    yaml_add_error(
        t, word,
        "the form harmonic, U = kx dx^2 + ky dy^2 + kz dz^2, was replaced by restraint, "
        "U = (kx dx^2 + ky dy^2 + kz dz^2) / 2: write restraint, and kx, ky, kz twice as "
        "large");
    return;
  }
  const int form = yaml_choice(t, word, -1, words);
  if (form < 0) return;
  const struct form_parameter *parameter = external_form_info[form].parameter;
  field->form = form;
  for (int k = 0; parameter[k].name; k++)
    word_list_add(known, sizeof known, parameter[k].name);
  yaml_expect_map(t, node, known);
  const int errors = yaml_errors(t);
  int given = 0;
  for (int k = 0; k < EXTERNAL_PARAMETERS_MOST; k++)
    field->value[k] = ramp_constant(0);
  for (int k = 0; parameter[k].name; k++)
    given |= read_parameter(t, node, ff, &parameter[k], field, k);
  const int omega = external_parameter(form, "omega");
  if (omega >= 0)
    field->moves |= field->value[omega].value[0] != 0 || field->value[omega + 3].value[0] > 0;
  if ((!given || is_idle(field)) && yaml_errors(t) == errors)
    yaml_add_error(t, node, "this field exerts no force: its parameters are 0");
  if (yaml_errors(t) == errors) check_field(t, node, field);
  bead_group_read(t, yaml_get(t, node, "group"), p, ff, n_total, &field->group);
}

struct external_field *external_fields_read(const struct params *p, const struct forcefield *ff,
                                            int64_t n_total, int *n, struct error_list *m)
{
  struct params_value v = {0};
  struct external_field *field = alloc_array(EXTERNAL_FIELDS_MOST, sizeof *field);
  params_open(&v, p, "fields");
  *n = yaml_expect_list(v.tree, v.node, 0, EXTERNAL_FIELDS_MOST);
  for (int k = 0; k < *n; k++)
    read_field(v.tree, yaml_item(v.tree, v.node, k), p, ff, n_total, &field[k]);
  error_list_move(m, &v.errors);
  params_close(&v);
  return field;
}

static void print_parameter(const struct form_parameter *p)
{
  size_t n;
  printf(" %s [", p->name);
  for (const char *c = p->unit; *c; c++)
    printf(*c == '|' ? " or " : "%c", *c);
  printf("]");
  if (has_words(p)) {
    const char *word = word_list_item(p->unit, (int)p->preset, &n);
    printf(" %.*s", (int)n, word);
  } else if (strcmp(p->unit, "type") != 0 && strcmp(p->unit, "file") != 0) {
    printf(" %g", p->preset);
  }
}

void external_forms_print(void)
{
  printf("\nForms of external fields (list `fields`; numbers may change in time, [[ps, value], "
         "...]; group: a selection of beads, or the name of one of `groups`):\n");
  for (int k = 0; k < EXTERNALS; k++) {
    const struct external_form_info *f = &external_form_info[k];
    printf("  %s", f->name);
    for (int p = 0; f->parameter[p].name; p++) {
      if (p) printf(",");
      print_parameter(&f->parameter[p]);
    }
    printf("\n      %s\n", f->formula);
  }
}
