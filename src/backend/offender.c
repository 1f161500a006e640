/* See offender.h. No communication: other ranks may be ending the program, too. */
#include "backend/offender.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/torus.h"

enum { PATH_MOST = 4096 };

static int find(const struct offender_state *s, int64_t id)
{
  for (int i = 0; i < s->n_all; i++)
    if (s->id[i] == id) return i;
  return -1;
}

static double distance(const struct offender_state *s, int i, int j)
{
  double h[BOX];
  torus_units(s->box, h);
  return sqrt(torus_distance2(s->record[i].x, s->record[j].x, h));
}

static void line_write(FILE *out, const struct offender_state *s, int i, double d)
{
  const struct bead_record *r = &s->record[i];
  const char *type = r->type >= 0 && r->type < s->ff->n_types ? s->ff->type[r->type].name : "?";
  fprintf(out, "%lld,%d,%s,%s,%.9g", (long long)s->id[i], r->type, type,
          i < s->n ? "owned" : "halo", d);
  const double f[3] = {torus_fraction(r->x[0]), torus_fraction(r->x[1]), torus_fraction(r->x[2])};
  double x[3];
  box_vector(s->box, f, x);
  for (int k = 0; k < 3; k++)
    fprintf(out, ",%.9f", x[k]);
  for (int k = 0; k < 3; k++)
    if (i < s->n)
      fprintf(out, ",%.9g", s->momentum[3 * (int64_t)i + k]);
    else
      fputc(',', out);
  fputc('\n', out);
}

/* Writes every bead within the cutoff of one of the two. */
static void beads_write(FILE *out, const struct offender_state *s, int64_t bead, int64_t partner)
{
  int a = find(s, bead), b = partner ? find(s, partner) : -1;
  fprintf(out, "# step %lld, box %.9g %.9g %.9g nm, bead %lld", (long long)s->step, s->box[0],
          s->box[1], s->box[2], (long long)bead);
  if (box_is_oblique(s->box))
    fprintf(out, ", box tilt xy, xz, yz %.9g %.9g %.9g nm", s->box[3], s->box[4], s->box[5]);
  if (partner) fprintf(out, ", bonded to bead %lld", (long long)partner);
  fprintf(out, "\nid,type,name,held,distance_nm,x_nm,y_nm,z_nm,px_amu_nm_per_ps,py_amu_nm_per_ps,"
               "pz_amu_nm_per_ps\n");
  for (int i = 0; i < s->n_all; i++) {
    double d = a >= 0 ? distance(s, i, a) : (double)INFINITY;
    if (b >= 0) d = fmin(d, distance(s, i, b));
    if (d <= s->ff->cutoff || i == a || i == b) line_write(out, s, i, d);
  }
}

/* Writes the file, and into text the end of the message, which names it. Several ranks may do this
   at the same time: each renames a temporary file of its own, so that the file is always complete.
 */
static void state_write(const struct offender_state *s, int64_t bead, int64_t partner, char *text,
                        size_t size)
{
  char path[PATH_MOST], temporary[PATH_MOST + 32];
  text[0] = 0;
  if (!s->prefix || !s->prefix[0]) return;
  if (snprintf(path, sizeof path, "%s.offender.csv", s->prefix) >= (int)sizeof path) return;
  snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
  FILE *out = fopen(temporary, "w");
  if (out) {
    beads_write(out, s, bead, partner);
    int bad = ferror(out);
    if (fclose(out) == 0 && !bad && rename(temporary, path) == 0) {
      snprintf(text, size, "; the beads around it are in %s", path);
      return;
    }
  }
  snprintf(text, size, "; %s could not be written: %s", path, strerror(errno));
  unlink(temporary);
}

void offender_moved(const struct offender_state *s, int64_t bead, double distance_nm,
                    const double force[3])
{
  char where[PATH_MOST + 128];
  state_write(s, bead, 0, where, sizeof where);
  die(STATUS_NUMERIC,
      "bead %lld moved by %g nm in step %lld (force %g %g %g kJ/mol/nm): the simulation has blown "
      "up; start from a minimised state (`lamella build` with `state:` and `minimise: yes`) or "
      "take a smaller run.dt%s",
      (long long)bead, distance_nm, (long long)s->step, force[0], force[1], force[2], where);
}

void offender_broken(const struct offender_state *s, int64_t bead, int64_t partner, double length,
                     double longest)
{
  char where[PATH_MOST + 128], much[64] = "further than halos can reach";
  state_write(s, bead, partner, where, sizeof where);
  if (length > 0) snprintf(much, sizeof much, "%.4g nm (at most %.4g nm)", length, longest);
  die(STATUS_NUMERIC,
      "step %lld: beads %lld and %lld share a bonded term and are %s apart: the molecule is "
      "broken; minimise the start%s take a smaller run.dt%s%s",
      (long long)s->step, (long long)bead, (long long)partner, much, length > 0 ? " or" : ",",
      length > 0 ? ""
                 : " or, if they are that far apart at rest, fewer ranks or another parallel.grid",
      where);
}

void offender_constraint(const struct offender_state *s, int64_t bead, int64_t partner,
                         double length, double right)
{
  char where[PATH_MOST + 128];
  state_write(s, bead, partner, where, sizeof where);
  die(STATUS_NUMERIC,
      "step %lld: the constraints of the cluster of beads %lld and %lld cannot be solved: these "
      "two "
      "come out %.6g nm apart, and the constraint is %.6g nm; minimise the start, take a smaller "
      "run.dt, or see whether the lengths contradict each other%s",
      (long long)s->step, (long long)bead, (long long)partner, length, right, where);
}
