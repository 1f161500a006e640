#include "input/coordinate_lists.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/units.h"
#include "input/coordinate_find.h"
#include "input/field_reader.h"
#include "input/forcefield_parser.h"
#include "input/group_reader.h"
#include "input/metadynamics.h"
#include "input/ramp_yaml.h"
#include "input/run_lists.h"
#include "input/yaml_tree.h"

/* What is known while coordinates are read. */
struct reader {
  struct yaml_tree *t;
  const struct params *p;
  const struct forcefield *ff;
  int64_t n_total;
  int n_rules;
  struct centre_rule *rule; /* [n_rules] */
};

/* Copies a name, which is the head of a column. */
static void read_name(struct yaml_tree *t, int item, char name[BIAS_NAME])
{
  const int node = yaml_need(t, item, "name");
  const char *text = yaml_text(t, node, "");
  int fits = strlen(text) < BIAS_NAME && (isalpha((unsigned char)text[0]) || text[0] == '_');
  for (const char *c = text; *c; c++)
    fits &= isalnum((unsigned char)*c) || *c == '_' || *c == '-';
  if (node && !fits)
    yaml_add_error(t, node,
                   "'%.60s': a name has at most %d letters, digits and characters of _ and -, and "
                   "begins with a letter",
                   text, BIAS_NAME - 1);
  snprintf(name, BIAS_NAME, "%.*s", BIAS_NAME - 1, text);
}

/* Adds a group, or a point as a list of three numbers, as a centre of a coordinate. */
static void read_centre(struct reader *r, int node, int by_mass, int can_be_point,
                        struct coordinate *c)
{
  if (c->n_centres == COORDINATE_CENTRES_MOST) return;
  struct centre_rule *rule = &r->rule[r->n_rules];
  c->centre[c->n_centres++] = r->n_rules++;
  rule->by_mass = by_mass;
  rule->line = yaml_line(r->t, node);
  rule->is_point = can_be_point && yaml_is_list(r->t, node);
  if (rule->is_point && yaml_count(r->t, node) != 3)
    yaml_add_error(r->t, node,
                   "a list is a point here, [x, y, z] in nm; a group is its name or a selection, "
                   "{molecules: [NAME]}, and beads of numbers are {ids: ...}");
  else if (rule->is_point)
    yaml_reals(r->t, node, 3, rule->point, -1e6, 1e6);
  else
    bead_group_read(r->t, node, r->p, r->ff, r->n_total, &rule->group);
}

/* 1 if an item of a list is a number, where a group is expected. */
static int has_number(struct yaml_tree *t, int list)
{
  double number;
  int found = 0;
  for (int k = 0; yaml_is_list(t, list) && k < yaml_count(t, list); k++) {
    const int item = yaml_item(t, list, k);
    const int is_value = !yaml_is_list(t, item) && !yaml_is_map(t, item);
    found |= is_value && parse_real(yaml_text(t, item, ""), &number);
  }
  return found;
}

/* The groups in `of`: one, or a list where a kind has several; then that of `from`. */
static void read_centres(struct reader *r, int item, const struct coordinate_kind_info *info,
                         struct coordinate *c)
{
  struct yaml_tree *t = r->t;
  const int weights = info->most > 0 ? yaml_get(t, item, "weights") : 0;
  const int by_mass = yaml_choice(t, weights, 0, "mass|geometry") == 0;
  const int of = info->most > 0 ? yaml_need(t, item, "of") : 0, list = yaml_is_list(t, of);
  const int n = list ? yaml_count(t, of) : of != 0;
  const int between = info->turns && n == 5; /* 4 or 6 */
  if (of && (n < info->least || n > info->most || between)) {
    char *wanted = info->least < info->most ? text_format("%d or %d", info->least, info->most)
                                            : text_format("%d", info->least);
    yaml_add_error(t, of, "%d groups: %s is of %s%s", n, info->name, wanted,
                   has_number(t, of) ? "; beads of numbers are one group {ids: [...]}" : "");
    free(wanted);
    return;
  }
  for (int k = 0; k < n; k++)
    read_centre(r, list ? yaml_item(t, of, k) : of, by_mass, list, c);
  if (info->options && strstr(info->options, "from"))
    read_centre(r, yaml_need(t, item, "from"), by_mass, 1, c);
}

