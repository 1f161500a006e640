/* The operation accumulate: tables and results of profiles, and the kernels of those that need no
   neighbour lists. */
#include <stdlib.h>
#include <string.h>

#include "backend/profile_body.h"
#include "base/log.h"
#include "base/memory.h"
#include "cuda/lists/bonded.h"
#include "cuda/runtime/device.cuh"
#include "cuda/runtime/memory.h"
#include "cuda/step/step.h"
#include "input/param.h"

/* Least number of words in the first allocation. */
enum { WORDS_LEAST = 1 << 15 };

static struct gpu_profile *own(struct gpu *c)
{
  return c->profile ? OWN(gpu_profile, c->profile) : NEW_STATE(gpu_profile, c, profile);
}

/* Grows an array to count elements; contents are lost. */
template <class T> static void reserve(struct gpu *c, T **p, int64_t count)
{
  cuda_grow_more(c, p, count * (int64_t)sizeof **p, "profiles");
}

template <class T> static void table_upload(struct gpu *c, T **to, const T *from, int64_t count)
{
  reserve(c, to, count);
  if (count > 0 && from) CUDA_TO_DEVICE(c, *to, from, (size_t)count * sizeof *from);
}

/* The tables of a profile in device memory; uploads them, and waits, if their generation has
   changed. */
static struct profile_tables tables_of(struct gpu *c, const struct profile *p)
{
  struct gpu_profile *g = own(c);
  const struct forcefield *ff = c->config.ff;
  if (g->generation != p->generation) {
    int32_t *dipole = (int32_t *)alloc_array(ff->n_types, sizeof *dipole);
    for (int t = 0; t < ff->n_types; t++)
      dipole[t] = ff->type[t].dipole != 0;
    table_upload(c, &g->species_of_env, p->species_of_env, c->config.topology->n_envs);
    table_upload(c, &g->species_of_type, p->species_of_type, ff->n_types);
    table_upload(c, &g->has_dipole, dipole, ff->n_types);
    table_upload(c, &g->weight, p->weight, p->species);
    CUDA(cudaStreamSynchronize(c->streams->main)); /* the arrays are borrowed */
    free(dipole);
    g->generation = p->generation;
  }
  const struct profile_tables t = {g->species_of_env, g->species_of_type, g->has_dipole, g->weight};
  return t;
}

/* Argument of the kernels below; arrays are device memory. */
struct profile_job {
  int n, types, bins, species;
  uint32_t centre;
  const uint32_t *pending_centre; /* NULL: read centre */
  unsigned arrays;
  double scale; /* 2^sum_bits */
  struct profile_tables tables;
  const struct bead_record *record;
  const int32_t *env;
  const double *orientation;
  int64_t *word;
};

static __global__ void centre_add(const __grid_constant__ struct profile_job job)
{
  int64_t sum[2] = {0, 0};
  for (int64_t i = thread_index(); i < job.n; i += (int64_t)gridDim.x * THREADS) {
    const struct bead_record me = job.record[i];
    const double weight = job.tables.weight[profile_species(&job.tables, job.env[i], me.type)];
    int64_t value[2];
    if (!(weight > 0)) continue;
    centre_values(me.x[2], weight, job.scale, value);
    sum[0] += value[0];
    sum[1] += value[1];
  }
  block_add(sum[0], job.word);
  block_add(sum[1], job.word + 1);
}

/* One thread. */
static __global__ void centre_set(const int64_t *word, uint32_t *centre)
{
  *centre = centre_of_words(word);
}

/* SHARED 1: a block sums in shared memory, and adds its words to job.word at the end. */
template <int SHARED>
static __global__ void profile_add(const __grid_constant__ struct profile_job job)
{
  extern __shared__ int64_t shared_word[];
  const int numbers = job.arrays & PROFILE_NUMBER ? job.species * job.bins : 0;
  const int words = numbers + (job.arrays & PROFILE_DIPOLE ? job.types * job.bins : 0);
  int64_t *word = SHARED ? shared_word : job.word;
  const uint32_t centre = job.pending_centre ? *job.pending_centre : job.centre;
  for (int k = (int)threadIdx.x; SHARED && k < words; k += THREADS)
    shared_word[k] = 0;
  __syncthreads();
  for (int64_t i = thread_index(); i < job.n; i += (int64_t)gridDim.x * THREADS) {
    const struct bead_record me = job.record[i];
    const struct profile_place at = profile_place_of(me.x[2], centre, job.bins);
    if (job.arrays & PROFILE_NUMBER)
      bins_add(word + profile_species(&job.tables, job.env[i], me.type) * job.bins + at.bin, 1);
    if ((job.arrays & PROFILE_DIPOLE) && job.tables.has_dipole[me.type])
      bins_add(word + numbers + me.type * job.bins + at.bin, dipole_value(job.orientation + 4 * i));
  }
  __syncthreads();
  for (int k = (int)threadIdx.x; SHARED && k < words; k += THREADS)
    bins_add(job.word + k, shared_word[k]);
}

