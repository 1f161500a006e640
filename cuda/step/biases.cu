/* Coordinates and biases: sums of groups over their owned beads, one thread that computes
   coordinates and forces on the groups (pair/bias_body.h), and the forces on their beads. The first
   two are in streams.side, concurrent with the forces of the step. In double for both precisions.
   Nothing is launched in a run without coordinates. */
#include "cuda/step/biases.cuh"

#include "cuda/runtime/memory.h"

static void hills_open(struct gpu *c, struct gpu_biases *own)
{
  const struct hill_grid *g = &c->config.biases->set.hills;
  struct hill_store *h = &own->hills;
  const char *what = "metadynamics";
  if (!g->n) return;
  const int64_t bytes = (int64_t)hill_nodes(g) * hill_node_values(g) * (int64_t)sizeof *h->node;
  cuda_grow(c, &h->node, bytes, 0, what);
  cuda_grow(c, &h->recent, HILLS_RECENT * sizeof *h->recent, 0, what);
}

static void contacts_open(struct gpu *c, struct gpu_biases *own)
{
  const struct biases *from = c->config.biases;
  const int each = from->set.n_contacts;
  const char *what = "contacts";
  if (each == 0) return;
  const int64_t places = SLOT_PLACE_WORDS * from->set.n_slots * (int64_t)sizeof *own->places;
  const int64_t slopes = 3 * from->set.n_slots * (int64_t)sizeof *own->slopes;
  CUDA_UPLOAD(c, &own->slot_id, from->slot_id, from->set.n_slots, what);
  cuda_grow(c, &own->places, places, 0, what);
  cuda_grow(c, &own->slopes, slopes, 0, what);
  CUDA(cudaMemset(own->places, 0, (size_t)places));
  CUDA(cudaMemset(own->slopes, 0, (size_t)slopes));
  cuda_per_bead(c, &own->slot, each * (int)sizeof *own->slot, 0, 0, what);
  cuda_per_bead(c, &own->slope, 3 * each * (int)sizeof *own->slope, 0, 0, what);
  cuda_depends(c, GRAPH_STEPS, &own->slot, sizeof own->slot);
  cuda_depends(c, GRAPH_STEPS, &own->slope, sizeof own->slope);
}

void cuda_biases_open(struct gpu *c)
{
  const struct biases *from = c->config.biases;
  const char *what = "coordinates";
  struct bead_set group[CENTRES_MOST];
  if (!from) return;
  const int n = from->set.n_centres;
  struct gpu_biases *own = NEW_STATE(gpu_biases, c, biases);
  for (int k = 0; k < n; k++)
    group[k] = cuda_bead_set(c, &from->group[k], what);
  struct bias_set *set = (struct bias_set *)cuda_state(c, sizeof *set);
  *set = from->set;
  for (int k = 0; k < set->n_biases; k++)
    if (set->bias[k].n_pieces > 0) {
      set->bias[k].piece = NULL;
      CUDA_UPLOAD(c, &set->bias[k].piece, from->set.bias[k].piece, set->bias[k].n_pieces, what);
    }
  CUDA_UPLOAD(c, &own->set, set, 1, what);
  CUDA_UPLOAD(c, &own->group, group, n, what);
  CUDA_UPLOAD(c, &own->weight, from->weight, (int64_t)n * c->config.ff->n_types, what);
  const int64_t words = bias_words(&from->set) * (int64_t)sizeof *own->word;
  const int64_t rows = (int64_t)BIAS_ROWS * bias_row_length(&from->set) * (int64_t)sizeof *own->row;
  if (from->ease) {
    const int64_t motion = (int64_t)MOTION_WORDS * n * (int64_t)sizeof *own->motion;
    CUDA_UPLOAD(c, &own->ease, from->ease, (int64_t)n * c->config.ff->n_types, what);
    cuda_grow(c, &own->motion, motion, 0, what);
    CUDA(cudaMemset(own->motion, 0, (size_t)motion));
  }
  cuda_grow(c, &own->word, words, 0, what);
  cuda_grow(c, &own->state, 2 * sizeof *own->state, 0, what);
  cuda_grow(c, &own->row, rows, 0, what);
  cuda_grow(c, &own->n, sizeof *own->n, 0, what);
  CUDA(cudaMemset(own->word, 0, (size_t)words));
  CUDA(cudaMemset(own->state, 0, 2 * sizeof *own->state));
  CUDA(cudaMemset(own->n, 0, sizeof *own->n));
  hills_open(c, own);
  contacts_open(c, own);
  cuda_per_bead(c, &own->bead, sizeof *own->bead, 0, 0, what);
  cuda_per_bead(c, &own->mask, sizeof *own->mask, 0, 0, what);
  cuda_depends(c, GRAPH_STEPS, &own->bead, sizeof own->bead);
  cuda_depends(c, GRAPH_STEPS, &own->mask, sizeof own->mask);
}

