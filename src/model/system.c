#include "model/system.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/integers.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/units.h"

#define DATATYPE_int32_t 'i'
#define DATATYPE_uint32_t 'u'
#define DATATYPE_double 'd'

const struct field_info field_info[FIELDS] = {
#define FIELD(member, name, type, components, flags, unit, text)                                   \
  {name, unit, text, components, flags, sizeof(type), DATATYPE_##type},
#include "model/bead_fields.h"
};

static const size_t field_offset[FIELDS] = {
#define FIELD(member, ...) offsetof(struct beads, member),
#include "model/bead_fields.h"
};

void **beads_field(struct beads *b, int field)
{
  return (void **)((char *)b + field_offset[field]);
}

void *beads_array(const struct beads *b, int field)
{
  return *(void *const *)((const char *)b + field_offset[field]);
}

void beads_reserve(struct beads *b, int mask, int64_t old_n, int64_t n)
{
  for (int f = 0; f < FIELDS; f++) {
    const struct field_info *info = &field_info[f];
    if (!(info->flags & mask)) continue;
    size_t bytes = field_bytes(f);
    void **array = beads_field(b, f);
    *array = grow_array(*array, n, bytes);
    if (n > old_n) memset((char *)*array + (size_t)old_n * bytes, 0, (size_t)(n - old_n) * bytes);
  }
}

void beads_free(struct beads *b)
{
  for (int f = 0; f < FIELDS; f++) {
    void **array = beads_field(b, f);
    free(*array);
    *array = NULL;
  }
}

/* Dies if the arrays together need more memory than there is, before the first is allocated. */
static void memory_check(const struct system *s)
{
  double bytes = 0;
  char what[64];
  for (int f = 0; f < FIELDS; f++)
    if (field_info[f].flags & (STATE | STATIC)) bytes += (double)s->n * (double)field_bytes(f);
  snprintf(what, sizeof what, "%lld beads", (long long)s->n);
  memory_require(bytes, what);
}

struct system *system_create_block(int64_t n_total, int64_t first, int64_t n, struct forcefield *ff)
{
  struct system *s = alloc_array(1, sizeof *s);
  s->n_total = n_total;
  s->first = first;
  s->n = n;
  list_build_forget(&s->lists);
  applied_forces_forget(&s->applied);
  s->ff = ff;
  memory_check(s);
  beads_reserve(&s->beads, STATE | STATIC, 0, s->n);
  for (int64_t k = 0; k < s->n; k++) {
    s->beads.orientation[4 * k] = 1;
    s->beads.bonded_env[k] = -1;
    s->beads.molecule_type[k] = -1;
  }
  return s;
}

struct system *system_create(int64_t n_total, int rank, int size, struct forcefield *ff)
{
  const int64_t first = system_first(n_total, rank, size);
  return system_create_block(n_total, first, system_first(n_total, rank + 1, size) - first, ff);
}

void system_shift_block(struct system *s, int64_t first, int64_t n)
{
  s->first = first;
  s->n = n;
}

void system_destroy(struct system *s)
{
  if (!s) return;
  run_record_free(&s->run);
  applied_forces_free(&s->applied);
  beads_free(&s->beads);
  topology_free(&s->topology);
  forcefield_destroy(s->ff);
  free(s);
}

struct system *system_copy(const struct system *s)
{
  struct system *copy = system_create_block(s->n_total, s->first, s->n, forcefield_share(s->ff));
  topology_copy(&copy->topology, &s->topology);
  for (int f = 0; f < FIELDS; f++)
    if (field_info[f].flags & (STATE | STATIC))
      memcpy(beads_array(&copy->beads, f), beads_array(&s->beads, f),
             (size_t)s->n * field_bytes(f));
  system_copy_state(copy, s);
  return copy;
}

void system_copy_state(struct system *to, const struct system *from)
{
  system_set_box(to, from->box);
  clock_restore(&to->clock, &from->clock);
  list_build_restore(&to->lists, &from->lists);
  run_record_copy(&to->run, &from->run);
  const struct applied_forces *a = &from->applied;
  applied_forces_set(&to->applied, a->step, a->n, a->id, a->force, a->sums);
}

void system_set_box(struct system *s, const double box[BOX])
{
  memcpy(s->box, box, sizeof s->box);
}

void system_scale_box(struct system *s, const double factor[3])
{
  box_scale(s->box, factor);
}

void system_set_forcefield(struct system *s, struct forcefield *ff)
{
  forcefield_destroy(s->ff);
  s->ff = ff;
}

void system_set_beads(struct system *s, int field, void *array)
{
  void **old = beads_field(&s->beads, field);
  free(*old);
  *old = array;
}

void system_move_beads(struct system *to, struct system *from)
{
  beads_free(&to->beads);
  to->beads = from->beads;
  memset(&from->beads, 0, sizeof from->beads);
}

void system_exchange_positions(struct system *s)
{
  int32_t *now = s->beads.position;
  s->beads.position = s->beads.build_position;
  s->beads.build_position = now;
}

int64_t system_first(int64_t n_total, int rank, int size)
{
  int64_t share = n_total / size, rest = n_total % size;
  return 1 + share * rank + (rank < rest ? rank : rest);
}

int system_rank_of(int64_t n_total, int size, int64_t id)
{
  const int64_t share = n_total / size, rest = n_total % size, long_ones = rest * (share + 1);
  if (id <= long_ones) return (int)((id - 1) / (share + 1));
  return (int)(rest + (id - 1 - long_ones) / share);
}

int system_rank_within(const int64_t *border, int size, int64_t id)
{
  return (int)search_ascending(border + 1, size - 1, id + 1);
}

void system_set_position(struct system *s, int64_t k, const double x[3])
{
  const struct beads *b = &s->beads;
  double edges[3];
  box_fraction(s->box, x, edges);
  for (int d = 0; d < 3; d++) {
    double image = floor(edges[d]), fraction = edges[d] - image;
    if (!(fabs(edges[d]) < 2147483647.0))
      die(STATUS_INPUT,
          "bead %lld: coordinate %c = %g nm is not a number, or too far from the box of %g nm",
          (long long)(s->first + k), axis_name(d), x[d], s->box[d]);
    if (fraction >= 1) { /* a tiny negative coordinate, rounded */
      fraction = 0;
      image += 1;
    }
    uint64_t fixed = (uint64_t)ldexp(fraction, 64);
    uint32_t high = (uint32_t)(fixed >> 32);
    memcpy(&b->position[3 * k + d], &high, sizeof high);
    b->residual[3 * k + d] = (uint32_t)fixed;
    b->image[3 * k + d] = (int32_t)image;
  }
}

void system_get_position(const struct system *s, int64_t k, int unwrapped, double x[3])
{
  const struct beads *b = &s->beads;
  double fraction[3];
  for (int d = 0; d < 3; d++) {
    fraction[d] = ldexp((uint32_t)b->position[3 * k + d], -32);
    fraction[d] += ldexp(b->residual[3 * k + d], -64);
    if (unwrapped)
      fraction[d] += b->image[3 * k + d];
    else
      fraction[d] = fmin(fraction[d], nextafter(1, 0));
  }
  box_vector(s->box, fraction, x);
}

/* Take the place of the step in the counter of rng.h: starting momenta are drawn before step 0. */
enum { DRAW_MOMENTUM, DRAW_ROTATION };

void system_thermalise(struct system *s, double temperature)
{
  double kt = UNITS_BOLTZMANN * temperature;
  for (int64_t k = 0; k < s->n; k++) {
    const struct ff_type *type = &s->ff->type[s->beads.type[k]];
    uint64_t id = (uint64_t)(s->first + k);
    double noise[4], spin[4];
    rng_normal(s->clock.seed, DRAW_MOMENTUM, id, RNG_START, noise);
    rng_normal(s->clock.seed, DRAW_ROTATION, id, RNG_START, spin);
    for (int d = 0; d < 3; d++) {
      s->beads.momentum[3 * k + d] = sqrt(type->mass * kt) * noise[d];
      s->beads.angular_momentum[3 * k + d] = sqrt(type->inertia[d] * kt) * spin[d];
    }
  }
}

void system_count_types(const struct system *s, int64_t *count)
{
  for (int64_t k = 0; k < s->n; k++)
    count[s->beads.type[k]]++;
}

double system_density(const struct system *s)
{
  return (double)s->n_total / box_volume(s->box);
}

struct dof system_dof_of_type(const struct ff_type *type)
{
  struct dof dof = {type->mass > 0 ? 3 : 0, 0};
  for (int k = 0; k < 3; k++)
    dof.rotation += type->inertia[k] > 0;
  return dof;
}

int system_constraints_at(const struct system *s, int64_t k)
{
  const struct topology *t = &s->topology;
  const int env = s->beads.bonded_env[k];
  if (env < 0 || t->cluster[env] < 0 || t->place[env] != 0) return 0;
  return s->ff->cluster[t->cluster[env]].independent;
}

int64_t system_constraints(const struct system *s)
{
  int64_t taken = 0;
  for (int64_t k = 0; k < s->n; k++)
    taken += system_constraints_at(s, k);
  return taken;
}

int system_has_motion(const struct system *s, int64_t k)
{
  const int env = s->beads.bonded_env[k];
  return s->ff->type[s->beads.type[k]].mass > 0 || (env >= 0 && s->topology.cluster[env] >= 0);
}
