/* Look-up by name, printing and freeing of force fields. Files are read in src/input. */
#include "model/forcefield.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"

struct forcefield *forcefield_share(struct forcefield *ff)
{
  ff->shares++;
  return ff;
}

void forcefield_destroy(struct forcefield *ff)
{
  if (!ff || ff->shares-- > 0) return;
  for (int k = 0; k < ff->n_molecules; k++) {
    free(ff->molecule[k].bead);
    for (int n = 0; n < ff->molecule[k].n_sites; n++)
      site_free(&ff->molecule[k].site[n]);
    free(ff->molecule[k].site);
    free(ff->molecule[k].cluster);
    free(ff->molecule[k].place);
    free(ff->molecule[k].exclusion);
    free(ff->molecule[k].bead_name);
    free(ff->molecule[k].residue);
    for (int s = 0; s < SECTIONS; s++)
      free(ff->molecule[k].bonded[s].term);
  }
  free(ff->source);
  free(ff->text);
  free(ff->type);
  free(ff->pair);
  for (int s = 0; s < SECTIONS; s++)
    free(ff->bonded[s].type);
  free(ff->set);
  free(ff->molecule);
  for (int k = 0; k < ff->n_tables; k++)
    free(ff->table[k].piece);
  free(ff->table);
  for (int k = 0; k < ff->n_clusters; k++)
    cluster_type_free(&ff->cluster[k]);
  free(ff->cluster);
  free(ff);
}

int forcefield_type(const struct forcefield *ff, const char *name)
{
  for (int k = 0; k < ff->n_types; k++)
    if (!strcmp(ff->type[k].name, name)) return k;
  return -1;
}

/* 1 if the first n names of two lists are equal. Names are the first members of the entries. */
static int same_names(const void *a, const void *b, int n, size_t size)
{
  for (int k = 0; k < n; k++)
    if (strcmp((const char *)a + (size_t)k * size, (const char *)b + (size_t)k * size) != 0)
      return 0;
  return 1;
}

/* 1 if two arrays have the same elements of `size` bytes. */
static int same_arrays(const void *a, int n_a, const void *b, int n_b, size_t size)
{
  return n_a == n_b && (n_a == 0 || !memcmp(a, b, (size_t)n_a * size));
}

/* 1 if the sites of two molecules are the same beads, constructed from the same beads. */
static int same_sites(const struct ff_molecule *a, const struct ff_molecule *b)
{
  int same = a->n_sites == b->n_sites;
  for (int k = 0; same && k < a->n_sites; k++) {
    const struct ff_site *s = &a->site[k], *t = &b->site[k];
    same = s->bead == t->bead && s->form == t->form &&
           same_arrays(s->from, s->n, t->from, t->n, sizeof *s->from);
  }
  return same;
}

static int same_molecules(const struct forcefield *old, const struct forcefield *now)
{
  for (int k = 0; k < old->n_molecules; k++) {
    const struct ff_molecule *a = &old->molecule[k], *b = &now->molecule[k];
    if (strcmp(a->name, b->name) != 0 ||
        !same_arrays(a->bead, a->n_beads, b->bead, b->n_beads, sizeof *a->bead) ||
        !same_arrays(a->exclusion, a->n_exclusions, b->exclusion, b->n_exclusions,
                     sizeof *a->exclusion) ||
        !same_sites(a, b))
      return 0;
    for (int s = 0; s < SECTIONS; s++)
      if (!same_arrays(a->bonded[s].term, a->bonded[s].n, b->bonded[s].term, b->bonded[s].n,
                       sizeof *a->bonded[s].term))
        return 0;
  }
  return 1;
}

int forcefield_extends(const struct forcefield *now, const struct forcefield *old)
{
  for (int s = 0; s < SECTIONS; s++)
    if (now->bonded[s].n < old->bonded[s].n ||
        !same_names(old->bonded[s].type, now->bonded[s].type, old->bonded[s].n,
                    sizeof(struct ff_bonded)))
      return 0;
  return now->n_types >= old->n_types && now->n_molecules >= old->n_molecules &&
         same_names(old->type, now->type, old->n_types, sizeof *old->type) &&
         same_molecules(old, now);
}

int forcefield_bonded(const struct forcefield *ff, int section, int type)
{
  for (int s = 0; s < section; s++)
    type += ff->bonded[s].n;
  return type;
}