/* A vector as an axis of length 1. */
static void read_vector(struct yaml_tree *t, int node, double axis[3])
{
  const int errors = yaml_errors(t);
  double norm2 = 0;
  yaml_reals(t, node, 3, axis, -1e9, 1e9);
  for (int k = 0; k < 3; k++)
    norm2 += axis[k] * axis[k];
  if (!(norm2 > 0) && yaml_errors(t) == errors) yaml_add_error(t, node, "the vector is 0");
  for (int k = 0; k < 3 && norm2 > 0; k++)
    axis[k] /= sqrt(norm2);
}

/* along: axes of which the component or the length is meant, or a vector. */
static void read_along(struct yaml_tree *t, int node, struct coordinate *c)
{
  if (yaml_is_list(t, node)) {
    read_vector(t, node, c->axis);
    return;
  }
  static const char *const words = "x|y|z|xy|xz|yz|xyz";
  static const int axes[] = {1, 2, 4, 3, 5, 6, 7};
  const int word = yaml_choice(t, node, 6, words);
  for (int k = 0; k < 3; k++)
    c->axis[k] = axes[word] >> k & 1;
  c->is_length = word > 2;
}

static void read_distance(struct yaml_tree *t, int item, struct coordinate *c)
{
  const int periodic = yaml_get(t, item, "periodic"), length = yaml_get(t, item, "length");
  const int along = yaml_get(t, item, "along");
  read_along(t, along, c);
  const int wanted = yaml_choice(t, length, c->is_length, "no|yes");
  if (length && (yaml_is_list(t, along) || (c->is_length && !wanted)))
    yaml_add_error(t, length,
                   "length is of a coordinate along x, y or z; along two or three axes it "
                   "is always yes, along a vector always no");
  c->is_length = wanted;
  c->follows = yaml_choice(t, periodic, 0, "yes|no|true|false") & 1;
  if (c->follows && c->is_length)
    yaml_add_error(t, periodic,
                   "a length has no images to follow: give an axis or a vector in `along`");
}

static void read_tilt(struct yaml_tree *t, int item, struct coordinate *c)
{
  const int axis = yaml_get(t, item, "axis");
  if (yaml_is_list(t, axis))
    read_vector(t, axis, c->axis);
  else
    c->axis[yaml_choice(t, axis, 2, "x|y|z")] = 1;
}

static void read_cylinder(struct yaml_tree *t, int item, struct coordinate *c)
{
  const int along = yaml_get(t, item, "along");
  if (yaml_is_list(t, along))
    read_vector(t, along, c->axis);
  else
    c->axis[yaml_choice(t, along, 2, "x|y|z")] = 1;
  c->radius = yaml_real(t, yaml_need(t, item, "radius"), 1, 1e-3, 1e6);
  if (yaml_is_list(t, yaml_get(t, item, "from")))
    yaml_add_error(t, yaml_get(t, item, "from"), "a cylinder is one of beads: give a group");
}

