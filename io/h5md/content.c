/* What goes into an H5MD 1.1 trajectory: see content.h. */
#include "io/h5md/content.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rotation.h"
#include "base/version.h"
#include "molecules/leaflet.h"

static void write_head(const struct h5_file *f)
{
  static const int version[2] = {1, 1};
  hid_t head = h5_group(f, f->id, "h5md");
  h5_attribute(f, head, "version", 'i', 2, version);
  hid_t group = h5_group(f, head, "author");
  h5_attribute_text(f, group, "name", "N/A");
  H5(f, H5Gclose, group);
  group = h5_group(f, head, "creator");
  h5_attribute_text(f, group, "name", "lamella");
  h5_attribute_text(f, group, "version", LAMELLA_GIT);
  H5(f, H5Gclose, group);
  H5(f, H5Gclose, head);
}

/* Datasets with a row for each selected bead. */
struct rows {
  const struct h5_file *f;
  hid_t group;
  const struct system *s;
  const struct selection *selection;
  const struct lipids *lipids;
};

static void put_rows(const struct rows *r, const char *name, const char *unit, const char *text,
                     char datatype, const void *data)
{
  struct h5_table table = {name, unit, text, datatype, 1, r->selection->total};
  h5_put(r->f, r->group, &table, r->selection->first, r->selection->n, data);
}

/* value: [n] of the block. */
static void put_int(const struct rows *r, const char *name, const char *text, const int32_t *value)
{
  int32_t *of_row = alloc_array(r->selection->n, sizeof *of_row);
  for (int64_t k = 0; k < r->selection->n; k++)
    of_row[k] = value[selection_bead(r->selection, k)];
  put_rows(r, name, NULL, text, 'i', of_row);
  free(of_row);
}

/* at: place of the number in struct ff_type. */
static void put_type_value(const struct rows *r, const char *name, const char *unit,
                           const char *text, size_t at)
{
  double *value = alloc_array(r->selection->n, sizeof *value);
  for (int64_t k = 0; k < r->selection->n; k++) {
    int type = r->s->beads.type[selection_bead(r->selection, k)];
    memcpy(&value[k], (const char *)&r->s->ff->type[type] + at, sizeof *value);
  }
  put_rows(r, name, unit, text, 'd', value);
  free(value);
}

static void put_ids(const struct rows *r)
{
  int64_t *id = alloc_array(r->selection->n, sizeof *id);
  for (int64_t k = 0; k < r->selection->n; k++)
    id[k] = r->s->first + selection_bead(r->selection, k);
  put_rows(r, "id", NULL, "bead number in the system, from 1", 'l', id);
  free(id);
}

static int has_electrons(const struct forcefield *ff)
{
  for (int k = 0; k < ff->n_types; k++)
    if (ff->type[k].electrons != 0) return 1;
  return 0;
}

static int has_bonds(const struct topology *t, const struct forcefield *ff)
{
  for (int k = 0; t->n_envs > 0 && k < t->term_start[t->n_envs]; k++)
    if (topology_joins(ff, &t->term[k])) return 1;
  return 0;
}

/* Where lipids are no flat bilayer, there are no leaflets. */
static void put_leaflets(const struct rows *r)
{
  int64_t lipids;
  enum flatness flat;
  int32_t *leaflet = leaflets_find(r->f->ranks, r->s, r->lipids, &lipids, &flat);
  char text[256];
  snprintf(text, sizeof text, "of the molecule at step %lld: 1 upper, -1 lower, 0 no lipid",
           (long long)r->s->clock.step);
  if (lipids > 0 && flat != FLAT) {
    memset(leaflet, 0, (size_t)r->s->n * sizeof *leaflet);
    snprintf(text, sizeof text, "none: at step %lld the lipids were no flat bilayer (%s)",
             (long long)r->s->clock.step, flatness_text(flat));
  }
  put_int(r, "leaflet", text, leaflet);
  free(leaflet);
}