double forcefield_rest(const struct forcefield *ff, int section, int type)
{
  const struct ff_bonded *b = &ff->bonded[section].type[type];
  return bonded_rest(b->form, b->value);
}

const struct bonded_form_info *forcefield_form(const struct forcefield *ff, int section, int type)
{
  return &bonded_form_info[ff->bonded[section].type[type].form];
}

double forcefield_epsilon_r(const struct forcefield *ff)
{
  double all = -1;
  for (int i = 0; i < ff->n_types; i++)
    for (int j = 0; j <= i; j++) {
      const struct ff_treatment *t = &ff->treatment[ff->pair[i * ff->n_types + j].treatment];
      const double own = t->epsilon_r > 0 ? t->epsilon_r : 1;
      if (ff->type[i].charge == 0 || ff->type[j].charge == 0) continue;
      if (all >= 0 && all != own) return 0;
      all = own;
    }
  return all >= 0 ? all : 1;
}

int forcefield_add_bonded(struct ff_section *s, const char *name, int form, const double *value,
                          int n)
{
  struct ff_bonded type = {.form = form};
  snprintf(type.name, sizeof type.name, "%s", name);
  memcpy(type.value, value, (size_t)n * sizeof *value);
  s->type = grow_array(s->type, s->n + 1LL, sizeof *s->type);
  s->type[s->n] = type;
  return s->n++;
}

void forcefield_add_excluded(struct forcefield *ff)
{
  for (int k = 0; k < ff->n_treatments; k++) {
    const struct ff_treatment *t = &ff->treatment[k];
    char name[FF_NAME];
    if (t->electrostatics != ELECTROSTATICS_CHARGE_REACTION_FIELD) continue;
    snprintf(name, sizeof name, "treatment %d", k);
    const struct ff_end *end = &t->charge_end;
    const double value[] = {t->epsilon_r * (end->cutoff / ff->cutoff), forcefield_charge_field(t),
                            end->cutoff};
    forcefield_add_bonded(&ff->bonded[SECTION_excluded], name, FORM_excluded_reaction_field, value,
                          3);
  }
}

int forcefield_excluded(const struct forcefield *ff, int i, int j)
{
  int type = -1;
  if (ff->bonded[SECTION_excluded].n == 0 || ff->type[i].charge == 0 || ff->type[j].charge == 0)
    return -1;
  const int treatment = ff->pair[i * ff->n_types + j].treatment;
  if (ff->treatment[treatment].electrostatics != ELECTROSTATICS_CHARGE_REACTION_FIELD) return -1;
  for (int k = 0; k <= treatment; k++)
    type += ff->treatment[k].electrostatics == ELECTROSTATICS_CHARGE_REACTION_FIELD;
  return type;
}

int forcefield_excludes_alike(const struct forcefield *now, const struct forcefield *old)
{
  if (memcmp(now->exclude, old->exclude, sizeof now->exclude) != 0) return 0;
  for (int i = 0; i < old->n_types; i++)
    for (int j = i; j < old->n_types; j++)
      if (forcefield_excluded(now, i, j) != forcefield_excluded(old, i, j)) return 0;
  return 1;
}

static int same_end(const struct ff_end *a, const struct ff_end *b)
{
  return a->switch_from == b->switch_from && a->cutoff == b->cutoff;
}

static int same_treatment(const struct ff_treatment *a, const struct ff_treatment *b)
{
  return a->cutoff == b->cutoff && a->switch_from == b->switch_from &&
         a->permittivity == b->permittivity && a->epsilon_r == b->epsilon_r &&
         a->epsilon_rf == b->epsilon_rf && a->lj == b->lj &&
         a->electrostatics == b->electrostatics && same_end(&a->lj_end, &b->lj_end) &&
         same_end(&a->charge_end, &b->charge_end);
}

static int same_sticky(const struct ff_sticky *a, const struct ff_sticky *b)
{
  return a->v0 == b->v0 && a->v0_prime == b->v0_prime && a->w0 == b->w0 && a->lower == b->lower &&
         a->upper == b->upper && a->lower_prime == b->lower_prime &&
         a->upper_prime == b->upper_prime;
}

/* 1 if neither has a table, or both have the same. */
static int same_table(const struct tabulated *a, const struct tabulated *b)
{
  return a && b ? tabulated_equal(a, b) : a == b;
}