/* One thread per owned bead. */
static __global__ void members_find(const __grid_constant__ struct bias_job j, int n_centres, int n,
                                    const int64_t *id)
{
  const int64_t i = thread_index();
  if (i >= n) return;
  const uint32_t mask = centre_mask(j.of.group, n_centres, j.record[i].type, id[i]);
  if (!mask) return;
  const int to = atomicAdd(j.of.n, 1);
  j.of.bead[to] = (int)i;
  j.of.mask[to] = mask;
  const struct bias_set *set = j.of.set;
  for (int k = 0; set->n_contacts && k < set->n_coordinates; k++) {
    const struct contacts *of = &set->coordinate[k].contacts;
    if (set->coordinate[k].kind == COORDINATE_contacts)
      j.of.slot[(int64_t)set->n_contacts * to + of->order] = slot_find(of, j.of.slot_id, id[i]);
  }
}

/* Adds the pairs of bead m of the larger group with all slots, and sets the slope by its place.
   place: of the slots. slopes: to add to those by the places of the slots; NULL: not. Returns 1 if
   it has contacts. */
DEVICE int contacts_of_bead(const struct bias_job &j, const struct coordinate *c,
                            const struct contact_space *space, int64_t m, const int64_t *place,
                            int64_t moment[CONTACT_MOMENTS], int64_t *slopes)
{
  const struct contacts *of = &c->contacts;
  const int64_t at = j.of.set->n_contacts * m + of->order;
  const int own = j.of.slot[at];
  const struct bead_record *bead = &j.record[j.of.bead[m]];
  const int32_t x[3] = {bead->x[0], bead->x[1], bead->x[2]};
  int64_t slope[3] = {0, 0, 0};
  int any = 0;
  for (int s = of->first_slot; s < of->first_slot + of->n_slots; s++) {
    int64_t g[3];
    if (s == own || !contact_add(of, space, x, place + SLOT_PLACE_WORDS * s, moment, g)) continue;
    any = 1;
    for (int k = 0; k < 3; k++) {
      slope[k] += g[k];
      if (slopes) add_int64(&slopes[3 * s + k], -g[k]);
    }
  }
  for (int k = 0; k < 3; k++)
    j.of.slope[3 * at + k] = slope[k];
  return any;
}

/* The pairs of the owned beads of the larger group of a coordinate, as contacts_of_bead. */
DEVICE int contacts_of_beads(const struct bias_job &j, const struct coordinate *c,
                             const int64_t *place, int64_t moment[CONTACT_MOMENTS], int64_t *slopes)
{
  const int n = *j.of.n, many = c->centre[1 - c->contacts.few], each = j.of.set->n_contacts;
  const struct contact_space space = contact_space_of(&c->contacts, j.report->box.now.box);
  int any = 0;
  for (int w = 0; w < CONTACT_MOMENTS; w++)
    moment[w] = 0;
  for (int64_t m = thread_index(); m < n; m += (int64_t)gridDim.x * blockDim.x) {
    if (j.of.mask[m] >> many & 1)
      any |= contacts_of_bead(j, c, &space, m, place, moment, slopes);
    else
      for (int d = 0; d < 3; d++)
        j.of.slope[3 * (each * m + c->contacts.order) + d] = 0;
  }
  return any;
}

/* Adds the pairs of contacts to the words of the coordinates and of the slots. */
static __global__
__launch_bounds__(THREADS) void contacts_sum(const __grid_constant__ struct bias_job j)
{
  if (is_over(j)) return;
  const struct bias_set *set = j.of.set;
  for (int k = 0; k < set->n_coordinates; k++) {
    const struct coordinate *c = &set->coordinate[k];
    int64_t moment[CONTACT_MOMENTS];
    if (c->kind != COORDINATE_contacts) continue;
    const int any =
        contacts_of_beads(j, c, slot_places(set, j.of.word), moment, slot_slopes(set, j.of.word));
    if (!__syncthreads_or(any)) continue;
    for (int w = 0; w < CONTACT_MOMENTS; w++)
      block_add(moment[w], &j.of.word[bias_place_words(set) + c->first_moment + w]);
  }
}

/* Sets the slopes again by the places of the step, whose beads are in another order, or come from
   other ranks. */
