/* Insertion of ions: see insert.h. */
#include "setup/insert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "model/place.h"
#include "setup/replicate.h"

enum { DRAW_MOMENTUM }; /* the step in the counter of rng.h, as system_thermalise has it */

static void set_bead(struct system *s, const struct insertion *in, double kt)
{
  static const double unit[4] = {1, 0, 0, 0};
  const struct beads *b = &s->beads;
  const struct forcefield *ff = s->ff;
  const struct ff_type *type = &ff->type[ff->molecule[in->molecule].bead[0]];
  const int64_t k = in->id - s->first;
  double noise[4];
  rng_normal(s->clock.seed, DRAW_MOMENTUM, (uint64_t)in->id, RNG_START, noise);
  b->type[k] = ff->molecule[in->molecule].bead[0];
  b->molecule_type[k] = in->molecule;
  b->bonded_env[k] = -1;
  memcpy(b->orientation + 4 * k, unit, sizeof unit);
  for (int d = 0; d < 3; d++) {
    b->momentum[3 * k + d] = sqrt(type->mass * kt) * noise[d];
    b->angular_momentum[3 * k + d] = 0;
  }
}

/* The number of ids that rank a of s has and rank b of t gets. */
static int64_t rows_shared(const struct system *s, const struct system *t, int size, int a, int b)
{
  return ids_shared(system_first(s->n_total, a, size), system_first(s->n_total, a + 1, size),
                    system_first(t->n_total, b, size), system_first(t->n_total, b + 1, size));
}

/* Moves the beads of s to the blocks of t, which has as many or more, and frees them field by
   field. Neighbour lists are left out. Collective. */
static void beads_move(const struct ranks *r, struct system *s, struct system *t)
{
  int64_t *send = alloc_array(r->size, sizeof *send);
  int64_t *receive = alloc_array(r->size, sizeof *receive), received = 0;
  for (int k = 0; k < r->size; k++) {
    send[k] = rows_shared(s, t, r->size, r->rank, k);
    received += receive[k] = rows_shared(s, t, r->size, k, r->rank);
  }
  for (int f = 0; f < FIELDS; f++) {
    const size_t bytes = field_bytes(f);
    if (f == FIELD_build_position) continue;
    void *got = ranks_deliver(r, bytes, beads_array(&s->beads, f), send, receive);
    if (received) memcpy(beads_array(&t->beads, f), got, (size_t)received * bytes);
    free(got);
    system_set_beads(s, f, NULL);
  }
  free(send);
  free(receive);
}

struct system *insert_beads(const struct ranks *r, struct system *s, struct forcefield *ff,
                            int64_t n, const struct insertion *insertion, uint64_t seed,
                            double temperature)
{
  const int64_t old = s->n_total;
  int64_t molecules = largest_molecule(&s->beads, s->n), more = 0;
  for (int64_t i = 0; i < n; i++)
    more += insertion[i].id > old;
  ranks_max_int64(r, &molecules, 1);
  ranks_sum_int64(r, &more, 1);
  place_molecule_number(molecules + more);
  struct system *t = system_create(old + more, r->rank, r->size, ff);
  topology_move(&t->topology, &s->topology);
  clock_begin(&t->clock, seed);
  list_build_set_skin(&t->lists, s->lists.skin);
  system_set_box(t, s->box);
  beads_move(r, s, t);
  system_destroy(s);
  for (int64_t i = 0; i < n; i++) {
    const struct insertion *in = &insertion[i];
    const int64_t k = in->id - t->first;
    set_bead(t, in, UNITS_BOLTZMANN * temperature);
    if (in->id <= old) continue;
    memcpy(t->beads.position + 3 * k, in->x, sizeof in->x);
    t->beads.molecule[k] = place_molecule_number(molecules + in->id - old);
  }
  return t;
}
