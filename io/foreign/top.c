/* Rank 0 writes; the others tell it their molecules. See top.h. */
#include "io/foreign/top.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/portable.h"
#include "base/replace.h"
#include "base/units.h"
#include "base/vec3d.h"
#include "io/foreign/top_functions.h"
#include "model/restraint_shape.h"

/* The function of periodic dihedrals in molecules with virtual sites: grompp leaves out some of the
   others there, which it takes for constant. */
enum { IMPROPER = 4 };

static void put(FILE *out, double value)
{
  char text[FORMAT_REAL_BYTES];
  fprintf(out, " %s", format_real(value, text));
}

static const struct top_function *function_of(const struct forcefield *ff, int section, int type)
{
  return top_function_of(ff->bonded[section].type[type].form);
}

/* The number of bonds up to which pairs are excluded; -1 if it is no such rule. */
static int exclusion_depth(const struct forcefield *ff)
{
  const int n = ff->exclude[0] + ff->exclude[1] + ff->exclude[2];
  for (int k = 0; k < n; k++)
    if (!ff->exclude[k]) return -1;
  return n;
}

/* Dies if GROMACS has no form for what the force field has. */
static void check(const struct ranks *r, const struct forcefield *ff)
{
  const char *what = NULL, *name = "";
  for (int k = 0; k < ff->n_types && !what; k++)
    if (ff->type[k].dipole != 0 || ff->type[k].kappa > 0 || ff->type[k].inertia[0] > 0) {
      what = "a dipole, a shape or moments of inertia";
      name = ff->type[k].name;
    }
  for (int s = 0; s < SECTIONS_OF_FILES && !what; s++)
    for (int k = 0; k < ff->bonded[s].n && !what; k++)
      if (!function_of(ff, s, k)) {
        what = "a form that GROMACS has not";
        name = ff->bonded[s].type[k].name;
      }
  if (what)
    die_all(STATUS_INPUT, "export: type %s of force field %s has %s: no topology can be written",
            name, ff->name, what);
  if (exclusion_depth(ff) < 0)
    die_all(STATUS_INPUT, "export: GROMACS has no rule for the exclusions of force field %s",
            ff->name);
  if (ff->n_tables > 0)
    die_all(STATUS_INPUT,
            "export: force field %s has tables; GROMACS takes those from files of its own",
            ff->name);
  if (ff->n_treatments > 1)
    die_all(STATUS_INPUT, "export: force field %s has classes of pairs, GROMACS one cutoff for all",
            ff->name);
  ranks_barrier(r);
}

static void write_pairs(FILE *out, const struct forcefield *ff)
{
  static const char *const truncation[] = {TRUNCATION_CHOICES(CHOICE_WORD)};
  static const char *const charges[] = {ELECTROSTATICS_CHOICES(CHOICE_WORD)};
  const struct ff_treatment *t = &ff->treatment[0];
  fprintf(out, "; Force field %s. Pairs end at %g nm: Lennard-Jones %s, charges %s", ff->name,
          ff->cutoff, truncation[t->lj], charges[t->electrostatics]);
  if (t->epsilon_r > 0) fprintf(out, " (epsilon_r %g, epsilon_rf %g)", t->epsilon_r, t->epsilon_rf);
  if (forcefield_is_modified(t))
    fprintf(out, "\n; Lennard-Jones from %g to %g nm, charges from %g to %g nm",
            t->lj_end.switch_from, t->lj_end.cutoff, t->charge_end.switch_from,
            t->charge_end.cutoff);
  fputs("\n\n[ defaults ]\n1 2\n\n[ atomtypes ]\n", out);
  for (int k = 0; k < ff->n_types; k++) {
    fprintf(out, "%s", ff->type[k].name);
    put(out, ff->type[k].mass);
    put(out, ff->type[k].charge);
    fputs(ff->type[k].mass > 0 ? " A 0 0\n" : " V 0 0\n", out);
  }
  fputs("\n[ nonbond_params ]\n", out);
  for (int i = 0; i < ff->n_types; i++)
    for (int j = i; j < ff->n_types; j++) {
      fprintf(out, "%s %s 1", ff->type[i].name, ff->type[j].name);
      put(out, ff->pair[i * ff->n_types + j].sigma);
      put(out, ff->pair[i * ff->n_types + j].epsilon);
      fputs("\n", out);
    }
}

