#include "maps/ions_add.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "base/torus.h"
#include "base/units.h"
#include "input/forcefield_file.h"
#include "io/option_group.h"
#include "maps/ions.h"
#include "maps/parts.h"
#include "maps/sources.h"
#include "setup/insert.h"

#define WATERS_PER_VOLUME (998 * UNITS_WATERS_PER_DENSITY) /* H2O per nm3 at 998 kg/m3 */

struct placing {
  const struct ranks *ranks;
  const struct ions_request *request;
  struct system *system;
  struct forcefield *ff;  /* of the result */
  int solvent;            /* molecule; -1: nothing is replaced */
  struct bead_group from; /* the sources */
  struct ion_kinds kinds;
  int64_t net;           /* charge before, 1e-6 e */
  int64_t n_ions, n_own; /* of all ranks; placed in the block of this rank */
  struct insertion *ion; /* [n_own] */
};

static struct forcefield *choose_forcefield(const struct placing *p)
{
  const struct forcefield *old = p->system->ff;
  const struct ions_request *q = p->request;
  const char *name = q->forcefield, *colon = strchr(q->wanted, ':');
  const char *names = q->which == IONS_CONCENTRATION && colon ? colon + 1 : q->wanted;
  char with_ions[FF_NAME + 8];
  snprintf(with_ions, sizeof with_ions, "%s-ions", old->name);
  if (!name && ion_names_known(old, names)) return forcefield_parse(old->text, "the state");
  if (!name) info("force field %s lacks some of these ions: taking %s", old->name, with_ions);
  struct forcefield *ff = forcefield_load(name ? name : with_ions);
  if (!forcefield_extends(ff, old))
    die_all(
        STATUS_INPUT,
        "ions: force field %s does not extend %s, that of the state: the types, bonded types and "
        "molecules of the state must stand first and in the same order",
        ff->name, old->name);
  if (topology_has_terms(&p->system->topology) && !forcefield_excludes_alike(ff, old))
    die_all(STATUS_INPUT,
            "ions: force field %s has another exclude than %s, that of the state, which holds its "
            "excluded pairs",
            ff->name, old->name);
  if (!forcefield_keeps(ff, old))
    warn("the force field %s has other parameters than that of the state, %s %s", ff->name,
         old->name, old->version);
  return ff;
}

/* The beads of each molecule, on all ranks. The caller frees them. Collective. */
static int64_t *count_beads(const struct placing *p)
{
  int64_t *count = alloc_array(p->ff->n_molecules, sizeof *count);
  const int32_t *molecule = p->system->beads.molecule_type;
  for (int64_t k = 0; k < p->system->n; k++)
    if (molecule[k] >= 0) count[molecule[k]]++;
  ranks_sum_int64(p->ranks, count, p->ff->n_molecules);
  return count;
}

static int is_solvent(const struct forcefield *ff, int m)
{
  return ff->molecule[m].n_beads == 1 && ff->type[ff->molecule[m].bead[0]].charge == 0;
}

/* The molecule that ions replace; how many there are. */
static int64_t choose_solvent(struct placing *p)
{
  const char *name = p->request->replace;
  const struct forcefield *ff = p->ff;
  int64_t *count = count_beads(p), n;
  int found = 0;
  p->solvent = name ? forcefield_molecule(ff, name) : -1;
  if (name && p->solvent < 0)
    die_all(STATUS_INPUT, "ions: --replace: there is no molecule '%s' in the force field %s", name,
            ff->name);
  if (name && ff->molecule[p->solvent].n_beads != 1)
    die_all(STATUS_INPUT, "ions: --replace: %s has %d beads; an ion can replace only one", name,
            ff->molecule[p->solvent].n_beads);
  for (int m = 0; !name && m < ff->n_molecules; m++) {
    if (!count[m] || !is_solvent(ff, m)) continue;
    found++;
    p->solvent = m;
  }
  if (found > 1)
    die_all(STATUS_INPUT, "ions: the state has several molecules of one bead without a charge: say "
                          "with --replace=NAME which is the solvent");
  if (p->solvent < 0 || !count[p->solvent])
    die_all(STATUS_INPUT,
            "ions: there is no solvent in the state that ions could replace%s%s; "
            "--free places them in free space",
            name ? ": no " : "", name ? name : "");
  if (name && !is_solvent(ff, p->solvent))
    die_all(STATUS_INPUT, "ions: --replace: %s has a charge: only beads without one are replaced",
            name);
  n = count[p->solvent];
  free(count);
  return n;
}

