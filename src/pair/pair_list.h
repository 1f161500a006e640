/* Every term that a pair interaction can be made of, once. Included several times, with one of
   these macros defined:

   FAMILY(name): a struct pair_<name> of coefficients that a pair of types has (struct pair_coef
   holds one of each).
   COEF(family, member, use): a member of it, a real. use is force where kernels without energies
   read it, else energy. Kernels load the members of the families of their terms, and no others.
   TERM(geometry, name, channel, family, charges, smooth, call):
     geometry what it reads of two beads, and so which records a pass with it needs:
              point  their distance,                         U(s)
              axis   and one axis of each,                   U(s, a, b, c); 0 without axes, or
                     with charges instead of them
              shape  the same, but not 0 where a bead has no axis
              body   and all three axes of each (sticky),    U(s, a, b, c, xi, yi, xj, yj)
     channel  the energy that it is reported under (model/energy_list.h)
     family   its coefficients, or none
     charges  how many of the two beads must have a charge, else it is 0: 0, 1 or 2
     smooth   1 where energy and slopes vanish at the cutoff; of modified terms, where their
              treatment says so
     call     adds it: c the coefficients (struct pair_coef), k the constants of the pass
              (pair_coef.h), p the arguments, v the sums (pair_sum.h), energy all channels
   SLOPE(name, channel): a term adds its slope by lambda to another channel too

   A new term is its function pair_<name>_add and its lines here; the sets that it occurs in, under
   PAIR_SETS (pair_sets.h); which force fields have it and in which pass (pair_pass.c; lj_<word> is
   that of a word of TRUNCATION_TERMS); and where it has a family of its own, the struct of it
   (pair_coef.h) and how this is set from a force field (coefs_set in model_body.h). Gathering,
   kernels, energies and tests follow.

   The header of a term is that of the first word of its name, pair_<word>.h, which pair.h includes.
   Units of kernels for GPUs define PAIR_ONLY, a set, and have included the headers of its terms:
   then they are not compiled again when another term changes. */
#ifdef FAMILY
FAMILY(lj)
FAMILY(sticky)
FAMILY(gb)
FAMILY(shape)
FAMILY(tabulated)
FAMILY(soft)
#endif

#ifdef COEF
COEF(lj, a12, force)
COEF(lj, b6, force)
COEF(lj, a, energy)
COEF(lj, b, energy)
COEF(sticky, half, force)
COEF(sticky, half_prime, force)
COEF(sticky, w0, force)
COEF(sticky, on, force)
COEF(sticky, end, force)
COEF(sticky, factor, force)
COEF(sticky, on_prime, force)
COEF(sticky, end_prime, force)
COEF(sticky, factor_prime, force)
COEF(sticky, unit_i, force)
COEF(sticky, unit_j, force)
COEF(gb, xa2, force)
COEF(gb, xai2, force)
COEF(gb, x2, force)
COEF(gb, ya2, force)
COEF(gb, yai2, force)
COEF(gb, y2, force)
COEF(gb, is0, force)
COEF(gb, eps, force)
COEF(gb, unit_i, force)
COEF(gb, unit_j, force)
COEF(shape, dipole_i, force)
COEF(shape, dipole_j, force)
COEF(tabulated, first, force)
COEF(tabulated, pieces, force)
COEF(tabulated, start, force)
COEF(tabulated, inverse_step, force)
COEF(soft, a12, force)
COEF(soft, b6, force)
COEF(soft, sigma2, force)
COEF(soft, qq, force)
#endif

#ifdef TERM
TERM(point, lj_cut, lj, lj, 0, 0, pair_lj_cut_add(c.lj, p, v))
TERM(point, lj_force_shift, lj, lj, 0, 1, pair_lj_force_shift_add(c.lj, p, v))
TERM(point, lj_stoddard_ford, lj, lj, 0, 1, pair_lj_stoddard_ford_add(c.lj, p, v))
TERM(point, qq, qq, none, 2, 1, pair_qq_add(p.qi *p.qj, p, v))
TERM(axis, qd, qd, none, 1, 1, pair_qd_add(p, v))
TERM(axis, dd, dd, none, 0, 1, pair_dd_add(p, v))
TERM(point, lj_switch, lj, lj, 0, 1, pair_lj_switch_add(k, c.lj, p, v))
TERM(axis, dd_switch, dd, none, 0, 1, pair_dd_switch_add(k, p, v))
TERM(shape, gb, gb, gb, 0, 0, pair_gb_add(k, c.gb, p, v))
TERM(axis, qd_shape, qd, shape, 1, 1, pair_qd_shape_add(c.shape, p, v))
TERM(axis, dd_shape, dd, shape, 0, 1, pair_dd_shape_add(c.shape, p, v))
TERM(body, sticky, sticky, sticky, 0, 1, pair_sticky_add(c.sticky, p, v))
TERM(point, lj_energy_shift, lj, lj, 0, 0, pair_lj_energy_shift_add(c.lj, p, v))
TERM(point, qq_reaction_field, qq, none, 2, 0, pair_qq_reaction_field_add(k, p, v))
TERM(point, tabulated, lj, tabulated, 0, 0, pair_tabulated_add(k, c.tabulated, p, v))
TERM(point, lj_modified, lj, lj, 0, 1, pair_lj_modified_add(k, c.lj, p, v))
TERM(point, qq_modified, qq, none, 2, 1, pair_qq_modified_add(k, p.qi *p.qj, p, v))
TERM(point, soft_lj, lj, soft, 0, 1, energy[ENERGY_dudl_lj] += pair_soft_lj_add(k, c.soft, p, v))
TERM(point, soft_qq, qq, soft, 2, 1, energy[ENERGY_dudl_qq] += pair_soft_qq_add(k, c.soft, p, v))
#endif

#ifdef SLOPE
SLOPE(soft_lj, dudl_lj)
SLOPE(soft_qq, dudl_qq)
#endif