static void read_contacts(struct reader *r, int item, struct coordinate *c)
{
  struct yaml_tree *t = r->t;
  struct contacts *of = &c->contacts;
  const int weights = yaml_get(t, item, "weights"), d_max = yaml_need(t, item, "d_max");
  const int m = yaml_get(t, item, "m");
  for (int k = 0; k < c->n_centres; k++) {
    struct centre_rule *rule = &r->rule[c->centre[k]];
    rule->by_mass = 0;
    if (rule->is_point)
      yaml_add_error(t, yaml_get(t, item, k ? "from" : "of"),
                     "contacts are of beads: give a group");
  }
  if (weights) yaml_add_error(t, weights, "contacts count every bead alike, without weights");
  of->r0 = yaml_real(t, yaml_need(t, item, "r0"), 1, 0.01, 100);
  of->d0 = yaml_real(t, yaml_get(t, item, "d0"), 0, 0, 100);
  of->d_max = yaml_real(t, d_max, 2, 0.01, 100);
  of->n = (int)yaml_int(t, yaml_get(t, item, "n"), 6, 2, CONTACT_POWER_MOST / 2);
  of->m = (int)yaml_int(t, m, 2LL * of->n, 3, CONTACT_POWER_MOST);
  if (of->m <= of->n) yaml_add_error(t, m, "m is not above n, %d", of->n);
  if (d_max && of->d_max <= of->d0 + of->r0)
    yaml_add_error(t, d_max, "%g nm: d_max is not beyond d0 + r0, %g nm", of->d_max,
                   of->d0 + of->r0);
}

static void read_coordinate(struct reader *r, int item, struct bias_set *set)
{
  struct yaml_tree *t = r->t;
  struct coordinate *c = &set->coordinate[set->n_coordinates];
  char words[200] = "", keys[200];
  memset(c, 0, sizeof *c);
  for (int k = 0; k < COORDINATE_KINDS; k++)
    word_list_add(words, sizeof words, coordinate_kind_info[k].name);
  if (!yaml_expect_map(t, item, NULL)) return;
  read_name(t, item, c->name);
  for (int k = 0; k < set->n_coordinates; k++)
    if (c->name[0] && !strcmp(c->name, set->coordinate[k].name))
      yaml_add_error(t, yaml_get(t, item, "name"), "there are two coordinates of the name '%s'",
                     c->name);
  c->kind = yaml_choice(t, yaml_need(t, item, "kind"), -1, words);
  set->n_coordinates++; /* also of an unknown kind: biases know its name */
  if (c->kind < 0) return;
  const struct coordinate_kind_info *info = &coordinate_kind_info[c->kind];
  snprintf(keys, sizeof keys, "name|kind%s%s%s", info->most ? "|of|weights" : "",
           info->options ? "|" : "", info->options ? info->options : "");
  yaml_expect_map(t, item, keys);
  c->unit = strcmp(info->unit, "deg") ? 1 : UNITS_PI / 180;
  c->period = info->turns ? 2 * UNITS_PI : 0;
  read_centres(r, item, info, c);
  if (c->kind == COORDINATE_distance) read_distance(t, item, c);
  if (c->kind == COORDINATE_tilt) read_tilt(t, item, c);
  if (c->kind == COORDINATE_cylinder) read_cylinder(t, item, c);
  if (c->kind == COORDINATE_contacts) read_contacts(r, item, c);
}

int coordinates_read(const struct params *p, const struct forcefield *ff, int64_t n_total,
                     struct bias_set *set, struct centre_rule rule[CENTRE_RULES_MOST],
                     struct error_list *m)
{
  struct params_value v = {0};
  params_open(&v, p, "coordinates");
  struct reader r = {v.tree, p, ff, n_total, 0, rule};
  const int n = yaml_expect_list(v.tree, v.node, 0, COORDINATES_MOST);
  for (int k = 0; k < n; k++)
    read_coordinate(&r, yaml_item(v.tree, v.node, k), set);
  error_list_move(m, &v.errors);
  params_close(&v);
  return r.n_rules;
}

struct bias_set *coordinates_outline(const struct params *p, const struct forcefield *ff,
                                     int64_t n_total)
{
  struct centre_rule rule[CENTRE_RULES_MOST];
  struct bias_set *set = alloc_array(1, sizeof *set);
  memset(rule, 0, sizeof rule);
  struct error_list m = {0};
  const int n = coordinates_read(p, ff, n_total, set, rule, &m);
  error_list_check(&m);
  for (int k = 0; k < n; k++)
    bead_group_free(&rule[k].group);
  if (set->n_coordinates > 0) return set;
  free(set);
  return NULL;
}

