/* LAMMPS units real to nm, ps, amu, kJ/mol, and checks of a file against its force field. */
#include "lammps.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "integrate_body.h"
#include "lammps_file.h"
#include "log.h"
#include "mistakes.h"
#include "molecule.h"
#include "place.h"
#include "units.h"

#define NM_PER_A 0.1
#define PS_PER_FS 1e-3
/* Files are rounded; more than this, relative, is another model. */
#define TOLERANCE 1e-4

struct import {
  const struct lammps_file *file;
  struct system *s;
  struct mistakes mistakes;
};

static int line_of(int64_t line)
{
  return line < INT_MAX ? (int)line : INT_MAX;
}

static int differs(double a, double b)
{
  return fabs(a - b) > TOLERANCE * fmax(fabs(a), fabs(b));
}

static void check_type_counts(struct import *im)
{
  const struct lammps_file *f = im->file;
  const struct forcefield *ff = im->s->ff;
  const char *const what[] = {"atom", "bond", "angle"};
  int has[] = {ff->n_types, ff->n_bonds, ff->n_angles};
  for (int k = 0; k < LAMMPS_COUNTS; k++)
    if (f->n_types[k] > has[k] && f->n[k] > 0)
      mistakes_add(&im->mistakes, f->path, 0, "%lld %s types, but force field %s has %d",
                   (long long)f->n_types[k], what[k], ff->name, has[k]);
  mistakes_check(&im->mistakes);
}

/* Coefficients that the file gives must be those of the force field. */
static void check_coefficient(struct import *im, const struct lammps_coefficient *c,
                              const char *what, const char *name, const char *unit, double k,
                              double x0)
{
  if (!c->line || (!differs(c->k, k) && !differs(c->x0, x0))) return;
  mistakes_add(&im->mistakes, im->file->path, line_of(c->line),
               "%s is %g %g here, but %g %g (kcal/mol, %s) in force field %s (%s)", what, c->k,
               c->x0, k, x0, unit, im->s->ff->name, name);
}

static void check_coefficients(struct import *im)
{
  const struct lammps_file *f = im->file;
  const struct forcefield *ff = im->s->ff;
  for (int k = 0; k < f->n_types[LAMMPS_BONDS] && k < ff->n_bonds; k++) {
    const struct ff_bond *b = &ff->bond[k];
    check_coefficient(im, &f->bond_coefficient[k], "bond type", b->name, "A",
                      b->k * NM_PER_A * NM_PER_A / UNITS_KCAL, b->r0 / NM_PER_A);
  }
  for (int k = 0; k < f->n_types[LAMMPS_ANGLES] && k < ff->n_angles; k++) {
    const struct ff_angle *a = &ff->angle[k];
    check_coefficient(im, &f->angle_coefficient[k], "angle type", a->name, "degrees",
                      a->k / UNITS_KCAL, a->theta0);
  }
}

/* The direction is the file's; its length must be the moment of the type. */
static void set_orientation(struct import *im, int64_t k, const struct ff_type *type)
{
  const struct lammps_atom *a = &im->file->atom[k];
  const double *mu = a->dipole;
  double length = NM_PER_A * sqrt(mu[0] * mu[0] + mu[1] * mu[1] + mu[2] * mu[2]);
  if (type->dipole == 0 ? length > TOLERANCE : differs(length, type->dipole))
    mistakes_add(&im->mistakes, im->file->path, line_of(a->line),
                 "atom %lld has a dipole of %.7g e nm, but type %s of force field %s has %.7g",
                 (long long)(k + 1), length, type->name, im->s->ff->name, type->dipole);
  else if (type->dipole > 0)
    place_orientation(mu, im->s->beads.orientation + 4 * k);
}

