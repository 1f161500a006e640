/* Every form of bonded term, once. Included several times, with BONDED, PARAMETER and OPTIONAL
   defined.

   BONDED(section, form, beads, axes, reads, joins, channel, set, formula, parameters):
   - section: bond, angle or dihedral; the section of force fields that has it (`bonds:` ...).
     Restraints stand in molecules, without a type of a name. Terms of section excluded stand
     in no file: they follow from charges and exclusions
   - form: its name there
   - beads: 1 to 5
   - axes: of how many of its beads it reads the axis (body z), from the first on, at most
     BONDED_AXES_MOST. With axes it has a direction, and the order of its beads cannot be reversed.
     The axis of a bead makes an angle with the other bead of an angle of two beads, or carries the
     site of the bead: OPTIONAL(d0, "nm", ...), d1 and d2 are their offsets (pair/bonded_shape.h)
   - reads: what it reads beside positions and axes: none; charges, of its first two beads; anchor,
     the place of its one bead (struct anchors), where its only arm begins; order, that of its
     beads, which then cannot be reversed; or table, the pieces of a table, whose place the
     coefficients have (pair/pieces.h)
   - joins: 1 for a chemical bond. Its beads are one molecule, and exclusions follow it
   - channel: the energy that it is reported under (model/energy_list.h). Only bonds of channel bond
     hold a molecule together (model/connections.h)
   - set: how the coefficients that kernels read (at most BONDED_COEFS) follow from the values of
   the parameters: given, as they are; cosine, with the cosine of the second, an angle; or a
   function bonded_set_<set> beside that of the form
   - formula: the energy, for tables
   - parameters: PARAMETER(name, unit, low, high) of each, in the order of their values. Unit
     "integer": no other numbers are accepted. Unit "table": the name of a table, which is the
     second parameter of a form that reads one. A form that joins calls its length at rest r0, or
     the length that it cannot reach rmax, nm; without either there is no limit. OPTIONAL is a
     parameter that is 0 in a force field that does not give it

   A new form is its row here and its function in pair/bonds.h, angles.h or dihedrals.h,

     struct bonded_value bonded_<section>_<form>(const real *c, struct bonded_shape s)
       the energy, and its slopes by the arms and the axes: see pair/bonded_shape.h

   The section of force fields, its messages, the manual's table (make manual), topology,
   exclusions, both backends, energies, virial, the pressure profile, state files, PSF and the test
   of slopes (tests/unit/test_bonded.c) follow. */
#ifdef BONDED
BONDED(bond, harmonic, 2, 0, none, 1, bond, given, "U = k (r - r0)^2",
       PARAMETER(k, "kJ/mol/nm2", 0, 1e9) PARAMETER(r0, "nm", 0, 1e3))
BONDED(bond, quartic, 2, 0, none, 1, bond, square, "U = k (r^2 - r0^2)^2",
       PARAMETER(k, "kJ/mol/nm4", 0, 1e9) PARAMETER(r0, "nm", 0, 1e3))
BONDED(bond, fene, 2, 0, none, 1, bond, fene, "U = -k rmax^2 ln(1 - r^2 / rmax^2)",
       PARAMETER(k, "kJ/mol/nm2", 0, 1e9) PARAMETER(rmax, "nm", 1e-3, 1e3))
BONDED(bond, elastic, 2, 0, none, 0, bond, given,
       "U = k (r - r0)^2, no chemical bond: makes no exclusions",
       PARAMETER(k, "kJ/mol/nm2", 0, 1e9) PARAMETER(r0, "nm", 0, 1e3))
BONDED(bond, constraint, 2, 0, none, 1, bond, given, "r = r0 always: no energy, a constraint",
       PARAMETER(r0, "nm", 1e-6, 1e3))
BONDED(bond, constraint_apart, 2, 0, none, 0, bond, given,
       "r = r0 always, no chemical bond: makes no exclusions", PARAMETER(r0, "nm", 1e-6, 1e3))
