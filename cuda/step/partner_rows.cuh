/* The partners of a bead in force kernels: the rows of its list, shared by a few lanes, and the
   pair terms. In the precision of the unit that includes this. */
#ifndef PARTNER_ROWS_CUDA_CUH
#define PARTNER_ROWS_CUDA_CUH

#include "cuda/step/force_sums.cuh"

/* How a pass follows the kernel before it: alone; chained to a pass; linked (cuda_step_links): it
   searches for unlisted pairs too and may be chained to the integration. */
enum pass_mode { PASS_ALONE, PASS_CHAINED, PASS_LINKED };

/* The vector to the bead from a partner, in cutoffs. OBLIQUE, here and below: 1 for boxes that are
   not rectangular. */
template <int OBLIQUE>
DEVICE struct vec3 pair_vector(const struct centre &c, const struct bead_record &other)
{
  const struct vec3 r = vec3_make(R(torus_difference(c.me.x[0], other.x[0])) * c.unit.h[0],
                                  R(torus_difference(c.me.x[1], other.x[1])) * c.unit.h[1],
                                  R(torus_difference(c.me.x[2], other.x[2])) * c.unit.h[2]);
  return OBLIQUE ? box_shear(&c.unit, r) : r;
}

/* 1 where the index has to tell a pair of a bead with itself. Else its distance does
   (pair_clamped), or its force is a finite number times r = 0; its energy is not 0. */
template <int SUMS> DEVICE constexpr int itself_counts(void)
{
  return SUMS || sizeof(real) == 8;
}

/* 1 where all terms end at the cutoff with a force: then a pair beyond it is not added, instead of
   with factors of 0. */
template <unsigned TERMS, int SUMS> DEVICE constexpr int terms_end(void)
{
  return !SUMS && pair_set_axes(TERMS) == 0 && (TERMS & PAIR_SMOOTH_TERMS) == 0;
}

/* The pair with partner j, r = pair_vector. *inside: whether it is inside the cutoff. SET: the
   terms of the kernel; TERMS: those of this loop; SUMS: what the kernel sums besides forces, 0 or
   of enum force_flags. */
template <unsigned SET, unsigned TERMS, int SUMS>
DEVICE struct pair_value pair_with(const struct pair_constants &constants, const struct centre &c,
                                   int j, const struct bead_record &other,
                                   const struct pair_bead &bead, struct vec3 r, int *inside)
{
  const int self = itself_counts<SUMS>() && j == c.i;
  struct pair_arg p = pair_arguments(r, c.bead, bead, self, TERMS);
  *inside = p.inside > R(0);
  if (terms_end<TERMS, SUMS>()) p.inside = 1;
  return pair_evaluate(TERMS, constants, coef_load<SET, SUMS == FORCE_ENERGY>(c, other.type), p);
}

/* Adds that pair. */
template <unsigned SET, unsigned TERMS, int SUMS, int OBLIQUE>
DEVICE void pair_add(const struct pair_constants &constants, const struct centre &c, int j,
                     const struct bead_record &other, const struct pair_bead &bead,
                     struct pair_sum *sum, struct pair_totals<real> *totals)
{
  const int axes = pair_set_axes(TERMS);
  const struct vec3 r = pair_vector<OBLIQUE>(c, other);
  int inside;
  const struct pair_value v = pair_with<SET, TERMS, SUMS>(constants, c, j, other, bead, r, &inside);
  if (inside || !terms_end<TERMS, SUMS>()) *sum = pair_gather(*sum, v.slope, r, bead, axes);
  if (!SUMS) return;
  struct vec3 f = pair_force(pair_gather(pair_none(), v.slope, r, bead, axes), c.bead, axes);
  const real d[3] = {r.x, r.y, r.z}, g[3] = {f.x, f.y, f.z};
#pragma unroll
  for (int k = 0; k < 9; k++)
    if (virial_is_own(SET, SUMS, k)) totals->w[k] = real_fma(d[k / 3], g[k % 3], totals->w[k]);
#pragma unroll
  for (int k = 0; k < ENERGIES; k++)
    if (SUMS == FORCE_ENERGY && (set_channels(TERMS) >> k & 1)) totals->u[k] += v.energy[k];
}

/* Adds N of the partners of one lane in a row: j. MODE: of enum pass_mode. PARTIALS: PARTIALS_OF;
   so many sums take the entries of a row in turn. */
