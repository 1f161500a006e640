#include "import/gromacs_import.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "import/gromacs_mdp.h"
#include "input/coordinate_lists.h"
#include "input/forcefield_file.h"
#include "input/run_lists.h"
#include "io/foreign/gro.h"
#include "md/anchors.h"
#include "md/enforce.h"
#include "md/measured.h"
#include "setup/motion.h"
#include "setup/replicate.h"

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

/* What run parameters say of the state. */
struct start {
  double temperature; /* of the momenta; below 0: those of the configuration */
  uint64_t seed;
  enum gromacs_scaling scaling;
  int walls; /* 1: at the ends of the box along z */
};

/* Makes the box of a configuration between walls higher. */
static void raise_box(struct gromacs_gro *c, const char *path, double cutoff)
{
  if (c->box[4] != 0 || c->box[5] != 0)
    die_all(STATUS_INPUT, "%s: between walls the third vector of the box must be along z", path);
  if (c->box[2] * (1 / GROMACS_WALLS_PART - 1) <= cutoff)
    die_all(STATUS_INPUT,
            "%s: the box is %g nm high, and interactions reach %g nm: between walls it must be "
            "higher",
            path, c->box[2], cutoff);
  c->box[2] /= GROMACS_WALLS_PART;
}

/* The places of restraints, from the configuration of the option. */
static void read_reference(struct system *s, const char *path, const struct gromacs *g,
                           const struct start *start)
{
  struct error_list m = {0};
  struct gromacs_gro *c = gromacs_gro_read(path, gromacs_atoms(g), &m);
  error_list_check(&m);
  if (start->walls) raise_box(c, path, s->ff->cutoff);
  scale_reference(s, c, start->scaling);
  struct system *places = gromacs_system(g, c, forcefield_share(s->ff));
  anchors_set(s, places);
  if (s->topology.anchors.n == 0)
    warn("no molecule has [ position_restraints ]: %s has no effect", path);
  system_destroy(places);
  gromacs_gro_destroy(c);
}

/* Says where restraints hold beads without the option. */
static void note_places(const struct system *s, const struct gromacs_imported *in)
{
  int64_t n = 0;
  for (int64_t k = 0; k < s->n; k++)
    n += topology_restrains(&s->topology, s->beads.bonded_env[k]);
  if (n > 0)
    info("no --reference (grompp -r): restraints hold beads where they are when the run begins%s",
         in->n_stages > 0 && in->stage[0].minimises ? ", before it minimises" : "");
}

static struct gromacs_index index_of(const struct gromacs *g, const struct gromacs_request *q)
{
  return (struct gromacs_index){g, gromacs_atoms(g), q->ndx, q->n_groups, q->group};
}

/* Reads the keys of a stage as a run does: what is refused is refused before it is written. */
static void check_stage(const struct gromacs_stage *stage, const struct system *s)
{
  int n;
  if (!stage->keys) return;
  struct params *p = params_parse(stage->keys, stage->name);
  struct heat_bath *bath = heat_baths_read(p, s->ff, s->n_total, &n);
  heat_baths_destroy(bath, n);
  forces_check(p, s->ff, s->n_total);
  params_destroy(p);
}

/* The observables of the option, as a run creates them. Collective. */
static void check_observe(const struct ranks *r, const char *kinds, struct system *s)
{
  char *list = text_format("observe: [%s]\n", kinds);
  struct params *p = params_parse(list, "--observe");
  struct lipids *lipids = membrane_lipids_read(p, s->ff);
  measured_destroy(measured_create(r, p, s, lipids));
  lipids_destroy(lipids);
  params_destroy(p);
  free(list);
}

/* Run parameters, stage by stage. */
struct protocol {
  struct gromacs_substitutes other;
  int n;
  struct gromacs_mdp **mdp;
  struct gromacs_coupling *coupling; /* [n] */
  const struct gromacs_mdp
      *last; /* of the last stage that is no minimiser, else the last; NULL: none
              */
};

/* 1 if the run file has a list of stages. */
static int is_staged(const struct gromacs_request *q, const struct protocol *p)
{
  return q->minimise > 0 || p->n > 1 || (p->n == 1 && gromacs_run_minimises(p->last));
}

static struct protocol read_protocol(const struct gromacs_request *q, struct error_list *m)
{
  struct protocol p = {gromacs_substitutes_read(q->n_substitutes, q->substitute, m), q->n_mdp,
                       alloc_array(q->n_mdp, sizeof *p.mdp), NULL, NULL};
  for (int k = 0; k < p.n; k++)
    p.mdp[k] = gromacs_mdp_read(q->mdp[k], &p.other, m);
  for (int k = 0; k < p.n; k++)
    if (!p.last || !gromacs_run_minimises(p.mdp[k]) || gromacs_run_minimises(p.last))
      p.last = p.mdp[k];
  error_list_check(m);
  p.coupling = alloc_array(p.n, sizeof *p.coupling);
  for (int k = 0; k < p.n; k++)
    p.coupling[k] = gromacs_run_coupling(p.mdp[k]);
  return p;
}

