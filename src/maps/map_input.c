#include "maps/map_input.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/path.h"
#include "io/option_group.h"
#include "io/state.h"
#include "maps/parts.h"

static void trajectory_open(struct map_input *in, const struct map_request *q)
{
  struct analyze_input *t = &in->trajectory;
  analyze_open(t, in->ranks, q->input, q->state, q->first, q->last);
  in->is_trajectory = 1;
  in->frames = t->range.last - t->range.first + 1;
  in->system = t->system;
  if (t->reader.index.n != in->system->n_total)
    die_all(STATUS_INPUT,
            "'%s' holds %lld beads and the state '%s' %lld: a map needs all beads in the frames, "
            "and the state of the same run",
            q->input, (long long)t->reader.index.n, q->state, (long long)in->system->n_total);
}

static void orientations_require(const struct map_input *in)
{
  const int orientation = 1 << ELEMENT_QUATERNION | 1 << ELEMENT_AXIS | 1 << ELEMENT_DIPOLE;
  if (!in->is_trajectory || !(sources_amounts(in->system->ff, in->from.type) & 2) ||
      in->trajectory.reader.index.layout.elements & orientation)
    return;
  die_all(STATUS_INPUT,
          "'%s' has no orientations (dipole, axis or quaternion), which the dipoles of the sources "
          "need: choose types without dipoles with --types",
          in->path);
}

void map_input_open(struct map_input *in, const struct ranks *r, const struct map_request *q)
{
  memset(in, 0, sizeof *in);
  in->ranks = r;
  in->path = q->input;
  in->frames = 1;
  if (path_ends(in->path, ".pqr")) {
    pqr_read(r, in->path, &in->pqr);
    return;
  }
  if (path_ends(in->path, ".h5md"))
    trajectory_open(in, q);
  else
    in->system = state_read(r, in->path);
  const struct forcefield *ff = in->system->ff;
  in->has_from = q->types != NULL;
  if (q->types) option_group_find(&in->from, r, in->system, "--types", WORDS_TYPES, q->types);
  if (!sources_amounts(ff, in->from.type))
    die_all(STATUS_INPUT, "no sources: %s%s in the force field %s %s a charge or a dipole",
            q->types ? "of the bead types of " : "no bead type", q->types ? q->types : "", ff->name,
            q->types ? "none has" : "has");
  orientations_require(in);
}

static struct map_charges charges_of_pqr(const struct pqr *p)
{
  struct map_charges c = {0, alloc_array(p->n, sizeof *c.charge)};
  for (int64_t k = 0; k < p->n; k++) {
    if (p->q[k] == 0) continue;
    struct map_charge *to = &c.charge[c.n++];
    to->q = p->q[k];
    memcpy(to->x, p->x + 3 * k, sizeof to->x);
  }
  return c;
}

void map_input_read(struct map_input *in, int64_t k, struct map_frame *f)
{
  struct system *y = in->system;
  memset(f, 0, sizeof *f);
  if (in->is_trajectory)
    analyze_read_frame(in->ranks, &in->trajectory.reader, in->trajectory.range.first + k, y);
  if (y) {
    f->step = y->clock.step;
    f->time = y->clock.time;
    memcpy(f->box, y->box, sizeof f->box);
  }
  f->charges = y ? sources_of_system(y, in->has_from ? &in->from : NULL) : charges_of_pqr(&in->pqr);
  f->sources = f->charges.n;
  ranks_sum_int64(in->ranks, &f->sources, 1);
  if (!f->sources)
    die_all(STATUS_INPUT, "no sources: '%s' has no bead%s with a charge or a dipole", in->path,
            in->has_from ? " of those chosen" : "");
}

void map_input_close(struct map_input *in)
{
  if (in->is_trajectory) analyze_close(&in->trajectory);
  system_destroy(in->system);
  if (!in->system) pqr_free(&in->pqr);
  bead_group_free(&in->from);
}
