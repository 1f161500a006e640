#include "import/gromacs_import.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "import/gromacs_mdp.h"
#include "input/forcefield_file.h"
#include "input/run_lists.h"
#include "io/foreign/gro.h"
#include "md/anchors.h"
#include "md/enforce.h"
#include "setup/motion.h"
#include "setup/replicate.h"

/* Texts, and after them what a key of the run parameters has after `letters` (-D or -I). *n: of how
   many, and receives of how many. Caller frees the array. */
static const char **add_words(int *n, const char *const *given, const struct gromacs_mdp *mdp,
                              const char *key, const char *letters)
{
  const char **text = alloc_array(*n, sizeof *text), *word;
  for (int k = 0; k < *n; k++)
    text[k] = given[k];
  for (int k = 0; *(word = gromacs_mdp_word(mdp, key, k)); k++) {
    text = grow_array(text, *n + 1, sizeof *text);
    text[(*n)++] = word + (strncmp(word, letters, 2) ? 0 : 2);
  }
  return text;
}

/* The topology, with the macros and folders of the options and of the run parameters. */
static struct gromacs *read_topology(const struct gromacs_request *q, const struct gromacs_mdp *mdp,
                                     struct error_list *m)
{
  struct gromacs_options all = q->options;
  const char **define = add_words(&all.n_defines, all.define, mdp, "define", "-D");
  const char **folder = add_words(&all.n_folders, all.folder, mdp, "include", "-I");
  all.define = define;
  all.folder = folder;
  all.distance_k = gromacs_run_distance_k(mdp);
  const struct gromacs_coupling coupling = gromacs_run_coupling(mdp);
  all.n_couplings = 1;
  all.coupling = &coupling;
  struct gromacs *g = gromacs_read(q->top, &all, m);
  free(define);
  free(folder);
  return g;
}

/* Puts the beads of a configuration where they hold restraints in the box of s. */
static void scale_reference(const struct system *s, struct gromacs_gro *c,
                            enum gromacs_scaling scaling)
{
  double centre[3] = {0}, mass = 0, change[BOX], f[3], shift[3] = {0};
  for (int64_t k = 0; k < s->n; k++) {
    const double m = topology_restrains(&s->topology, s->beads.bonded_env[k])
                         ? s->ff->type[s->beads.type[k]].mass
                         : 0;
    mass += m;
    for (int d = 0; d < 3; d++)
      centre[d] += m * c->atom[k].x[d];
  }
  for (int k = 0; k < BOX; k++)
    change[k] = s->box[k] - c->box[k];
  for (int d = 0; d < 3 && mass > 0; d++)
    centre[d] /= mass;
  box_fraction(c->box, centre, f);
  box_vector(change, f, shift);
  for (int64_t k = 0; k < s->n && scaling != GROMACS_SCALE_NO; k++) {
    if (scaling == GROMACS_SCALE_ALL) {
      box_fraction(c->box, c->atom[k].x, f);
      box_vector(change, f, shift);
    }
    for (int d = 0; d < 3; d++)
      c->atom[k].x[d] += shift[d];
  }
  memcpy(c->box, s->box, sizeof c->box);
}

/* The places of restraints, from the configuration of the option. */
static void read_reference(struct system *s, const char *path, const struct gromacs *g,
                           enum gromacs_scaling scaling)
{
  struct error_list m = {0};
  struct gromacs_gro *c = gromacs_gro_read(path, gromacs_atoms(g), &m);
  error_list_check(&m);
  scale_reference(s, c, scaling);
  struct system *places = gromacs_system(g, c, forcefield_share(s->ff));
  anchors_set(s, places);
  if (s->topology.anchors.n == 0)
    warn("no molecule has [ position_restraints ]: %s has no effect", path);
  system_destroy(places);
  gromacs_gro_destroy(c);
}

static struct gromacs_index index_of(const struct gromacs *g, const struct gromacs_request *q)
{
  return (struct gromacs_index){g, gromacs_atoms(g), q->ndx, q->n_groups, q->group};
}