static void write_particles(const struct rows *r)
{
  put_int(r, "species", "bead type, see parameters/vmd_structure", r->s->beads.type);
  put_type_value(r, "mass", "u", NULL, offsetof(struct ff_type, mass));
  put_type_value(r, "charge", "e", NULL, offsetof(struct ff_type, charge));
  hid_t set = H5(r->f, H5Dopen2, r->group, "charge", H5P_DEFAULT);
  h5_attribute_text(r->f, set, "type", "effective");
  H5(r->f, H5Dclose, set);
  if (has_electrons(r->s->ff))
    put_type_value(r, "electrons", NULL, "electrons of the bead",
                   offsetof(struct ff_type, electrons));
  put_int(r, "molecule", "molecule number, from 1; 0: none", r->s->beads.molecule);
  put_int(r, "molecule_type", "row of parameters/lamella/molecules, from 0; -1: none",
          r->s->beads.molecule_type);
  if (r->lipids && has_bonds(&r->s->topology, r->s->ff)) put_leaflets(r);
  if (r->selection->text[0]) put_ids(r);
}

static void refer_to_particles(const struct h5_file *f, hid_t group)
{
  hobj_ref_t particles;
  H5(f, H5Rcreate, &particles, f->id, TRAJECTORY_GROUP, H5R_OBJECT, -1);
  hid_t set = H5(f, H5Dopen2, group, "bonds", H5P_DEFAULT), space = H5(f, H5Screate, H5S_SCALAR);
  hid_t a =
      H5(f, H5Acreate2, set, "particles_group", H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT);
  H5(f, H5Awrite, a, H5T_STD_REF_OBJ, &particles);
  H5(f, H5Aclose, a);
  H5(f, H5Sclose, space);
  H5(f, H5Dclose, set);
}

/* H5MD: connectivity/bonds holds rows, from 0, or the ids of a group that has them. The columns for
   VMD hold rows, from 1. */
static void write_bonds(const struct rows *r, hid_t vmd)
{
  const struct h5_file *f = r->f;
  const struct selection *selection = r->selection;
  int64_t *id, *row;
  int64_t n = bonds_selected(selection, f->ranks, r->s, SECTION_bond, 2, 0, r->s->n, &id, &row);
  int64_t total = n, first = ranks_before(f->ranks, n), *column = alloc_array(n, sizeof *column);
  ranks_sum_int64(f->ranks, &total, 1);
  static const char *const name[2] = {"bond_from", "bond_to"};
  for (int j = 0; j < 2; j++) {
    struct h5_table table = {name[j], NULL, "bead number of a bond, from 1", 'l', 1, total};
    for (int64_t k = 0; k < n; k++)
      column[k] = row[2 * k + j];
    h5_put(f, vmd, &table, first, n, column);
  }
  for (int64_t k = 0; k < 2 * n; k++)
    row[k]--;
  struct h5_table bonds = {"bonds", NULL, "pairs of rows of the particles group", 'l', 2, total};
  if (selection->text[0]) bonds.text = "pairs of ids of the particles group";
  hid_t group = h5_group(f, f->id, "connectivity");
  h5_put(f, group, &bonds, first, n, selection->text[0] ? id : row);
  free(column);
  free(id);
  free(row);
  refer_to_particles(f, group);
  H5(f, H5Gclose, group);
}

/* Names, masses and radii of the species for VMD's H5MD plugin, which accepts only species that
   occur. */
static void write_species(const struct rows *r, hid_t vmd)
{
  enum { NAME = 16 };
  const struct h5_file *f = r->f;
  const struct system *s = r->s;
  int types = s->ff->n_types, n = 0;
  int64_t *count = alloc_array(types, sizeof *count);
  int32_t *index = alloc_array(types, sizeof *index);
  float *mass = alloc_array(types, sizeof *mass), *radius = alloc_array(types, sizeof *radius);
  char(*name)[NAME] = alloc_array(types, NAME);
  memset(count, 0, (size_t)types * sizeof *count);
  memset(name, 0, (size_t)types * NAME);
  for (int64_t k = 0; k < r->selection->n; k++)
    count[s->beads.type[selection_bead(r->selection, k)]]++;
  ranks_sum_int64(f->ranks, count, types);
  for (int k = 0; k < types; k++) {
    if (count[k] == 0) continue;
    memcpy(name[n], s->ff->type[k].name, strnlen(s->ff->type[k].name, NAME - 1));
    mass[n] = (float)s->ff->type[k].mass;
    radius[n] = (float)(0.5 * s->ff->pair[k * types + k].sigma);
    index[n++] = k;
  }
  struct h5_table rows = {"indexOfSpecies", NULL, "species of each row here", 'i', 1, n};
  struct h5_table masses = {"mass", "u", NULL, 'f', 1, n};
  struct h5_table radii = {"radius", "nm", "half the Lennard-Jones sigma", 'f', 1, n};
  h5_put_rank0(f, vmd, &rows, index);
  h5_put_rank0(f, vmd, &masses, mass);
  h5_put_rank0(f, vmd, &radii, radius);
  h5_put_text(f, vmd, "name", "name of the species", n, NAME, name[0]);
  h5_put_text(f, vmd, "type", "type of the species", n, NAME, name[0]);
  free(count);
  free(index);
  free(mass);
  free(radius);
  free(name);
}

