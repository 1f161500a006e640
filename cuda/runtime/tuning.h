/* Thresholds of system size at which the backend changes its method, each with its measurement.
   Rates are in million bead-steps per second in mixed precision, of one H200, unless noted;
   docs/develop/recipes.md says where the tables are. Thresholds that decide the order of a sum
   count the beads of all ranks, so that bits do not depend on the number of ranks. */
#ifndef TUNING_CUDA_H
#define TUNING_CUDA_H

/* Beads of all ranks: bits depend on these. */
enum {
  /* From here on bonded terms have a kernel of their own. Martini, 921,600 beads: passes 313
     instead of 445 microseconds, and 103 for bonded terms. With fewer beads the additional launch
     costs more than idle lanes do. */
  BONDED_APART_LEAST = 50000,
  /* Four lanes per bead instead of eight (runtime/lanes.h), milliseconds per step with four and
     with eight: ELBA, double, 253,440 beads: 0.653, 0.698; LJ, 8,192: 0.0139, 0.0136. */
  FOUR_LANES_LEAST = 50000,
  /* The same for lists with charges and without axes: Martini, 20,736 beads: 582 and 547. */
  FOUR_LANES_CHARGES_LEAST = 15000,
  /* Two lanes instead of four where the cutoff is short, milliseconds per step with two and with
     four: LJ, 131,072 beads: 0.0459, 0.0464; with a cutoff of 4.5 sigma 0.130, 0.117. Nothing was
     measured between 8,192 and 131,072. */
  TWO_LANES_LEAST = 100000
};
/* Lists with a shorter cutoff, in sigma, may have two lanes: a bead of an LJ liquid has about 70
   partners within it. */
#define TWO_LANES_CUTOFF 2.75
/* Beads of a rank: only times depend on these. */
enum {
  /* With more beads the host is notified within a step whether the lists hold (early_notify), so
     that it submits the next step in time: ELBA, one million beads: 740 instead of 734. On one rank
     (ALONE) CUDA graphs, which exclude that, are faster up to a larger size: without them 112,640
     beads lost 2 %. */
  NOTIFIED_BEADS = 50000,
  NOTIFIED_BEADS_ALONE = 200000,
  /* From here on forces of boundary beads run concurrently with those of the interior. With fewer
     beads the interior has ended when the halo arrives (two H100). */
  BOUNDARY_BESIDE_LEAST = 100000,
  /* From here on moved beads are stored coalesced through shared memory: ELBA, 112,640 beads: 653
     instead of 647; 7,040: 2 % slower, from the latency of synchronising the warp. */
  COALESCED_LEAST = 30000,
  /* Up to here the kernels of a step are linked (cuda_step_links); at most COALESCED_LEAST. */
  LINKED_MOST = 30000,
  /* From here on warps build the lists of groups of eight beads, not four: LJ, two million beads:
     2,557 instead of 2,406. With fewer beads more warps pay more than larger groups. */
  FULL_GROUPS_LEAST = 30000,
  /* Clusters from which small ones have four lanes instead of eight: cholesterol, 858,872 beads,
     with four lanes and registers that do not spill: 1,426 instead of 1,371. */
  FOUR_LANES_CLUSTERS_LEAST = 8192
};

#endif