BONDED(bond, morse, 2, 0, none, 1, bond, given, "U = well (1 - exp(-beta (r - r0)))^2",
       PARAMETER(well, "kJ/mol", 0, 1e9) PARAMETER(beta, "1/nm", 0, 1e6)
           PARAMETER(r0, "nm", 0, 1e3))
BONDED(bond, cubic, 2, 0, none, 1, bond, given, "U = k (r - r0)^2 (1 + c (r - r0))",
       PARAMETER(k, "kJ/mol/nm2", 0, 1e9) PARAMETER(c, "1/nm", -1e6, 1e6)
           PARAMETER(r0, "nm", 0, 1e3))
BONDED(bond, flat_bottomed, 2, 0, none, 0, bond, given,
       "U = k (r - low)^2 below low, 0 to up1, k (r - up1)^2 to up2, then its tangent; no chemical "
       "bond: makes no exclusions",
       PARAMETER(k, "kJ/mol/nm2", 0, 1e9) PARAMETER(low, "nm", 0, 1e6) PARAMETER(up1, "nm", 0, 1e6)
           PARAMETER(up2, "nm", 0, 1e6))
BONDED(bond, lennard_jones, 2, 0, none, 0, lj, given,
       "U = c12 / r^12 - c6 / r^6 at any distance, no chemical bond: makes no exclusions",
       PARAMETER(c6, "kJ nm6/mol", -1e9, 1e9) PARAMETER(c12, "kJ nm12/mol", -1e9, 1e9))
BONDED(bond, coulomb, 2, 0, none, 0, qq, coulomb,
       "U = C qq / (epsilon_r r) at any distance, no chemical bond: makes no exclusions",
       PARAMETER(qq, "e2", -1e6, 1e6) PARAMETER(epsilon_r, "", 1e-3, 1e9))
BONDED(bond, table, 2, 0, table, 1, bond, table, "U = k f(r), f a table of r",
       PARAMETER(k, "", -1e9, 1e9) PARAMETER(tabulated, "table", 0, 1e4))
BONDED(bond, table_apart, 2, 0, table, 0, bond, table,
       "U = k f(r), f a table of r; no chemical bond: makes no exclusions",
       PARAMETER(k, "", -1e9, 1e9) PARAMETER(tabulated, "table", 0, 1e4))
BONDED(bond, site_harmonic, 2, 2, none, 1, bond, given,
       "U = k (r - r0)^2, r between sites of the two beads, d0 and d1 along their body z",
       PARAMETER(k, "kJ/mol/nm2", 0, 1e9) PARAMETER(r0, "nm", 0, 1e3) OPTIONAL(d0, "nm", -1e3, 1e3)
           OPTIONAL(d1, "nm", -1e3, 1e3))
BONDED(angle, cosine_squared, 3, 0, none, 0, angle, cosine,
       "U = k (cos t - cos t0)^2, t at the second bead",
       PARAMETER(k, "kJ/mol", 0, 1e9) PARAMETER(theta0, "degrees", 0, 180))
BONDED(angle, dipole, 2, 1, none, 0, dipole_angle, cosine,
       "U = k (cos g - cos g0)^2, g between body z of the first bead and the line to the second",
       PARAMETER(k, "kJ/mol", 0, 1e9) PARAMETER(gamma0, "degrees", 0, 180))
BONDED(angle, harmonic, 3, 0, none, 0, angle, radians, "U = k (t - t0)^2, t at the second bead",
       PARAMETER(k, "kJ/mol/rad2", 0, 1e9) PARAMETER(theta0, "degrees", 0, 180))
BONDED(angle, restricted, 3, 0, none, 0, angle, cosine,
       "U = k (cos t - cos t0)^2 / max(sin^2 t, 1e-7), t at the second bead",
       PARAMETER(k, "kJ/mol", 0, 1e9) PARAMETER(theta0, "degrees", 0, 180))
BONDED(angle, quartic, 3, 0, none, 0, angle, polynomial,
       "U = sum of cn (t - theta0)^n, n from 0 to 4, angles in rad, t at the second bead",
       PARAMETER(theta0, "degrees", 0, 180) PARAMETER(c0, "kJ/mol", -1e9, 1e9)
           PARAMETER(c1, "kJ/mol/rad", -1e9, 1e9) PARAMETER(c2, "kJ/mol/rad2", -1e9, 1e9)
               PARAMETER(c3, "kJ/mol/rad3", -1e9, 1e9) PARAMETER(c4, "kJ/mol/rad4", -1e9, 1e9))
