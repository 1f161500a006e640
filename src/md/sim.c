#include "md/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "md/step.h"
#include "mpi/comm/heartbeat.h"
#include "pair/pair_pass.h"

/* Counts degrees of freedom, mass and molecules over all ranks. A molecule may lie in the blocks of
   two ranks, so molecules are counted by their beads. */
static void count_all(struct sim *s)
{
  const struct system *y = s->system;
  const struct forcefield *ff = y->ff;
  int64_t *count = alloc_array(ff->n_types + ff->n_molecules, sizeof *count);
  int64_t *of_kind = count + ff->n_types;
  for (int64_t k = 0; k < y->n; k++) {
    count[y->beads.type[k]]++;
    if (y->beads.kind[k] >= 0) of_kind[y->beads.kind[k]]++;
  }
  ranks_sum_int64(s->ranks, count, ff->n_types + ff->n_molecules);
  for (int m = 0; m < ff->n_molecules; m++)
    if (ff->molecule[m].n_beads > 1) s->lipids += of_kind[m] / ff->molecule[m].n_beads;
  s->dof.translation = 3.0 * (double)y->n_total;
  s->dof.rotation = 0;
  for (int t = 0; t < ff->n_types; t++) {
    s->mass += ff->type[t].mass * (double)count[t];
    for (int k = 0; k < 3; k++)
      if (ff->type[t].inertia[k] > 0) s->dof.rotation += (double)count[t];
  }
  if (s->params->thermostat_type != THERMOSTAT_LANGEVIN && y->n_total > 1) s->dof.translation -= 3;
  free(count);
}

static double lightest(const struct forcefield *ff)
{
  double mass = ff->type[0].mass;
  for (int t = 1; t < ff->n_types; t++)
    mass = fmin(mass, ff->type[t].mass);
  return mass;
}

/* As measured (docs/performance.md): builds are what small systems on GPUs pay most for. No more
   than a part of what the box has room for, as long as that is something. */
static double skin_exact(const struct system *y, const struct backend_ops *ops)
{
  double cutoff = y->ff->cutoff, least = fmin(y->box[0], fmin(y->box[1], y->box[2]));
  double part = 1.0 / 6;
  if (ops->watch && y->n_total < 50000) part = 0.25;
  if (ops->watch && y->n_total >= 500000) part = 0.14;
  double room = least - 2 * cutoff, skin = fmin(part * cutoff, 0.25 * room);
  return fmax(fmax(skin, fmin(cutoff / 12, 0.45 * room)), 0);
}

/* The width that the interval mode needs: displacements of the lightest bead in one interval. */
static double skin_auto(const struct sim *s, const struct backend_ops *ops)
{
  const struct params *p = s->params;
  if (p->neighbor_rebuild == REBUILD_EXACT) return skin_exact(s->system, ops);
  double kT = UNITS_BOLTZMANN * p->thermostat_temperature;
  return 4.2 * sqrt(2 * kT / lightest(s->system->ff)) * (double)p->neighbor_every * p->run_dt;
}

static double partners(const struct system *y)
{
  double radius = y->ff->cutoff + y->skin, volume = y->box[0] * y->box[1] * y->box[2];
  return 4.19 * radius * radius * radius * (double)y->n_total / volume;
}

static void backend_make(struct sim *s, const struct backend_ops *ops)
{
  const struct params *p = s->params;
  struct backend_config c;
  int64_t level = ops->level();
  ranks_min_int64(s->ranks, &level, 1);
  memset(&c, 0, sizeof c);
  c.precision = p->run_precision;
  c.level = (int)level;
  c.device = s->ranks->local_rank;
  c.sharing = s->ranks->local_size;
  c.ranks = s->ranks->size;
  c.n_total = s->system->n_total;
  c.partners = partners(s->system);
  c.ff = s->system->ff;
  c.topology = &s->system->topology;
  c.prefix = p->output_prefix;
  s->backend = ops->create(&c);
}

enum { IMAGE_MOST = 1 << 30 };

/* What the numbers of a run have room for. A bead that starts within IMAGE_MOST crossings of the
   box does not come to the end of 32 bits: a crossing takes many steps. */
