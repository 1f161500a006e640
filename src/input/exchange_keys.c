#include "input/exchange_keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/portable.h"
#include "input/ramp_yaml.h"
#include "input/yaml_tree.h"

enum { TEMPERATURE_MOST = 1000000 };

/* 1 if a list or mapping of the section is given. */
static int is_given(const char *text)
{
  return strcmp(text, "[]") != 0;
}

/* {from: T, to: T}: a constant ratio between neighbours. */
static void read_ends(struct yaml_tree *t, int map, int n, double *temperature)
{
  double end[2];
  if (!yaml_expect_map(t, map, "from|to")) return;
  end[0] = yaml_real(t, yaml_need(t, map, "from"), 1, YAML_POSITIVE, TEMPERATURE_MOST);
  end[1] = yaml_real(t, yaml_need(t, map, "to"), 2, YAML_POSITIVE, TEMPERATURE_MOST);
  for (int k = 0; k < n; k++)
    temperature[k] = k == n - 1 ? end[1] : end[0] * portable_pow(end[1] / end[0], k / (n - 1.0));
}

static void read_temperatures(struct yaml_tree *t, int node, int n, double *temperature)
{
  const int errors = yaml_errors(t);
  for (int k = 0; k < n; k++)
    temperature[k] = k + 1.0;
  if (yaml_is_map(t, node)) {
    read_ends(t, node, n, temperature);
  } else if (yaml_expect_list(t, node, 1, RUNGS_MOST) && yaml_count(t, node) != n) {
    yaml_add_error(t, node, "%d temperatures, and there are %d replicas: give one of each",
                   yaml_count(t, node), n);
  } else {
    for (int k = 0; k < n && yaml_is_list(t, node); k++)
      temperature[k] =
          yaml_real(t, yaml_item(t, node, k), temperature[k], YAML_POSITIVE, TEMPERATURE_MOST);
  }
  for (int k = 1; k < n && yaml_errors(t) == errors; k++)
    if (!(temperature[k] > temperature[k - 1]))
      yaml_add_error(t, node, "%g K does not come after %g K: temperatures ascend", temperature[k],
                     temperature[k - 1]);
}

int exchange_temperatures(const struct params *p, int n, double temperature[RUNGS_MOST])
{
  struct params_value v = {0};
  if (!is_given(p->exchange_temperature)) return 0;
  params_open(&v, p, "exchange.temperature");
  read_temperatures(v.tree, v.node, n, temperature);
  params_close(&v);
  return 1;
}

/* Mistakes of thermostat and barostat: exchange holds for states of the canonical ensemble, or that
   of constant pressure. */
static void refuse_couplings(const struct params *p, struct yaml_tree *t, int node)
{
  const int random =
      p->thermostat_type == THERMOSTAT_LANGEVIN || p->thermostat_type == THERMOSTAT_BUSSI;
  if (!random)
    yaml_add_error(t, node,
                   "replicas have temperatures of the canonical ensemble: give thermostat.type: "
                   "bussi or langevin");
  if (p->exchange_every == 0) return;
  if (p->barostat_type == BAROSTAT_BERENDSEN)
    yaml_add_error(t, node,
                   "barostat.type: berendsen has no known ensemble, so replicas cannot be "
                   "exchanged in it: take crescale");
  if (p->barostat_type == BAROSTAT_CRESCALE &&
      (p->barostat_every < 2 || p->exchange_every % p->barostat_every))
    yaml_add_error(t, node,
                   "exchange.every, %lld steps, is to be a multiple of barostat.every, %lld, which "
                   "is at least 2 here: no exchange between the parts of a move of the box",
                   (long long)p->exchange_every, (long long)p->barostat_every);
  if (p->plumed[0])
    yaml_add_error(t, node,
                   "plumed: its biases cannot be exchanged, as Lamella does not know them; PLUMED "
                   "couples replicas by itself (walkers)");
}

/* All groups of the thermostat have one temperature: that of the replica, or
 * thermostat.temperature.
 */
static void refuse_groups(const struct params *p, struct error_list *m)
{
  struct params_value v = {0};
  params_open(&v, p, "thermostat.groups");
  for (int k = 0; yaml_is_list(v.tree, v.node) && k < yaml_count(v.tree, v.node); k++) {
    const int node = yaml_get(v.tree, yaml_item(v.tree, v.node, k), "temperature");
    struct ramp own = p->thermostat_temperature;
    ramp_read(v.tree, node, &own, 0, TEMPERATURE_MOST);
    if (node && is_given(p->exchange_temperature))
      yaml_add_error(v.tree, node,
                     "all groups have the temperature of the replica, of exchange.temperature: "
                     "leave it out");
    else if (!ramp_same(&own, &p->thermostat_temperature))
      yaml_add_error(v.tree, node,
                     "replicas are exchanged at one temperature, thermostat.temperature: leave "
                     "that of the group out");
  }
  error_list_move(m, &v.errors);
  yaml_destroy(v.tree);
}