BONDED(angle, site_cosine_squared, 3, 3, none, 0, angle, cosine,
       "U = k (cos t - cos t0)^2, t at the second of sites of the beads, d0, d1, d2 along body z",
       PARAMETER(k, "kJ/mol", 0, 1e9) PARAMETER(theta0, "degrees", 0, 180)
           OPTIONAL(d0, "nm", -1e3, 1e3) OPTIONAL(d1, "nm", -1e3, 1e3)
               OPTIONAL(d2, "nm", -1e3, 1e3))
BONDED(angle, site_axis, 2, 2, none, 0, angle, cosine,
       "U = k (cos g - cos g0)^2, g between body z of the first bead and the line from its site, "
       "d0 along it, to that of the second, d1 along its body z",
       PARAMETER(k, "kJ/mol", 0, 1e9) PARAMETER(gamma0, "degrees", 0, 180)
           OPTIONAL(d0, "nm", -1e3, 1e3) OPTIONAL(d1, "nm", -1e3, 1e3))
BONDED(angle, cross_bond_bond, 3, 0, order, 0, angle, given,
       "U = k (r12 - r12 at rest) (r23 - r23 at rest)",
       PARAMETER(k, "kJ/mol/nm2", -1e9, 1e9) PARAMETER(r12, "nm", 0, 1e3)
           PARAMETER(r23, "nm", 0, 1e3))
BONDED(angle, cross_bond_angle, 3, 0, none, 0, angle, given,
       "U = k (r13 - r13 at rest) (r12 - r12 at rest + r23 - r23 at rest)",
       PARAMETER(k, "kJ/mol/nm2", -1e9, 1e9) PARAMETER(r12, "nm", 0, 1e3)
           PARAMETER(r23, "nm", 0, 1e3) PARAMETER(r13, "nm", 0, 1e3))
BONDED(angle, urey_bradley, 3, 0, none, 0, angle, radians,
       "U = k (t - t0)^2 + k13 (r13 - r13 at rest)^2, t at the second bead",
       PARAMETER(k, "kJ/mol/rad2", 0, 1e9) PARAMETER(theta0, "degrees", 0, 180)
           PARAMETER(k13, "kJ/mol/nm2", 0, 1e9) PARAMETER(r13, "nm", 0, 1e3))
BONDED(angle, linear, 3, 0, order, 0, angle, given,
       "U = k d^2, d from the second bead to the point a r1 + (1 - a) r3",
       PARAMETER(k, "kJ/mol/nm2", 0, 1e9) PARAMETER(a, "", 0, 1))
BONDED(angle, vectors, 4, 0, none, 0, angle, multiple,
       "U = k (1 - cos(n (t - theta0))), t between the vectors from 1 to 2 and from 3 to 4",
       PARAMETER(k, "kJ/mol", -1e9, 1e9) PARAMETER(n, "integer", 0, 100)
           PARAMETER(theta0, "degrees", -360, 360))
BONDED(angle, table, 3, 0, table, 0, angle, table,
       "U = k f(t), f a table of t from 0 to 180 degrees, t at the second bead",
       PARAMETER(k, "", -1e9, 1e9) PARAMETER(tabulated, "table", 0, 1e4))
BONDED(angle, vector_z, 2, 0, order, 0, angle, multiple,
       "U = k (1 - cos(n (t - theta0))), t between the vector from 1 to 2 and the z axis",
       PARAMETER(k, "kJ/mol", -1e9, 1e9) PARAMETER(n, "integer", 0, 100)
           PARAMETER(theta0, "degrees", -360, 360))
BONDED(dihedral, periodic, 4, 0, none, 0, dihedral, periodic,
       "U = k (1 + cos(n phi - phi0)), phi 180 degrees for trans",
       PARAMETER(k, "kJ/mol", -1e9, 1e9) PARAMETER(n, "integer", 0, 100)
           PARAMETER(phi0, "degrees", -360, 360))
