/* Interaction classes: beads of a class need the same terms, and no warp has beads of two of them.
   Included several times, with one of these macros defined:

   ROWS(name, terms): a set of terms that a loop over partners is compiled for, made of set, the
   terms of the pass. Those with fewer terms come first; the last is set.
   CLASS(name, condition, part, rows0, rows1): a bead belongs to the first class whose condition
   holds, in which set stands for the terms of all passes, charge and axis for what the model has of
   its type. As partners its beads stand in a part of the lists, 0 or 1; rows0 and rows1 are the
   loops that it needs with partners of part 0 and 1. Work is ordered by class, so that down the
   list loops must not get more terms (step/model.cuh checks it).

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