static char *run_text(const struct gromacs_mdp *mdp, const struct gromacs_index *index,
                      const char *state, struct error_list *m)
{
  gromacs_groups_check(index, m);
  return gromacs_run_text(mdp, index, state);
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

/* What run parameters say of the state. */
struct start {
  double temperature; /* of the momenta; below 0: those of the configuration */
  uint64_t seed;
  enum gromacs_scaling scaling;
};

/* The texts, and *ff, the force field. Rank 0. */
static struct start read_texts(const struct gromacs_request *q, struct gromacs_imported *out,
                               struct forcefield **ff)
{
  struct error_list m = {0};
  struct start start;
  struct gromacs_mdp *mdp = q->mdp ? gromacs_mdp_read(q->mdp, &m) : NULL;
  error_list_check(&m);
  if (q->ndx) text_require_file(q->ndx);
  struct gromacs *g = out->topology = read_topology(q, mdp, &m);
  const struct gromacs_pairs pairs = gromacs_run_pairs(mdp);
  const struct gromacs_index index = index_of(g, q);
  struct gromacs_tables tables = q->tables;
  gromacs_run_tables(mdp, &index, &tables);
  start.temperature = gromacs_run_velocities(mdp, &start.seed);
  start.scaling = gromacs_run_scaling(mdp);
  out->forcefield = gromacs_forcefield_text(g, &pairs, &tables, &m);
  if (mdp && q->gro) out->run = run_text(mdp, &index, q->state, &m);
  error_list_check(&m);
  *ff = forcefield_parse(out->forcefield, "the force field made");
  gromacs_tables_free(&tables);
  gromacs_mdp_destroy(mdp);
  return start;
}

/* The system of the configuration. Rank 0. Takes ownership of the force field. */
static struct system *read_system(const struct gromacs_request *q,
                                  const struct gromacs_imported *in, const struct start *start,
                                  struct forcefield *ff)
{
  struct error_list m = {0};
  const struct gromacs *g = in->topology;
  struct gromacs_gro *c = gromacs_gro_read(q->gro, gromacs_atoms(g), &m);
  error_list_check(&m);
  gromacs_gro_compare(c, g, q->renamed, &m);
  error_list_check(&m);
  struct system *whole = gromacs_system(g, c, ff);
  gromacs_separate(whole, c);
  if (in->run) check_run(in->run, whole);
  if (q->reference) read_reference(whole, q->reference, g, start->scaling);
  const struct ranks alone = {.size = 1};
  if (start->temperature >= 0)
    motion_draw(&alone, whole, start->temperature, start->seed);
  else if (!c->has_velocities)
    warn("%s has no velocities: everything starts at rest", q->gro);
  gromacs_gro_destroy(c);
  return whole;
}

/* The force field of rank 0 on all ranks, which the others read from its text. */
static struct forcefield *send_forcefield(const struct ranks *r, const char *text,
                                          struct forcefield *ff)
{
  int64_t size = r->rank == 0 ? (int64_t)strlen(text) + 1 : 0;
  ranks_broadcast(r, &size, sizeof size);
  char *copy = r->rank == 0 ? text_copy(text) : alloc_array(size, 1);
  ranks_broadcast(r, copy, size);
  ff = r->rank == 0 ? forcefield_share(ff) : forcefield_parse(copy, "the force field made");
  free(copy);
  return ff;
}

struct system *gromacs_import(const struct ranks *r, const struct gromacs_request *q,
                              struct gromacs_imported *out)
{
  static const int once[3] = {1, 1, 1};
  struct system *whole = NULL;
  struct forcefield *ff = NULL;
  struct start start = {0};
  if (r->rank == 0) start = read_texts(q, out, &ff);
  if (!q->gro) {
    forcefield_destroy(ff);
    ranks_barrier(r);
    return NULL;
  }
  if (r->rank == 0) whole = read_system(q, out, &start, ff);
  struct system *s = replicate_whole(r, whole, once, send_forcefield(r, out->forcefield, ff));
  ranks_broadcast(r, &start, sizeof start);
  enforce_system(r, s, start.temperature >= 0 ? ENFORCE_MOMENTA : ENFORCE_SITES);
  system_destroy(whole);
  return s;
}

void gromacs_imported_free(struct gromacs_imported *out)
{
  gromacs_destroy(out->topology);
  free(out->forcefield);
  free(out->run);
}
