/* Positions of a trajectory are taken as floats from the file. To make molecules whole, the system
   gets the positions of the frame, and src/molecules/whole.h the shifts. */
#include "io/frame_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/option_group.h"
#include "io/state.h"
#include "molecules/whole.h"

/* Times that differ by less are the same, ps. */
#define SAME_TIME 1e-6

void frame_block_free(struct frame_block *f)
{
  free(f->position);
  free(f->velocity);
  memset(f, 0, sizeof *f);
}

static void block_reserve(struct frame_block *b, int64_t n, int velocities)
{
  b->n = n;
  if (!b->position) b->position = alloc_array(n, sizeof *b->position);
  if (!b->velocity && velocities) b->velocity = alloc_array(n, sizeof *b->velocity);
}

int frame_source_is_trajectory(const struct ranks *r, const char *path)
{
  struct h5_reader in;
  h5_reader_open(&in, path);
  const int found = !in.error[0] && h5_exists(&in, TRAJECTORY_GROUP);
  h5_reader_close(&in);
  h5_reader_require_ok(&in, r);
  return found;
}

static void find_rows(struct frame_source *f)
{
  int64_t at = 0, lack = 0;
  f->row = alloc_array(f->selection.n, sizeof *f->row);
  for (int64_t m = 0; m < f->selection.n; m++) {
    const int64_t bead = selection_bead(&f->selection, m);
    while (at < f->held.n && selection_bead(&f->held, at) < bead)
      at++;
    lack += at == f->held.n || selection_bead(&f->held, at) != bead;
    f->row[m] = at;
  }
  ranks_sum_int64(f->ranks, &lack, 1);
  if (lack)
    die_all(STATUS_INPUT,
            "--select=%s: %lld of these beads are not in the frames, which hold %s "
            "(output.frames_select of the run)",
            f->selection.text, (long long)lack, f->held.text);
}

static void choose_frames(struct frame_source *f, const struct frame_request *want)
{
  const struct trajectory_index *c = &f->reader.index;
  int64_t in_range = 0;
  trajectory_reader_warn(&f->reader);
  f->frame = alloc_array(c->frames, sizeof *f->frame);
  f->step = alloc_array(c->frames, sizeof *f->step);
  f->time = alloc_array(c->frames, sizeof *f->time);
  for (int64_t k = 0; k < c->frames; k++) {
    if (c->time[k] < want->from - SAME_TIME || c->time[k] > want->to + SAME_TIME) continue;
    if (in_range++ % want->every) continue;
    if (c->step[k] <= (f->frames ? f->step[f->frames - 1] : -1))
      die_all(STATUS_IO, "'%s': frame %lld (counted from 0) has step %lld: the file is damaged",
              f->in.path, (long long)k, (long long)c->step[k]);
    f->frame[f->frames] = k;
    f->step[f->frames] = c->step[k];
    f->time[f->frames++] = c->time[k];
  }
  if (c->frames == 0) die_all(STATUS_INPUT, "'%s' has no frames", f->in.path);
  if (f->frames == 0)
    die_all(STATUS_INPUT,
            "'%s' has no frame from %g to %g ps: its %lld frames are from %g to %g ps", f->in.path,
            want->from, want->to, (long long)c->frames, c->time[0], c->time[c->frames - 1]);
}

/* Dies if the trajectory holds some beads of a molecule and not others. */
static void require_molecules(const struct frame_source *f)
{
  const struct system *s = f->system;
  int64_t apart = 0;
  char *is_held = alloc_array(s->n, 1);
  for (int64_t k = 0; k < f->held.n; k++)
    is_held[selection_bead(&f->held, k)] = 1;
  const int64_t *first = whole_first(f->whole);
  int64_t *row = alloc_array(s->n, sizeof *row);
  selection_rows(&f->held, f->ranks, s, first, s->n, row);
  for (int64_t k = 0; k < s->n; k++)
    apart += is_held[k] != (row[k] > 0);
  free(row);
  free(is_held);
  ranks_sum_int64(f->ranks, &apart, 1);
  if (apart)
    die_all(STATUS_INPUT,
            "'%s' holds parts of molecules (%s), which cannot be made whole: give "
            "--positions=wrapped or --positions=unwrapped",
            f->in.path, f->held.text);
}

static struct system *read_state(const struct ranks *r, const char *path)
{
  struct state_refusal why;
  struct system *s = state_try(r, path, &why);
  if (!s)
    die_all(STATUS_IO,
            "cannot read '%s': %s; a trajectory needs a state of its run, for names and bonds: "
            "give one with --state",
            path, why.reason);
  return s;
}

static void open_trajectory(struct frame_source *f, const struct frame_request *want)
{
  h5_reader_open(&f->in, want->path);
  trajectory_reader_open(&f->reader, &f->in);
  h5_reader_require_ok(&f->in, f->ranks);
  const struct trajectory_index *c = &f->reader.index;
  f->system = read_state(f->ranks, want->state);
  trajectory_reader_held(&f->reader, f->system, &f->held, want->state, f->ranks);
  choose_frames(f, want);
  f->has_velocities = c->layout.elements >> ELEMENT_VELOCITY & 1;
  f->read = want->positions;
  if (want->positions != POSITIONS_WHOLE || c->layout.positions == POSITIONS_WHOLE) return;
  f->read = POSITIONS_WRAPPED;
  f->whole = whole_open(f->ranks, f->system, BY_BONDS);
  require_molecules(f);
}

