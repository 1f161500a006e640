/* Import of LAMMPS data: conversion from LAMMPS units `real` to nm, ps, amu, kJ/mol, and checks
   against the force field. */
#include "import/lammps.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error_list.h"
#include "base/log.h"
#include "base/rotation.h"
#include "import/lammps_check.h"
#include "io/foreign/gromacs_box.h"
#include "model/molecule.h"
#include "model/place.h"

#define NM_PER_A 0.1
#define PS_PER_FS 1e-3

struct import {
  struct lammps_file *file;
  struct system *s;
  struct lammps_map map;
  struct error_list errors;
  int of_vector[3][3]; /* the box vectors of the file, in those of the state */
};

/* The box of the file, with its vectors reduced where they are longer than necessary. */
static void set_box(struct import *im)
{
  const struct lammps_file *f = im->file;
  const double *t = f->tilt;
  double box[BOX] = {0}, row[9], part[3];
  char why[GROMACS_BOX_WHY];
  for (int d = 0; d < 3; d++)
    box[d] = NM_PER_A * (f->hi[d] - f->lo[d]);
  for (int d = 0; d < 3; d++)
    box[3 + d] = NM_PER_A * t[d];
  box_rows(box, row);
  const char *wrong =
      box_is_oblique(box) ? gromacs_box_read((const double(*)[3])row, f->path, box, why) : NULL;
  if (wrong) die_all(STATUS_INPUT, "%s: %s", f->path, wrong);
  for (int v = 0; v < 3; v++) {
    box_fraction(box, row + 3 * v, part);
    for (int d = 0; d < 3; d++)
      im->of_vector[v][d] = (int)rint(part[d]);
  }
  system_set_box(im->s, box);
}

static void set_momenta(struct import *im, int64_t k, const struct ff_type *type)
{
  const struct lammps_atom *a = &im->file->atom[k];
  const struct beads *b = &im->s->beads;
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
  for (int d = 0; d < 3; d++) /* no image is above a million */
    for (int v = d; v < 3; v++)
      im->s->beads.image[3 * k + d] += im->of_vector[v][d] * a->image[v];
}

/* Status 2 if a type has an orientation that LAMMPS data files do not hold. */
static void refuse_bodies(const struct import *im, const struct forcefield *ff)
{
  const struct lammps_file *f = im->file;
  for (int64_t t = 0; t < f->n_types[LAMMPS_ATOMS]; t++) {
    const int type = im->map.type[LAMMPS_ATOMS][t];
    if (type < 0 || (ff->type[type].kappa == 0 && ff->type[type].inertia[2] == 0)) continue;
    die(STATUS_INPUT,
        "%s: type %s of force field %s is %s, and a LAMMPS data file does not give its "
        "orientation; "
        "import is for points, charges and dipoles",
        f->path, ff->type[type].name, ff->name,
        ff->type[type].kappa > 0 ? "an ellipsoid" : "a body with three axes");
  }
}

static void set_beads(struct import *im)
{
  const struct lammps_file *f = im->file;
  for (int64_t k = 0; k < f->n[LAMMPS_ATOMS]; k++) {
    const struct ff_type *type = &im->s->ff->type[im->s->beads.type[k]];
    set_position(im, k);
    if (type->dipole > 0) place_orientation(f->atom[k].dipole, im->s->beads.orientation + 4 * k);
    if (f->has_velocities) set_momenta(im, k, type);
  }
}

/* Checks bonds and angles: none is given twice; a dipole restraint needs a dipole; the three beads
   of other angles are different. Needs all types to be known. */
static void check_entries(struct import *im)
{
  const struct lammps_file *f = im->file;
  const struct forcefield *ff = im->s->ff;
  int64_t n = im->errors.count ? 0 : f->n[LAMMPS_ANGLES];
  char *dipole = alloc_array(f->n_types[LAMMPS_ANGLES], 1);
  for (int64_t t = 0; t < f->n_types[LAMMPS_ANGLES]; t++) {
    int type = im->map.type[LAMMPS_ANGLES][t];
    dipole[t] = type >= 0 && forcefield_form(ff, SECTION_angle, type)->beads == 2;
  }
  lammps_find_duplicates(f, LAMMPS_BONDS, NULL, &im->errors);
  lammps_find_duplicates(f, LAMMPS_ANGLES, dipole, &im->errors);
  for (int64_t k = 0; k < n; k++) {
    const struct lammps_entry *e = &f->entry[LAMMPS_ANGLES][k];
    const struct ff_type *carrier =
        &ff->type[im->map.type[LAMMPS_ATOMS][f->atom[e->atom[0]].type - 1]];
    if (dipole[e->type - 1]) {
      if (carrier->dipole == 0)
        error_list_add(&im->errors, f->path, e->line, "atom %lld (%s) has no dipole to restrain",
                       (long long)f->atom[e->atom[0]].id, carrier->name);
    } else if (e->atom[2] == e->atom[0] || e->atom[2] == e->atom[1]) {
      error_list_add(&im->errors, f->path, e->line, "atom %lld stands twice in an angle",
                     (long long)f->atom[e->atom[2]].id);
    }
  }
  free(dipole);
}

/* Sets types and bonded environments. The third atom of a dipole restraint is a dummy, which the
   form does not read. */
