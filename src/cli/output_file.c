#include "cli/output_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/axis.h"
#include "base/box_shape.h"
#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "io/lock.h"
#include "io/path_check.h"
#include "io/state.h"
#include "md/groups.h"
#include "md/membrane.h"
#include "md/partition.h"
#include "model/restraints.h"
#include "molecules/leaflet.h"
#include "pair/pair_pass.h"

struct output_file output_file_lock(const struct ranks *r, const char *path)
{
  path_check(r, path);
  char *target = path_target(path);
  return (struct output_file){r, path, target, lock_take(r, target)};
}

static int64_t count_restraints(const struct ranks *r, const struct system *s)
{
  int64_t n = 0;
  for (int64_t k = 0; k < s->n; k++)
    n += topology_restrains(&s->topology, s->beads.bonded_env[k]);
  ranks_sum_int64(r, &n, 1);
  return n;
}

static void print_molecules(const struct system *s, const int64_t *count, int64_t lipids,
                            enum flatness flat, int bilayers)
{
  int printed = 0;
  char text[FLATNESS_AREA];
  printf("molecules    ");
  for (int m = 0; m < s->ff->n_molecules; m++) {
    if (count[m] == 0) continue;
    text_print("%s%" PRId64 " %s", printed++ ? ", " : "", count[m], s->ff->molecule[m].name);
  }
  if (count[s->ff->n_molecules])
    printf("%s%" PRId64 " beads of no known molecule", printed ? ", " : "",
           count[s->ff->n_molecules]);
  printf("\n");
  if (lipids == 0) return;
  if (bilayers > 1)
    printf("bilayers     %d along z: say output: {bilayers: %d} in run files\n", bilayers,
           bilayers);
  printf("area         %s\n", flatness_area(flat, lipids, bilayers, s->box, text));
}

/* Kinetic energies of translation and rotation, kJ/mol. */
static void sum_kinetic(const struct ranks *r, const struct system *s, double kinetic[2])
{
  kinetic[0] = kinetic[1] = 0;
  for (int64_t k = 0; k < 3 * s->n; k++) {
    const struct ff_type *type = &s->ff->type[s->beads.type[k / 3]];
    const double p = s->beads.momentum[k], j = s->beads.angular_momentum[k];
    if (type->mass > 0) kinetic[0] += 0.5 * p * p / type->mass;
    if (type->inertia[k % 3] > 0) kinetic[1] += 0.5 * j * j / type->inertia[k % 3];
  }
  ranks_sum_double(r, kinetic, 2);
}

/* Prints beads, molecules by type, box, area per lipid and temperatures to stdout. */
static void print_summary(const struct ranks *r, const struct system *s, const struct lipids *l,
                          int bilayers)
{
  const struct dof dof = groups_census(r, s).dof;
  int64_t *count = membrane_molecules(r, s);
  double kinetic[2];
  char box[BOX_TEXT];
  struct lipids *standard = l ? NULL : lipids_create(s->ff);
  enum flatness flat;
  int64_t lipids;
  const int64_t restraints = count_restraints(r, s);
  if (standard) membrane_judge(r, s, standard);
  sum_kinetic(r, s, kinetic);
  free(leaflets_find(r, s, l ? l : standard, &lipids, &flat));
  lipids_destroy(standard);
  if (r->rank == 0) {
    text_print("force field  %s %s\n", s->ff->name, s->ff->version);
    printf("beads        %" PRId64 "\n", s->n_total);
    print_molecules(s, count, lipids, flat, bilayers);
    if (restraints > 0) {
      printf("restraints   %" PRId64 " beads", restraints);
      restraints_print_sets(s->ff, stdout);
      printf("\n");
    }
    printf("box          %s\n", box_text(s->box, 'f', 5, box));
    if (kinetic[0] > 0)
      printf("temperature  %.1f K translation", temperature_of(kinetic[0], dof.translation));
    if (kinetic[0] > 0 && dof.rotation > 0)
      printf(", %.1f K rotation", temperature_of(kinetic[1], dof.rotation));
    printf(kinetic[0] > 0 ? "\n" : "temperature  0: at rest\n");
    fflush(stdout);
  }
  free(count);
}

/* Twice the cutoff of the beads of a system and a usual skin, nm: a box edge is at least so long.
   Ends all ranks with STATUS_INPUT if no force kernel supports the bead types. Collective. */
static double least_edge(const struct ranks *r, const struct system *s)
{
  const double usual_skin = 0.2; /* nm */
  const struct census c = groups_census(r, s);
  const struct pair_plan plan = pair_plan_of(s->ff, c.present);
  return 2 * (pair_range(&plan, s->ff, &s->topology) + usual_skin);
}

int output_file_box_suffices(const struct ranks *r, const struct system *s)
{
  return box_short_axis(s->box, 0.5 * least_edge(r, s)) < 0;
}

void output_file_state(const struct output_file *f, struct system *s, const struct lipids *lipids,
                       int copies)
{
  const double least = least_edge(f->ranks, s);
  const int axis = box_short_axis(s->box, 0.5 * least);
  state_write(f->ranks, f->path, s, NULL);
  print_summary(f->ranks, s, lipids, copies);
  if (f->ranks->rank == 0) printf("written      %s\n", f->path);
  if (axis >= 0)
    warn("the %s along %c is %g nm, less than twice cutoff and skin (%g nm): too small to run; "
         "build a larger one, or replicate it",
         box_width_name(s->box), axis_name(axis), box_height(s->box, axis), least);
}

void output_file_release(struct output_file *f)
{
  lock_release(f->ranks, f->target, f->lock);
  free(f->target);
}
