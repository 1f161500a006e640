/* Rank 0 reads the frame and sends each rank its block, one after the other. See
   gromacs_import.h. */
#include "import/gromacs_import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/foreign/trr.h"
#include "io/state.h"
#include "md/enforce.h"
#include "molecules/bead_place.h"

/* What all ranks know of the frame. */
struct about {
  double box[BOX];
  int64_t has_names, has_velocities;
};

/* The file, on rank 0: one of the two. */
struct input {
  const char *path;
  struct gromacs_gro_file *gro;
  struct gromacs_trr_file *trr;
  struct error_list mistakes;
};

/* Rank 0. Mistakes end the program. */
static void input_open(struct input *in, int is_trr, double from, double to, int64_t n_total,
                       struct about *about)
{
  struct gromacs_trr_frame frame;
  about->has_names = !is_trr;
  if (is_trr)
    in->trr = gromacs_trr_open(in->path, n_total, from, to, &frame, &in->mistakes);
  else
    in->gro = gromacs_gro_open(in->path, n_total, "state", &in->mistakes);
  error_list_check(&in->mistakes);
  if (!is_trr) return;
  memcpy(about->box, frame.box, sizeof about->box);
  about->has_velocities = frame.has_velocities;
  printf("frame        %lld of '%s', step %lld, %g ps\n", (long long)frame.number, in->path,
         (long long)frame.step, frame.time);
}

/* Rank 0: reads the next n beads. */
static void input_next(struct input *in, struct gromacs_gro_atom *atom, int64_t n)
{
  if (in->gro)
    gromacs_gro_next(in->gro, atom, n);
  else
    gromacs_trr_next(in->trr, atom, n);
}

/* Rank 0, after the last bead. Mistakes end the program. */
static void input_close(struct input *in, struct about *about)
{
  if (in->gro)
    about->has_velocities = gromacs_gro_end(in->gro, about->box);
  else
    gromacs_trr_close(in->trr);
  error_list_check(&in->mistakes);
  if (!about->has_velocities) warn("%s has no velocities: everything starts at rest", in->path);
}

/* Rank 0 reads the beads of the block of rank k, for which they are `own`. Of these two ranks. */
static void pass(const struct ranks *r, int k, const struct system *s, struct input *in,
                 struct gromacs_gro_atom *own)
{
  const int64_t n = system_first(s->n_total, k + 1, r->size) - system_first(s->n_total, k, r->size);
  int64_t *send = alloc_array(r->size, sizeof *send);
  int64_t *receive = alloc_array(r->size, sizeof *receive);
  struct gromacs_gro_atom *atom = alloc_array(r->rank == 0 ? n : 0, sizeof *atom);
  if (r->rank == 0) input_next(in, atom, n);
  if (r->rank == 0) send[k] = n;
  if (r->rank == k) receive[0] = n;
  struct gromacs_gro_atom *got = ranks_deliver(r, sizeof *atom, atom, send, receive);
  if (r->rank == k) memcpy(own, got, (size_t)n * sizeof *got);
  free(atom);
  free(got);
  free(send);
  free(receive);
}

/* The beads of the block of this rank. Rank 0 reads the frame, block by block. Caller frees. */
static struct gromacs_gro_atom *read_frame(const struct ranks *r, struct input *in, int is_trr,
                                           double from, double to, const struct system *s,
                                           struct about *about)
{
  struct gromacs_gro_atom *own = alloc_array(s->n, sizeof *own);
  if (r->rank == 0) {
    input_open(in, is_trr, from, to, s->n_total, about);
    input_next(in, own, s->n);
  }
  for (int k = 1; k < r->size; k++)
    if (r->rank == 0 || r->rank == k) pass(r, k, s, in, own);
  if (r->rank == 0) input_close(in, about);
  ranks_broadcast(r, about, sizeof *about);
  return own;
}

/* Dies if the names of beads are not those of the state; .gro files hold five characters. */
static void compare_names(const struct ranks *r, const struct system *s,
                          const struct gromacs_gro_atom *atom, const char *path)
{
  char why[256] = "";
  int64_t differ = 0;
  int *place = bead_places(r, s);
  for (int64_t k = 0; k < s->n; k++) {
    const char *name = bead_place_name(s, k, place[k]);
    if (!strncmp(atom[k].name, name, GRO_NAME - 1)) continue;
    if (differ++ == 0)
      snprintf(why, sizeof why, "%s:%lld: atom %s, but bead %lld of the state is %s", path,
               (long long)(s->first + k + 2), atom[k].name, (long long)(s->first + k), name);
  }
  free(place);
  const int same = ranks_agree(r, differ == 0, why, sizeof why);
  ranks_sum_int64(r, &differ, 1);
  if (!same)
    die_all(STATUS_INPUT,
            "%s; %lld names differ: give a state of the same system, with its beads "
            "in the order of the file",
            why, (long long)differ);
}

/* The start of a run with the force field, topology and orientations of a state, which is
   destroyed. */
static struct system *start_of(const struct ranks *r, struct system *s)
{
  struct system *start = system_create(s->n_total, r->rank, r->size, forcefield_share(s->ff));
  system_move_beads(start, s);
  topology_move(&start->topology, &s->topology);
  system_destroy(s);
  return start;
}

/* Sets positions and momenta. */
static void place_beads(const struct ranks *r, struct system *s,
                        const struct gromacs_gro_atom *atom)
{
  int64_t turn = 0;
  for (int64_t k = 0; k < s->n; k++) {
    const struct ff_type *type = &s->ff->type[s->beads.type[k]];
    turn += type->inertia[0] > 0;
    system_set_position(s, k, atom[k].x);
    for (int d = 0; d < 3; d++)
      s->beads.momentum[3 * k + d] = type->mass * atom[k].v[d];
  }
  ranks_sum_int64(r, &turn, 1);
  if (turn)
    warn("%lld beads rotate: the frame has no orientations, and those of the state are kept",
         (long long)turn);
}

struct system *gromacs_frame_system(struct ranks *r, const char *path, int is_trr, double from,
                                    double to, const char *state)
{
  struct system *s = state_read(r, state);
  struct input in = {.path = path};
  struct about about = {0};
  struct gromacs_gro_atom *atom = read_frame(r, &in, is_trr, from, to, s, &about);
  if (about.has_names) compare_names(r, s, atom, path);
  s = start_of(r, s);
  system_set_box(s, about.box);
  place_beads(r, s, atom);
  enforce_system(r, s, ENFORCE_SITES);
  free(atom);
  return s;
}
