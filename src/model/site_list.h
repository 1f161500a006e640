/* Every way to construct a virtual site, once. Included several times, with SITE and PARAMETER
   defined.

   SITE(form, parents, formula, parameters):
   - form: its name in force fields
   - parents: how many beads it is constructed from; 0: any number, each with a weight
   - formula: the position of the site s from those of its parents 1, 2, ...; r12 goes from 1 to 2
   - parameters: PARAMETER(name, unit, low, high) of each, in the order of their values

   A new form is its row here and its two cases in dynamics/site_body.h: the position, and the force
   that a parent gets of a force on the site. The keys of force fields, `lamella forcefield --help`
   and the manual's table (make manual) follow. */
#ifdef SITE
SITE(linear, 2, "s = r1 + a r12", PARAMETER(a, "1", -1e3, 1e3))
SITE(distance, 2, "s = r1 + d r12 / |r12|", PARAMETER(d, "nm", -1e3, 1e3))
SITE(plane, 3, "s = r1 + a r12 + b r13", PARAMETER(a, "1", -1e3, 1e3) PARAMETER(b, "1", -1e3, 1e3))
SITE(plane_distance, 3, "s = r1 + d u / |u|, u = r12 + a r23",
     PARAMETER(a, "1", -1e3, 1e3) PARAMETER(d, "nm", -1e3, 1e3))
SITE(in_plane, 3,
     "s = r1 + a u + b v, u and v of length 1: u along r12, v along the part of r13 across u",
     PARAMETER(a, "nm", -1e3, 1e3) PARAMETER(b, "nm", -1e3, 1e3))
SITE(above_plane, 4, "s = r1 + c n / |n|, n = (a r13 - r12) x (b r14 - r12)",
     PARAMETER(a, "1", -1e3, 1e3) PARAMETER(b, "1", -1e3, 1e3) PARAMETER(c, "nm", -1e3, 1e3))
SITE(out_of_plane, 3, "s = r1 + a r12 + b r13 + c (r12 x r13)",
     PARAMETER(a, "1", -1e3, 1e3) PARAMETER(b, "1", -1e3, 1e3) PARAMETER(c, "1/nm", -1e6, 1e6))
SITE(centre, 0, "s = sum of wk rk, the weights divided by their sum", )
#undef SITE
#undef PARAMETER
#endif
