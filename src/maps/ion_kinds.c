/* Kinds and numbers of ions: see ion_kinds.h. */
#include "maps/ion_kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/parse.h"

#define E_UNIT 1e-6 /* e */

int64_t ion_charge(double q)
{
  return llround(q / E_UNIT);
}

/* The next item of a list with commas. Returns what follows it, or NULL at the end of the list. */
static const char *next_item(const char *list, char item[64])
{
  if (!list || !*list) return NULL;
  const size_t n = strcspn(list, ",");
  snprintf(item, 64, "%.*s", (int)(n < 64 ? n : 63), list);
  if (list[n] == ',' && !list[n + 1])
    die_all(STATUS_INPUT, "ions: the list ends in a comma: the name of an ion is missing");
  return list + n + (list[n] == ',');
}

int ion_names_known(const struct forcefield *ff, const char *text)
{
  char item[64];
  while ((text = next_item(text, item))) {
    item[strcspn(item, ":")] = 0;
    if (forcefield_molecule(ff, item) < 0) return 0;
  }
  return 1;
}

static struct ion_kind kind_of(const struct forcefield *ff, const char *name)
{
  const int m = forcefield_molecule(ff, name);
  struct nearest near = {{0}, 0};
  char hint[96];
  for (int k = 0; k < ff->n_molecules; k++)
    nearest_offer(&near, name, ff->molecule[k].name);
  if (m < 0)
    die_all(STATUS_INPUT, "ions: there is no molecule '%s' in the force field %s%s", name, ff->name,
            nearest_text(&near, hint));
  if (ff->molecule[m].n_beads != 1)
    die_all(STATUS_INPUT, "ions: %s has %d beads; an ion is a molecule of one bead", name,
            ff->molecule[m].n_beads);
  const int type = ff->molecule[m].bead[0];
  if (ion_charge(ff->type[type].charge) == 0)
    die_all(STATUS_INPUT, "ions: %s has no charge in the force field %s", name, ff->name);
  return (struct ion_kind){m, type, ff->type[type].charge, 0};
}

static void append(struct ion_kinds *k, struct ion_kind kind, const char *name)
{
  for (int i = 0; i < k->n; i++)
    if (k->kind[i].molecule == kind.molecule)
      die_all(STATUS_INPUT, "ions: %s stands there twice", name);
  if (k->n == ION_KINDS_MOST)
    die_all(STATUS_INPUT, "ions: at most %d kinds are possible", ION_KINDS_MOST);
  k->kind[k->n++] = kind;
}

/* Kinds of a sign first, then the others; else in their order. */
static void order_by_sign(struct ion_kinds *k, double sign)
{
  struct ion_kinds sorted = {0, {{0}}};
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < k->n; i++)
      if ((k->kind[i].charge * sign > 0) == !side) sorted.kind[sorted.n++] = k->kind[i];
  *k = sorted;
}

/* The kinds of a list NAME,NAME, or (add 1) NAME:N,NAME:N. */
static struct ion_kinds kinds_read(const struct forcefield *ff, const char *text, int add)
{
  struct ion_kinds k = {0, {{0}}};
  char item[64];
  while ((text = next_item(text, item))) {
    char *colon = add ? strchr(item, ':') : NULL;
    int64_t n = 0;
    if (colon) *colon = 0;
    if (add && (!colon || !parse_int(colon + 1, &n) || n < 1 || n > INT32_MAX))
      die_all(STATUS_INPUT, "--add: '%s%s%s' is not NAME:N with a number N of at least 1", item,
              colon ? ":" : "", colon ? colon + 1 : "");
    struct ion_kind kind = kind_of(ff, item);
    kind.n = n;
    append(&k, kind, item);
  }
  return k;
}

/* Adds ions of the first kind with the opposite sign until a net charge is 0. */
static void neutralise(const struct forcefield *ff, struct ion_kinds *k, int64_t net)
{
  for (int i = 0; net != 0 && i < k->n; i++) {
    const int64_t q = ion_charge(k->kind[i].charge);
    const char *name = ff->molecule[k->kind[i].molecule].name;
    if ((q > 0) == (net > 0)) continue;
    if (net % q != 0)
      die_all(
          STATUS_INPUT,
          "ions: the system has a net charge of %g e, which is no multiple of the charge of %s, "
          "%g e: it cannot be neutralised",
          (double)net * E_UNIT, name, k->kind[i].charge);
    k->kind[i].n += -net / q;
    return;
  }
  if (net != 0)
    die_all(STATUS_INPUT,
            "ions: the system has a net charge of %g e, and no %s is named to neutralise it",
            (double)net * E_UNIT, net > 0 ? "anion" : "cation");
}

static struct ion_kinds kinds_neutralise(const struct forcefield *ff, const char *text, int64_t net)
{
  struct ion_kinds k = kinds_read(ff, text, 0);
  if (!k.n) die_all(STATUS_INPUT, "--neutralise: the names of ions are missing");
  neutralise(ff, &k, net);
  order_by_sign(&k, net > 0 ? -1 : 1);
  return k;
}

static struct ion_kinds kinds_concentration(const struct forcefield *ff, const char *text,
                                            int64_t net, double volume)
{
  char number[64];
  double molar;
  const size_t n = strcspn(text, ":");
  snprintf(number, sizeof number, "%.*s", (int)(n < 63 ? n : 63), text);
  if (!text[n] || !parse_real(number, &molar) || molar <= 0 || molar > 100)
    die_all(STATUS_INPUT,
            "--concentration: '%s' is not MOL_PER_L:CATION,ANION with a concentration above 0, at "
            "most 100, as 0.15:NA,CL",
            text);
  struct ion_kinds k = kinds_read(ff, text + n + 1, 0);
  if (k.n != 2 || (k.kind[0].charge > 0) == (k.kind[1].charge > 0))
    die_all(STATUS_INPUT, "--concentration: '%s' does not name one cation and one anion",
            text + n + 1);
  neutralise(ff, &k, net);
  const int64_t a = llabs(ion_charge(k.kind[0].charge)), b = llabs(ion_charge(k.kind[1].charge)),
                units = llround(molar * IONS_PER_MOLAR * volume);
  k.kind[0].n += units * (b / common_divisor(a, b));
  k.kind[1].n += units * (a / common_divisor(a, b));
  order_by_sign(&k, net > 0 ? -1 : 1);
  return k;
}

struct ion_kinds ion_kinds_of(const struct forcefield *ff, enum ions_wanted which, const char *text,
                              int64_t net, double volume)
{
  if (which == IONS_NEUTRALISE) return kinds_neutralise(ff, text, net);
  if (which == IONS_CONCENTRATION) return kinds_concentration(ff, text, net, volume);
  struct ion_kinds k = kinds_read(ff, text, 1);
  if (!k.n) die_all(STATUS_INPUT, "--add: NAME:N is missing");
  order_by_sign(&k, k.kind[0].charge);
  return k;
}

int64_t ion_kinds_charge(const struct ion_kinds *k)
{
  int64_t sum = 0;
  for (int i = 0; i < k->n; i++)
    sum += k->kind[i].n * ion_charge(k->kind[i].charge);
  return sum;
}