/* Texts, and after them what a key of the run parameters has after `letters` (-D or -I), but for
   the word `without`. *n: of how many, and receives of how many. Caller frees the array. */
static const char **add_words(int *n, const char *const *given, const struct gromacs_mdp *mdp,
                              const char *key, const char *letters, const char *without)
{
  const char **text = alloc_array(*n, sizeof *text), *word;
  for (int k = 0; k < *n; k++)
    text[k] = given[k];
  for (int k = 0; *(word = gromacs_mdp_word(mdp, key, k)); k++) {
    if (!strcmp(word, without)) continue;
    text = grow_array(text, *n + 1, sizeof *text);
    text[(*n)++] = word + (strncmp(word, letters, 2) ? 0 : 2);
  }
  return text;
}

static const char FLEXIBLE[] = "-DFLEXIBLE"; /* makes bonds of constraints, by habit */

/* 1 if a file defines that macro. */
static int is_flexible(const struct gromacs_mdp *mdp)
{
  const char *word;
  for (int k = 0; *(word = gromacs_mdp_word(mdp, "define", k)); k++)
    if (!strcmp(word, FLEXIBLE)) return 1;
  return 0;
}

/* What a stage reads the topology with: macros and folders of the options and of its run
   parameters. A minimiser has the constraints of the last stage. */
static struct gromacs_options options_of(const struct gromacs_request *q, const struct protocol *p,
                                         const struct gromacs_mdp *mdp)
{
  struct gromacs_options o = q->options;
  const int minimises = mdp && gromacs_run_minimises(mdp);
  const char **define =
      add_words(&o.n_defines, o.define, mdp, "define", "-D", minimises ? FLEXIBLE : "");
  if (minimises && is_flexible(p->last)) {
    define = grow_array(define, o.n_defines + 1, sizeof *define);
    define[o.n_defines++] = FLEXIBLE + 2;
  }
  o.define = define;
  o.folder = add_words(&o.n_folders, o.folder, mdp, "include", "-I", "");
  o.distance_k = gromacs_run_distance_k(p->last);
  for (int k = 0; k < 2 && gromacs_run_walls(mdp) && *gromacs_mdp_word(mdp, "wall-atomtype", k);
       k++)
    o.wall[o.n_walls++] = gromacs_mdp_word(mdp, "wall-atomtype", k);
  o.n_couplings = p->n;
  o.coupling = p->coupling;
  return o;
}

/* The topology with the restraints of all stages. */
static struct gromacs *read_topology(const struct gromacs_request *q, const struct protocol *p,
                                     struct error_list *m)
{
  const int n = p->n ? p->n : 1;
  struct gromacs_options *o = alloc_array(n, sizeof *o);
  const char **name = alloc_array(n, sizeof *name);
  for (int k = 0; k < n; k++) {
    o[k] = options_of(q, p, p->n ? p->mdp[k] : NULL);
    name[k] = p->n ? q->mdp[k] : q->top;
  }
  struct gromacs *g = gromacs_read_stages(q->top, n, o, name, m);
  for (int k = 0; k < n; k++) {
    free((void *)o[k].define);
    free((void *)o[k].folder);
  }
  free(o);
  free(name);
  return g;
}

/* Says where the pairs of a stage end otherwise than those of the force field, which are those of
   the last: a minimiser takes these, a run is refused. */
static void compare_pairs(struct gromacs_stage *s, const struct protocol *p,
                          const struct gromacs_pairs *pairs)
{
  if (s->mdp == p->last || gromacs_run_decouples(s->mdp)) return;
  const struct gromacs_pairs own = gromacs_run_pairs(s->mdp);
  if (gromacs_pairs_same(&own, pairs)) return;
  if (s->minimises)
    s->pairs_of = p->last;
  else
    GROMACS_REFUSE(
        s->mdp, "rvdw",
        "pairs end otherwise than in %s: by cutoffs, modifiers or permittivities. Stages "
        "that are runs have one force field: import this one with a state of its own",
        gromacs_mdp_line(p->last, "").file);
}

/* 1 if a list "a,b" has an item. */
static int has_item(const char *list, const char *item)
{
  size_t n = 0;
  for (; *list; list += n + (list[n] == ',')) {
    n = strcspn(list, ",");
    if (n == strlen(item) && !strncmp(list, item, n)) return 1;
  }
  return 0;
}