static void set_momenta(struct import *im, int64_t k, const struct ff_type *type)
{
  const struct lammps_atom *a = &im->file->atom[k];
  struct beads *b = &im->s->beads;
  double body[3];
  rotation_to_body(b->orientation + 4 * k, a->omega, body);
  for (int d = 0; d < 3; d++) {
    b->momentum[3 * k + d] = type->mass * a->v[d] * (NM_PER_A / PS_PER_FS);
    b->angular_momentum[3 * k + d] = type->inertia[d] * body[d] / PS_PER_FS;
  }
}

static void set_position(struct import *im, int64_t k)
{
  const struct lammps_file *f = im->file;
  const struct lammps_atom *a = &f->atom[k];
  double x[3];
  for (int d = 0; d < 3; d++)
    x[d] = NM_PER_A * (a->x[d] - f->lo[d]);
  system_set_position(im->s, k, x);
  for (int d = 0; d < 3; d++) {
    int64_t image = (int64_t)im->s->beads.image[3 * k + d] + a->image[d];
    if (image != (int32_t)image)
      mistakes_add(&im->mistakes, f->path, line_of(a->line), "atom %lld is too many boxes away",
                   (long long)(k + 1));
    im->s->beads.image[3 * k + d] = (int32_t)image;
  }
}

static void set_beads(struct import *im)
{
  const struct lammps_file *f = im->file;
  const struct forcefield *ff = im->s->ff;
  for (int64_t k = 0; k < f->n[LAMMPS_ATOMS]; k++) {
    const struct lammps_atom *a = &f->atom[k];
    const struct ff_type *type = &ff->type[a->type - 1];
    im->s->beads.type[k] = a->type - 1;
    if (fabs(a->charge - type->charge) > TOLERANCE)
      mistakes_add(&im->mistakes, f->path, line_of(a->line),
                   "atom %lld has a charge of %g e, but type %s of force field %s has %g",
                   (long long)(k + 1), a->charge, type->name, ff->name, type->charge);
    set_position(im, k);
    set_orientation(im, k, type);
    if (f->has_velocities) set_momenta(im, k, type);
  }
}

/* Types from 0; a restraint's third atom is a dummy and becomes its second. */
static void set_topology(struct import *im)
{
  const struct lammps_file *f = im->file;
  const struct forcefield *ff = im->s->ff;
  for (int64_t k = 0; k < f->n[LAMMPS_BONDS]; k++)
    f->bond[k].type--;
  for (int64_t k = 0; k < f->n[LAMMPS_ANGLES]; k++) {
    struct angle_entry *a = &f->angle[k];
    a->type--;
    if (ff->angle[a->type].form == ANGLE_DIPOLE) {
      const struct ff_type *carrier = &ff->type[im->s->beads.type[a->id[0] - 1]];
      a->id[2] = a->id[1];
      if (carrier->dipole == 0)
        mistakes_add(&im->mistakes, f->path, line_of(f->angle_line[k]),
                     "atom %lld (%s) has no dipole to restrain", (long long)a->id[0],
                     carrier->name);
    } else if (a->id[2] == a->id[0] || a->id[2] == a->id[1]) {
      mistakes_add(&im->mistakes, f->path, line_of(f->angle_line[k]),
                   "atom %lld stands twice in an angle", (long long)a->id[2]);
    }
  }
  mistakes_check(&im->mistakes);
  topology_add_lists(&im->s->topology, ff, im->s->n_total, f->n[LAMMPS_BONDS], f->bond,
                     f->n[LAMMPS_ANGLES], f->angle, im->s->beads.slot);
}

struct system *lammps_import(const char *path, struct forcefield *ff)
{
  struct lammps_file *f = lammps_file_read(path);
  struct import im = {.file = f, .s = system_create(f->n[LAMMPS_ATOMS], 0, 1, ff)};
  for (int d = 0; d < 3; d++)
    im.s->box[d] = NM_PER_A * (f->hi[d] - f->lo[d]);
  check_type_counts(&im);
  check_coefficients(&im);
  set_beads(&im);
  set_topology(&im);
  molecule_find_all(im.s);
  if (!f->has_velocities) warn("%s has no velocities: everything starts at rest", path);
  lammps_file_destroy(f);
  return im.s;
}
