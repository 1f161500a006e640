/* Interaction classes: beads of a class need the same pair terms, and no warp has beads of two
   classes. Included several times, with one of these macros defined:

   ROWS(name, terms): a loop over partners, compiled for `terms`, an expression of `set`, the terms
   of the pass. Loops with fewer terms come first; the last has all.

   CLASS(name, condition, part, rows0, rows1): a bead is of the first class whose condition holds.
   In it, `set` is the terms of all passes, `charge` and `axis` those of the bead type. part: the
   part of the lists, 0 or 1, that beads of the class are in as partners. rows0, rows1: the loops
   that beads of the class need for partners of part 0 and part 1. Beads are processed class by
   class, so no class may need more terms than the one before it (step/model_upload.cuh checks it).

   A new class is a line here. A loop that leaves out a term is a new ROWS, and is only right where
   that term is 0 for all pairs of the class with the part. */
#ifdef ROWS
ROWS(point, (set) & ~(unsigned)(PAIR_CHARGE_TERMS | PAIR_POLAR_TERMS))
ROWS(uncharged, (set) & ~(unsigned)PAIR_CHARGE_TERMS)
ROWS(all, (set))
#endif

#ifdef CLASS
CLASS(charged, (set & PAIR_CHARGE_TERMS) != 0 && charge != 0, 1, all, all)
CLASS(axis, (set & PAIR_AXIS_TERMS) != 0 && axis != 0, 0, uncharged, all)
CLASS(point, 1, 0, point, point)
#endif