static __global__
__launch_bounds__(THREADS) void slopes_find(const __grid_constant__ struct bias_job j)
{
  const struct bias_set *set = j.of.set;
  for (int k = 0; k < set->n_coordinates; k++) {
    const struct coordinate *c = &set->coordinate[k];
    int64_t moment[CONTACT_MOMENTS];
    if (c->kind == COORDINATE_contacts) (void)contacts_of_beads(j, c, j.of.places, moment, NULL);
  }
}

void cuda_biases_find(struct gpu *c)
{
  if (!c->biases) return;
  CUDA_CLEAR(c, c->biases->n, sizeof *c->biases->n);
  LAUNCH(members_find, c->base.n, THREADS, c, job_of(c), c->config.biases->set.n_centres, c->base.n,
         c->arrays->id);
  if (c->config.biases->set.n_contacts > 0)
    LAUNCH(slopes_find, member_threads(c), THREADS, c, job_of(c));
}

/* Adds the sums of the groups to j.of.word. */
static __global__
__launch_bounds__(THREADS) void centres_sum(const __grid_constant__ struct bias_job j)
{
  if (is_over(j)) return;
  const struct bias_set *set = j.of.set;
  const struct bias_state *before = state_of(j, step_of(j) - 1);
  const int n = *j.of.n, words = j.residual ? CENTRE_WORDS : CENTRE_FINE;
  for (int k = 0; k < set->n_centres; k++) {
    int64_t word[CENTRE_WORDS];
    int any = 0;
    for (int w = 0; w < CENTRE_WORDS; w++)
      word[w] = 0;
    for (int64_t m = thread_index(); m < n; m += (int64_t)gridDim.x * blockDim.x) {
      if (!(j.of.mask[m] >> k & 1)) continue;
      const int64_t i = j.of.bead[m];
      const struct bead_record *bead = &j.record[i];
      centre_add(bead->x, j.residual ? j.residual + 3 * i : NULL, before->place[k], set->reads[k],
                 j.of.weight[k * j.types + bead->type], word);
      any = 1;
    }
    if (!__syncthreads_or(any)) continue;
    for (int w = 0; w < words; w++)
      block_add(word[w], &j.of.word[CENTRE_WORDS * k + w]);
  }
  int64_t *place = slot_places(set, j.of.word);
  for (int64_t m = thread_index(); set->n_contacts && m < n; m += (int64_t)gridDim.x * blockDim.x)
    for (int q = 0; q < set->n_contacts; q++) {
      const int slot = j.of.slot[set->n_contacts * m + q];
      if (slot >= 0) slot_place_set(j.record[j.of.bead[m]].x, place + SLOT_PLACE_WORDS * slot);
    }
}

static __global__
__launch_bounds__(SOLVE_THREADS) void places_set(const __grid_constant__ struct bias_job j)
{
  const int64_t step = step_of(j);
  if (!is_over(j)) places_set_block(j, state_of(j, step - 1), state_of(j, step));
}

/* Adds the moments of the coordinates to their words. */
static __global__
__launch_bounds__(THREADS) void moments_sum(const __grid_constant__ struct bias_job j)
{
  if (is_over(j)) return;
  const struct bias_set *set = j.of.set;
  const struct bias_state *now = state_of(j, step_of(j));
  int64_t *word = j.of.word + bias_place_words(set);
  const int n = *j.of.n;
  for (int k = 0; k < set->n_coordinates; k++) {
    const struct coordinate *c = &set->coordinate[k];
    if (!coordinate_of_beads(c)) continue;
    const int centre = c->centre[c->n_centres - 1];
    struct coordinate_work w;
    int64_t own[MOMENTS_MOST];
    int any = 0;
    coordinate_work_set(set, k, now, j.report->box.now.box, &w);
    for (int m = 0; m < MOMENTS_MOST; m++)
      own[m] = 0;
    for (int64_t m = thread_index(); m < n; m += (int64_t)gridDim.x * blockDim.x) {
      if (!(j.of.mask[m] >> centre & 1)) continue;
      const struct bead_record *bead = &j.record[j.of.bead[m]];
      moments_add(set, k, &w, bead->x, j.of.weight[centre * j.types + bead->type], own);
      any = 1;
    }
    if (!__syncthreads_or(any)) continue;
    for (int m = 0; m < c->n_moments; m++)
      block_add(own[m], &word[c->first_moment + m]);
  }
}

/* Copies a state with all threads of a block; all loads are under way before the first store.
   Block-collective, without a barrier. */
