/* The rows of a run file that the pull code of GROMACS becomes: groups, coordinates and biases. See
   gromacs_writer.h. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "import/gromacs_pull.h"
#include "import/gromacs_yaml.h"
#include "model/heat_bath.h"

/* What writes them. */
struct pull_writer {
  const struct gromacs_writer *w;
  struct gromacs_pull pull;
  char **group; /* [n_groups + 1]: as the run file has them; NULL: a place in space. Owned */
};

/* Says what the file has for a key of a list, if it has it. between: before the next. */
static void say_key(const struct pull_writer *p, const char *names, int number,
                    const char **between)
{
  char key[GROMACS_KEY];
  gromacs_pull_key(&p->pull, names, number, key);
  if (!*gromacs_mdp_value(p->w->mdp, key, "")) return;
  fputs(*between, p->w->out);
  gromacs_mdp_print(p->w->mdp, key, p->w->out);
  *between = ", ";
}

/* Refuses weights that change the centre of mass, which has n atoms. */
static void check_weights(const struct pull_writer *p, int number, int64_t n)
{
  char key[GROMACS_KEY];
  gromacs_pull_key(&p->pull, "pull-group#-weights|pull-weights#", number, key);
  const int words = gromacs_mdp_words(p->w->mdp, key);
  if (words == 0) return;
  double *weight = alloc_array(words, sizeof *weight);
  const int read = gromacs_mdp_reals(p->w->mdp, key, words, weight);
  int same = 1;
  for (int k = 1; k < read; k++)
    same &= weight[k] == weight[0];
  if (read == words && words != n)
    GROMACS_REFUSE(p->w->mdp, key, "%s: %d weights, and the group has %lld atoms", key, words,
                   (long long)n);
  else if (read == words && (!same || !(weight[0] > 0)))
    GROMACS_REFUSE(p->w->mdp, key,
                   "%s: weights that differ are not implemented: centres are those of mass", key);
  free(weight);
}

static void check_pbcatom(const struct pull_writer *p, int number)
{
  char key[GROMACS_KEY];
  gromacs_pull_key(&p->pull, "pull-group#-pbcatom|pull-pbcatom#", number, key);
  if (gromacs_mdp_int(p->w->mdp, key, 0, -1, p->w->index->n) < 0)
    GROMACS_REFUSE(
        p->w->mdp, key,
        "%s = -1: cosine weights are not implemented: a group narrower than the box along "
        "the coordinate needs none",
        key);
}

/* The name of a group in the run file; the same for groups of one name. *is_new: no group before
   has it. */
static void name_group(struct pull_writer *p, int number, int *is_new)
{
  const char *name = gromacs_pull_group(&p->pull, number);
  char clean[HEAT_BATH_NAME];
  int taken = 0;
  heat_bath_name_clean(name, clean);
  *is_new = 1;
  for (int k = 0; k < number; k++) {
    if (!p->group[k]) continue;
    taken |= !strcmp(p->group[k], YAML_NAME(clean));
    if (strcasecmp(gromacs_pull_group(&p->pull, k), name)) continue;
    p->group[number] = text_copy(p->group[k]);
    *is_new = 0;
    return;
  }
  p->group[number] = taken ? text_format("group%d", number) : text_copy(YAML_NAME(clean));
}

/* A row of `groups`, which a stage has not: it has selections in their place. in: room for marks.
 */
static void write_group(struct pull_writer *p, int number, char *in)
{
  char key[GROMACS_KEY];
  const struct gromacs_mdp *mdp = p->w->mdp;
  const char *name = gromacs_pull_group(&p->pull, number), *between = "  # ", *comment = "# ";
  const int errors = gromacs_mdp_errors(mdp)->count;
  int is_new;
  gromacs_pull_key(&p->pull, "pull-group#-name|pull-group#", number, key);
  if (!*name && number > 0) GROMACS_REFUSE(mdp, "pull", "%s is missing: the name of a group", key);
  if (!*name) return;
  gromacs_mark_group(p->w, key, name, in);
  if (gromacs_mdp_errors(mdp)->count > errors) return;
  int64_t n = 0;
  for (int64_t k = 0; k < p->w->index->n; k++)
    n += in[k];
  check_weights(p, number, n);
  check_pbcatom(p, number);
  char *selection = gromacs_index_selection(p->w->index, in);
  if (p->w->stage >= 0) {
    say_key(p, "pull-group#-name|pull-group#", number, &comment);
    fputs("\n", p->w->out);
    p->group[number] = selection;
    return;
  }
  name_group(p, number, &is_new);
  if (!is_new) {
    free(selection);
    return;
  }
  fprintf(p->w->out, "  %s: %s", p->group[number], selection);
  say_key(p, "pull-group#-name|pull-group#", number, &between);
  fputs("\n", p->w->out);
  free(selection);
}