static void refuse_size(const struct system *y)
{
  const struct topology *t = &y->topology;
  if (y->n_total > INT64_C(1) << SUM_BEADS_BITS)
    die_all(STATUS_INPUT, "%lld beads are more than 2^%d", (long long)y->n_total, SUM_BEADS_BITS);
  for (int k = 0; k < t->n_slots; k++)
    if (t->term_start[k + 1] - t->term_start[k] > SUM_TERMS_MOST)
      die_all(STATUS_INPUT, "a bead takes part in %d bonds and angles; at most %d are possible",
              t->term_start[k + 1] - t->term_start[k], SUM_TERMS_MOST);
  for (int64_t k = 0; k < 3 * y->n; k++)
    if (y->beads.image[k] > IMAGE_MOST || y->beads.image[k] < -IMAGE_MOST)
      die(STATUS_INPUT,
          "bead %lld has crossed the box %d times along %c, and at most 2^30 crossings are "
          "possible; "
          "start from a state with smaller image counts",
          (long long)(y->first + k / 3), y->beads.image[k], "xyz"[k % 3]);
}

static void load(struct sim *s)
{
  struct system *y = s->system;
  int64_t *id = alloc_array(y->n, sizeof *id);
  if (y->n > INT32_MAX / 4) die(STATUS_INPUT, "more than 2^29 beads on one rank; use more ranks");
  refuse_size(y);
  for (int64_t k = 0; k < y->n; k++)
    id[k] = y->first + k;
  s->backend->ops->load(s->backend, (int)y->n, id, &y->beads);
  free(id);
}

/* The same bits come from the same kernels only. */
static void kernel_note(struct sim *s)
{
  struct system *y = s->system;
  const char *kernel = s->backend->ops->describe(s->backend);
  if (y->build_step >= 0 && y->kernel[0] && strcmp(y->kernel, kernel))
    warn("the state was computed by %s and goes on with %s: the trajectory is as right as before, "
         "but "
         "not the same bit for bit",
         y->kernel, kernel);
  snprintf(y->kernel, sizeof y->kernel, "%s", kernel);
  ranks_broadcast(s->ranks, y->kernel, sizeof y->kernel);
  int64_t same = strcmp(y->kernel, kernel) == 0;
  ranks_min_int64(s->ranks, &same, 1);
  if (!same)
    warn("the ranks compute with different kernels or GPU models, rank 0 with %s: another "
         "distribution of the ranks may give other bits",
         y->kernel);
}

/* Lists end before the box has shrunk by more than this since their build, and no barostat lets it
   grow so fast. */
static void refuse_build_box(const struct system *y)
{
  const double most = fmax(1 + y->skin / y->ff->cutoff, 1.1), fastest = 1.5;
  for (int d = 0; d < 3; d++)
    if (!(y->build_box[d] <= most * y->box[d] && y->box[d] <= fastest * y->build_box[d]))
      die_all(STATUS_IO,
              "step %lld: the box edge along %c is %g nm, and %g nm in the list build of the state "
              "(neighbor_list/box): they do not belong together. The file was changed after it was "
              "written; go on from another one",
              (long long)y->step, "xyz"[d], y -> box[d], y -> build_box[d]);
}

/* A restart repeats the list build of its state. If positions and that build were not of one run,
   the lists would leave out pairs, and nothing else would tell. The interval mode leaves out some
   by itself: with more than a few the run goes on with new lists. */
static void stored_lists_check(struct sim *s)
{
  const double few = 1e-3; /* pairs a bead */
  struct system *y = s->system;
  refuse_build_box(y);
  int64_t lacking = step_lists_lack(s);
  if (lacking > 0 && s->params->neighbor_rebuild == REBUILD_EXACT)
    die_all(STATUS_IO,
            "step %lld: the positions of the state do not belong to its list build (neighbor_list, "
            "beads/build_position): lists from it leave out %lld pairs inside the cutoff. The file "
            "was changed after it was written; go on from another one",
            (long long)y->step, (long long)lacking);
  if ((double)lacking > few * (double)y->n_total) {
    warn(
        "step %lld: the lists of the state leave out %lld pairs inside the cutoff: the run goes on "
        "with new lists, and so not bit for bit as it would have",
        (long long)y->step, (long long)lacking);
    y->build_step = -1;
  }
  load(s);
  s->builds = 0;
  s->balanced = -1;
}

static void messages_check(void *transport)
{
  transport_check(transport);
}