/* Biases */

/* A place "start", "start+0.5" or "start-0.5": sets the offset, at most `most`. 0: it is none. */
static int read_start(struct yaml_tree *t, int node, double most, struct ramp *r)
{
  const int is_value = node && !yaml_is_list(t, node) && !yaml_is_map(t, node);
  const char *text = is_value ? yaml_text(t, node, "") : "";
  double offset = 0;
  if (strncmp(text, "start", 5)) return 0;
  if (text[5] && (!strchr("+-", text[5]) || !parse_real(text + 6, &offset)))
    yaml_add_error(t, node, "'%.60s': expected start, start+NUMBER or start-NUMBER", text);
  else if (fabs(offset) > most)
    yaml_add_error(t, node, "'%.60s': the number is more than %g", text, most);
  *r = ramp_constant(text[5] == '-' ? -offset : offset);
  return 1;
}

/* 1 if all numbers of a table are finite. */
static int table_is_finite(const struct bias *b)
{
  int good = isfinite(1 / b->table_step);
  for (int k = 0; k < b->n_pieces; k++)
    for (int j = 0; j < 4; j++)
      good &= isfinite(b->piece[k].c[j]) != 0;
  return good;
}

/* The file of a table. */
static void read_table(struct yaml_tree *t, int item, struct bias *b)
{
  const int node = yaml_need(t, item, "file"), errors = yaml_errors(t);
  const char *path = yaml_text(t, node, "");
  char why[160];
  if (!node || yaml_errors(t) > errors) return;
  FILE *file = text_open(path, YAML_TEXT_MAX, why);
  if (!file) {
    yaml_add_error(t, node, "'%.200s': %s", path, why);
    return;
  }
  fclose(file);
  char *text = text_read_file(path, YAML_TEXT_MAX);
  struct tabulated_source from = {text, path, NULL, 1, 1, INTERPOLATION_SPLINE, 1, {1}, 0};
  struct tabulated table;
  struct tabulated_rows rows = tabulated_read(&from, yaml_error_list(t));
  if (yaml_errors(t) == errors) {
    tabulated_make(&table, &rows, from.interpolation);
    b->n_pieces = table.n;
    b->table_start = table.start;
    b->table_step = table.step;
    b->piece = table.piece;
    if (!table_is_finite(b))
      yaml_add_error(t, node,
                     "'%.200s': its rows are too close, or its energies too large, for a spline",
                     path);
  }
  tabulated_rows_free(&rows);
  free(text);
}

/* 1 for a list of numbers, one of each replica: sets *r to that of this one. A ramp is a list of
   points. */
static int read_of_replica(struct yaml_tree *t, int node, const struct params *p,
                           const struct bias_parameter *of, struct ramp *r)
{
  const int number = (int)p->run_replica, n = yaml_count(t, node);
  if (!yaml_is_list(t, node) || n == 0 || yaml_is_list(t, yaml_item(t, node, 0))) return 0;
  if (number == 0)
    yaml_add_error(t, node,
                   "a list of numbers has one of each replica (--replicas=N or run.replica), and "
                   "this run is none; a ramp is a list of points, [[ps, value], ...]");
  else if (number > n)
    yaml_add_error(t, node, "%d numbers, and this is replica %d: give one of each", n, number);
  for (int k = 0; k < n; k++) {
    const double value = yaml_real(t, yaml_item(t, node, k), of->low, of->low, of->high);
    if (k == number - 1) *r = ramp_constant(value);
  }
  return 1;
}

