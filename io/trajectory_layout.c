/* The parts of an H5MD 1.1 trajectory that no frame changes: see trajectory_layout.h. */
#include "io/trajectory_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/version.h"
#include "io/bonds.h"

const struct trajectory_element trajectory_element[ELEMENTS] = {
    [ELEMENT_POSITION] = {"position", "nm", 'f', 3, ELEMENT_POSITION},
    [ELEMENT_IMAGE] = {"image", NULL, 'i', 3, ELEMENT_IMAGE},
    [ELEMENT_VELOCITY] = {"velocity", "nm ps-1", 'f', 3, ELEMENT_VELOCITY},
    [ELEMENT_DIPOLE] = {"dipole", "e nm", 'f', 3, ELEMENT_DIPOLE},
    [ELEMENT_AXIS] = {"orientation", NULL, 'f', 3, ELEMENT_AXIS},
    [ELEMENT_QUATERNION] = {"quaternion", NULL, 'f', 4, CHECKSUM_QUATERNION}};

size_t trajectory_element_bytes(int element)
{
  return sizeof(float) * (size_t)trajectory_element[element].components;
}

int trajectory_checksum_columns(int elements)
{
  int columns = CHECKSUM_ROW + 1;
  for (int k = 0; k < ELEMENTS; k++)
    if (elements >> k & 1 && trajectory_element[k].checksum >= columns)
      columns = trajectory_element[k].checksum + 1;
  return columns;
}

int trajectory_elements(const struct forcefield *ff, int velocities)
{
  int set = 1 << ELEMENT_POSITION | 1 << ELEMENT_IMAGE;
  if (velocities) set |= 1 << ELEMENT_VELOCITY;
  for (int k = 0; k < ff->n_types; k++) {
    const double *i = ff->type[k].inertia;
    if (ff->type[k].dipole != 0)
      set |= 1 << ELEMENT_DIPOLE;
    else if (i[0] > 0)
      set |= 1 << ELEMENT_AXIS;
    if (i[0] > 0 && i[2] > 0) set |= 1 << ELEMENT_QUATERNION;
  }
  return set;
}

static void write_head(const struct h5_file *f)
{
  static const int version[2] = {1, 1};
  hid_t head = h5_group(f, f->id, "h5md");
  h5_attribute_int(f, head, "version", 2, version);
  hid_t part = h5_group(f, head, "author");
  h5_attribute_text(f, part, "name", "N/A");
  H5(f, H5Gclose, part);
  part = h5_group(f, head, "creator");
  h5_attribute_text(f, part, "name", "lamella");
  h5_attribute_text(f, part, "version", LAMELLA_GIT);
  H5(f, H5Gclose, part);
  H5(f, H5Gclose, head);
}

static void write_particles(const struct h5_file *f, hid_t particles, const struct system *s)
{
  struct h5_table species = {"species", NULL, "bead type, see parameters/vmd_structure",
                             'i',       1,    s->n_total};
  struct h5_table mass = {"mass", "u", NULL, 'd', 1, s->n_total};
  struct h5_table charge = {"charge", "e", NULL, 'd', 1, s->n_total};
  double *value = alloc_array(s->n, sizeof *value);
  h5_put(f, particles, &species, s->first - 1, s->n, s->beads.type);
  for (int64_t k = 0; k < s->n; k++)
    value[k] = s->ff->type[s->beads.type[k]].mass;
  h5_put(f, particles, &mass, s->first - 1, s->n, value);
  for (int64_t k = 0; k < s->n; k++)
    value[k] = s->ff->type[s->beads.type[k]].charge;
  h5_put(f, particles, &charge, s->first - 1, s->n, value);
  free(value);

  hid_t set = H5(f, H5Dopen2, particles, "charge", H5P_DEFAULT);
  h5_attribute_text(f, set, "type", "effective");
  H5(f, H5Dclose, set);
}

/* connectivity/bonds counts beads from 0, as H5MD requires; the columns for VMD count from 1. */
static void write_bonds(const struct h5_file *f, hid_t vmd, const struct system *s)
{
  int64_t *pair, n = bonds_list(s, TOPOLOGY_BOND, 0, s->n, &pair), total = n;
  int64_t first = ranks_before(f->ranks, n), *column = alloc_array(n, sizeof *column);
  ranks_sum_int64(f->ranks, &total, 1);
  static const char *const name[2] = {"bond_from", "bond_to"};
  for (int j = 0; j < 2; j++) {
    struct h5_table table = {name[j], NULL, "bead number of a bond, from 1", 'l', 1, total};
    for (int64_t k = 0; k < n; k++)
      column[k] = pair[2 * k + j];
    h5_put(f, vmd, &table, first, n, column);
  }
  for (int64_t k = 0; k < 2 * n; k++)
    pair[k]--;
  struct h5_table bonds = {"bonds", NULL, "pairs of rows of the particles group", 'l', 2, total};
  hid_t group = h5_group(f, f->id, "connectivity");
  h5_put(f, group, &bonds, first, n, pair);
  free(column);
  free(pair);

  hobj_ref_t particles;
  H5(f, H5Rcreate, &particles, f->id, TRAJECTORY_GROUP, H5R_OBJECT, -1);
  hid_t set = H5(f, H5Dopen2, group, "bonds", H5P_DEFAULT), space = H5(f, H5Screate, H5S_SCALAR);
  hid_t a =
      H5(f, H5Acreate2, set, "particles_group", H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT);
  H5(f, H5Awrite, a, H5T_STD_REF_OBJ, &particles);
  H5(f, H5Aclose, a);
  H5(f, H5Sclose, space);
  H5(f, H5Dclose, set);
  H5(f, H5Gclose, group);
}

/* Names, masses and radii of the species for VMD's H5MD plugin, which accepts only species that
   occur. */
static void write_species(const struct h5_file *f, hid_t vmd, const struct system *s)
{
  enum { NAME = 16 };
  int types = s->ff->n_types, n = 0;
  int64_t *count = alloc_array(types, sizeof *count);
  int32_t *index = alloc_array(types, sizeof *index);
  float *mass = alloc_array(types, sizeof *mass), *radius = alloc_array(types, sizeof *radius);
  char(*name)[NAME] = alloc_array(types, NAME);
  memset(count, 0, (size_t)types * sizeof *count);
  memset(name, 0, (size_t)types * NAME);
  for (int64_t k = 0; k < s->n; k++)
    count[s->beads.type[k]]++;
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

void trajectory_write_fixed(const struct h5_file *f, hid_t particles, const struct system *s)
{
  write_head(f);
  write_particles(f, particles, s);
  hid_t parameters = h5_group(f, f->id, "parameters");
  hid_t vmd = h5_group(f, parameters, "vmd_structure");
  write_species(f, vmd, s);
  write_bonds(f, vmd, s);
  H5(f, H5Gclose, vmd);
  H5(f, H5Gclose, h5_group(f, parameters, "lamella"));
  h5_put_text(f, f->id, TRAJECTORY_FORCEFIELD, "YAML text of the force field", 1,
              strlen(s->ff->text) + 1, s->ff->text);
  H5(f, H5Gclose, parameters);
}
