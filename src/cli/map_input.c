#include "cli/map_input.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/map_request.h"
#include "cli/trajectory_input.h"
#include "cli/type_list.h"
#include "io/state.h"
#include "maps/parts.h"

static int ends_in(const char *path, const char *ending)
{
  const size_t n = strlen(path), m = strlen(ending);
  return n > m && !strcasecmp(path + n - m, ending);
}

/* Options that only an input of another kind has. */
static void refuse_options(const struct arguments *a, const char *const *name, const char *why)
{
  for (; *name; name++)
    if (arguments_value(a, *name))
      die_all(STATUS_INPUT, "--%s: '%s' %s", *name, arguments_operand(a, 0), why);
}

static void trajectory_open(struct map_input *in, const struct arguments *a)
{
  const char *state = arguments_value(a, "state");
  char *checkpoint = state ? text_copy(state) : trajectory_beside(in->path, ".checkpoint.h5");
  h5_reader_open(&in->file, in->path);
  trajectory_reader_open(&in->reader, &in->file);
  h5_reader_require_ok(&in->file, in->ranks);
  const struct analyze_range range = trajectory_range(a, &in->reader);
  in->is_trajectory = 1;
  in->first = range.first;
  in->frames = range.last - range.first + 1;
  if (in->ranks->rank == 0) arguments_spare(a, checkpoint);
  in->system = state_read(in->ranks, checkpoint);
  if (in->reader.index.n != in->system->n_total)
    die_all(STATUS_INPUT,
            "'%s' holds %lld beads and the state '%s' %lld: a map needs all beads in the frames, "
            "and the state of the same run",
            in->path, (long long)in->reader.index.n, checkpoint, (long long)in->system->n_total);
  trajectory_reader_require(&in->reader, in->system, checkpoint, in->ranks);
  free(checkpoint);
}

static void orientations_require(const struct map_input *in)
{
  const int orientation = 1 << ELEMENT_QUATERNION | 1 << ELEMENT_AXIS | 1 << ELEMENT_DIPOLE;
  if (!in->is_trajectory || !(type_list_amounts(in->system->ff, in->chosen) & 2) ||
      in->reader.index.layout.elements & orientation)
    return;
  die_all(STATUS_INPUT,
          "'%s' has no orientations (dipole, axis or quaternion), which the dipoles of the sources "
          "need: choose types without dipoles with --types",
          in->path);
}

void map_input_open(struct map_input *in, const struct ranks *r, const struct arguments *a)
{
  static const char *const of_frames[] = {"first", "last", "state", NULL};
  static const char *const of_types[] = {"types", NULL};
  const char *types = arguments_value(a, "types");
  memset(in, 0, sizeof *in);
  in->ranks = r;
  in->path = arguments_operand(a, 0);
  in->frames = 1;
  if (!ends_in(in->path, ".h5md")) refuse_options(a, of_frames, "is no trajectory");
  if (ends_in(in->path, ".pqr")) {
    refuse_options(a, of_types, "is a PQR file, which has no bead types");
    pqr_read(r, in->path, &in->pqr);
    return;
  }
  if (ends_in(in->path, ".h5md"))
    trajectory_open(in, a);
  else
    in->system = state_read(r, in->path);
  if (types) in->chosen = type_list_read(in->system->ff, "types", types);
  if (!type_list_amounts(in->system->ff, in->chosen))
    die_all(STATUS_INPUT, "no sources: %s%s in the force field %s %s a charge or a dipole",
            types ? "of the types " : "no bead type", types ? types : "", in->system->ff->name,
            types ? "none has" : "has");
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
  if (in->is_trajectory) analyze_read_frame(in->ranks, &in->reader, in->first + k, y);
  if (y) {
    f->step = y->clock.step;
    f->time = y->clock.time;
    memcpy(f->box, y->box, sizeof f->box);
  }
  f->charges = y ? sources_of_system(y, in->chosen) : charges_of_pqr(&in->pqr);
  f->sources = parts_count(in->ranks, &f->charges);
  if (!f->sources)
    die_all(STATUS_INPUT, "no sources: '%s' has no bead%s with a charge or a dipole", in->path,
            in->chosen ? " of the types chosen" : "");
}

void map_input_close(struct map_input *in)
{
  if (in->is_trajectory) {
    trajectory_reader_close(&in->reader);
    h5_reader_close(&in->file);
  }
  system_destroy(in->system);
  if (!in->system) pqr_free(&in->pqr);
  free(in->chosen);
}
