/* Rank 0 reads, and sends the force field as text: see import_gromacs.h. */
#include "cli/import_gromacs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/path.h"
#include "base/replace.h"
#include "base/text.h"
#include "import/gromacs_mdp.h"
#include "input/external_file.h"
#include "input/forcefield_file.h"
#include "input/heat_bath_file.h"
#include "io/foreign/gro.h"
#include "io/path_check.h"
#include "md/anchors.h"
#include "md/enforce.h"
#include "setup/replicate.h"

/* A growing list of texts, owned. */
struct texts {
  int n;
  char **text;
};

static void texts_add(struct texts *t, const char *text)
{
  t->text = grow_array(t->text, t->n + 1, sizeof *t->text);
  t->text[t->n++] = text_copy(text);
}

static void texts_free(struct texts *t)
{
  for (int k = 0; k < t->n; k++)
    free(t->text[k]);
  free(t->text);
}

/* All values of an option, and what a key of the run parameters has after `letters` (-D or -I). */
static struct texts collect(const struct arguments *a, const char *option,
                            const struct gromacs_mdp *mdp, const char *key, const char *letters)
{
  struct texts t = {0};
  char word[256];
  for (int k = 0; k < a->n_given; k++)
    if (!strcmp(a->given[k].option->name, option)) texts_add(&t, a->given[k].value);
  for (int k = 0; mdp && *gromacs_mdp_word(mdp, key, k, word); k++)
    texts_add(&t, word + (strncmp(word, letters, 2) ? 0 : 2));
  return t;
}

static void write_file(const char *path, const char *text)
{
  char *target = path_target(path), *temporary = path_with(target, ".tmp");
  FILE *out = path_create(temporary);
  if (!out) die(STATUS_IO, "cannot write '%s': %s", temporary, strerror(errno));
  fputs(text, out);
  replace_close(out, temporary, target);
  free(temporary);
  free(target);
}

/* Draws momenta at a temperature and removes the motion of the whole. */
static void draw_momenta(struct system *s, double temperature, uint64_t seed)
{
  double sum[3] = {0}, mass = 0;
  clock_set_seed(&s->clock, seed);
  system_thermalise(s, temperature);
  for (int64_t k = 0; k < s->n; k++) {
    mass += s->ff->type[s->beads.type[k]].mass;
    for (int d = 0; d < 3; d++)
      sum[d] += s->beads.momentum[3 * k + d];
  }
  for (int64_t k = 0; k < s->n && s->n > 1; k++)
    for (int d = 0; d < 3; d++)
      s->beads.momentum[3 * k + d] -= s->ff->type[s->beads.type[k]].mass * sum[d] / mass;
}

/* The topology of the operands, with the macros and folders of the options and of the .mdp. */
static struct gromacs *read_topology(const struct arguments *a, const struct gromacs_mdp *mdp,
                                     struct error_list *m)
{
  struct texts defines = collect(a, "define", mdp, "define", "-D");
  struct texts folders = collect(a, "include", mdp, "include", "-I");
  const struct gromacs_options o = {folders.n, defines.n, (const char *const *)folders.text,
                                    (const char *const *)defines.text};
  struct gromacs *g = gromacs_read(arguments_operand(a, 0), &o, m);
  const char *file;
  for (int k = 0; (file = gromacs_text_file(g->topology->text, k)); k++)
    arguments_spare(a, file);
  texts_free(&defines);
  texts_free(&folders);
  return g;
}

static struct gromacs_mdp *read_mdp(const struct arguments *a, struct error_list *m)
{
  const char *path = arguments_value(a, "mdp");
  struct gromacs_mdp *mdp = path ? gromacs_mdp_read(path, m) : NULL;
  error_list_check(m);
  return mdp;
}

