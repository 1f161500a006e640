/* Every form of bonded term, once. Included several times, with BONDED and PARAMETER defined.

   BONDED(section, form, beads, axes, joins, channel, formula, parameters):
     section     bond, angle: the section of force fields that has it (`bonds:`, `angles:`)
     form        its name there
     beads       2 to 5
     axes        1 where it reads the axis (body z) of its first bead; it then has a direction, and
                 the order of its beads cannot be reversed
     joins       1 for a chemical bond: its beads are one molecule, and exclusions follow it
     channel     the energy that it is reported under (model/energy_list.h)
     formula     the energy, for tables
     parameters  PARAMETER(name, unit, low, high) of each, in the order of their values. A form that
                 joins calls its length at rest r0, nm; one without has no such limit of its length

   A new form is its row here and its header, pair/<section>_<form>.h, named in pair/bonded.h, with

     void bonded_<section>_<form>_set(const double *value, real *c)
       the coefficients that kernels read (at most BONDED_COEFS) from the values of the parameters
     struct bonded_value bonded_<section>_<form>(const real *c, struct bonded_shape s)
       the energy, and its slopes by the arms and the axis: see pair/bonded_shape.h

   The section of force fields, its messages, topology, exclusions, both backends, energies, virial,
   the pressure profile, state files, PSF and the test of slopes (tests/unit/test_bonded.c)
   follow. */
#ifdef BONDED
BONDED(bond, harmonic, 2, 0, 1, bond, "U = k (r - r0)^2",
       PARAMETER(k, "kJ/mol/nm2", 0, 1e9) PARAMETER(r0, "nm", 0, 1e3))
BONDED(angle, cosine_squared, 3, 0, 0, angle, "U = k (cos t - cos t0)^2, t at the second bead",
       PARAMETER(k, "kJ/mol", 0, 1e9) PARAMETER(theta0, "degrees", 0, 180))
BONDED(angle, dipole, 2, 1, 0, dipole_angle,
       "U = k (cos g - cos g0)^2, g between body z of the first bead and the line to the second",
       PARAMETER(k, "kJ/mol", 0, 1e9) PARAMETER(gamma0, "degrees", 0, 180))
#endif
