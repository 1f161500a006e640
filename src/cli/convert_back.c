/* Rank 0 reads the frame and sends each rank its beads. See convert_back.h. */
#include "cli/convert_back.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/parse.h"
#include "import/gromacs_trr.h"
#include "io/bead_place.h"
#include "io/lock.h"
#include "io/path.h"
#include "io/state.h"
#include "md/summary.h"

/* What all ranks know of the frame. */
struct about {
  double box[3];
  int64_t has_names;
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

/* Rank 0: the frame. Mistakes end the program. */
static struct gromacs_gro *read_frame(const struct arguments *a, int64_t n_total)
{
  struct error_list m = {0};
  struct gromacs_trr_frame frame;
  const char *path = arguments_operand(a, 0);
  struct gromacs_gro *c;
  if (has_suffix(path, ".gro")) {
    c = gromacs_gro_read(path, n_total, &m);
  } else {
    c = gromacs_trr_read(path, n_total, time_option(a, "from", -HUGE_VAL),
                         time_option(a, "to", HUGE_VAL), &frame, &m);
    if (!m.count)
      printf("frame        %lld of '%s', step %lld, %g ps\n", (long long)frame.number, path,
             (long long)frame.step, frame.time);
  }
  error_list_check(&m);
  if (!c->has_velocities) warn("%s has no velocities: everything starts at rest", path);
  return c;
}

/* Sends each rank the beads of its block. c: on rank 0. Caller frees. */
static struct gromacs_gro_atom *scatter(const struct ranks *r, const struct gromacs_gro *c,
                                        int64_t n_total)
{
  int64_t *count = alloc_array(r->size, sizeof *count), received;
  for (int k = 0; k < r->size && c; k++)
    count[k] = system_first(n_total, k + 1, r->size) - system_first(n_total, k, r->size);
  struct gromacs_gro_atom *own =
      ranks_exchange(r, sizeof *own, c ? c->atom : NULL, count, NULL, &received);
  free(count);
  return own;
}

/* Dies if the names of beads are not those of the state; .gro files hold five characters. */
static void compare_names(const struct ranks *r, const struct system *s,
                          const struct gromacs_gro_atom *sent, const char *path)
{
  char why[256] = "";
  int64_t differ = 0;
  int *place = bead_places(r, s);
  for (int64_t k = 0; k < s->n; k++) {
    const char *name = bead_place_name(s, k, place[k]);
    if (!strncmp(sent[k].name, name, GRO_NAME - 1)) continue;
    if (differ++ == 0)
      snprintf(why, sizeof why, "%s:%lld: atom %s, but bead %lld of the state is %s", path,
               (long long)(s->first + k + 2), sent[k].name, (long long)(s->first + k), name);
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
  struct system *start = system_create(s->n_total, r->rank, r->size, s->ff);
  const struct beads unset = start->beads;
  start->beads = s->beads;
  start->topology = s->topology;
  s->beads = unset;
  s->ff = NULL;
  memset(&s->topology, 0, sizeof s->topology);
  system_destroy(s);
  return start;
}

/* Sets positions and momenta. */
static void place_beads(const struct ranks *r, struct system *s,
                        const struct gromacs_gro_atom *sent)
{
  int64_t turn = 0;
  for (int64_t k = 0; k < s->n; k++) {
    const struct ff_type *type = &s->ff->type[s->beads.type[k]];
    turn += type->inertia[0] > 0;
    system_set_position(s, k, sent[k].x);
    for (int d = 0; d < 3; d++)
      s->beads.momentum[3 * k + d] = type->mass * sent[k].v[d];
  }
  ranks_sum_int64(r, &turn, 1);
  if (turn)
    warn("%lld beads rotate: the frame has no orientations, and those of the state are kept",
         (long long)turn);
}

static struct system *make_state(struct ranks *r, const struct arguments *a)
{
  struct system *s = state_read(r, arguments_value(a, "state"));
  struct gromacs_gro *c = r->rank == 0 ? read_frame(a, s->n_total) : NULL;
  struct about about = {0};
  if (c) {
    memcpy(about.box, c->box, sizeof about.box);
    about.has_names = has_suffix(c->path, ".gro");
  }
  ranks_broadcast(r, &about, sizeof about);
  struct gromacs_gro_atom *sent = scatter(r, c, s->n_total);
  if (about.has_names) compare_names(r, s, sent, arguments_operand(a, 0));
  s = start_of(r, s);
  memcpy(s->box, about.box, sizeof s->box);
  place_beads(r, s, sent);
  gromacs_gro_destroy(c);
  free(sent);
  return s;
}

int convert_back(struct ranks *r, const struct arguments *a)
{
  const char *output = arguments_value(a, "output");
  check_options(a);
  path_check(r, output);
  path_refuse_input(r, arguments_value(a, "state"), output);
  char *target = path_target(output);
  const int lock = lock_take(r, target);
  struct system *s = make_state(r, a);
  summary_require_kernels(r, s);
  state_write(r, output, s, NULL);
  summary_print(r, s, 1);
  summary_box_suffices(r, s, 1);
  if (r->rank == 0) printf("written      %s\n", output);
  system_destroy(s);
  lock_release(r, target, lock);
  free(target);
  return STATUS_DONE;
}