/* The stages and the text of the run file that they are. */
static void make_run(const struct gromacs_request *q, const struct protocol *p,
                     const struct gromacs_index *index, const struct gromacs_pairs *pairs,
                     struct gromacs_imported *out, struct error_list *m)
{
  int n = 0;
  gromacs_groups_check(index, m);
  out->stage = alloc_array(p->n + 1LL, sizeof *out->stage);
  if (q->minimise > 0) {
    out->stage[n].steps = q->minimise;
    out->stage[n].minimises = 1;
    gromacs_stage_name(out->stage, n++, "minimise");
  }
  for (int k = 0; k < p->n; k++, n++) {
    struct gromacs_stage *s = &out->stage[n];
    s->mdp = p->mdp[k];
    s->minimises = gromacs_run_minimises(s->mdp);
    gromacs_stage_name(out->stage, n, q->mdp[k]);
    s->keys = gromacs_run_keys(s->mdp, index, is_staged(q, p) ? k : -1);
    compare_pairs(s, p, pairs);
    s->flexible = is_flexible(p->last);
    if (s->minimises && is_flexible(s->mdp) != s->flexible) s->constraints_of = p->last;
  }
  out->n_stages = n;
  if (q->observe && p->last && gromacs_run_minimises(p->last))
    error_list_add(m, "--observe", 0, "no stage is a run: nothing can be observed");
  if (q->observe && has_item(q->observe, "temperature") && gromacs_run_freezes(p->last))
    GROMACS_REFUSE(p->last, "freezegrps",
                   "--observe=temperature: temperatures are not measured where beads are frozen: "
                   "leave it out; those of PREFIX.csv leave frozen beads out");
  out->run = gromacs_stages_text(out->stage, n, q->state, q->observe);
}

/* The run parameters of the first stage that have a key; of the last, if none has. */
static const struct gromacs_mdp *first_with(const struct protocol *p, const char *key)
{
  for (int k = 0; k < p->n; k++)
    if (*gromacs_mdp_value(p->mdp[k], key, "")) return p->mdp[k];
  return p->last;
}

/* Warns of a reaction field of charges that are not screened because nobody has said how much. */
static void note_permittivity(const struct gromacs_mdp *mdp, const struct forcefield *ff)
{
  int charged = 0;
  for (int k = 0; k < ff->n_types; k++)
    charged |= ff->type[k].charge != 0;
  if (charged && gromacs_mdp_find(mdp, "coulombtype", "reaction-field") == 0 &&
      !*gromacs_mdp_value(mdp, "epsilon-r", ""))
    warn("%s: no epsilon-r: it is 1, as GROMACS has it by default; Martini has 15, and 2.5 with "
         "polarisable water",
         gromacs_mdp_line(mdp, "").file);
}

/* Says where a stage has walls, and the last has not, or the other way round. */
static void compare_walls(const struct protocol *p)
{
  for (int k = 0; k < p->n; k++)
    if (gromacs_run_walls(p->mdp[k]) != gromacs_run_walls(p->last))
      GROMACS_REFUSE(p->mdp[k], "nwall",
                     "nwall is another than in %s: stages have one box, which walls make higher",
                     gromacs_mdp_line(p->last, "").file);
}

/* The texts, and *ff, the force field. Rank 0. */
static struct start read_texts(const struct gromacs_request *q, struct gromacs_imported *out,
                               struct forcefield **ff)
{
  struct error_list m = {0};
  struct start start;
  struct protocol p = read_protocol(q, &m);
  struct gromacs *g = out->topology = read_topology(q, &p, &m);
  const struct gromacs_pairs pairs = gromacs_run_pairs(p.last);
  start.temperature = is_staged(q, &p) ? -1 : gromacs_run_velocities(p.last, &start.seed);
  start.scaling = gromacs_run_scaling(first_with(&p, "refcoord-scaling"));
  start.walls = gromacs_run_walls(p.last);
  compare_walls(&p);
  const struct gromacs_index index = index_of(g, q);
  struct gromacs_tables tables = q->tables;
  if (q->ndx) text_require_file(q->ndx);
  gromacs_run_tables(p.last, &index, &tables);
  out->forcefield = gromacs_forcefield_text(g, &pairs, &tables, &m);
  if (p.n > 0 && q->gro) make_run(q, &p, &index, &pairs, out, &m);
  error_list_check(&m);
  *ff = forcefield_parse(out->forcefield, "the force field made");
  if (p.last) note_permittivity(p.last, *ff);
  gromacs_tables_free(&tables);
  for (int k = 0; k < p.n; k++)
    gromacs_mdp_destroy(p.mdp[k]);
  free(p.mdp);
  free(p.coupling);
  gromacs_substitutes_end(&p.other);
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
  if (start->walls) {
    raise_box(c, q->gro, ff->cutoff);
    info("nwall = 2: walls at z = 0 and %g nm; the box is %g nm high, since it is periodic",
         c->box[2] * GROMACS_WALLS_PART, c->box[2]);
  }
  struct system *whole = gromacs_system(g, c, ff);
  gromacs_separate(whole, c);
  for (int k = 0; k < in->n_stages; k++)
    check_stage(&in->stage[k], whole);
  if (q->reference)
    read_reference(whole, q->reference, g, start);
  else
    note_places(whole, in);
  const struct ranks alone = {.size = 1};
  if (start->temperature >= 0)
    motion_draw(&alone, whole, start->temperature, start->seed);
  else if (!c->has_velocities)
    warn("%s has no velocities: the state is at rest, until a run draws some (gen-vel, "
         "velocities.temperature)",
         q->gro);
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
  if (q->observe) check_observe(r, q->observe, s);
  return s;
}

void gromacs_imported_free(struct gromacs_imported *out)
{
  gromacs_destroy(out->topology);
  free(out->forcefield);
  free(out->run);
  for (int k = 0; k < out->n_stages; k++)
    free(out->stage[k].keys);
  free(out->stage);
}