struct sim *sim_create(struct ranks *r, const struct params *p, struct system *y,
                       enum build_checks checks)
{
  struct sim *s = alloc_array(1, sizeof *s);
  s->ranks = r;
  s->params = p;
  s->system = y;
  s->bits = sum_bits(y->n_total);
  s->smooth = pair_is_smooth(y->ff);
  s->balanced = -1;
  s->settled = 1;
  timers_start(&s->timers);
  count_all(s);
  const struct backend_ops *ops = backend_choose(p->parallel_backend, r);
  if (y->build_step < 0) y->skin = isnan(p->neighbor_skin) ? skin_auto(s, ops) : p->neighbor_skin;
  backend_make(s, ops);
  s->backend->checks = (int)checks;
  kernel_note(s);
  transport_open(&s->transport, r, p->parallel_transport, (int)s->backend->on_device);
  s->transport.stream = s->backend->stream;
  s->transport.flag_local = s->backend->ended;
  s->transport.flag_global = s->backend->stopped;
  s->backend->waited = messages_check;
  s->backend->of = &s->transport;
  slab_create(&s->slab, r, p->parallel_axis == AXIS_Y);
  load(s);
  if (y->build_step >= 0) stored_lists_check(s);
  heartbeat_step_begin(r);
  step_rebuild(s, y->build_step >= 0);
  s->backend->ops->force(s->backend, FORCE_ALL, FORCE_ENERGY);
  sim_observe(s);
  heartbeat_step_end(r);
  return s;
}

void sim_destroy(struct sim *s)
{
  if (!s) return;
  transport_close(&s->transport);
  slab_destroy(&s->slab);
  s->backend->ops->destroy(s->backend);
  free(s);
}

static int64_t observe_all(struct sim *s, struct sums *sums)
{
  transport_check(&s->transport);
  for (int k = 0; k < ENERGIES; k++)
    sum_carry(sums->energy[k]);
  ranks_sum_int64(s->ranks, (int64_t *)sums, (int)(sizeof *sums / sizeof(int64_t)));
  observe(&s->now, sums, s->bits, s->system->box, s->dof);
  s->observed = s->system->step;
  if (sum_overflow(sums)) s->now.potential = (double)INFINITY;
  return sum_overflow(sums);
}

int64_t sim_observe(struct sim *s)
{
  struct sums sums;
  s->backend->ops->sums(s->backend, &sums);
  return observe_all(s, &sums);
}

void sim_observe_finite(struct sim *s)
{
  struct sums sums;
  s->backend->ops->sums(s->backend, &sums);
  sim_take_finite(s, &sums);
}

void sim_take_finite(struct sim *s, struct sums *sums)
{
  sim_refuse_overflow(s->system->step, observe_all(s, sums));
}

void sim_refuse_overflow(int64_t step, int64_t overflow)
{
  if (overflow)
    die_all(
        STATUS_NUMERIC,
        "step %lld: energies or virials are not finite or too large (%lld parts, or their sum): "
        "beads overlap, or molecules are broken; minimise the start or take a smaller run.dt",
        (long long)step, (long long)overflow);
}