BONDED(dihedral, harmonic, 4, 0, none, 0, dihedral, phase,
       "U = k (phi - phi0)^2, the difference on the circle",
       PARAMETER(k, "kJ/mol/rad2", 0, 1e9) PARAMETER(phi0, "degrees", -360, 360))
BONDED(dihedral, ryckaert_bellemans, 4, 0, none, 0, dihedral, given,
       "U = sum of cn cos^n(phi - 180 degrees), n from 0 to 5",
       PARAMETER(c0, "kJ/mol", -1e9, 1e9) PARAMETER(c1, "kJ/mol", -1e9, 1e9)
           PARAMETER(c2, "kJ/mol", -1e9, 1e9) PARAMETER(c3, "kJ/mol", -1e9, 1e9)
               PARAMETER(c4, "kJ/mol", -1e9, 1e9) PARAMETER(c5, "kJ/mol", -1e9, 1e9))
BONDED(dihedral, restricted, 4, 0, none, 0, dihedral, cosine,
       "U = k (cos phi - cos phi0)^2 / max(sin^2 phi, 1e-7)",
       PARAMETER(k, "kJ/mol", 0, 1e9) PARAMETER(phi0, "degrees", -360, 360))
BONDED(dihedral, bending_torsion, 4, 0, none, 0, dihedral, given,
       "U = sin^3 t1 sin^3 t2 (a0 + a1 cos phi + a2 cos^2 phi + a3 cos^3 phi + a4 cos^4 phi), t1 "
       "and t2 at the second and the third bead",
       PARAMETER(a0, "kJ/mol", -1e9, 1e9) PARAMETER(a1, "kJ/mol", -1e9, 1e9)
           PARAMETER(a2, "kJ/mol", -1e9, 1e9) PARAMETER(a3, "kJ/mol", -1e9, 1e9)
               OPTIONAL(a4, "kJ/mol", -1e9, 1e9))
BONDED(dihedral, flat_bottomed, 4, 0, none, 0, dihedral, width,
       "U = k (|phi - phi0| - width)^2 beyond the width, the difference on the circle",
       PARAMETER(k, "kJ/mol/rad2", 0, 1e9) PARAMETER(phi0, "degrees", -360, 360)
           PARAMETER(width, "degrees", 0, 180))
BONDED(dihedral, table, 4, 0, table, 0, dihedral, table,
       "U = k f(phi), f a table of phi from -180 to 180 degrees",
       PARAMETER(k, "", -1e9, 1e9) PARAMETER(tabulated, "table", 0, 1e4))
BONDED(restraint, place, 1, 0, anchor, 0, external, given,
       "U = (kx dx^2 + ky dy^2 + kz dz^2) / 2, d from its place to the bead",
       PARAMETER(kx, "kJ/mol/nm2", 0, 1e9) PARAMETER(ky, "kJ/mol/nm2", 0, 1e9)
           PARAMETER(kz, "kJ/mol/nm2", 0, 1e9))
BONDED(
    restraint, flat_bottomed, 1, 0, anchor, 0, external, given,
    "U = k (s - |r|)^2 / 2 beyond |r|, for r below 0 within it; s: the distance of the bead from "
    "its place along the axes with 1 (model/restraint_shape.h)",
    PARAMETER(k, "kJ/mol/nm2", 0, 1e9) PARAMETER(r, "nm", -1e6, 1e6) PARAMETER(x, "integer", 0, 1)
        PARAMETER(y, "integer", 0, 1) PARAMETER(z, "integer", 0, 1))
BONDED(excluded, reaction_field, 2, 0, charges, 0, qq, reaction_field,
       "U = C qi qj / epsilon_r (k r^2 / cutoff^2 - (1 + k)) / cutoff, r below the cutoff",
       PARAMETER(epsilon_r, "", 1e-3, 1e9) PARAMETER(k, "", -1, 0.5)
           PARAMETER(cutoff, "nm", 1e-3, 1e3))
#undef BONDED
#undef PARAMETER
#undef OPTIONAL
#endif