template <unsigned SET, unsigned TERMS, int SUMS, int MODE, int OBLIQUE, int PARTIALS, int N>
DEVICE void partners_add(const struct force_pass &pass, const struct centre &c, const int j[4],
                         struct pair_sum *sum, struct thread_sums *sums)
{
  struct bead_record other[N];
  struct pair_bead bead[N];
  if (SUMS) row_begin(sums);
#pragma unroll
  for (int k = 0; k < N; k++) {
    other[k] = record_load<MODE == PASS_LINKED>(pass.view, j[k]);
    bead[k] = bead_load<MODE == PASS_LINKED>(pass.view, j[k], pair_set_records(TERMS));
  }
#pragma unroll
  for (int k = 0; k < N; k++)
    pair_add<SET, TERMS, SUMS, OBLIQUE>(pass.terms.constants, c, j[k], other[k], bead[k],
                                        sum + k % PARTIALS,
                                        SUMS ? row_totals<PARTIALS>(sums, k) : NULL);
  if (SUMS) row_end<SET, TERMS, SUMS>(sums);
}

/* Adds the partners of one lane in a part of the list of a bead, and prefetches the indices of each
   next row, in this part or the next. A half row is not filled up; kernels with sums take it
   whole. */
template <unsigned SET, unsigned TERMS, int SUMS, int MODE, int OBLIQUE, int PARTIALS>
DEVICE void rows_add(const struct force_pass &pass, const struct centre &c, int part,
                     struct lane lane, struct row_walk *walk, struct pair_sum *sum,
                     struct thread_sums *sums)
{
  const int halves = centre_halves(c, part), step = part ? -lane.n : lane.n;
  const int base = part_base(pass, part, lane), last = base + (halves / 2 - 1) * step;
  const int after = part ? base : part_first(pass, c, 1, lane);
  int more = halves / 2 > 0;
  if (halves & 1) {
    const int j[4] = {walk->next.x, walk->next.y, walk->next.z, walk->next.w};
    walk->at = more ? base : after;
    walk->next = __ldcs(walk->first + walk->at);
    partners_add<SET, TERMS, SUMS, MODE, OBLIQUE, PARTIALS, SUMS ? 4 : 2>(pass, c, j, sum, sums);
  }
  while (more) {
    const int j[4] = {walk->next.x, walk->next.y, walk->next.z, walk->next.w};
    more = walk->at != last;
    walk->at = more ? walk->at + step : after;
    if (more || part == 0) walk->next = __ldcs(walk->first + walk->at);
    partners_add<SET, TERMS, SUMS, MODE, OBLIQUE, PARTIALS, 4>(pass, c, j, sum, sums);
  }
}

/* The terms of a loop over the partners in a part: those in part 0 have no charge. */
HD constexpr unsigned part_terms(int rows, unsigned set, int part)
{
  return rows_terms(rows, set) & (part ? ~0u : ~(unsigned)PAIR_TWO_CHARGE_TERMS);
}

/* Sums over the partners of a bead in a part of its list. It uses the loop with the fewest terms
   that suffices; the last loop has all. Warps do not diverge, since none has beads of two classes.
   A loop without terms is left out. */
template <unsigned SET, int SUMS, int MODE, int OBLIQUE, int PARTIALS, int PART>
DEVICE void part_add(const struct force_pass &pass, const struct centre &c, int place,
                     struct lane lane, struct row_walk *walk, struct pair_sum *sum,
                     struct thread_sums *sums)
{
  constexpr unsigned most = part_terms(ROWS_SETS - 1, SET, PART);
#define ROWS(name, terms)                                                                          \
  if constexpr (part_terms(ROWS_##name, SET, PART) != 0) {                                         \
    constexpr unsigned these = part_terms(ROWS_##name, SET, PART);                                 \
    if (these == most || place >= pass.from[PART][ROWS_##name])                                    \
      return rows_add<SET, these, SUMS, MODE, OBLIQUE, PARTIALS>(pass, c, PART, lane, walk, sum,   \
                                                                 sums);                            \
  }
#include "cuda/runtime/classes.h"
#undef ROWS
}

template <unsigned SET, int SUMS, int MODE, int OBLIQUE, int PARTIALS>
DEVICE struct pair_sum pairs_add(const struct force_pass &pass, const struct centre &c, int place,
                                 struct lane lane, struct row_walk walk, struct thread_sums *sums)
{
  struct pair_sum sum[PARTIALS];
#pragma unroll
  for (int k = 0; k < PARTIALS; k++)
    sum[k] = pair_none();
  part_add<SET, SUMS, MODE, OBLIQUE, PARTIALS, 0>(pass, c, place, lane, &walk, sum, sums);
  part_add<SET, SUMS, MODE, OBLIQUE, PARTIALS, 1>(pass, c, place, lane, &walk, sum, sums);
#pragma unroll
  for (int half = PARTIALS / 2; half > 0; half /= 2)
#pragma unroll
    for (int k = 0; k < half; k++)
      sum[k] = sums_joined<SET>(sum[k], sum[k + half]);
  return sum[0];
}

#endif