static void write_parameters(const struct rows *r, enum trajectory_positions positions,
                             double precision)
{
  static const char *const word[] = {POSITIONS_CHOICES(CHOICE_WORD)};
  const struct forcefield *ff = r->s->ff;
  struct h5_table beads = {TRAJECTORY_SYSTEM_BEADS, NULL, "beads of the system", 'l', 1, 1};
  h5_put_line(r->f, TRAJECTORY_FORCEFIELD, "YAML text of the force field", ff->text);
  if (ff->n_molecules > 0) {
    char *name = alloc_array(ff->n_molecules, FF_NAME);
    for (int k = 0; k < ff->n_molecules; k++)
      snprintf(name + k * FF_NAME, FF_NAME, "%s", ff->molecule[k].name);
    h5_put_text(r->f, r->f->id, TRAJECTORY_MOLECULES, "names of the molecule types",
                ff->n_molecules, FF_NAME, name);
    free(name);
  }
  char *lipids = r->lipids ? lipids_text(r->lipids) : NULL;
  h5_put_line(r->f, TRAJECTORY_MEMBRANE, "the lipids and their heads, YAML", lipids);
  free(lipids);
  if (positions != POSITIONS_WRAPPED)
    h5_put_line(r->f, TRAJECTORY_POSITIONS, "which periodic image of a bead", word[positions]);
  const struct h5_table step = {
      TRAJECTORY_PRECISION, "nm", "positions are multiples of it", 'd', 1, 1};
  if (precision > 0) h5_put_rank0(r->f, r->f->id, &step, &precision);
  if (!r->selection->text[0]) return;
  h5_put_line(r->f, TRAJECTORY_SELECTION, "molecule types and bead types in the frames",
              r->selection->text);
  h5_put_rank0(r->f, r->f->id, &beads, &r->s->n_total);
}

