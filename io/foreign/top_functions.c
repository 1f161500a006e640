#include "io/foreign/top_functions.h"

#include <string.h>

/* Of several functions for a form the first is written. */
static const struct top_function functions[] = {
    {"bonds", 1, 2, FORM_bond_harmonic, {1, 0}, {0.5, 1}},
    {"bonds", 2, 2, FORM_bond_quartic, {1, 0}, {0.25, 1}},
    {"bonds", 3, 3, FORM_bond_morse, {1, 2, 0}, {1, 1, 1}},
    {"bonds", 4, 3, FORM_bond_cubic, {1, 2, 0}, {1, 1, 1}},
    {"bonds", 5, 0, FORM_bond_harmonic, {0}, {0}}, /* a connection: no force, but exclusions */
    {"bonds", 6, 2, FORM_bond_elastic, {1, 0}, {0.5, 1}},
    {"bonds", 7, 2, FORM_bond_fene, {1, 0}, {0.5, 1}},
    {"bonds", 8, 2, FORM_bond_table, {1, 0}, {1, 1}},
    {"bonds", 9, 2, FORM_bond_table_apart, {1, 0}, {1, 1}},
    {"bonds", 10, 4, FORM_bond_flat_bottomed, {3, 0, 1, 2}, {0.5, 1, 1, 1}},
    {"constraints", 1, 1, FORM_bond_constraint, {0}, {1}},
    {"constraints", 2, 1, FORM_bond_constraint_apart, {0}, {1}},
    {"angles", 1, 2, FORM_angle_harmonic, {1, 0}, {0.5, 1}},
    {"angles", 2, 2, FORM_angle_cosine_squared, {1, 0}, {0.5, 1}},
    {"angles", 3, 3, FORM_angle_cross_bond_bond, {2, 0, 1}, {1, 1, 1}},
    {"angles", 4, 4, FORM_angle_cross_bond_angle, {3, 0, 1, 2}, {1, 1, 1, 1}},
    {"angles", 5, 4, FORM_angle_urey_bradley, {1, 0, 3, 2}, {0.5, 1, 0.5, 1}},
    {"angles", 6, 6, FORM_angle_quartic, {0, 1, 2, 3, 4, 5}, {1, 1, 1, 1, 1, 1}},
    {"angles", 8, 2, FORM_angle_table, {1, 0}, {1, 1}},
    {"angles", 9, 2, FORM_angle_linear, {1, 0}, {0.5, 1}},
    {"angles", 10, 2, FORM_angle_restricted, {1, 0}, {0.5, 1}},
    {"dihedrals", 9, 3, FORM_dihedral_periodic, {1, 2, 0}, {1, 1, 1}},
    {"dihedrals", 1, 3, FORM_dihedral_periodic, {1, 2, 0}, {1, 1, 1}},
    {"dihedrals", 4, 3, FORM_dihedral_periodic, {1, 2, 0}, {1, 1, 1}},
    {"dihedrals", 2, 2, FORM_dihedral_harmonic, {1, 0}, {0.5, 1}},
    {"dihedrals", 3, 6, FORM_dihedral_ryckaert_bellemans, {0, 1, 2, 3, 4, 5}, {1, 1, 1, 1, 1, 1}},
    {"dihedrals",
     TOP_FOURIER,
     4,
     FORM_dihedral_ryckaert_bellemans,
     {0, 1, 2, 3, 4, 5},
     {1, 1, 1, 1, 1, 1}},
    {"dihedrals", 8, 2, FORM_dihedral_table, {1, 0}, {1, 1}},
    {"dihedrals", 10, 2, FORM_dihedral_restricted, {1, 0}, {0.5, 1}},
    {"dihedrals",
     TOP_BENDING_TORSION,
     6,
     FORM_dihedral_bending_torsion,
     {1, 2, 3, 4, 5},
     {1, 1, 1, 1, 1}},
    {"angle_restraints", 1, 3, FORM_angle_vectors, {1, 2, 0}, {1, 1, 1}},
    {"angle_restraints_z", 1, 3, FORM_angle_vector_z, {1, 2, 0}, {1, 1, 1}},
    {"dihedral_restraints", 1, 3, FORM_dihedral_flat_bottomed, {2, 0, 1}, {0.5, 1, 1}},
    {"pairs", 2, 5, FORM_bond_lennard_jones, {3, 4}, {1, 1}},
    {"pairs", 2, 5, FORM_bond_coulomb, {1, 5}, {1, 1}},
    {"pairs", 1, 2, FORM_bond_lennard_jones, {0, 1}, {1, 1}},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static const struct top_site sites[] = {
    {"virtual_sites2", 1, 1, "linear"},      {"virtual_sites2", 2, 1, "distance"},
    {"virtual_sites3", 1, 2, "plane"},       {"virtual_sites3", 2, 2, "plane_distance"},
    {"virtual_sites3", 3, 2, "in_plane"},    {"virtual_sites3", 4, 3, "out_of_plane"},
    {"virtual_sites4", 2, 3, "above_plane"}, {"virtual_sitesn", 3, 0, "centre"},
};
enum { SITES = sizeof sites / sizeof sites[0] };

const struct top_function *top_function_find(const char *directive, int function)
{
  for (int k = 0; k < FUNCTIONS; k++)
    if (functions[k].function == function && !strcmp(functions[k].directive, directive))
      return &functions[k];
  return NULL;
}

const struct top_function *top_function_of(int form)
{
  for (int k = 0; k < FUNCTIONS; k++)
    if (functions[k].form == form) return &functions[k];
  return NULL;
}

const struct top_site *top_site_find(const char *directive, int function)
{
  for (int k = 0; k < SITES; k++)
    if (sites[k].function == function && !strcmp(sites[k].directive, directive)) return &sites[k];
  return NULL;
}

const struct top_site *top_site_of(const char *form)
{
  for (int k = 0; k < SITES; k++)
    if (!strcmp(sites[k].form, form)) return &sites[k];
  return NULL;
}