static void choose_kinds(struct placing *p, int64_t solvent)
{
  const double *box = p->system->box;
  const int waters = p->solvent < 0 ? 1 : forcefield_waters(p->ff, p->solvent);
  const double volume =
      p->solvent < 0 ? box_volume(box) : (double)solvent * waters / WATERS_PER_VOLUME;
  for (int64_t k = 0; k < p->system->n; k++)
    p->net += ion_charge(p->ff->type[p->system->beads.type[k]].charge);
  ranks_sum_int64(p->ranks, &p->net, 1);
  p->kinds = ion_kinds_of(p->ff, p->request->which, p->request->wanted, p->net, volume);
  for (int k = 0; k < p->kinds.n; k++)
    p->n_ions += p->kinds.kind[k].n;
  if (p->ranks->rank == 0 && p->solvent >= 0)
    text_print("solvent      %" PRId64 " %s, %.4g nm3\n", solvent, p->ff->molecule[p->solvent].name,
               volume);
  if (p->ranks->rank == 0 && p->solvent < 0) printf("volume       %.4g nm3, the box\n", volume);
  if (p->n_ions == 0)
    warn("no ions: the state is neutral, or the concentration stands for less than half an ion");
  if (p->ranks->rank == 0)
    printf("net charge   %g e, with the ions %g e\n", (double)p->net * 1e-6,
           (double)(p->net + ion_kinds_charge(&p->kinds)) * 1e-6);
}

/* The beads of the types of a list, where it has no other words; they may be types that the state
   has no beads of, such as those of ions. NULL: all types but one. Returns 0 if it has other words.
 */
static int choose_types(struct bead_group *g, const struct placing *p, const char *list, int but)
{
  char *copy = text_copy(list ? list : ""), *rest = list ? copy : NULL, *word;
  int known = 1;
  g->type = alloc_array(p->ff->n_types, 1);
  for (int t = 0; t < p->ff->n_types; t++)
    g->type[t] = !list && t != but;
  while ((word = strsep(&rest, ","))) {
    const int type = forcefield_type(p->ff, word);
    if (type >= 0) g->type[type] = 1;
    known &= type >= 0;
  }
  g->range = alloc_array(1, sizeof *g->range);
  g->range[0][0] = g->n_ranges = 1;
  g->range[0][1] = p->system->n_total;
  free(copy);
  return known;
}

static void choose_sources(struct placing *p)
{
  const char *list = p->request->sources;
  const struct forcefield *ff = p->ff;
  const int solvent = p->solvent < 0 ? -1 : ff->molecule[p->solvent].bead[0];
  if (!choose_types(&p->from, p, list, solvent)) {
    bead_group_free(&p->from);
    p->from = (struct bead_group){0};
    option_group_find(&p->from, p->ranks, p->system, "--sources", WORDS_TYPES, list);
    char *type = alloc_array(ff->n_types, 1); /* that force field may have more types */
    memcpy(type, p->from.type, (size_t)p->system->ff->n_types);
    free(p->from.type);
    p->from.type = type;
  }
  if (solvent >= 0 && p->from.type[solvent])
    die_all(STATUS_INPUT,
            "ions: --sources: beads of type %s are replaced by ions and cannot be sources",
            ff->type[solvent].name);
  if (!sources_amounts(ff, p->from.type))
    die_all(STATUS_INPUT, "ions: no sources: none of these types has a charge or a dipole");
}