DEVICE void state_copy(struct bias_state *to, const struct bias_state *from)
{
  constexpr int words = sizeof *to / sizeof(int64_t), each = words / SOLVE_THREADS + 1;
  const int t = (int)threadIdx.x;
  int64_t word[each];
#pragma unroll
  for (int k = 0; k < each; k++)
    word[k] = k * SOLVE_THREADS + t < words ? ((const int64_t *)from)[k * SOLVE_THREADS + t] : 0;
#pragma unroll
  for (int k = 0; k < each; k++)
    if (k * SOLVE_THREADS + t < words) ((int64_t *)to)[k * SOLVE_THREADS + t] = word[k];
}

/* One block: after the places of the centres a thread for each coordinate, all for the nodes of the
   hill that is due, a thread for each bias, then thread 0 for the rest. The state is in shared
   memory meanwhile: thread 0 reads it many times, one word after the other. */
static __global__
__launch_bounds__(SOLVE_THREADS) void biases_solve(const __grid_constant__ struct bias_job j)
{
  __shared__ struct bias_state now;
  __shared__ struct coordinate_work work[COORDINATES_MOST];
  if (is_over(j)) return;
  const struct bias_set *set = j.of.set;
  const int64_t step = step_of(j);
  const struct bias_state *before = state_of(j, step - 1);
  const int t = (int)threadIdx.x;
  state_copy(&now, state_of(j, step));
  __syncthreads();
  places_set_block(j, before, &now);
  if (t < set->n_coordinates)
    coordinate_set(set, t, moment_words(set, t, j.of.word), j.report->box.now.box, before, &now,
                   &work[t]);
  const int deposits = hill_deposit(set, &j.of.hills, before, step, t, SOLVE_THREADS);
  __syncthreads();
  biases_evaluate(set, step, before, &now, t, SOLVE_THREADS);
  __syncthreads();
  if (t == 0) {
    if (deposits) hill_keep(set, &j.of.hills, before);
    bias_solve(set, j.of.word, step, &j.of.hills, work, before, &now);
    double *row = bias_row(set, step, j.of.row);
    if (row) bias_row_set(set, &now, row);
  }
  for (int w = t; w < SLOT_PLACE_WORDS * set->n_slots; w += SOLVE_THREADS)
    j.of.places[w] = slot_places(set, j.of.word)[w];
  for (int w = t; w < 3 * set->n_slots; w += SOLVE_THREADS)
    j.of.slopes[w] = slot_slopes(set, j.of.word)[w];
  words_clear(j.of.word, bias_words(set));
  state_copy(state_of(j, step), &now);
}

/* MOMENTS 1: coordinates have moments; what beads read of these is in shared memory. energy 1: adds
   energy and virial to *to as well. Threads of a block may see expired lists at different times. */
template <int MOMENTS>
static __global__
__launch_bounds__(THREADS) void biases_add(const __grid_constant__ struct bias_job j, double *force,
                                           int energy, double sum_scale, struct sums *to)
{
  __shared__ struct coordinate_work work[MOMENTS ? COORDINATES_MOST : 1];
  const int expired = is_expired(j.report);
  if (MOMENTS ? __syncthreads_or(expired) : expired) return;
  const struct bias_set *set = j.of.set;
  const struct bias_state *now = state_of(j, step_of(j));
  const int n = *j.of.n, t = (int)threadIdx.x;
  if (MOMENTS && t < set->n_coordinates)
    bead_work_set(set, t, now, j.report->box.now.box, &work[t]);
  if (MOMENTS) __syncthreads();
  for (int64_t m = thread_index(); m < n; m += (int64_t)gridDim.x * blockDim.x) {
    const int64_t i = j.of.bead[m];
    double f[3];
    for (int d = 0; d < 3; d++)
      f[d] = force[3 * i + d];
    centre_force_add(set, now, MOMENTS ? work : NULL, j.of.weight, j.types, j.of.mask[m],
                     j.record[i].type, j.record[i].x, f);
    if (set->n_contacts)
      contact_forces_add(set, now, j.of.slot + set->n_contacts * m,
                         j.of.slope + 3 * set->n_contacts * m, j.of.slopes, f);
    for (int d = 0; d < 3; d++)
      force[3 * i + d] = f[d];
  }
  if (!energy || !set->adds_up || thread_index() != 0) return;
  struct sums sums = {};
  bias_sums_add(now, sum_scale, &sums);
  for (int a = 0; a < 9; a++)
    add_int64(&to->word[SUM_VIRIAL + a], sums.word[SUM_VIRIAL + a]);
  for (int a = 0; a < 2; a++)
    add_int64(&to->energy[ENERGY_bias][a], sums.energy[ENERGY_bias][a]);
  add_int64(&to->overflow, sums.overflow);
  add_int64(&to->magnitude, sums.magnitude);
}