static void write_groups(struct pull_writer *p)
{
  char *in = alloc_array(p->w->index->n, 1);
  if (p->w->stage < 0) fputs("groups:\n", p->w->out);
  for (int g = 0; g <= p->pull.n_groups; g++)
    write_group(p, g, in);
  free(in);
}

/* "[x, y, z]", or the letter of an axis that it is. */
static void write_direction(FILE *out, const double v[3], int letters)
{
  for (int d = 0; d < 3 && letters; d++)
    if (v[d] == 1) {
      fprintf(out, "%c", "xyz"[d]);
      return;
    }
  fprintf(out, "[%s, %s, %s]", YAML_REAL(v[0]), YAML_REAL(v[1]), YAML_REAL(v[2]));
}

/* The group of place k of a coordinate, or its point. */
static void write_centre(const struct pull_writer *p, const struct pull_coordinate *c, int k)
{
  if (p->group[c->group[k]])
    fputs(p->group[c->group[k]], p->w->out);
  else
    write_direction(p->w->out, c->origin, 0);
}

/* `of` and `from`: of two groups, or of all. */
static void write_centres(const struct pull_writer *p, const struct pull_coordinate *c)
{
  FILE *out = p->w->out;
  fputs(", of: ", out);
  if (c->n_groups == 2 && c->geometry != PULL_AXIS) {
    write_centre(p, c, 1);
    fputs(", from: ", out);
    write_centre(p, c, 0);
    return;
  }
  for (int k = 0; k < c->n_groups; k++) {
    fputs(k ? ", " : "[", out);
    write_centre(p, c, k);
  }
  fputs("]", out);
}

/* The directions of a coordinate and what else it has. */
static void write_shape(const struct pull_writer *p, const struct pull_coordinate *c)
{
  FILE *out = p->w->out;
  switch (c->geometry) {
  case PULL_DISTANCE:
    if (c->dim[0] + c->dim[1] + c->dim[2] == 3) break;
    fputs(", along: ", out);
    for (int d = 0; d < 3; d++)
      if (c->dim[d]) fputc("xyz"[d], out);
    if (c->dim[0] + c->dim[1] + c->dim[2] == 1) fputs(", length: yes", out);
    break;
  case PULL_DIRECTION:
  case PULL_PERIODIC:
  case PULL_CYLINDER:
    fputs(", along: ", out);
    write_direction(out, c->vec, 1);
    break;
  case PULL_AXIS:
    fputs(", axis: ", out);
    write_direction(out, c->vec, 1);
    break;
  case PULL_RELATIVE:
  case PULL_ANGLE:
  case PULL_DIHEDRAL:
    break;
  }
  if (c->geometry == PULL_PERIODIC) fputs(", periodic: no", out);
  if (c->geometry == PULL_CYLINDER)
    fprintf(out, ", radius: %s",
            YAML_REAL(gromacs_mdp_real(p->w->mdp, "pull-cylinder-r", 1.5, 1e-3, 1e6)));
}

/* The keys of a coordinate, as a comment. */
static void say_keys(const struct pull_writer *p, int number, const char *const *names)
{
  const char *between = "  # ", *const first = between;
  for (; *names; names++)
    say_key(p, *names, number, &between);
  if (between != first) fputs("\n", p->w->out);
}