/* The job of the map without its sources. The caller destroys the lattice. */
static struct map_job job_make(const struct placing *p, struct map_lattice **lattice)
{
  static const double origin[3] = {0, 0, 0};
  const struct ions_request *q = p->request;
  struct map_job job = {.double_precision = 1, .method = q->method};
  const double *box = p->system->box;
  double points = 1, h[3];
  int n[3];
  job.cutoff = map_cutoff(q->method, q->cutoff, p->ff);
  job.permittivity = map_permittivity(p->ff);
  if (job.permittivity != 1)
    info("energies are divided by epsilon_r %g of the force field", job.permittivity);
  map_cutoff_require(q->method, job.cutoff, box, 0);
  for (int k = 0; k < 3; k++) {
    const double count = fmax(1, round(box[k] / q->spacing));
    points *= count;
    if (count > INT32_MAX / 4.0) die_all(STATUS_INPUT, "ions: --spacing is too small for the box");
    n[k] = (int)count;
    h[k] = box[k] / n[k];
  }
  memory_require(points * 9 / p->ranks->size * p->ranks->local_size,
                 "the map (a larger --spacing needs less)");
  if (points / n[2] * lattice_first(n[2], 1, p->ranks->size) > INT32_MAX)
    die_all(STATUS_INPUT,
            "ions: %g points of the map are too many for a rank: use more ranks, or a "
            "larger --spacing",
            points);
  job.torus = lattice_torus_box(box);
  job.lattice = *lattice = lattice_create(&job.torus, n, origin, h, p->ranks->rank, p->ranks->size);
  return job;
}

/* The potential of the sources at the points of this rank. */
static double *map_make(const struct placing *p, struct map_job *job)
{
  const struct map_lattice *l = job->lattice;
  double *value = alloc_array((int64_t)l->count * l->n[1] * l->n[0], sizeof *value);
  struct map_charges charges = sources_of_system(p->system, &p->from);
  int64_t n = charges.n;
  ranks_sum_int64(p->ranks, &n, 1);
  const struct map_ops *ops = map_ops_get(p->ranks, p->request->backend);
  if (p->ranks->rank == 0)
    printf("map          %d x %d x %d points, %" PRId64 " sources, cutoff %g nm\n", l->n[0],
           l->n[1], l->n[2], n, job->cutoff);
  if (n)
    parts_compute(p->ranks, job, ops, &charges, sources_bin(&job->torus, n, job->cutoff), value);
  free(charges.charge);
  return value;
}

/* The beads of this rank that are solvent (1), or those that are not (0); id: unless NULL, their
   ids. Returns their number. */
static int64_t list_beads(const struct placing *p, int solvent, int32_t (*x)[3], int64_t *id)
{
  const struct system *s = p->system;
  int64_t n = 0;
  for (int64_t k = 0; k < s->n; k++) {
    if ((p->solvent >= 0 && s->beads.molecule_type[k] == p->solvent) != solvent) continue;
    memcpy(x[n], s->beads.position + 3 * k, sizeof x[n]);
    if (id) id[n] = s->first + k;
    n++;
  }
  return n;
}

/* The places of ions, at their distance from the other beads. */
static struct ions *places_make(const struct placing *p, const struct map_job *job, double *value)
{
  const int64_t all = p->system->n;
  int64_t *id = alloc_array(all, sizeof *id);
  int32_t(*x)[3] = alloc_array(all, sizeof *x);
  const struct ion_sites sites = {list_beads(p, 1, x, id), x, id};
  struct ions *ions = ions_create(p->ranks, job, value, p->solvent < 0 ? NULL : &sites);
  free(id);
  const int64_t others = list_beads(p, 0, x, NULL);
  ions_close_all(ions, others, (const int32_t(*)[3])x, p->request->from);
  free(x);
  return ions;
}

static void no_place(const struct placing *p, int64_t placed, const char *name, int64_t first)
{
  die_all(STATUS_INPUT,
          "ions: no place is left for ion %" PRId64 " of %" PRId64
          " (%s): at first there were %" PRId64
          " %s%s with --from=%g; --apart=%g takes away those near other ions",
          placed + 1, p->n_ions, name, first,
          p->solvent < 0 ? "points" : p->ff->molecule[p->solvent].name,
          p->solvent < 0 ? " of the map" : "", p->request->from, p->request->apart);
}