void exchange_check(struct params *p, int n)
{
  const int heats = is_given(p->exchange_temperature), asked = heats || is_given(p->exchange_bias);
  double temperature[RUNGS_MOST];
  struct params_value v = {0};
  struct error_list m = {0};
  if (p->minimise_steps > 0) params_set_int(p, "exchange.every", 0); /* there is no temperature */
  if (p->minimise_steps > 0 || (!asked && p->exchange_every == 0)) return;
  params_open(&v, p, heats ? "exchange.temperature" : "exchange.bias");
  if (!asked)
    error_list_add(&m, "exchange.every", 0,
                   "nothing is exchanged: give exchange.temperature or exchange.bias too");
  if (n < 2 || n > RUNGS_MOST)
    yaml_add_error(v.tree, v.node,
                   "replicas exchange in a job of 2 to %d of them, which --replicas=N runs: there "
                   "%s %d here",
                   RUNGS_MOST, n == 1 ? "is" : "are", n);
  else if (heats)
    read_temperatures(v.tree, v.node, n, temperature);
  if (asked) refuse_couplings(p, v.tree, v.node);
  error_list_move(&m, &v.errors);
  yaml_destroy(v.tree);
  refuse_groups(p, &m);
  error_list_check(&m);
  if (heats) params_set_real(p, "thermostat.temperature", temperature[p->run_replica - 1]);
}

/* The bias of a name; -1 with an error: there is none. */
static int find_bias(struct yaml_tree *t, int node, const struct bias_set *set)
{
  const char *name = yaml_text(t, node, NULL);
  for (int k = 0; name && k < set->n_biases; k++)
    if (!strcmp(set->bias[k].name, name)) return k;
  if (name) yaml_add_error(t, node, "there is no bias '%.60s'", name);
  return -1;
}

/* Reads the lists of numbers of a bias, which is item number of the list `biases`. */
static void read_values(struct yaml_tree *t, int item, const struct bias *b, int n,
                        double (*value)[BIAS_PARAMETERS_MOST])
{
  for (int j = 0; j < BIAS_PARAMETERS_MOST; j++) {
    const struct bias_parameter *of = &bias_kind_info[b->kind].parameter[j];
    if (!(b->by_replica >> j & 1)) continue;
    const int node = yaml_get(t, item, of->name);
    if (yaml_count(t, node) != n)
      yaml_add_error(t, node, "%d numbers, and there are %d replicas: give one of each",
                     yaml_count(t, node), n);
    for (int k = 0; k < n; k++)
      value[k][j] = yaml_real(t, yaml_item(t, node, k), 0, of->low, of->high);
  }
}

/* Which biases are to be exchanged: those of the names, which have lists and can be. */
static void choose(struct yaml_tree *t, int node, const struct bias_set *set,
                   struct exchanged_biases *b)
{
  const int list = yaml_is_list(t, node), n = list ? yaml_expect_list(t, node, 0, BIASES_MOST) : 1;
  for (int k = 0; k < n; k++) {
    const int item = list ? yaml_item(t, node, k) : node, found = find_bias(t, item, set);
    if (found < 0) continue;
    const struct bias *of = &set->bias[found];
    if (!of->by_replica)
      yaml_add_error(t, item,
                     "bias '%s' is the same in all replicas: give one of its parameters a list of "
                     "numbers, one of each replica",
                     of->name);
    for (int j = 0; j < b->n; j++)
      if (b->bias[j] == found) yaml_add_error(t, item, "'%s' is named twice", of->name);
    b->bias[b->n++] = found;
  }
  if (b->n > 0 && set->n_constraints > 0)
    yaml_add_error(t, node, "biases are not exchanged in runs with a bias of kind constraint");
}

/* Biases that would differ between the replicas and are not exchanged with them. */
static void refuse_biases(const struct params *p, struct yaml_tree *t, int list,
                          const struct bias_set *set, const struct exchanged_biases *b)
{
  for (int k = 0; k < set->n_biases && p->exchange_every > 0; k++) {
    int is_named = 0;
    for (int j = 0; j < b->n; j++)
      is_named |= b->bias[j] == k;
    if (set->bias[k].by_replica && !is_named)
      yaml_add_error(t, yaml_item(t, list, k),
                     "the parameters of '%s' differ between replicas that are exchanged: name it "
                     "in exchange.bias",
                     set->bias[k].name);
    if (set->bias[k].kind == BIAS_metadynamics)
      yaml_add_error(t, yaml_item(t, list, k),
                     "replicas with hills of their own, of metadynamics, cannot be exchanged");
  }
}

void exchange_biases(const struct params *p, const struct bias_set *set, int n,
                     struct exchanged_biases *b)
{
  struct params_value names = {0}, v = {0};
  memset(b, 0, sizeof *b);
  params_open(&names, p, "exchange.bias");
  if (is_given(p->exchange_bias)) choose(names.tree, names.node, set, b);
  params_open(&v, p, "biases");
  refuse_biases(p, v.tree, v.node, set, b);
  for (int k = 0; k < b->n; k++) {
    b->value[k] = alloc_array(n, sizeof *b->value[k]);
    read_values(v.tree, yaml_item(v.tree, v.node, b->bias[k]), &set->bias[b->bias[k]], n,
                b->value[k]);
  }
  error_list_move(&v.errors, &names.errors);
  yaml_destroy(names.tree);
  params_close(&v);
}

void exchange_biases_free(struct exchanged_biases *b)
{
  for (int k = 0; k < b->n; k++)
    free(b->value[k]);
}