static void write_atoms(FILE *out, const struct forcefield *ff, const struct ff_molecule *m)
{
  int residue = -1;
  fprintf(out, "\n[ moleculetype ]\n%s %d\n\n[ atoms ]\n", m->name, exclusion_depth(ff));
  for (int k = 0; k < m->n_beads; k++) {
    const struct ff_type *type = &ff->type[m->bead[k]];
    while (residue + 1 < m->n_residues && m->residue[residue + 1].first <= k)
      residue++;
    fprintf(out, "%d %s %d %s %s %d", k + 1, type->name,
            residue < 0 ? 1 : m->residue[residue].number,
            residue < 0 ? m->name : m->residue[residue].name,
            m->bead_name ? m->bead_name[k] : type->name, k + 1);
    put(out, type->charge);
    put(out, type->mass);
    fputs("\n", out);
  }
}

static void write_terms(FILE *out, const struct forcefield *ff, const struct ff_molecule *m,
                        int section, const char *directive)
{
  int n = 0;
  for (int k = 0; k < m->bonded[section].n; k++) {
    const struct ff_term *term = &m->bonded[section].term[k];
    const struct top_function *f = function_of(ff, section, term->type);
    const struct bonded_form_info *info = &bonded_form_info[f->form];
    double column[TOP_VALUES_MOST] = {1}; /* the factor of a bending torsion */
    if (strcmp(f->directive, directive) != 0) continue;
    if (!n++) fprintf(out, "\n[ %s ]\n", directive);
    for (int b = 0; b < info->beads; b++)
      fprintf(out, "%d ", term->bead[b] + 1);
    fprintf(out, "%d", f->form == FORM_dihedral_periodic && m->n_sites ? IMPROPER : f->function);
    for (int p = 0; info->parameter[p].name; p++)
      column[f->from[p]] = ff->bonded[section].type[term->type].value[p] / f->factor[p];
    for (int c = 0; c < f->values; c++)
      put(out, column[c]);
    fputs("\n", out);
  }
}

static void write_pair(FILE *out, const struct ff_term *term, double qq, double sigma,
                       double epsilon)
{
  fprintf(out, "%d %d 2 1", term->bead[0] + 1, term->bead[1] + 1);
  put(out, qq);
  fputs(" 1", out);
  put(out, sigma);
  put(out, epsilon);
  fputs("\n", out);
}

/* Pairs by their product of charges, sigma and epsilon. A sigma below 0 is no attraction, for
   GROMACS too; attraction alone has a sigma that is too small to be felt. */
static void write_own_pairs(FILE *out, const struct forcefield *ff, const struct ff_molecule *m)
{
  int n = 0;
  for (int k = 0; k < m->bonded[SECTION_bond].n; k++) {
    const struct ff_term *term = &m->bonded[SECTION_bond].term[k];
    const struct ff_bonded *type = &ff->bonded[SECTION_bond].type[term->type];
    const double c6 = type->value[0], c12 = type->value[1];
    if (strcmp(function_of(ff, SECTION_bond, term->type)->directive, "pairs") != 0) continue;
    if (!n++) fputs("\n[ pairs ]\n", out);
    if (type->form == FORM_bond_coulomb) {
      write_pair(out, term, type->value[0], 0, 0);
    } else if (c6 * c12 > 0) {
      write_pair(out, term, 0, portable_cbrt(sqrt(c12 / c6)), c6 * c6 / (4 * c12));
    } else {
      if (c6 != 0) write_pair(out, term, 0, 1e-3, c6 / 4e-18);
      if (c12 != 0) write_pair(out, term, 0, -1, c12 / 4);
    }
  }
}

static void write_site(FILE *out, const struct ff_site *s)
{
  const struct top_site *f = top_site_of(site_form_info[s->form].name);
  const int centre = f->numbers == 0;
  fprintf(out, "\n[ %s ]\n%d", f->directive, s->bead + 1);
  if (centre) fprintf(out, " %d", f->function);
  for (int b = 0; b < s->n; b++) {
    fprintf(out, " %d", s->from[b] + 1);
    if (centre) put(out, s->value[b]);
  }
  if (!centre) fprintf(out, " %d", f->function);
  if (s->form == SITE_in_plane) {
    put(out, portable_atan2(s->value[1], s->value[0]) * (180 / UNITS_PI));
    put(out, sqrt(s->value[0] * s->value[0] + s->value[1] * s->value[1]));
  }
  for (int c = 0; s->form != SITE_in_plane && c < f->numbers; c++)
    put(out, s->value[c]);
  fputs("\n", out);
}

/* The function of a restraint and its numbers: of a flat-bottomed one shape, radius and constant.
 */
static void write_restraint(FILE *out, const struct ff_bonded *type, int atom)
{
  const double *value = type->value;
  const struct restraint_shape *shape = restraint_shapes;
  if (type->form == FORM_restraint_flat_bottomed) {
    while (!vec3d_same(shape->axis, value + 2))
      shape++;
    fprintf(out, "%d 2 %d", atom, shape->gromacs);
    put(out, value[1]);
    put(out, value[0]);
  } else {
    fprintf(out, "%d 1", atom);
    for (int d = 0; d < 3; d++)
      put(out, value[d]);
  }
  fputs("\n", out);
}