/* Puts the beads of a configuration where they hold restraints in the box of s. */
static void scale_reference(const struct system *s, struct gromacs_gro *c,
                            enum gromacs_scaling scaling)
{
  double centre[3] = {0}, mass = 0;
  for (int64_t k = 0; k < s->n; k++) {
    const double m = topology_restrains(&s->topology, s->beads.bonded_env[k])
                         ? s->ff->type[s->beads.type[k]].mass
                         : 0;
    mass += m;
    for (int d = 0; d < 3; d++)
      centre[d] += m * c->atom[k].x[d];
  }
  for (int d = 0; d < 3; d++) {
    const double stretch = s->box[d] / c->box[d];
    const double shift = mass > 0 ? (stretch - 1) * centre[d] / mass : 0;
    for (int64_t k = 0; k < s->n; k++) {
      if (scaling == GROMACS_SCALE_ALL) c->atom[k].x[d] *= stretch;
      if (scaling == GROMACS_SCALE_COM) c->atom[k].x[d] += shift;
    }
    c->box[d] = s->box[d];
  }
}

/* The places of restraints, from the configuration of the option. */
static void read_reference(struct system *s, const char *path, const struct gromacs *g,
                           enum gromacs_scaling scaling, const char *forcefield)
{
  struct error_list m = {0};
  struct gromacs_gro *c = gromacs_gro_read(path, gromacs_atoms(g), &m);
  error_list_check(&m);
  scale_reference(s, c, scaling);
  struct system *places =
      gromacs_system(g, c, forcefield_parse(forcefield, "the force field made"));
  anchors_take(s, places);
  if (s->topology.anchors.n == 0)
    warn("no molecule has [ position_restraints ]: %s has no effect", path);
  system_destroy(places);
  gromacs_gro_destroy(c);
}

static char *run_text(const struct gromacs *g, const struct gromacs_mdp *mdp,
                      const struct arguments *a, struct error_list *m)
{
  struct texts groups = collect(a, "group", NULL, NULL, NULL);
  struct gromacs_index index = gromacs_index_read(g, arguments_value(a, "ndx"));
  index.n_given = groups.n;
  index.given = (const char *const *)groups.text;
  gromacs_groups_check(&index, m);
  char *text = gromacs_run_text(mdp, &index, arguments_value(a, "output"), m);
  gromacs_index_free(&index);
  texts_free(&groups);
  return text;
}

/* Reads the run file that was made as a run does: what is refused is refused before it is written.
 */
static void check_run(const char *text, const struct system *s)
{
  int n;
  struct params *p = params_parse(text, "the run file made of --mdp");
  struct heat_bath *bath = heat_baths_read(p, s->ff, s->n_total, &n);
  heat_baths_destroy(bath, n);
  struct external_field *field = external_fields_read(p, s->ff, s->n_total, &n);
  external_fields_destroy(field, n);
  params_destroy(p);
}

/* On rank 0: reads everything. Returns the system, and whether momenta are drawn. */
static struct system *read_all(struct imported *out, const struct arguments *a, int *drawn)
{
  struct error_list m = {0};
  const char *gro = arguments_operand(a, 1), *names = arguments_value(a, "names");
  struct gromacs_mdp *mdp = read_mdp(a, &m);
  struct gromacs *g = read_topology(a, mdp, &m);
  const struct gromacs_pairs pairs = gromacs_run_pairs(mdp, &m);
  uint64_t seed;
  const double temperature = gromacs_run_velocities(mdp, &seed, &m);
  const enum gromacs_scaling scaling = gromacs_run_scaling(mdp, &m);
  const char *reference = arguments_value(a, "reference");
  out->forcefield = gromacs_forcefield_text(g, &pairs, &m);
  if (mdp) out->run = run_text(g, mdp, a, &m);
  error_list_check(&m);
  struct gromacs_gro *c = gromacs_gro_read(gro, gromacs_atoms(g), &m);
  error_list_check(&m);
  gromacs_gro_compare(c, g, names && !strcmp(names, "topology"), &m);
  error_list_check(&m);
  struct system *whole =
      gromacs_system(g, c, forcefield_parse(out->forcefield, "the force field made"));
  if (out->run) check_run(out->run, whole);
  if (reference) read_reference(whole, reference, g, scaling, out->forcefield);
  *drawn = temperature >= 0;
  if (*drawn)
    draw_momenta(whole, temperature, seed);
  else if (!c->has_velocities)
    warn("%s has no velocities: everything starts at rest", gro);
  gromacs_gro_destroy(c);
  gromacs_destroy(g);
  gromacs_mdp_destroy(mdp);
  return whole;
}

