/* Every form of external field, once: forces of the surroundings on single beads. Included several
   times, with EXTERNAL and PARAMETER defined.

   EXTERNAL(form, formula, parameters):
     form        its name in `fields:` of a run file
     formula     the energy, for tables
     parameters  PARAMETER(name, unit, low, high, default) of each, in the order of their values; at
                 most EXTERNAL_PARAMETERS_MOST. The place of a field in the box is x, y, z of unit
                 box

   A new form is its row here and its function in pair/external_body.h,

     struct external_value external_<form>(const double *value, const struct external_bead *b)
       energy, force, torque, and the arm by which the force counts in the virial; 0 unless it is
       set

   The section of run files, its messages and defaults, `lamella run --help`, the manual's table
   (make manual), groups, both backends, energies, and the test of slopes and virial
   (tests/unit/test_external.c) follow. */
#ifdef EXTERNAL
EXTERNAL(force, "U = -f . r, r the unwrapped position",
         PARAMETER(x, "kJ/mol/nm", -1e6, 1e6, 0) PARAMETER(y, "kJ/mol/nm", -1e6, 1e6, 0)
             PARAMETER(z, "kJ/mol/nm", -1e6, 1e6, 0))
EXTERNAL(electric, "U = -E . (q r + m), r the unwrapped position, m the dipole",
         PARAMETER(x, "V/nm", -1e3, 1e3, 0) PARAMETER(y, "V/nm", -1e3, 1e3, 0)
             PARAMETER(z, "V/nm", -1e3, 1e3, 0))
EXTERNAL(restraint,
         "U = (kx dx^2 + ky dy^2 + kz dz^2) / 2, d from the place x, y, z to the nearest image of "
         "the bead",
         PARAMETER(kx, "kJ/mol/nm2", 0, 1e9, 0) PARAMETER(ky, "kJ/mol/nm2", 0, 1e9, 0)
             PARAMETER(kz, "kJ/mol/nm2", 0, 1e9, 0) PARAMETER(x, "box", 0, 1, 0.5)
                 PARAMETER(y, "box", 0, 1, 0.5) PARAMETER(z, "box", 0, 1, 0.5))
#undef EXTERNAL
#undef PARAMETER
#endif