/* The restraints of a set, from 1, in #ifdef with its name; 0: of none. */
static void write_set(FILE *out, const struct forcefield *ff, const struct ff_molecule *m, int set)
{
  const struct ff_terms *t = &m->bonded[SECTION_restraint];
  int n = 0;
  for (int k = 0; k < t->n; k++) {
    const struct ff_bonded *type = &ff->bonded[SECTION_restraint].type[t->term[k].type];
    if (type->set != set) continue;
    if (n == 0 && set > 0) fprintf(out, "\n#ifdef %s", ff->set[set - 1]);
    if (n++ == 0) fputs("\n[ position_restraints ]\n", out);
    write_restraint(out, type, t->term[k].bead[0] + 1);
  }
  if (n > 0 && set > 0) fputs("#endif\n", out);
}

static void write_molecule(FILE *out, const struct forcefield *ff, const struct ff_molecule *m)
{
  write_atoms(out, ff, m);
  write_terms(out, ff, m, SECTION_bond, "bonds");
  write_terms(out, ff, m, SECTION_bond, "constraints");
  write_terms(out, ff, m, SECTION_angle, "angles");
  write_terms(out, ff, m, SECTION_angle, "angle_restraints");
  write_terms(out, ff, m, SECTION_angle, "angle_restraints_z");
  write_terms(out, ff, m, SECTION_dihedral, "dihedrals");
  write_terms(out, ff, m, SECTION_dihedral, "dihedral_restraints");
  write_own_pairs(out, ff, m);
  for (int k = 0; k < m->n_sites; k++)
    write_site(out, &m->site[k]);
  for (int set = 0; set <= ff->n_sets; set++)
    write_set(out, ff, m, set);
  for (int k = 0; k < m->n_exclusions; k++) {
    const struct ff_exclusion *e = &m->exclusion[k];
    if (k == 0) fputs("\n[ exclusions ]\n", out);
    if (e->bead < e->other) fprintf(out, "%d %d\n", e->bead + 1, e->other + 1);
  }
}

/* Consecutive beads of one molecule type. */
struct run {
  int64_t molecule_type, beads;
};

static int64_t add_run(struct run *run, int64_t n, int64_t molecule_type, int64_t beads)
{
  if (n && run[n - 1].molecule_type == molecule_type) {
    run[n - 1].beads += beads;
    return n;
  }
  run[n] = (struct run){molecule_type, beads};
  return n + 1;
}

/* The runs of all ranks, on rank 0. Collective. */
static struct run *find_runs(const struct ranks *r, const struct system *s, int64_t *n)
{
  struct run *own = NULL;
  int64_t n_own = 0, bytes;
  for (int64_t k = 0; k < s->n; k++) {
    own = extend_array(own, n_own, sizeof *own);
    n_own = add_run(own, n_own, s->beads.molecule_type[k], 1);
  }
  struct run *all = ranks_gather(r, own, n_own * (int64_t)sizeof *own, &bytes);
  free(own);
  *n = 0;
  for (int64_t k = 0; r->rank == 0 && k < bytes / (int64_t)sizeof *all; k++)
    *n = add_run(all, *n, all[k].molecule_type, all[k].beads);
  return all;
}

static void write_system(FILE *out, const struct forcefield *ff, const struct run *run, int64_t n)
{
  fprintf(out, "\n[ system ]\n%s\n\n[ molecules ]\n", ff->name);
  for (int64_t k = 0; k < n; k++)
    fprintf(out, "%s %lld\n", ff->molecule[run[k].molecule_type].name,
            (long long)(run[k].beads / ff->molecule[run[k].molecule_type].n_beads));
}

void top_write(const struct ranks *r, const char *path, const struct system *s)
{
  const struct forcefield *ff = s->ff;
  int64_t n;
  check(r, ff);
  struct run *run = find_runs(r, s, &n);
  if (r->rank == 0) {
    for (int64_t k = 0; k < n; k++)
      if (run[k].molecule_type < 0)
        die(STATUS_INPUT, "export: some beads belong to no molecule of force field %s", ff->name);
    struct replacement file = replacement_open(path);
    write_pairs(file.out, ff);
    for (int k = 0; k < ff->n_molecules; k++)
      write_molecule(file.out, ff, &ff->molecule[k]);
    write_system(file.out, ff, run, n);
    replacement_close(&file);
  }
  free(run);
  ranks_barrier(r);
}