static void write_box(const struct h5_file *f)
{
  static const int dimension = 3;
  const hsize_t three = 3;
  hid_t box = H5(f, H5Gopen2, f->id, TRAJECTORY_GROUP "/box", H5P_DEFAULT);
  hid_t type = H5(f, H5Tcopy, H5T_C_S1), space = H5(f, H5Screate_simple, 1, &three, NULL);
  h5_attribute(f, box, "dimension", 'i', 0, &dimension);
  H5(f, H5Tset_size, type, sizeof "periodic");
  hid_t a = H5(f, H5Acreate2, box, "boundary", type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5(f, H5Awrite, a, type, "periodic\0periodic\0periodic");
  H5(f, H5Aclose, a);
  H5(f, H5Sclose, space);
  H5(f, H5Tclose, type);
  H5(f, H5Gclose, box);
}

static void write_observed(const struct h5_file *f, const struct trajectory_observed_list *l)
{
  char path[96];
  for (int k = 0; k < l->n; k++) {
    h5_put_line(f, trajectory_observed_path(&l->one[k], "options", path), "kind and options",
                l->one[k].options);
    h5_put_line(
        f, trajectory_observed_path(&l->one[k], "columns", path),
        "what the values are: lines of fields between tabs, the first the names of the fields",
        l->one[k].columns);
  }
  if (l->n)
    h5_put_names(f, TRAJECTORY_OBSERVED_NAMES,
                 "names of the observables in the frames, a line each", l->n, sizeof *l->one,
                 l->one->name);
}

void trajectory_write_fixed(const struct h5_file *f, const struct system *s,
                            const struct selection *selection, const struct lipids *lipids,
                            const struct trajectory_layout *l)
{
  hid_t particles = H5(f, H5Gopen2, f->id, TRAJECTORY_GROUP, H5P_DEFAULT);
  const struct rows rows = {f, particles, s, selection, lipids};
  write_head(f);
  write_box(f);
  write_particles(&rows);
  hid_t vmd = h5_group(f, f->id, "parameters/vmd_structure");
  write_species(&rows, vmd);
  write_bonds(&rows, vmd);
  H5(f, H5Gclose, vmd);
  hid_t own = H5(f, H5Gopen2, f->id, TRAJECTORY_OWN, H5P_DEFAULT);
  h5_attribute_text(f, own, "run_id", s->run.id);
  H5(f, H5Gclose, own);
  write_parameters(&rows, l->positions, l->precision);
  write_observed(f, &l->observed);
  H5(f, H5Gclose, particles);
}

/* The numbers of a frame */

/* The nearest multiple of the precision; of wrapped coordinates in a rectangular box, one inside.
 */
static double round_position(const struct trajectory_source *from, double x, double edge)
{
  const double step = from->precision, near = step * rint(x / step);
  const int inside = from->positions == POSITIONS_WRAPPED && !box_is_oblique(from->system->box);
  return inside && near >= edge ? step * floor(x / step) : near;
}

static void find_position(const struct trajectory_source *from, int64_t bead, double value[3])
{
  const struct system *s = from->system;
  system_get_position(s, bead, from->positions == POSITIONS_UNWRAPPED, value);
  if (from->shift) box_shift(s->box, from->shift[bead], value);
  for (int d = 0; d < 3 && from->precision > 0; d++)
    value[d] = round_position(from, value[d], s->box[d]);
}

static void find_value(const struct trajectory_source *from, int element, int64_t bead,
                       double value[ELEMENT_COMPONENTS])
{
  static const double unit[4] = {1, 0, 0, 0};
  const struct system *s = from->system;
  const struct ff_type *type = &s->ff->type[s->beads.type[bead]];
  const double *orientation = s->beads.orientation + 4 * bead;
  int rotates = type->inertia[0] + type->inertia[1] + type->inertia[2] > 0;
  double scale = 1;
  if (element == ELEMENT_POSITION) {
    find_position(from, bead, value);
  } else if (element == ELEMENT_VELOCITY) {
    memcpy(value, &s->beads.momentum[3 * bead], 3 * sizeof *value);
    scale = type->mass > 0 ? 1 / type->mass : 0; /* virtual sites have neither */
  } else if (element == ELEMENT_FORCE) {
    memcpy(value, from->force[bead], 3 * sizeof *value);
  } else if (element == ELEMENT_QUATERNION) {
    memcpy(value, rotates ? orientation : unit, sizeof unit);
  } else {
    rotation_axis(orientation, value);
    scale = element == ELEMENT_DIPOLE ? type->dipole : rotates;
  }
  for (int d = 0; d < trajectory_element[element].components; d++)
    value[d] *= scale;
}

/* Box crossings: unwrapped position = position of the file + the sum of image x box vector. */
static void find_images(const struct trajectory_source *from, int32_t *out)
{
  for (int64_t k = 0; k < from->selection->n; k++) {
    int64_t bead = selection_bead(from->selection, k);
    for (int d = 0; d < 3; d++)
      out[3 * k + d] =
          from->system->beads.image[3 * bead + d] - (from->shift ? from->shift[bead][d] : 0);
  }
}

void trajectory_values(const struct trajectory_source *from, int element, void *out)
{
  float *number = out;
  int components = trajectory_element[element].components;
  if (element == ELEMENT_IMAGE) {
    find_images(from, out);
    return;
  }
  for (int64_t k = 0; k < from->selection->n; k++) {
    double value[ELEMENT_COMPONENTS] = {0};
    find_value(from, element, selection_bead(from->selection, k), value);
    for (int d = 0; d < components; d++)
      number[components * k + d] = (float)value[d];
  }
}
