/* Every form of external field, once: forces of the surroundings on single beads. Included several
   times, with EXTERNAL and PARAMETER defined.

   EXTERNAL(form, formula, parameters):
     form        its name in `fields:` of a run file
     formula     the energy, for tables
     parameters  PARAMETER(name, unit, low, high, default) of each, in the order of their values; at
                 most EXTERNAL_PARAMETERS_MOST. The place of a field in the box is x, y, z of unit
                 box. Other units that mean something: "a|b|c", one of these words (the value is its
                 number, from 0); "type", a bead type of the force field (from 1; 0: none); "file",
                 the path of a map, which a field must have (1). All others are numbers, which may
                 be ramps (model/ramp.h); those of a unit of energy, force or voltage, default 0,
                 are the strength, without which a field is refused

   A new form is its row here and its function in pair/external_body.h,

     struct external_value external_<form>(const double *value, const struct external_bead *b)
       energy, force, torque, and what counts in the virial; all 0 unless set

   A form with the parameters EXTERNAL_WAVE is multiplied by that function of time, in its values 0
   to 2. The section of run files, its messages and defaults, `lamella run --help`, the manual's
   table (make manual), groups, both backends, energies, and the test of slopes and virial
   (tests/unit/test_external.c) follow. */
#ifdef EXTERNAL
#define EXTERNAL_WAVE                                                                              \
  PARAMETER(omega, "1/ps", -1e6, 1e6, 0)                                                           \
  PARAMETER(phase, "degrees", -360, 360, 0)                                                        \
  PARAMETER(t0, "ps", -1e15, 1e15, 0) PARAMETER(sigma, "ps", 0, 1e15, 0)
#define EXTERNAL_PLACE                                                                             \
  PARAMETER(x, "box", 0, 1, 0.5) PARAMETER(y, "box", 0, 1, 0.5) PARAMETER(z, "box", 0, 1, 0.5)
#define EXTERNAL_PLANES                                                                            \
  PARAMETER(axis, "x|y|z", 0, 2, 2)                                                                \
  PARAMETER(low, "box", 0, 1, 0)                                                                   \
  PARAMETER(high, "box", 0, 2, 1) PARAMETER(planes, "both|low|high", 0, 2, 0)
#define EXTERNAL_WELL                                                                              \
  PARAMETER(epsilon, "kJ/mol", 0, 1e6, 0)                                                          \
  PARAMETER(sigma, "nm", 0.01, 10, 0.47)                                                           \
  PARAMETER(type, "type", 0, 0, 0) PARAMETER(linear, "nm", 0, 10, 0)
EXTERNAL(force, "U = -f . r, r the unwrapped position",
         PARAMETER(x, "kJ/mol/nm", -1e6, 1e6, 0) PARAMETER(y, "kJ/mol/nm", -1e6, 1e6, 0)
             PARAMETER(z, "kJ/mol/nm", -1e6, 1e6, 0))
EXTERNAL(electric,
         "U = -E . (q r + m), r the unwrapped position, m the dipole. E is x, y, z times cos(omega "
         "(t - t0) + phase), and with sigma times exp(-(t - t0)^2 / (2 sigma^2))",
         PARAMETER(x, "V/nm", -1e3, 1e3, 0) PARAMETER(y, "V/nm", -1e3, 1e3, 0)
             PARAMETER(z, "V/nm", -1e3, 1e3, 0) EXTERNAL_WAVE)
EXTERNAL(
    voltage,
    "as electric, of the field whose potential falls by x, y, z along the box vectors: E = x / "
    "edge in a rectangular box",
    PARAMETER(x, "V", -1e6, 1e6, 0) PARAMETER(y, "V", -1e6, 1e6, 0) PARAMETER(z, "V", -1e6, 1e6, 0)
        EXTERNAL_WAVE)
EXTERNAL(restraint,
         "U = (kx dx^2 + ky dy^2 + kz dz^2) / 2, d from the place x, y, z to the nearest image of "
         "the bead",
         PARAMETER(kx, "kJ/mol/nm2", 0, 1e9, 0) PARAMETER(ky, "kJ/mol/nm2", 0, 1e9, 0)
             PARAMETER(kz, "kJ/mol/nm2", 0, 1e9, 0) EXTERNAL_PLACE)
EXTERNAL(wall_harmonic,
         "U = k h^2 / 2 where h < 0, h the distance from a plane; of one plane or both",
         EXTERNAL_PLANES PARAMETER(k, "kJ/mol/nm2", 0, 1e9, 0))
EXTERNAL(wall_9_3,
         "U = pi density (C12 / (45 h^9) - C6 / (6 h^3)), C12 = 4 epsilon sigma^12, C6 = 4 epsilon "
         "sigma^6; of one plane or both",
         EXTERNAL_PLANES EXTERNAL_WELL PARAMETER(density, "1/nm3", 0, 1e6, 1))
EXTERNAL(wall_10_4, "U = pi density (C12 / (5 h^10) - C6 / (2 h^4)); of one plane or both",
         EXTERNAL_PLANES EXTERNAL_WELL PARAMETER(density, "1/nm2", 0, 1e6, 1))
EXTERNAL(wall_12_6, "U = C12 / h^12 - C6 / h^6; of one plane or both",
         EXTERNAL_PLANES EXTERNAL_WELL)
EXTERNAL(sphere,
         "U = k_inside (d - radius)^2 / 2 where d > radius, k_outside (radius - d)^2 / 2 where d < "
         "radius, d the distance of the nearest image of the bead from the place x, y, z",
         PARAMETER(radius, "nm", 0, 1e4, 0) PARAMETER(k_inside, "kJ/mol/nm2", 0, 1e9, 0)
             PARAMETER(k_outside, "kJ/mol/nm2", 0, 1e9, 0) EXTERNAL_PLACE)
EXTERNAL(cylinder, "as sphere, d the distance from the line along the axis through x, y, z",
         PARAMETER(axis, "x|y|z", 0, 2, 2) PARAMETER(radius, "nm", 0, 1e4, 0)
             PARAMETER(k_inside, "kJ/mol/nm2", 0, 1e9, 0)
                 PARAMETER(k_outside, "kJ/mol/nm2", 0, 1e9, 0) EXTERNAL_PLACE)
EXTERNAL(map,
         "U = factor (q V + m . grad V) of charges, factor V of beads; V(r) from cubic B-splines "
         "through the values of a file, stretched to the box edges that it fills, 0 outside",
         PARAMETER(file, "file", 0, 0, 0) PARAMETER(of, "charges|beads", 0, 1, 0)
             PARAMETER(fills, "xyz|xy|xz|yz|x|y|z|no", 0, 7, 0)
                 PARAMETER(factor, "1", -1e9, 1e9, 1))
#undef EXTERNAL_WAVE
#undef EXTERNAL_PLACE
#undef EXTERNAL_PLANES
#undef EXTERNAL_WELL
#undef EXTERNAL
#undef PARAMETER
#endif
