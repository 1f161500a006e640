/* Look-up by name, printing and freeing of force fields. Files are read in src/input. */
#include "model/forcefield.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "base/units.h"

void forcefield_destroy(struct forcefield *ff)
{
  if (!ff) return;
  for (int k = 0; k < ff->n_molecules; k++) {
    free(ff->molecule[k].bead);
    free(ff->molecule[k].bond);
    free(ff->molecule[k].angle);
  }
  free(ff->source);
  free(ff->text);
  free(ff->type);
  free(ff->pair);
  free(ff->bond);
  free(ff->angle);
  free(ff->molecule);
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

static int same_molecules(const struct forcefield *old, const struct forcefield *now)
{
  for (int k = 0; k < old->n_molecules; k++) {
    const struct ff_molecule *a = &old->molecule[k], *b = &now->molecule[k];
    if (strcmp(a->name, b->name) != 0 || a->n_beads != b->n_beads || a->n_bonds != b->n_bonds ||
        a->n_angles != b->n_angles ||
        memcmp(a->bead, b->bead, (size_t)a->n_beads * sizeof *a->bead) != 0 ||
        (a->n_bonds && memcmp(a->bond, b->bond, (size_t)a->n_bonds * sizeof *a->bond) != 0) ||
        (a->n_angles && memcmp(a->angle, b->angle, (size_t)a->n_angles * sizeof *a->angle) != 0))
      return 0;
  }
  return 1;
}

int forcefield_extends(const struct forcefield *now, const struct forcefield *old)
{
  return now->n_types >= old->n_types && now->n_bonds >= old->n_bonds &&
         now->n_angles >= old->n_angles && now->n_molecules >= old->n_molecules &&
         same_names(old->type, now->type, old->n_types, sizeof *old->type) &&
         same_names(old->bond, now->bond, old->n_bonds, sizeof *old->bond) &&
         same_names(old->angle, now->angle, old->n_angles, sizeof *old->angle) &&
         same_molecules(old, now);
}

int forcefield_excludes_alike(const struct forcefield *now, const struct forcefield *old)
{
  return memcmp(now->exclude, old->exclude, sizeof now->exclude) == 0;
}

static int same_treatment(const struct ff_treatment *a, const struct ff_treatment *b)
{
  return a->cutoff == b->cutoff && a->switch_from == b->switch_from &&
         a->permittivity == b->permittivity && a->lj == b->lj &&
         a->electrostatics == b->electrostatics;
}

static int same_sticky(const struct ff_sticky *a, const struct ff_sticky *b)
{
  return a->v0 == b->v0 && a->v0_prime == b->v0_prime && a->w0 == b->w0 && a->lower == b->lower &&
         a->upper == b->upper && a->lower_prime == b->lower_prime &&
         a->upper_prime == b->upper_prime;
}

/* Of types i and j of both. */
static int same_pair(const struct forcefield *now, const struct forcefield *old, int i, int j)
{
  const struct ff_pair *a = &now->pair[i * now->n_types + j], *b = &old->pair[i * old->n_types + j];
  return a->epsilon == b->epsilon && a->sigma == b->sigma && same_sticky(&a->sticky, &b->sticky) &&
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

int forcefield_keeps(const struct forcefield *now, const struct forcefield *old)
{
  int same = now->cutoff == old->cutoff && now->gb_mu == old->gb_mu && now->gb_nu == old->gb_nu;
  for (int i = 0; i < old->n_types; i++) {
    same &= same_type(&now->type[i], &old->type[i]);
    for (int j = 0; j < old->n_types; j++)
      same &= same_pair(now, old, i, j);
  }
  for (int k = 0; k < old->n_bonds; k++)
    same &= now->bond[k].form == old->bond[k].form && now->bond[k].k == old->bond[k].k &&
            now->bond[k].r0 == old->bond[k].r0;
  for (int k = 0; k < old->n_angles; k++)
    same &= now->angle[k].form == old->angle[k].form && now->angle[k].k == old->angle[k].k &&
            now->angle[k].theta0 == old->angle[k].theta0;
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

int forcefield_switches(const struct ff_treatment *t)
{
  return t->lj == LJ_SWITCH || t->electrostatics == ELECTROSTATICS_SWITCH ||
         t->electrostatics == ELECTROSTATICS_REACTION_FIELD;
}

int forcefield_has_spheres(const struct forcefield *ff)
{
  for (int t = 0; t < ff->n_types; t++)
    if (ff->type[t].kappa == 0) return 1;
  return 0;
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
      text_print("  %-6s %-6s %10.6g %10.6g\n", ff->type[i].name, ff->type[j].name, p->epsilon,
                 p->sigma);
    }
}

static void print_bonded(const struct forcefield *ff)
{
  if (ff->n_bonds) text_print("bonds: k (kJ/mol/nm2), r0 (nm); U = k (r - r0)^2\n");
  for (int k = 0; k < ff->n_bonds; k++)
    text_print("  %-10s %10.6g %10.6g\n", ff->bond[k].name, ff->bond[k].k, ff->bond[k].r0);
  if (ff->n_angles) text_print("angles: k (kJ/mol), angle (degrees); U = k (cos t - cos t0)^2\n");
  for (int k = 0; k < ff->n_angles; k++)
    text_print("  %-10s %10.6g %10.6g%s\n", ff->angle[k].name, ff->angle[k].k, ff->angle[k].theta0,
               ff->angle[k].form == ANGLE_DIPOLE ? "  dipole to line of beads" : "");
}

/* A cutoff treatment and, but for the first, the pairs that have it. */
static void print_treatment(const struct forcefield *ff, int k)
{
  static const char *const lj[] = {TRUNCATION_CHOICES(CHOICE_WORD)};
  static const char *const electrostatics[] = {ELECTROSTATICS_CHOICES(CHOICE_WORD)};
  const struct ff_treatment *t = &ff->treatment[k];
  text_print("%scutoff %.6g nm, Lennard-Jones %s, electrostatics %s", k ? "  class: " : "",
             t->cutoff, forcefield_has_spheres(ff) ? lj[t->lj] : "none",
             electrostatics[t->electrostatics]);
  if (forcefield_switches(t)) text_print(", switched from %.6g nm", t->switch_from);
  if (t->electrostatics == ELECTROSTATICS_REACTION_FIELD)
    text_print(", permittivity %g", t->permittivity);
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
    text_print("  %-8s %d beads, %d bonds, %d angles:", m->name, m->n_beads, m->n_bonds,
               m->n_angles);
    for (int b = 0; b < m->n_beads; b++)
      text_print(" %s", ff->type[m->bead[b]].name);
    text_print("\n");
  }
}