static void read_parameters(struct yaml_tree *t, int item, const struct params *p, struct bias *b)
{
  const struct bias_kind_info *info = &bias_kind_info[b->kind];
  char keys[200] = "name|kind|coordinate";
  const int errors = yaml_errors(t);
  int places = 0, given = 0;
  for (int k = 0; info->parameter[k].name; k++)
    word_list_add(keys, sizeof keys, info->parameter[k].name);
  for (int k = 0; info->parameter[k].name; k++)
    places |= info->parameter[k].is_place << k;
  if (places) word_list_add(keys, sizeof keys, "rate");
  if (*info->options) word_list_add(keys, sizeof keys, info->options);
  for (int k = 0; k < BIAS_PARAMETERS_MOST; k++)
    b->parameter[k] = ramp_constant(0);
  if (!yaml_expect_map(t, item, keys)) return;
  if (b->kind == BIAS_table) read_table(t, item, b);
  b->rate = yaml_real(t, yaml_get(t, item, "rate"), 0, -1e6, 1e6);
  b->places = places;
  b->moves = b->rate != 0;
  for (int k = 0; info->parameter[k].name; k++) {
    const struct bias_parameter *of = &info->parameter[k];
    const int node = isnan(of->preset) ? yaml_need(t, item, of->name) : yaml_get(t, item, of->name);
    b->parameter[k] = ramp_constant(of->preset);
    if (of->is_place && read_start(t, node, of->high, &b->parameter[k]))
      b->starts |= 1 << k;
    else if (read_of_replica(t, node, p, of, &b->parameter[k]))
      b->by_replica |= 1 << k;
    else
      ramp_read(t, node, &b->parameter[k], of->low, of->high);
    b->moves |= b->parameter[k].n > 1;
    given |= node && of->is_place;
  }
  if (places && !given && b->kind == BIAS_flat_bottom)
    yaml_add_error(t, item, "this bias exerts no force: give it low, high or both");
  const struct bias_parameter *first = &info->parameter[0]; /* the strength, where there is one */
  if (!first->is_place && yaml_get(t, item, first->name) && !(b->by_replica & 1) &&
      yaml_errors(t) == errors && b->parameter[0].n == 1 && b->parameter[0].value[0] == 0)
    yaml_add_error(t, yaml_get(t, item, first->name), "this bias exerts no force: its %s is 0",
                   first->name);
  const int comparable = b->starts == 0 || b->starts == places;
  if (b->kind == BIAS_flat_bottom && comparable &&
      ramp_largest(&b->parameter[1]) > ramp_largest(&b->parameter[2]))
    yaml_add_error(t, item, "low is above high");
}

/* A constraint has no parameter but its place, which must not jump, of a distance. */
static void read_constraint(struct yaml_tree *t, int item, int number, struct bias_set *set)
{
  const struct bias *b = &set->bias[number];
  const struct ramp *at = &b->parameter[0];
  const int node = yaml_get(t, item, "at");
  int jumps = at->periodic && at->value[0] != at->value[at->n - 1];
  double least = at->value[0];
  for (int k = 0; k < at->n; k++) {
    jumps |= k > 0 && at->time[k] == at->time[k - 1] && at->value[k] != at->value[k - 1];
    least = fmin(least, at->value[k]);
  }
  if (jumps) yaml_add_error(t, node, "the place of a constraint cannot jump from value to value");
  if (b->coordinate < 0) return;
  const struct coordinate *c = &set->coordinate[b->coordinate];
  if (c->kind != COORDINATE_distance)
    yaml_add_error(t, item, "a constraint holds a distance, and '%s' is of another kind", c->name);
  else if (c->is_length && !b->starts && !(least > 0))
    yaml_add_error(t, node, "a constraint of a length is above 0");
  for (int a = 0; a < set->n_constraints; a++)
    if (set->bias[set->constraint[a]].coordinate == b->coordinate)
      yaml_add_error(t, item, "'%s' holds the coordinate '%s' already",
                     set->bias[set->constraint[a]].name, c->name);
  if (set->n_constraints == CONSTRAINTS_MOST)
    yaml_add_error(t, item, "a run has at most %d constraints", CONSTRAINTS_MOST);
  else
    set->constraint[set->n_constraints++] = number;
}