/* Dies with STATUS_INPUT if the options do not belong together. */
static void check_options(const struct ranks *r, const struct arguments *a)
{
  static const char *const lammps[] = {"types", "bond-types", "angle-types", "ids"};
  for (size_t k = 0; k < sizeof lammps / sizeof lammps[0]; k++)
    if (arguments_value(a, lammps[k]))
      die_all(STATUS_INPUT, "import: --%s is for LAMMPS data files", lammps[k]);
  if (arguments_value(a, "run") && !arguments_value(a, "mdp"))
    die_all(STATUS_INPUT, "import: --run needs --mdp=FILE, of which it is made");
  for (int k = 0; k < 2; k++)
    if (arguments_value(a, k ? "group" : "ndx") && !arguments_value(a, "mdp"))
      die_all(STATUS_INPUT, "import: --%s is for the groups of --mdp=FILE, which is missing",
              k ? "group" : "ndx");
  if (arguments_value(a, "forcefield")) path_check(r, arguments_value(a, "forcefield"));
  if (arguments_value(a, "run")) path_check(r, arguments_value(a, "run"));
}

static void write_said(const char *path, const char *text)
{
  write_file(path, text);
  printf("written      %s\n", path);
}

void import_gromacs_forcefield(const struct ranks *r, const struct arguments *a)
{
  const char *path = arguments_value(a, "forcefield");
  check_options(r, a);
  if (!path || arguments_value(a, "output") || arguments_value(a, "run"))
    die_all(STATUS_INPUT,
            "import: give the configuration too: lamella import topol.top conf.gro; without one "
            "--forcefield=FILE alone is written");
  if (r->rank == 0) {
    struct error_list m = {0};
    struct gromacs_mdp *mdp = read_mdp(a, &m);
    struct gromacs *g = read_topology(a, mdp, &m);
    const struct gromacs_pairs pairs = gromacs_run_pairs(mdp, &m);
    char *text = gromacs_forcefield_text(g, &pairs, &m);
    error_list_check(&m);
    forcefield_destroy(forcefield_parse(text, "the force field made"));
    write_said(path, text);
    free(text);
    gromacs_destroy(g);
    gromacs_mdp_destroy(mdp);
  }
  ranks_barrier(r);
}

struct system *import_gromacs(struct ranks *r, const struct arguments *a, struct imported *in)
{
  static const int once[3] = {1, 1, 1};
  struct system *whole = NULL;
  int64_t size = 0;
  int drawn = 0;
  check_options(r, a);
  if (r->rank == 0) {
    whole = read_all(in, a, &drawn);
    size = (int64_t)strlen(in->forcefield) + 1;
  }
  ranks_broadcast(r, &size, sizeof size);
  if (r->rank != 0) in->forcefield = alloc_array(size, 1);
  ranks_broadcast(r, in->forcefield, size);
  struct forcefield *ff = forcefield_parse(in->forcefield, "the force field made");
  struct system *s = replicate_whole(r, whole, once, ff);
  ranks_broadcast(r, &drawn, sizeof drawn);
  enforce_system(r, s, drawn ? ENFORCE_MOMENTA : ENFORCE_SITES);
  system_destroy(whole);
  return s;
}

void import_gromacs_write(const struct ranks *r, const struct arguments *a, struct imported *in)
{
  const char *forcefield = arguments_value(a, "forcefield"), *run = arguments_value(a, "run");
  if (r->rank == 0 && in->forcefield && forcefield) write_said(forcefield, in->forcefield);
  if (r->rank == 0 && in->run && run) write_said(run, in->run);
  free(in->forcefield);
  free(in->run);
}