static void set_topology(struct import *im)
{
  const struct lammps_file *f = im->file;
  struct system *s = im->s;
  struct bonded_ids *entry[SECTIONS] = {NULL};
  struct bonded_terms terms[SECTIONS] = {{0, NULL}};
  for (int64_t k = 0; k < s->n; k++)
    s->beads.type[k] = im->map.type[LAMMPS_ATOMS][f->atom[k].type - 1];
  for (int what = LAMMPS_BONDS; what < LAMMPS_COUNTS; what++) {
    struct bonded_ids *to = entry[lammps_section(what)] = alloc_array(f->n[what], sizeof *to);
    for (int64_t k = 0; k < f->n[what]; k++) {
      const struct lammps_entry *e = &f->entry[what][k];
      to[k].type = im->map.type[what][e->type - 1];
      for (int b = 0; b < lammps_atoms(what); b++)
        to[k].id[b] = e->atom[b] + 1;
    }
    terms[lammps_section(what)] = (struct bonded_terms){f->n[what], to};
  }
  topology_free(&s->topology);
  topology_add_lists(&s->topology, s->ff, s->n_total, s->beads.type, terms, s->beads.bonded_env);
  for (int k = 0; k < SECTIONS; k++)
    free(entry[k]);
}

/* Reorders the atoms of the file: index k gets the atom that was at order[k]. */
static void reorder(struct lammps_file *f, const int64_t *order)
{
  int64_t n = f->n[LAMMPS_ATOMS], *new_place = alloc_array(n, sizeof *new_place);
  struct lammps_atom *atom = alloc_array(n, sizeof *atom);
  for (int64_t k = 0; k < n; k++) {
    atom[k] = f->atom[order[k]];
    new_place[order[k]] = k;
  }
  for (int what = LAMMPS_BONDS; what < LAMMPS_COUNTS; what++)
    for (int64_t k = 0; k < f->n[what]; k++)
      for (int b = 0; b < lammps_atoms(what); b++) {
        int64_t *at = &f->entry[what][k].atom[b];
        *at = new_place[*at];
      }
  free(f->atom);
  free(new_place);
  f->atom = atom;
}

/* What a force field says of molecules beside terms is not known to a file of terms. */
static void refuse_exclusions(const struct import *im)
{
  const struct forcefield *ff = im->s->ff;
  for (int64_t k = 0; k < im->s->n; k++) {
    const int type = im->s->beads.molecule_type[k];
    if (type >= 0 && ff->molecule[type].n_exclusions > 0)
      die_all(
          STATUS_INPUT,
          "%s: molecule %s of force field %s has 'exclusions', which a data file of LAMMPS does "
          "not hold; build the system, or import it from another format",
          im->file->path, ff->molecule[type].name, ff->name);
  }
}

/* Finds the molecules and, where necessary, renumbers their beads in the order of the force field,
   so that equal molecules share their bonded environments (topology.h). */
static void find_molecules(struct import *im)
{
  struct lammps_file *f = im->file;
  int64_t n = im->s->n, *order = alloc_array(n, sizeof *order), unknown = 0;
  int64_t moved = molecule_find_all(im->s, order);
  if (f->atom[0].id != 1 || f->atom[n - 1].id != n)
    info("%s: ids run from %lld to %lld for %lld atoms: beads are numbered from 1 without gaps",
         f->path, (long long)f->atom[0].id, (long long)f->atom[n - 1].id, (long long)n);
  if (moved) {
    info("%s: the beads of %lld molecules are not in the order of force field %s: all beads are "
         "numbered anew, molecule by molecule; --ids=FILE writes old and new ids",
         f->path, (long long)moved, im->s->ff->name);
    reorder(f, order);
    set_topology(im);
    molecule_find_all(im->s, NULL);
  }
  refuse_exclusions(im);
  for (int64_t k = 0; k < n; k++)
    unknown += im->s->beads.molecule_type[k] < 0;
  if (unknown)
    warn(
        "%s: %lld beads belong to no molecule of force field %s: are the types of bonds and angles "
        "those of its file? (--bond-types, --angle-types)",
        f->path, (long long)unknown, im->s->ff->name);
  free(order);
}

struct system *lammps_import(const char *path, struct forcefield *ff,
                             const struct lammps_options *options, int64_t **ids)
{
  static const struct lammps_options none = {NULL, NULL, NULL};
  const struct lammps_options *o = options ? options : &none;
  struct lammps_file *f = lammps_file_read(path);
  struct import im = {.file = f, .s = system_create(f->n[LAMMPS_ATOMS], 0, 1, ff)};
  set_box(&im);
  if (ff->n_clusters > 0)
    die(STATUS_INPUT,
        "force field %s has constraints or virtual sites, which a LAMMPS data file cannot name: "
        "build the system, or import it from another format",
        ff->name);
  lammps_types_map(f, ff, LAMMPS_ATOMS, o->types, &im.map, &im.errors);
  refuse_bodies(&im, ff);
  lammps_types_map(f, ff, LAMMPS_BONDS, o->bond_types, &im.map, &im.errors);
  lammps_types_map(f, ff, LAMMPS_ANGLES, o->angle_types, &im.map, &im.errors);
  check_entries(&im);
  error_list_check(&im.errors);
  set_topology(&im);
  find_molecules(&im);
  set_beads(&im);
  if (ids) *ids = alloc_array(im.s->n, sizeof **ids);
  for (int64_t k = 0; ids && k < im.s->n; k++)
    (*ids)[k] = f->atom[k].id;
  if (!f->has_velocities) warn("%s has no velocities: everything starts at rest", path);
  lammps_map_free(&im.map);
  lammps_file_destroy(f);
  return im.s;
}