/* 1 if types i and j interact alike in both. */
static int same_pair(const struct forcefield *now, const struct forcefield *old, int i, int j)
{
  const struct ff_pair *a = &now->pair[i * now->n_types + j], *b = &old->pair[i * old->n_types + j];
  return a->epsilon == b->epsilon && a->sigma == b->sigma && same_sticky(&a->sticky, &b->sticky) &&
         same_table(forcefield_table(now, i, j), forcefield_table(old, i, j)) &&
         same_treatment(&now->treatment[a->treatment], &old->treatment[b->treatment]);
}

static int same_type(const struct ff_type *a, const struct ff_type *b)
{
  int same = a->mass == b->mass && a->charge == b->charge && a->dipole == b->dipole &&
             a->kappa == b->kappa && a->kappa_prime == b->kappa_prime;
  for (int d = 0; d < 3; d++)
    same &= a->inertia[d] == b->inertia[d];
  return same;
}

/* 1 if a bonded type has the same form, parameters and table in both. */
static int same_bonded(const struct forcefield *now, const struct forcefield *old, int section,
                       int k)
{
  const struct ff_bonded *a = &now->bonded[section].type[k], *b = &old->bonded[section].type[k];
  const struct form_parameter *p = bonded_form_info[a->form].parameter;
  int same = a->form == b->form && a->set == b->set &&
             same_table(forcefield_bonded_table(now, a), forcefield_bonded_table(old, b));
  for (int n = 0; same && p[n].name; n++)
    same = a->value[n] == b->value[n] || !strcmp(p[n].unit, "table");
  return same;
}

/* 1 if the sites of a molecule of both are constructed with the same numbers. */
static int same_values(const struct ff_molecule *a, const struct ff_molecule *b)
{
  int same = 1;
  for (int k = 0; k < a->n_sites; k++)
    for (int v = 0; v < site_values(&a->site[k]); v++)
      same &= a->site[k].value[v] == b->site[k].value[v];
  return same;
}

int forcefield_keeps(const struct forcefield *now, const struct forcefield *old)
{
  int same = now->cutoff == old->cutoff && now->gb_mu == old->gb_mu && now->gb_nu == old->gb_nu;
  for (int i = 0; i < old->n_types; i++) {
    same &= same_type(&now->type[i], &old->type[i]);
    for (int j = 0; j < old->n_types; j++)
      same &= same_pair(now, old, i, j);
  }
  for (int s = 0; s < SECTIONS; s++)
    for (int k = 0; k < old->bonded[s].n; k++)
      same &= same_bonded(now, old, s, k);
  for (int k = 0; k < old->n_molecules; k++)
    same &= same_values(&old->molecule[k], &now->molecule[k]);
  return same;
}

int forcefield_is_gay_berne(const struct forcefield *ff, int i, int j)
{
  return ff->type[i].kappa > 0 || ff->type[j].kappa > 0;
}

int forcefield_is_sticky(const struct forcefield *ff, int i, int j)
{
  const struct ff_sticky *s = &ff->pair[i * ff->n_types + j].sticky;
  return s->v0 != 0 || s->v0_prime != 0;
}

const struct tabulated *forcefield_table(const struct forcefield *ff, int i, int j)
{
  const int table = ff->pair[i * ff->n_types + j].tabulated;
  return table ? &ff->table[table - 1] : NULL;
}

int forcefield_is_lj(const struct forcefield *ff, int i, int j)
{
  return !forcefield_is_gay_berne(ff, i, j) && !forcefield_table(ff, i, j);
}

const struct tabulated *forcefield_bonded_table(const struct forcefield *ff,
                                                const struct ff_bonded *b)
{
  const int reads = bonded_form_info[b->form].reads == BONDED_READS_table;
  return reads && b->value[1] > 0 ? &ff->table[(int)b->value[1] - 1] : NULL;
}

int forcefield_switches_lj(const struct ff_treatment *t)
{
  return t->lj == LJ_FORCE_SWITCH || t->lj == LJ_POTENTIAL_SWITCH;
}

int forcefield_is_modified(const struct ff_treatment *t)
{
  return forcefield_switches_lj(t) || t->lj_end.cutoff < t->cutoff ||
         t->electrostatics == ELECTROSTATICS_CHARGE_FORCE_SWITCH ||
         t->charge_end.cutoff < t->cutoff;
}

