/* Rank 0 reads the frame in rounds and sends each rank its beads, so that no rank holds all. See
   convert_back.h. */
#include "cli/convert_back.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/path.h"
#include "io/foreign/trr.h"
#include "io/lock.h"
#include "io/path_check.h"
#include "io/state.h"
#include "md/enforce.h"
#include "md/summary.h"
#include "molecules/bead_place.h"

enum { ROUND = 1 << 14 /* beads */ };

/* What all ranks know of the frame. */
struct about {
  double box[3];
  int64_t has_names, has_velocities;
};

/* The file, on rank 0: one of the two. */
struct input {
  struct gromacs_gro_file *gro;
  struct gromacs_trr_file *trr;
  struct error_list mistakes;
};

static int has_suffix(const char *path, const char *suffix)
{
  const char *dot = strrchr(path, '.');
  return dot && !strcasecmp(dot, suffix);
}

int convert_back_is(const char *path)
{
  return has_suffix(path, ".gro") || has_suffix(path, ".trr");
}

/* 1 if an option was typed, also if it has a preset value. */
static int is_given(const struct arguments *a, const char *name)
{
  const struct option_help *o = NULL;
  int n = 0;
  for (int k = 0; k < a->n_given; k++)
    if (!strcmp(a->given[k].option->name, name)) {
      o = a->given[k].option;
      n++;
    }
  return o && n > (o->preset != NULL);
}

static void check_options(const struct arguments *a)
{
  static const char *const other[] = {"every", "select", "positions", "precision", "digits"};
  static const char *const times[] = {"from", "to"};
  const char *frame = arguments_operand(a, 0);
  for (size_t k = 0; k < sizeof other / sizeof other[0]; k++)
    if (is_given(a, other[k]))
      die_all(STATUS_INPUT, "convert: --%s is for trajectories and states; of '%s' a state is made",
              other[k], frame);
  for (size_t k = 0; k < sizeof times / sizeof times[0]; k++)
    if (is_given(a, times[k]) && !has_suffix(frame, ".trr"))
      die_all(STATUS_INPUT,
              "convert: --%s is for .trr files: of a .gro file the first frame is read", times[k]);
  if (!is_given(a, "state"))
    die_all(STATUS_INPUT,
            "convert: --state=STATE.h5 is missing: a frame of GROMACS has no force field, and that "
            "of a state is taken. Without a state: lamella import TOPOL.top CONF.gro");
  if (!has_suffix(arguments_value(a, "output"), ".h5"))
    die_all(STATUS_INPUT, "convert: --output=%s: a state is made of '%s', and its suffix is .h5",
            arguments_value(a, "output"), frame);
}

static double time_option(const struct arguments *a, const char *name, double standard)
{
  const char *text = arguments_value(a, name);
  double value = standard;
  if (text && !parse_real(text, &value))
    die(STATUS_INPUT, "convert: --%s=%s: expected a time in ps", name, text);
  return value;
}

/* Rank 0. Mistakes end the program. */
static void input_open(struct input *in, const struct arguments *a, int64_t n_total,
                       struct about *about)
{
  const char *path = arguments_operand(a, 0);
  about->has_names = has_suffix(path, ".gro");
  if (about->has_names) {
    in->gro = gromacs_gro_open(path, n_total, "state", &in->mistakes);
    error_list_check(&in->mistakes);
    return;
  }
  struct gromacs_trr_frame frame;
  in->trr = gromacs_trr_open(path, n_total, time_option(a, "from", -HUGE_VAL),
                             time_option(a, "to", HUGE_VAL), &frame, &in->mistakes);
  error_list_check(&in->mistakes);
  memcpy(about->box, frame.box, sizeof about->box);
  about->has_velocities = frame.has_velocities;
  printf("frame        %lld of '%s', step %lld, %g ps\n", (long long)frame.number, path,
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
static void input_close(struct input *in, const char *path, struct about *about)
{
  if (in->gro)
    about->has_velocities = gromacs_gro_end(in->gro, about->box);
  else
    gromacs_trr_close(in->trr);
  error_list_check(&in->mistakes);
  if (!about->has_velocities) warn("%s has no velocities: everything starts at rest", path);
}

/* Rank 0 passes n beads to rank k, which puts them at `to`. Of these two ranks. */
static void pass(const struct ranks *r, int k, int64_t n, const struct gromacs_gro_atom *atom,
                 struct gromacs_gro_atom *to)
{
  int64_t *send = alloc_array(r->size, sizeof *send);
  int64_t *receive = alloc_array(r->size, sizeof *receive);
  if (r->rank == 0) send[k] = n;
  if (r->rank == k) receive[0] = n;
  struct gromacs_gro_atom *got = ranks_deliver(r, sizeof *atom, atom, send, receive);
  if (r->rank == k) memcpy(to, got, (size_t)n * sizeof *got);
  free(got);
  free(send);
  free(receive);
}

/* The beads of the block of this rank. Rank 0 reads the frame, block by block. Caller frees. */
static struct gromacs_gro_atom *read_frame(const struct ranks *r, const struct arguments *a,
                                           const struct system *s, struct about *about)
{
  struct input in = {0};
  struct gromacs_gro_atom *own = alloc_array(s->n, sizeof *own), *round = NULL;
  if (r->rank == 0) {
    input_open(&in, a, s->n_total, about);
    round = alloc_array(ROUND, sizeof *round);
  }
  for (int k = 0; k < r->size; k++) {
    if (r->rank != 0 && r->rank != k) continue;
    const int64_t block =
        system_first(s->n_total, k + 1, r->size) - system_first(s->n_total, k, r->size);
    for (int64_t at = 0; at < block; at += ROUND) {
      const int64_t n = block - at < ROUND ? block - at : ROUND;
      if (r->rank == 0) input_next(&in, round, n);
      pass(r, k, n, round, own + at);
    }
  }
  free(round);
  if (r->rank == 0) input_close(&in, arguments_operand(a, 0), about);
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

static struct system *make_state(struct ranks *r, const struct arguments *a)
{
  struct system *s = state_read(r, arguments_value(a, "state"));
  struct about about = {0};
  struct gromacs_gro_atom *atom = read_frame(r, a, s, &about);
  if (about.has_names) compare_names(r, s, atom, arguments_operand(a, 0));
  s = start_of(r, s);
  system_set_box(s, about.box);
  place_beads(r, s, atom);
  enforce_system(r, s, ENFORCE_SITES);
  free(atom);
  return s;
}

int convert_back(struct ranks *r, const struct arguments *a)
{
  const char *output = arguments_value(a, "output");
  check_options(a);
  path_check(r, output);
  char *target = path_target(output);
  const int lock = lock_take(r, target);
  struct system *s = make_state(r, a);
  summary_require_kernels(r, s);
  state_write(r, output, s, NULL);
  summary_print(r, s, NULL, 1);
  summary_box_suffices(r, s, 1);
  if (r->rank == 0) printf("written      %s\n", output);
  system_destroy(s);
  lock_release(r, target, lock);
  free(target);
  return STATUS_DONE;
}
