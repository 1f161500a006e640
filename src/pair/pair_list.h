/* Every term that a pair interaction can be made of, once: its header above, its entry below.

   TERM(kind, name, channel, smooth, call): kind is point for U(s) or axis for U(s, a, b, c);
   channel is the energy it is reported under (enum pair_channel); smooth is 1 where energy and
   slopes vanish at the cutoff; call adds it, with c the coefficients of the pair of types (struct
   pair_coef), p the arguments and v the sums. Everything else follows: term bits, kernels,
   energies, tests. A new term is its header and one line here. Included several times. */
#ifndef TERM
#include "pair/pair_dd.h"
#include "pair/pair_lj.h"
#include "pair/pair_qd.h"
#include "pair/pair_qq.h"
#else
TERM(point, lj_cut, lj, 0, pair_lj_cut_add(c.lj, p, v))
TERM(point, lj_force_shift, lj, 1, pair_lj_force_shift_add(c.lj, p, v))
TERM(point, lj_stoddard_ford, lj, 1, pair_lj_stoddard_ford_add(c.lj, p, v))
TERM(point, qq, qq, 1, pair_qq_add(p.qi *p.qj, p, v))
TERM(axis, qd, qd, 1, pair_qd_add(p, v))
TERM(axis, dd, dd, 1, pair_dd_add(p, v))
#endif