static void print_place(const struct placing *p, const struct ion_kind *kind, int64_t id,
                        const struct ion_place *place)
{
  double x[3];
  if (p->ranks->rank != 0) return;
  for (int d = 0; d < 3; d++)
    x[d] = torus_fraction(place->x[d]) * p->system->box[d];
  text_print("%-8s %9" PRId64 " %9.4f %9.4f %9.4f %14.6f\n", p->ff->molecule[kind->molecule].name,
             id, x[0], x[1], x[2], place->energy);
}

/* The kind of the next ion, and its place. Ions of one sign are placed before those of the other;
   the place of the least energy is the same for all kinds of a sign. Among the kinds of the present
   sign with ions left, the one with the least energy there is taken, the first if several have it.
   Where there is no place: -1 - the first kind with ions left. */
static int next_kind(const struct placing *p, struct ions *ions, const int64_t *left,
                     struct ion_place *out)
{
  const struct ion_kind *kind = p->kinds.kind;
  int first = 0;
  while (first < p->kinds.n - 1 && left[first] == 0)
    first++;
  const double sign = kind[first].charge > 0 ? 1 : -1;
  if (!ions_find(ions, sign, out)) return -1 - first;
  int best = first;
  const double unit = out->energy; /* of a charge of 1 e of that sign */
  for (int k = first + 1; k < p->kinds.n; k++)
    if (left[k] > 0 && kind[k].charge * sign > 0 &&
        unit * fabs(kind[k].charge) < unit * fabs(kind[best].charge))
      best = k;
  out->energy = unit * fabs(kind[best].charge);
  return best;
}

/* Keeps an ion if the rank has it in its block of the result, which has `all` beads. */
static void keep_ion(struct placing *p, int molecule, int64_t id, const int32_t x[3], int64_t all)
{
  if (system_rank_of(all, p->ranks->size, id) != p->ranks->rank) return;
  p->ion = extend_array(p->ion, p->n_own, sizeof *p->ion);
  struct insertion *ion = &p->ion[p->n_own++];
  ion->molecule = molecule;
  ion->id = id;
  memcpy(ion->x, x, sizeof ion->x);
}

static void place_all(struct placing *p, struct ions *ions)
{
  const int64_t first = ions_left(ions);
  int64_t n = 0, last = p->system->n_total;
  const int64_t all = last + (p->solvent < 0 ? p->n_ions : 0);
  if (p->ranks->rank == 0 && p->n_ions)
    printf("ion             bead    x (nm)         y         z  energy (kJ/mol)\n");
  int64_t left[ION_KINDS_MOST] = {0};
  for (int k = 0; k < p->kinds.n; k++)
    left[k] = p->kinds.kind[k].n;
  for (; n < p->n_ions; n++) {
    struct ion_place place;
    const int k = next_kind(p, ions, left, &place);
    const struct ion_kind *kind = &p->kinds.kind[k < 0 ? -1 - k : k];
    if (k < 0) no_place(p, n, p->ff->molecule[kind->molecule].name, first);
    ions_put(ions, kind->charge, &place);
    ions_close(ions, place.x, p->request->apart);
    const int64_t id = place.id ? place.id : ++last;
    print_place(p, kind, id, &place);
    keep_ion(p, kind->molecule, id, place.x, all);
    left[k]--;
  }
}

static void place(struct placing *p)
{
  struct map_lattice *lattice;
  struct map_job job = job_make(p, &lattice);
  double *value = map_make(p, &job);
  struct ions *ions = places_make(p, &job, value);
  place_all(p, ions);
  ions_destroy(ions);
  free(value);
  lattice_destroy(lattice);
}

struct system *ions_add(struct ranks *r, struct system *s, const struct ions_request *q)
{
  struct placing p = {.ranks = r, .request = q, .system = s, .solvent = -1};
  map_box_require("ions: the map of the potential", s->box, 0);
  p.ff = choose_forcefield(&p);
  choose_kinds(&p, q->free ? 0 : choose_solvent(&p));
  choose_sources(&p);
  place(&p);
  s = insert_beads(r, s, p.ff, p.n_own, p.ion, q->seed, q->temperature);
  bead_group_free(&p.from);
  free(p.ion);
  return s;
}