int forcefield_switches(const struct ff_treatment *t)
{
  return t->lj == LJ_SWITCH || t->electrostatics == ELECTROSTATICS_SWITCH ||
         t->electrostatics == ELECTROSTATICS_REACTION_FIELD;
}

double forcefield_charge_field(const struct ff_treatment *t)
{
  if (t->epsilon_rf == 0) return 0.5;
  return (t->epsilon_rf - t->epsilon_r) / (2 * t->epsilon_rf + t->epsilon_r);
}

int forcefield_molecule(const struct forcefield *ff, const char *name)
{
  for (int k = 0; k < ff->n_molecules; k++)
    if (!strcmp(ff->molecule[k].name, name)) return k;
  return -1;
}

static void print_pairs(const struct forcefield *ff)
{
  text_print("pairs: epsilon (kJ/mol), sigma (nm)\n");
  for (int i = 0; i < ff->n_types; i++)
    for (int j = i; j < ff->n_types; j++) {
      const struct ff_pair *p = &ff->pair[i * ff->n_types + j];
      const struct tabulated *t = forcefield_table(ff, i, j);
      text_print("  %-6s %-6s ", ff->type[i].name, ff->type[j].name);
      if (t)
        text_print("table %s: %.6g to %.6g nm in %d pieces\n", t->name, t->start, tabulated_end(t),
                   t->n);
      else
        text_print("%10.6g %10.6g\n", p->epsilon, p->sigma);
    }
}

static void print_bonded_form(const struct forcefield *ff, int form)
{
  const struct bonded_form_info *f = &bonded_form_info[form];
  const struct ff_section *s = &ff->bonded[f->section];
  int found = 0;
  for (int k = 0; k < s->n; k++) {
    const struct ff_bonded *b = &s->type[k];
    if (b->form != form) continue;
    if (!found++) {
      text_print("%ss, %s:", bonded_section_name[f->section], f->name);
      for (int p = 0; f->parameter[p].name; p++)
        text_print("%s %s (%s)", p ? "," : "", f->parameter[p].name, f->parameter[p].unit);
      text_print("; %s\n", f->formula);
    }
    text_print("  %-10s", b->name);
    for (int p = 0; f->parameter[p].name; p++)
      if (strcmp(f->parameter[p].unit, "table") != 0)
        text_print(" %10.6g", b->value[p]);
      else
        text_print(" %10s", forcefield_bonded_table(ff, b)->name);
    text_print("\n");
  }
}

static void print_bonded(const struct forcefield *ff)
{
  for (int k = 0; k < FORMS; k++)
    if (bonded_form_info[k].section < SECTIONS_OF_FILES) print_bonded_form(ff, k);
}

/* What a treatment has, and where it ends if that is modified. */
static void print_end(const struct ff_treatment *t, const char *what, const char *word,
                      const struct ff_end *end, int switches)
{
  text_print(", %s %s", what, word);
  if (!end || !forcefield_is_modified(t)) return;
  if (switches) text_print(" from %.6g", end->switch_from);
  text_print(" to %.6g nm", end->cutoff);
}

/* A cutoff treatment and, but for the first, the pairs that have it. */
static void print_treatment(const struct forcefield *ff, int k)
{
  static const char *const lj[] = {TRUNCATION_CHOICES(CHOICE_WORD)};
  static const char *const electrostatics[] = {ELECTROSTATICS_CHOICES(CHOICE_WORD)};
  const struct ff_treatment *t = &ff->treatment[k];
  int spheres = 0;
  for (int i = 0; i < ff->n_types; i++)
    spheres |= ff->type[i].kappa == 0;
  text_print("%scutoff %.6g nm", k ? "  class: " : "", t->cutoff);
  print_end(t, "Lennard-Jones", spheres ? lj[t->lj] : "none", spheres ? &t->lj_end : NULL,
            forcefield_switches_lj(t));
  print_end(t, "electrostatics", electrostatics[t->electrostatics],
            t->epsilon_r > 0 ? &t->charge_end : NULL,
            t->electrostatics == ELECTROSTATICS_CHARGE_FORCE_SWITCH);
  if (forcefield_switches(t)) text_print(", switched from %.6g nm", t->switch_from);
  if (t->electrostatics == ELECTROSTATICS_REACTION_FIELD)
    text_print(", permittivity %g", t->permittivity);
  if (t->epsilon_r > 0) text_print(", epsilon_r %g", t->epsilon_r);
  if (t->electrostatics == ELECTROSTATICS_CHARGE_REACTION_FIELD)
    text_print(", epsilon_rf %g%s", t->epsilon_rf, t->epsilon_rf == 0 ? " (infinite)" : "");
  for (int i = 0; k && i < ff->n_types; i++)
    for (int j = i; j < ff->n_types; j++)
      if (ff->pair[i * ff->n_types + j].treatment == k)
        text_print(" %s-%s", ff->type[i].name, ff->type[j].name);
  text_print("\n");
}

