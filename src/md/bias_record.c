#include "md/bias_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "input/yaml_tree.h"
#include "md/hills.h"
#include "pair/bias_body.h"

static const char coordinates_name[] = "coordinates", biases_name[] = "biases",
                  constraints_name[] = "constraints";
enum { KEPT_OF_BIAS = 2 }; /* numbers: bias_record_numbers */

static int64_t kept_numbers(const struct bias_set *set)
{
  return 3LL * set->n_centres + 3LL * set->n_coordinates + 1;
}

/* The numbers that the record has of these coordinates; NULL: it has none. */
static const double *coordinates_kept(const struct sim *s)
{
  const struct accumulated *was = run_record_force(&s->system->run, coordinates_name);
  if (!was || was->n != kept_numbers(&s->biases->set)) return NULL;
  return yaml_mean_same(was->options, s->params->coordinates) ? was->data : NULL;
}

int bias_record_references(const struct sim *s, struct bias_state *now)
{
  const struct bias_set *set = &s->biases->set;
  const double *from = coordinates_kept(s);
  if (!from) return 0;
  for (int k = 0; k < set->n_centres; k++)
    for (int d = 0; d < 3; d++)
      now->place[k][d] = (uint64_t)*from++ << 32;
  for (int k = 0; k < set->n_coordinates; k++)
    for (int d = 0; d < 3; d++)
      now->followed[k][d] = (int64_t)*from++;
  return 1;
}

double bias_record_scale(const struct sim *s)
{
  const double *kept = coordinates_kept(s);
  return kept ? kept[kept_numbers(&s->biases->set) - 1] : 0;
}

/* How the record names a bias: on another coordinate it is another one. */
static const char *name_of(const struct bias_set *set, int number, char name[2 * BIAS_NAME])
{
  const struct bias *b = &set->bias[number];
  snprintf(name, 2 * BIAS_NAME, "%s %s", b->name, set->coordinate[b->coordinate].name);
  return name;
}

const double *bias_record_numbers(const struct sim *s, int bias)
{
  char name[2 * BIAS_NAME];
  name_of(&s->biases->set, bias, name);
  const struct accumulated *was = run_record_force(&s->system->run, biases_name);
  char *names = was ? text_copy(was->options) : NULL, *rest = names;
  const double *found = NULL;
  const char *one;
  for (int k = 0; was && k < was->n / KEPT_OF_BIAS && (one = strsep(&rest, "\n")); k++)
    if (!strcmp(one, name)) found = was->data + (ptrdiff_t)KEPT_OF_BIAS * k;
  free(names);
  return found;
}

static char *names_text(const struct bias_set *set)
{
  char *text = alloc_array(BIASES_MOST * 2 * BIAS_NAME, 1), name[2 * BIAS_NAME];
  for (int k = 0; k < set->n_biases; k++) {
    if (k) strcat(text, "\n");
    strcat(text, name_of(set, k, name));
  }
  return text;
}

void bias_record_forces(const struct sim *s, struct bias_state *now)
{
  const struct bias_set *set = &s->biases->set;
  const struct accumulated *was = run_record_force(&s->system->run, constraints_name);
  char *names = names_text(set);
  const int same = was && was->n == 2LL * set->n_constraints + 1 && !strcmp(was->options, names);
  free(names);
  if (!same) return;
  const double *from = was->data;
  now->force_steps = (int64_t)*from++;
  now->knows_forces = 1;
  for (int a = 0; a < set->n_constraints; a++) {
    now->force[set->constraint[a]] = *from++;
    now->force_sum[a] = *from++;
  }
}

/* One that bias_record_save makes. text: taken over. */
static struct accumulated saved(const char *name, char *text, int64_t n)
{
  struct accumulated a = {"", text, n, alloc_array(n, sizeof(double))};
  strcpy(a.name, name);
  return a;
}

void bias_record_save(struct sim *s, const struct bias_state *now)
{
  const struct bias_set *set = &s->biases->set;
  int n = 1 + (set->n_biases > 0) + (set->n_constraints > 0);
  struct accumulated *all = alloc_array(n + 1, sizeof *all);
  all[0] = saved(coordinates_name, text_copy(s->params->coordinates), kept_numbers(set));
  if (n > 1) all[1] = saved(biases_name, names_text(set), (int64_t)KEPT_OF_BIAS * set->n_biases);
  double *to = all[0].data;
  for (int k = 0; k < set->n_centres; k++)
    for (int d = 0; d < 3; d++)
      *to++ = (double)centre_reference(now->place[k][d]);
  for (int k = 0; k < set->n_coordinates; k++)
    for (int d = 0; d < 3; d++)
      *to++ = (double)now->followed[k][d];
  *to++ = set->moment_scale;
  for (int k = 0; k < set->n_biases; k++) {
    all[1].data[KEPT_OF_BIAS * k] = now->work[k];
    all[1].data[KEPT_OF_BIAS * k + 1] = set->bias[k].start;
  }
  if (set->n_constraints > 0) {
    all[2] = saved(constraints_name, names_text(set), 2LL * set->n_constraints + 1);
    to = all[2].data;
    *to++ = (double)now->force_steps;
    for (int a = 0; a < set->n_constraints; a++) {
      *to++ = now->force[set->constraint[a]];
      *to++ = now->force_sum[a];
    }
  }
  if (hills_save(s, &all[n])) n++;
  run_record_set_forces(&s->system->run, n, all);
}
