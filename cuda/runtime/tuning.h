/* Sizes of a system from which on the backend does something another way, each with what was
   measured (one H200 if nothing else is said; docs/develop/recipes.md says where the tables
   are). What decides the order of a sum depends on the beads of all ranks only: then bits do not
   depend on ranks. */
#ifndef TUNING_CUDA_H
#define TUNING_CUDA_H

/* Beads of all ranks: bits depend on these. */
enum {
  /* Bonded terms have a kernel of their own: Martini, 921,600 beads: passes 445 to 313
     microseconds, bonded terms 103. With fewer beads the launch costs more than idle threads do. */
  BONDED_APART_LEAST = 50000,
  /* Lanes of a list (runtime/lanes.h), milliseconds a step. Four in place of eight: ELBA, double,
     253,440 beads: 0.653 and 0.698; LJ, 8,192: 0.0139 and 0.0136. */
  FOUR_LANES_LEAST = 50000,
  /* The same of lists with charges and without axes: Martini, 20,736 beads: 582 in place of 547
     million bead-steps a second. */
  FOUR_LANES_CHARGES_LEAST = 15000,
  /* Two where cutoffs are short: LJ, 131,072 beads: 0.0459 and with four 0.0464; cutoff 4.5: 0.130
     and 0.117. Nothing was measured between 8,192 and 131,072. */
  TWO_LANES_LEAST = 100000,
  /* Columns of cells half of the list radius wide, and not all of it: beads in a cube of the
     radius. Those of a warp are one above the other in a column: with fewer beads their box is too
     high. */
  NARROW_COLUMNS_LEAST = 40
};
/* The cutoff of lists that may have two lanes, in sigma: a bead of a melt has some 70 partners. */
#define TWO_LANES_CUTOFF 2.75

/* Beads of a rank: only times depend on these. */
enum {
  /* The host is notified early, within a step, whether lists hold, if there are more: then it
     submits the next step in time. One million beads: 734 to 740. Alone (one rank) graphs of steps
     are faster up to a larger size: 112,640 beads lost 2 %. */
  NOTIFIED_BEADS = 50000,
  NOTIFIED_BEADS_ALONE = 200000,
  /* The forces of boundary beads are concurrent with the interior. With fewer the interior has
     ended when the halo arrives (two H100). */
  BOUNDARY_BESIDE_LEAST = 100000,
  /* Moved beads are stored with coalesced stores: ELBA, 112,640 beads: 647 to 653; 7,040: -2 %,
     from the latency of synchronising the warp. */
  COALESCED_LEAST = 30000,
  /* Warps build lists of full groups. With fewer beads more warps pay more than fuller ones: LJ,
     two million beads: groups of four 2,406, of eight 2,557. */
  FULL_GROUPS_LEAST = 30000,
  /* Small clusters have four lanes in place of eight, counted in clusters: 858,872 beads: with
     four, and registers that do not spill, 1,371 to 1,426. */
  FOUR_LANES_CLUSTERS_LEAST = 8192
};

#endif