static void print_sticky(const struct forcefield *ff)
{
  for (int i = 0; i < ff->n_types; i++)
    for (int j = i; j < ff->n_types; j++) {
      const struct ff_sticky *s = &ff->pair[i * ff->n_types + j].sticky;
      if (!forcefield_is_sticky(ff, i, j)) continue;
      text_print("sticky %s %s: v0 %.6g, v0' %.6g kJ/mol, w0 %g, s %g to %g, s' %g to %g nm\n",
                 ff->type[i].name, ff->type[j].name, s->v0, s->v0_prime, s->w0, s->lower, s->upper,
                 s->lower_prime, s->upper_prime);
    }
}

void forcefield_print(const struct forcefield *ff)
{
  text_print("%s %s: %s\n", ff->name, ff->version, ff->source);
  for (int k = 0; k < ff->n_treatments; k++)
    print_treatment(ff, k);
  if (ff->gb_mu) text_print("Gay-Berne: mu %d, nu %d\n", ff->gb_mu, ff->gb_nu);
  text_print("types: mass (amu), inertia (amu nm2), charge (e), dipole (e nm)\n");
  for (int k = 0; k < ff->n_types; k++) {
    const struct ff_type *t = &ff->type[k];
    text_print("  %-6s %8.5g  %g %g %g  %8.4g %10.6g\n", t->name, t->mass, t->inertia[0],
               t->inertia[1], t->inertia[2], t->charge, t->dipole);
    if (t->kappa > 0)
      text_print("         ellipsoid: kappa %g, kappa' %g\n", t->kappa, t->kappa_prime);
  }
  print_pairs(ff);
  print_sticky(ff);
  print_bonded(ff);
  text_print("molecules:\n");
  for (int k = 0; k < ff->n_molecules; k++) {
    const struct ff_molecule *m = &ff->molecule[k];
    text_print("  %-8s %d beads", m->name, m->n_beads);
    for (int s = 0; s < SECTION_excluded; s++)
      if (ff->bonded[s].n > 0) text_print(", %d %ss", m->bonded[s].n, bonded_section_name[s]);
    if (m->n_sites > 0) text_print(", %d virtual sites", m->n_sites);
    if (m->n_exclusions > 0) text_print(", %d exclusions", m->n_exclusions / 2);
    text_print(":");
    for (int b = 0; b < m->n_beads; b++)
      text_print(" %s", ff->type[m->bead[b]].name);
    text_print("\n");
  }
}

/* The number of molecules of H2O, at least 2, that have this mass within 1 %; 0: none. */
static int waters_of(double mass)
{
  const double whole = round(mass / UNITS_WATER_MASS);
  return whole >= 2 && fabs(mass / (whole * UNITS_WATER_MASS) - 1) < 0.01 ? (int)whole : 0;
}

static double mass_of(const struct forcefield *ff, const struct ff_molecule *m)
{
  double mass = 0;
  for (int k = 0; k < m->n_beads; k++)
    mass += ff->type[m->bead[k]].mass;
  return mass;
}

int forcefield_waters(const struct forcefield *ff, int molecule)
{
  const struct ff_molecule *m = &ff->molecule[molecule];
  const int waters = waters_of(mass_of(ff, m));
  int beads = 0;
  for (int k = 0; k < m->n_beads; k++)
    beads += (int)fmax(1, waters_of(ff->type[m->bead[k]].mass));
  return waters ? waters : beads;
}

int forcefield_is_solvent(const struct forcefield *ff, int molecule)
{
  const struct ff_molecule *m = &ff->molecule[molecule];
  int parts = 1; /* of water: all masses of Martini are that of four molecules */
  for (int k = 0; k < m->n_beads; k++)
    parts &= waters_of(ff->type[m->bead[k]].mass) == 0;
  return m->n_beads == 1 || (parts && waters_of(mass_of(ff, m)) > 0);
}