/* The rank whose block of ids holds an id. */
static int block_of(const struct system *y, int size, int64_t id)
{
  int low = 0, high = size;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (id >= system_first(y->n_total, middle, size))
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Records of owned beads, id first, sorted by the rank of their block. */
struct parcel {
  const int64_t *id;
  int n;
  size_t bytes; /* of a record, id included */
  int64_t *count, *next;
  char *data;
};

static void parcel_open(struct parcel *p, const struct ranks *r, const struct system *y,
                        const int64_t *id, int n, size_t bytes)
{
  int size = r->size;
  int64_t at = 0;
  p->id = id;
  p->n = n;
  p->bytes = bytes + sizeof(int64_t);
  p->count = alloc_array(size, sizeof *p->count);
  p->next = alloc_array(p->n, sizeof *p->next);
  p->data = alloc_array(p->n, (unsigned long)p->bytes);
  for (int i = 0; i < p->n; i++)
    p->count[block_of(y, size, id[i])]++;
  int64_t *start = alloc_array(size, sizeof *start);
  for (int k = 0; k < size; k++) {
    start[k] = at;
    at += p->count[k];
  }
  for (int i = 0; i < p->n; i++) {
    p->next[i] = start[block_of(y, size, id[i])]++;
    memcpy(p->data + (size_t)p->next[i] * p->bytes, &id[i], sizeof *id);
  }
  free(start);
}

static void parcel_put(struct parcel *p, size_t at, const void *array, size_t bytes)
{
  for (int i = 0; i < p->n; i++)
    memcpy(p->data + (size_t)p->next[i] * p->bytes + sizeof(int64_t) + at,
           (const char *)array + (size_t)i * bytes, bytes);
}

/* Sends everything; the records of this rank's block. Loses no bead, or dies. */
static char *parcel_send(struct parcel *p, const struct ranks *r, const struct system *y)
{
  int64_t received;
  char *data = ranks_exchange(r, p->bytes, p->data, p->count, NULL, &received);
  if (received != y->n)
    die(STATUS_NUMERIC, "step %lld: %lld beads where there should be %lld: beads were lost",
        (long long)y->step, (long long)received, (long long)y->n);
  free(p->count);
  free(p->next);
  free(p->data);
  return data;
}

static int64_t parcel_bead(const struct parcel *p, const struct system *y, const char *data,
                           int64_t k)
{
  int64_t id;
  memcpy(&id, data + (size_t)k * p->bytes, sizeof id);
  return id - y->first;
}

static int is_listed(unsigned fields, int f)
{
  return (fields >> f & 1) && (field_info[f].flags & STATE);
}

static size_t field_bytes(int f)
{
  return (size_t)(field_info[f].components * field_info[f].bytes);
}

void sim_snapshot(struct sim *s, unsigned fields, struct snapshot *to)
{
  struct beads listed;
  int n = s->backend->n;
  if (!to->id || n > to->room) {
    int room = n + n / 8;
    to->id = grow_array(to->id, room, sizeof *to->id);
    beads_reserve(&to->beads, MIGRATE, to->room, room);
    to->room = room;
  }
  memset(&listed, 0, sizeof listed);
  for (int f = 0; f < FIELDS; f++)
    if (is_listed(fields, f)) *beads_field(&listed, f) = *beads_field(&to->beads, f);
  s->backend->ops->store(s->backend, to->id, &listed);
  transport_check(&s->transport);
  to->fields = fields;
  to->n = n;
}

void snapshot_deliver(const struct snapshot *from, const struct ranks *r, struct system *y)
{
  struct beads held = from->beads;
  struct parcel p;
  size_t bytes = 0, at = 0;
  for (int f = 0; f < FIELDS; f++)
    if (is_listed(from->fields, f)) bytes += field_bytes(f);
  parcel_open(&p, r, y, from->id, from->n, bytes);
  for (int f = 0; f < FIELDS; f++) {
    if (!is_listed(from->fields, f)) continue;
    parcel_put(&p, at, *beads_field(&held, f), field_bytes(f));
    at += field_bytes(f);
  }
  char *data = parcel_send(&p, r, y);
  at = sizeof(int64_t);
  for (int f = 0; f < FIELDS; f++) {
    if (!is_listed(from->fields, f)) continue;
    size_t one = field_bytes(f);
    char *to = *beads_field(&y->beads, f);
    for (int64_t k = 0; k < y->n; k++)
      memcpy(to + (size_t)parcel_bead(&p, y, data, k) * one, data + (size_t)k * p.bytes + at, one);
    at += one;
  }
  free(data);
}

void snapshot_free(struct snapshot *p)
{
  beads_free(&p->beads);
  free(p->id);
}

void sim_collect(struct sim *s, unsigned fields)
{
  struct snapshot p = {0};
  sim_snapshot(s, fields, &p);
  snapshot_deliver(&p, s->ranks, s->system);
  snapshot_free(&p);
}

void sim_forces(struct sim *s, double **force, double **torque)
{
  int n = s->backend->n;
  struct parcel p;
  struct beads none;
  int64_t *id = alloc_array(n, sizeof *id);
  double *f = alloc_array(3LL * n, sizeof *f), *t = alloc_array(3LL * n, sizeof *t);
  memset(&none, 0, sizeof none);
  s->backend->ops->store(s->backend, id, &none);
  s->backend->ops->forces(s->backend, f, t);
  parcel_open(&p, s->ranks, s->system, id, n, 6 * sizeof *f);
  parcel_put(&p, 0, f, 3 * sizeof *f);
  parcel_put(&p, 3 * sizeof *f, t, 3 * sizeof *t);
  char *data = parcel_send(&p, s->ranks, s->system);
  *force = alloc_array(3 * s->system->n, sizeof *f);
  *torque = alloc_array(3 * s->system->n, sizeof *t);
  for (int64_t k = 0; k < s->system->n; k++) {
    int64_t i = parcel_bead(&p, s->system, data, k);
    const char *from = data + (size_t)k * p.bytes + sizeof(int64_t);
    memcpy(*force + 3 * i, from, 3 * sizeof *f);
    memcpy(*torque + 3 * i, from + 3 * sizeof *f, 3 * sizeof *t);
  }
  free(data);
  free(id);
  free(f);
  free(t);
}
