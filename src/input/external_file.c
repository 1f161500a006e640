#include "input/external_file.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "input/bead_group_file.h"
#include "input/yaml_tree.h"

enum { KEYS_MOST = 200 };

/* The names of all forms as "a|b". */
static void list_forms(char out[KEYS_MOST])
{
  out[0] = 0;
  for (int k = 0; k < EXTERNALS; k++)
    snprintf(out + strlen(out), KEYS_MOST - strlen(out), "%s%s", k ? "|" : "",
             external_form_info[k].name);
}

static void list_keys(const struct external_form_info *form, char out[KEYS_MOST])
{
  snprintf(out, KEYS_MOST, "form|group");
  for (int k = 0; form->parameter[k].name; k++)
    snprintf(out + strlen(out), KEYS_MOST - strlen(out), "|%s", form->parameter[k].name);
}

/* 1, and an error, for a form of earlier versions. */
static int is_former(struct yaml_tree *t, int word)
{
  if (!yaml_is_text(t, word, "harmonic")) return 0;
  yaml_add_error(t, word,
                 "the form harmonic, U = kx dx^2 + ky dy^2 + kz dz^2, was replaced by restraint, "
                 "U = (kx dx^2 + ky dy^2 + kz dz^2) / 2: write restraint, and kx, ky, kz twice as "
                 "large");
  return 1;
}

/* Reads an item of the list. A field that cannot exert a force is an error. */
static void read_field(struct yaml_tree *t, int node, const struct forcefield *ff, int64_t n_total,
                       struct external_field *field)
{
  char names[KEYS_MOST];
  list_forms(names);
  if (!yaml_expect_map(t, node, NULL)) return;
  const int word = yaml_need(t, node, "form");
  if (is_former(t, word)) return;
  const int form = yaml_choice(t, word, -1, names);
  if (form < 0) return;
  const struct external_form_info *info = &external_form_info[form];
  field->form = form;
  list_keys(info, names);
  yaml_expect_map(t, node, names);
  int given = 0;
  for (int k = 0; info->parameter[k].name; k++) {
    const struct form_parameter *p = &info->parameter[k];
    field->value[k] = yaml_real(t, yaml_get(t, node, p->name), p->preset, p->low, p->high);
    given |= p->preset == 0 && field->value[k] != 0;
  }
  if (!given) yaml_add_error(t, node, "this field exerts no force: its parameters are 0");
  bead_group_read(t, yaml_get(t, node, "group"), ff, n_total, &field->group);
}

struct external_field *external_fields_read(const struct params *p, const struct forcefield *ff,
                                            int64_t n_total, int *n)
{
  struct error_list errors = {0};
  int list;
  struct yaml_tree *t = params_tree(p, "fields", p->fields, &errors, &list);
  struct external_field *field = alloc_array(EXTERNAL_FIELDS_MOST, sizeof *field);
  *n = 0;
  if (list && yaml_expect_list(t, list, 0, EXTERNAL_FIELDS_MOST)) *n = yaml_count(t, list);
  for (int k = 0; k < *n; k++)
    read_field(t, yaml_item(t, list, k), ff, n_total, &field[k]);
  error_list_check(&errors);
  yaml_destroy(t);
  return field;
}

void external_forms_print(void)
{
  printf("\nForms of external fields (list `fields`; group: {types: [...], molecules: [...], ids: "
         "[FIRST, LAST]}):\n");
  for (int k = 0; k < EXTERNALS; k++) {
    const struct external_form_info *f = &external_form_info[k];
    printf("  %s ", f->name);
    for (int p = 0; f->parameter[p].name; p++)
      printf("%s %s [%s] %g", p ? "," : "", f->parameter[p].name, f->parameter[p].unit,
             f->parameter[p].preset);
    printf("\n      %s\n", f->formula);
  }
}