static void open_state(struct frame_source *f, const struct frame_request *want)
{
  f->system = state_read(f->ranks, want->path);
  f->is_state = f->has_velocities = 1;
  f->frames = 1;
  f->step = alloc_array(1, sizeof *f->step);
  f->time = alloc_array(1, sizeof *f->time);
  f->step[0] = f->system->clock.step;
  f->time[0] = f->system->clock.time;
  if (want->positions == POSITIONS_WHOLE) f->whole = whole_open(f->ranks, f->system, BY_BONDS);
}

static void select_beads(struct frame_source *f, const char *text)
{
  struct bead_group g = {0};
  option_group_find(&g, f->ranks, f->system, "--select", WORDS_TYPES | WORDS_MOLECULES, text);
  char *name = option_group_text(f->system, text);
  selection_open(&f->selection, f->ranks, f->system, &g, name);
  free(name);
  bead_group_free(&g);
}

void frame_source_open(struct frame_source *f, const struct ranks *r,
                       const struct frame_request *want)
{
  memset(f, 0, sizeof *f);
  f->ranks = r;
  f->positions = want->positions;
  if (frame_source_is_trajectory(r, want->path))
    open_trajectory(f, want);
  else
    open_state(f, want);
  if (!want->select[0] && f->held.text)
    selection_copy(&f->selection, &f->held);
  else
    select_beads(f, want->select);
  if (!f->is_state) find_rows(f);
}

/* The selected beads of the system; shift: in box vectors, or NULL. */
static void read_system(const struct system *s, const struct selection *selection, int unwrapped,
                        const int32_t (*shift)[3], struct frame_block *b)
{
  block_reserve(b, selection->n, 1);
  b->step = s->clock.step;
  b->time = s->clock.time;
  memcpy(b->box, s->box, sizeof b->box);
  for (int64_t m = 0; m < b->n; m++) {
    const int64_t k = selection_bead(selection, m);
    const double mass = s->ff->type[s->beads.type[k]].mass;
    system_get_position(s, k, unwrapped, b->position[m]);
    if (shift) box_shift(s->box, shift[k], b->position[m]);
    for (int d = 0; d < 3; d++)
      b->velocity[m][d] = mass > 0 ? s->beads.momentum[3 * k + d] / mass : 0;
  }
}

/* The shifts of the frame, [n] of the block; NULL: none. */
static const int32_t (*shifts_of(struct frame_source *f, const struct trajectory_frame *t))[3]
{
  if (!f->whole) return NULL;
  memcpy(f->system->box, t->box, sizeof t->box);
  for (int64_t k = 0; k < t->n; k++)
    system_set_position(f->system, selection_bead(&f->held, k), t->position[k]);
  whole_update(f->whole, f->system);
  return whole_shift(f->whole);
}

static void read_trajectory(struct frame_source *f, int64_t k, struct frame_block *b)
{
  struct trajectory_frame t = {0};
  trajectory_frame_read(&f->reader, f->frame[k], f->held.first + 1, f->held.n, f->read, &t);
  trajectory_frame_verify(&f->reader, &t, f->ranks);
  const int32_t(*shift)[3] = shifts_of(f, &t);
  const float *velocity = t.value[ELEMENT_VELOCITY];
  block_reserve(b, f->selection.n, f->has_velocities);
  b->step = t.step;
  b->time = t.time;
  memcpy(b->box, t.box, sizeof b->box);
  for (int64_t m = 0; m < b->n; m++) {
    const int64_t row = f->row[m], bead = selection_bead(&f->selection, m);
    int32_t vectors[3] = {0};
    for (int d = 0; d < 3; d++) {
      /* A float may be at the far face of the box: then the system has it one image on. */
      if (shift) vectors[d] = shift[bead][d] - f->system->beads.image[3 * bead + d];
      b->position[m][d] = t.position[row][d];
      if (velocity) b->velocity[m][d] = (double)velocity[3 * row + d];
    }
    if (shift) box_shift(t.box, vectors, b->position[m]);
  }
  trajectory_frame_free(&t);
}

void frame_source_read(struct frame_source *f, int64_t k, struct frame_block *b)
{
  if (f->is_state) {
    if (f->whole) whole_update(f->whole, f->system);
    read_system(f->system, &f->selection, f->positions == POSITIONS_UNWRAPPED,
                f->whole ? whole_shift(f->whole) : NULL, b);
  } else {
    read_trajectory(f, k, b);
  }
  b->number = k + 1;
}

void frame_source_close(struct frame_source *f)
{
  if (!f->is_state) {
    trajectory_reader_close(&f->reader);
    h5_reader_close(&f->in);
  }
  whole_close(f->whole);
  selection_close(&f->selection);
  selection_close(&f->held);
  free(f->row);
  free(f->frame);
  free(f->step);
  free(f->time);
  system_destroy(f->system);
}