static void write_coordinate(const struct pull_writer *p, const struct pull_coordinate *c)
{
  static const char *const names[] = {"pull-coord#-geometry|pull-geometry", "pull-coord#-groups",
                                      "pull-coord#-dim|pull-dim",           "pull-coord#-origin",
                                      "pull-coord#-vec|pull-vec#",          NULL};
  static const char *const kind[] = {[PULL_DISTANCE] = "distance",   [PULL_DIRECTION] = "distance",
                                     [PULL_CYLINDER] = "cylinder",   [PULL_PERIODIC] = "distance",
                                     [PULL_RELATIVE] = "projection", [PULL_ANGLE] = "angle",
                                     [PULL_DIHEDRAL] = "dihedral",   [PULL_AXIS] = "tilt"};
  say_keys(p, c->number, names);
  fprintf(p->w->out, "  - {name: pull%d, kind: %s", c->number, kind[c->geometry]);
  write_centres(p, c);
  write_shape(p, c);
  fputs("}\n", p->w->out);
}

/* The place of a bias, by its key, and its rate. */
static void write_place(FILE *out, const struct pull_coordinate *c, const char *key)
{
  if (!c->starts)
    fprintf(out, ", %s: %s", key, YAML_REAL(c->init));
  else if (c->init == 0)
    fprintf(out, ", %s: start", key);
  else
    fprintf(out, ", %s: start%s%s", key, c->init > 0 ? "+" : "", YAML_REAL(c->init));
  if (c->rate != 0) fprintf(out, ", rate: %s", YAML_REAL(c->rate));
}

/* 1 if it is not only written. */
static int has_bias(const struct pull_coordinate *c)
{
  return c->k != 0 || c->type == PULL_CONSTRAINT;
}

static void write_bias(const struct pull_writer *p, const struct pull_coordinate *c)
{
  static const char *const names[] = {"pull-coord#-type",
                                      "pull-coord#-start|pull-start",
                                      "pull-coord#-init|pull-init#",
                                      "pull-coord#-rate|pull-rate#",
                                      "pull-coord#-k|pull-k#",
                                      NULL};
  static const char *const kind[] = {"umbrella", "constant_force", "flat_bottom", "flat_bottom",
                                     "constraint"};
  static const char *const place[] = {"at", NULL, "high", "low", "at"};
  FILE *out = p->w->out;
  if (!has_bias(c)) return;
  say_keys(p, c->number, names);
  fprintf(out, "  - {name: pull%d, coordinate: pull%d, kind: %s", c->number, c->number,
          kind[c->type]);
  if (c->type == PULL_FORCE)
    fprintf(out, ", force: %s", YAML_REAL(-c->k));
  else if (c->type != PULL_CONSTRAINT)
    fprintf(out, ", k: %s", YAML_REAL(c->k));
  if (place[c->type]) write_place(out, c, place[c->type]);
  fputs("}\n", out);
}

/* The largest number that divides both; the other where one is 0. */
static int64_t common(int64_t a, int64_t b)
{
  while (b) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

void gromacs_write_pull_every(const struct gromacs_writer *w)
{
  if (gromacs_mdp_find(w->mdp, "pull", "no") == 0) return;
  const int64_t x = gromacs_mdp_int(w->mdp, "pull-nstxout", 50, 0, INT64_MAX),
                f = gromacs_mdp_int(w->mdp, "pull-nstfout", 50, 0, INT64_MAX);
  gromacs_write_int(w, "output.coordinates_every", common(x, f),
                    x > 0 && (f == 0 || x < f) ? "pull-nstxout" : "pull-nstfout");
  if (x != f)
    fprintf(w->out, "  # pull-nstxout is %lld, pull-nstfout %lld\n", (long long)x, (long long)f);
}

void gromacs_write_pull(const struct gromacs_writer *w)
{
  struct pull_writer p = {w, gromacs_pull_open(w->mdp), NULL};
  const int n = p.pull.n_coordinates;
  if (n == 0) return;
  struct pull_coordinate *c = alloc_array(n, sizeof *c);
  int read = 1, biases = 0;
  p.group = alloc_array(p.pull.n_groups + 1LL, sizeof *p.group);
  for (int k = 0; k < n; k++) {
    read &= gromacs_pull_read(&p.pull, k + 1, &c[k]);
    biases += has_bias(&c[k]);
  }
  write_groups(&p);
  if (read) fputs("coordinates:\n", w->out);
  for (int k = 0; k < n && read; k++)
    write_coordinate(&p, &c[k]);
  if (read && biases) fputs("biases:\n", w->out);
  for (int k = 0; k < n && read; k++)
    write_bias(&p, &c[k]);
  for (int g = 0; g <= p.pull.n_groups; g++)
    free(p.group[g]);
  free(p.group);
  free(c);
}