static struct profile_job job_of(struct gpu *c, const struct profile *p)
{
  struct profile_job j;
  j.n = c->base.n;
  j.types = c->config.ff->n_types;
  j.bins = p->bins;
  j.species = p->species;
  j.centre = p->centre;
  j.pending_centre = cuda_pending_centre(c, p);
  j.arrays = p->arrays;
  j.scale = cuda_sum_scale(c);
  j.tables = tables_of(c, p);
  j.record = c->arrays->record;
  j.env = c->arrays->beads.bonded_env;
  j.orientation = c->arrays->beads.orientation;
  j.word = cuda_bins(c);
  return j;
}

static void centre_find(struct gpu *c, const struct profile *p, const int64_t *bin)
{
  struct gpu_profile *g = own(c);
  const struct profile_job job = job_of(c, p);
  LAUNCH(centre_add, cuda_profile_threads(c, THREADS), THREADS, c, job);
  reserve(c, &g->centre, 1);
  LAUNCH(centre_set, 1, 1, c, job.word, g->centre);
  g->centre_word = bin;
}

static void profile_find(struct gpu *c, const struct profile *p)
{
  const struct profile_job job = job_of(c, p);
  const int64_t threads = cuda_profile_threads(c, THREADS);
  const int64_t bytes = profile_words(p, job.types) * (int64_t)sizeof(int64_t);
  if (cuda_shared_memory((const void *)profile_add<1>, bytes))
    LAUNCH_SHARED(profile_add<1>, threads, THREADS, bytes, c->streams->main, job);
  else
    LAUNCH(profile_add<0>, threads, THREADS, c, job);
}

/* Sets lipid of owned and halo beads. The environment of a halo bead only says whether it is in a
   lipid (comm/halo_build.cu). */
static __global__ void lipids_find(int n, int all, const int32_t *env,
                                   const unsigned char *lipid_env, unsigned char *lipid)
{
  const int64_t i = thread_index();
  if (i < all) lipid[i] = (unsigned char)stress_is_lipid(i < n ? lipid_env : NULL, env[i]);
}

static void stress_find(struct gpu *c, const struct profile *p)
{
  struct gpu_profile *g = own(c);
  const int n = c->base.n, all = n + c->base.n_halo;
  reserve(c, &g->lipid, all);
  reserve(c, &g->ends, 2 * (int64_t)n);
  LAUNCH(lipids_find, all, THREADS, c, n, all, c->arrays->beads.bonded_env, c->topology->lipid,
         g->lipid);
  c->forces->kernel->stress(c, p);
  cuda_clusters_stress(c, p);
}

/* Makes room for n more words in device memory and in pinned host memory. May wait. */
static void words_reserve(struct gpu *c, int n)
{
  struct gpu_profile *g = own(c);
  const int all = g->used + n;
  if (all <= g->host_room && g->n_waiting < (int)(sizeof g->waiting / sizeof *g->waiting)) return;
  cuda_bins_wait(&c->base);
  if (all <= g->host_room) return;
  const int room = all > WORDS_LEAST ? all : WORDS_LEAST;
  reserve(c, &g->word, room);
  cuda_pinned(c, &g->host, (size_t)room * sizeof *g->host);
  g->host_room = room;
}

void cuda_accumulate(struct backend *b, const struct tally *what, int64_t *bin)
{
  struct gpu *c = gpu_of(b);
  struct gpu_profile *g = own(c);
  if (what->quantity == TALLY_SUMS) {
    cuda_sums(b, (struct sums *)bin);
    return;
  }
  cuda_apply_pending_kick(c);
  cuda_join_if_busy(c);
  words_reserve(c, what->n);
  CUDA_CLEAR(c, cuda_bins(c), (size_t)what->n * sizeof *bin);
  switch (what->quantity) {
  case TALLY_CENTRE:
    centre_find(c, what->profile, bin);
    break;
  case TALLY_PROFILE:
    profile_find(c, what->profile);
    break;
  case TALLY_STRESS:
    stress_find(c, what->profile);
    break;
  default:
    die(STATUS_INPUT, "the cuda backend cannot accumulate this quantity");
  }
  g->waiting[g->n_waiting].bin = bin;
  g->waiting[g->n_waiting++].n = what->n;
  g->used += what->n;
}

void cuda_bins_wait(struct backend *b)
{
  struct gpu *c = gpu_of(b);
  struct gpu_profile *g = own(c);
  const int64_t *from = g->host;
  if (g->n_waiting == 0) return;
  CUDA_TO_HOST(c, g->host, g->word, (size_t)g->used * sizeof *g->host);
  cuda_report_read(c);
  for (int k = 0; k < g->n_waiting; k++) {
    memcpy(g->waiting[k].bin, from, (size_t)g->waiting[k].n * sizeof *from);
    from += g->waiting[k].n;
  }
  g->n_waiting = g->used = 0;
}