static void read_bias(struct yaml_tree *t, int item, const struct params *p, struct bias_set *set)
{
  struct bias *b = &set->bias[set->n_biases];
  char words[200] = "";
  for (int k = 0; k < BIAS_KINDS; k++)
    word_list_add(words, sizeof words, bias_kind_info[k].name);
  if (!yaml_expect_map(t, item, NULL)) return;
  read_name(t, item, b->name);
  for (int k = 0; k < set->n_biases; k++)
    if (b->name[0] && !strcmp(b->name, set->bias[k].name))
      yaml_add_error(t, yaml_get(t, item, "name"), "there are two biases of the name '%s'",
                     b->name);
  b->kind = yaml_choice(t, yaml_need(t, item, "kind"), -1, words);
  if (b->kind < 0) return;
  read_parameters(t, item, p, b);
  if (b->kind == BIAS_metadynamics)
    metadynamics_read(t, item, p, set, b);
  else
    b->coordinate = coordinate_find(t, yaml_need(t, item, "coordinate"), set);
  if (b->coordinate < 0) return;
  b->unit = set->coordinate[b->coordinate].unit;
  b->period = set->coordinate[b->coordinate].period;
  if (b->kind == BIAS_constraint) read_constraint(t, item, set->n_biases, set);
  set->n_biases++;
}

void biases_read(const struct params *p, struct bias_set *set, struct error_list *m)
{
  struct params_value v = {0};
  params_open(&v, p, "biases");
  const int n = yaml_expect_list(v.tree, v.node, 0, BIASES_MOST);
  for (int k = 0; k < n; k++)
    read_bias(v.tree, yaml_item(v.tree, v.node, k), p, set);
  error_list_move(m, &v.errors);
  params_close(&v);
}

void forces_check(const struct params *p, const struct forcefield *ff, int64_t n_total)
{
  struct error_list m = {0};
  int n_fields;
  struct external_field *field = external_fields_read(p, ff, n_total, &n_fields, &m);
  struct bias_set *set = alloc_array(1, sizeof *set);
  struct centre_rule *rule = alloc_array(CENTRE_RULES_MOST, sizeof *rule);
  const int before = m.count, n = coordinates_read(p, ff, n_total, set, rule, &m);
  if (m.count == before || set->n_coordinates > 0) biases_read(p, set, &m);
  error_list_check(&m);
  for (int k = 0; k < n; k++)
    bead_group_free(&rule[k].group);
  free(rule);
  free(set);
  external_fields_destroy(field, n_fields);
}

/* Lists */

/* Prints a word list, with commas and what stands before the first word. */
static void words_print(const char *list, const char *before)
{
  for (const char *o = list; o && *o; o += strcspn(o, "|"), o += *o == '|')
    printf("%s %.*s", o == list ? before : ",", (int)strcspn(o, "|"), o);
}

void bias_kinds_print(void)
{
  printf("\nKinds of coordinates (list `coordinates`; groups as those of fields, in `of`; weights: "
         "mass or geometry):\n");
  for (int k = 0; k < COORDINATE_KINDS; k++) {
    const struct coordinate_kind_info *c = &coordinate_kind_info[k];
    printf("  %s [%s]", c->name, c->unit);
    words_print(c->options, "");
    printf("\n      %s\n", c->formula);
  }
  printf("\nKinds of biases (list `biases`; each parameter a number or a ramp, [[ps, value], ...]; "
         "rate: of places, u/ps; u: unit of the coordinate x):\n");
  for (int k = 0; k < BIAS_KINDS; k++) {
    const struct bias_kind_info *b = &bias_kind_info[k];
    printf("  %s", b->name);
    for (int j = 0; b->parameter[j].name; j++)
      printf("%s %s [%s]", j ? "," : "", b->parameter[j].name, b->parameter[j].unit);
    words_print(b->options, ",");
    printf("\n      %s\n", b->formula);
  }
}