/* 1 if coordinates have moments that are sums over beads. */
static int moments_of_beads(const struct gpu *c)
{
  const struct bias_set *set = &c->config.biases->set;
  return set->n_moments > set->n_contacts * CONTACT_MOMENTS;
}

/* On one rank main waits for the forces on the groups here. With several it waits for the halo
   before, which follows them in side. */
void cuda_biases_add(struct gpu *c, int energy)
{
  if (!c->biases) return;
  if (c->config.ranks == 1) cuda_halo_join(c);
  const int64_t threads = member_threads(c);
  const auto add = moments_of_beads(c) ? biases_add<1> : biases_add<0>;
  LAUNCH(add, threads > 0 ? threads : energy, THREADS, c, job_of(c), c->arrays->force, energy,
         cuda_sum_scale(c), c->sums->forces);
}

static int64_t *sum(struct backend *b, int64_t step)
{
  struct gpu *c = gpu_of(b);
  cuda_step_set(c, step);
  cuda_fork(c);
  LAUNCH_ON(c->streams->side, centres_sum, member_threads(c), THREADS, job_of(c));
  return c->biases->word;
}

static int64_t *sum_moments(struct backend *b, int64_t step)
{
  struct gpu *c = gpu_of(b);
  const struct bias_set *set = &c->config.biases->set;
  (void)step;
  if (moments_of_beads(c)) {
    LAUNCH_ON(c->streams->side, places_set, SOLVE_THREADS, SOLVE_THREADS, job_of(c));
    LAUNCH_ON(c->streams->side, moments_sum, member_threads(c), THREADS, job_of(c));
  }
  if (set->n_contacts > 0)
    LAUNCH_ON(c->streams->side, contacts_sum, member_threads(c), THREADS, job_of(c));
  return c->biases->word + bias_place_words(set);
}

static void solve(struct backend *b, int64_t step)
{
  struct gpu *c = gpu_of(b);
  (void)step;
  LAUNCH_ON(c->streams->side, biases_solve, SOLVE_THREADS, SOLVE_THREADS, job_of(c));
  cuda_halo_note(c);
}

static void load(struct backend *b, const struct bias_state *before, const double *node)
{
  struct gpu *c = gpu_of(b);
  const struct bias_set *from = &c->config.biases->set;
  for (int k = 0; k < from->n_biases; k++)
    if (from->bias[k].by_replica)
      CUDA_TO_DEVICE(c, c->biases->set->bias[k].parameter, from->bias[k].parameter,
                     sizeof from->bias[k].parameter);
  const struct hill_grid *g = &c->config.biases->set.hills;
  const struct hill_store *h = &c->biases->hills;
  CUDA_TO_DEVICE(c, c->biases->state + ((before->step - 1) & 1), before, sizeof *before);
  if (!node) return;
  CUDA_TO_DEVICE(c, h->node, node, (size_t)hill_nodes(g) * hill_node_values(g) * sizeof *node);
  CUDA(cudaStreamSynchronize(c->streams->main));
}

static void fetch(struct backend *b, int64_t step, struct bias_state *now, int64_t first,
                  double *row)
{
  struct gpu *c = gpu_of(b);
  const struct bias_set *set = &c->config.biases->set;
  const int n = bias_row_length(set);
  cuda_join_if_busy(c);
  CUDA_TO_HOST(c, now, c->biases->state + (step & 1), sizeof *now);
  for (int64_t k = first; set->rows_every > 0 && k <= step; k += set->rows_every, row += n)
    CUDA_TO_HOST(c, row, bias_row(set, k, c->biases->row), (size_t)n * sizeof *row);
  CUDA(cudaStreamSynchronize(c->streams->main));
}

static void fetch_hills(struct backend *b, int64_t first, int64_t n, struct hill *to)
{
  struct gpu *c = gpu_of(b);
  const struct hill *recent = c->biases->hills.recent;
  for (int64_t k = 0; k < n; k++)
    CUDA_TO_HOST(c, to + k, recent + (first + k) % HILLS_RECENT, sizeof *to);
  CUDA(cudaStreamSynchronize(c->streams->main));
}

const struct bias_ops cuda_bias_ops = {sum,         sum_moments, solve, cuda_hold,  cuda_sum_motion,
                                       cuda_settle, load,        fetch, fetch_hills};
