/* The system of a topology and a configuration: see gromacs_system in gromacs.h. */
#include "import/gromacs.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/foreign/gro.h"
#include "model/place.h"

/* By how much beads on one point are moved, nm: less than a file of three decimals resolves. */
#define APART 0.0004

static void set_bead(struct system *s, const struct gromacs_gro *c, int64_t k)
{
  const double mass = s->ff->type[s->beads.type[k]].mass;
  system_set_position(s, k, c->atom[k].x);
  for (int d = 0; d < 3; d++)
    s->beads.momentum[3 * k + d] = mass * c->atom[k].v[d];
}

/* 1 if the beads of a molecule need environments. */
static int has_environment(const struct gromacs_molecule *molecule)
{
  return molecule->n_atoms > 1 || molecule->n_terms || molecule->n_restraints;
}

/* A bead and its place. */
struct placed {
  int32_t position[3];
  int64_t bead;
};

static int compare_placed(const void *a, const void *b)
{
  const struct placed *p = a, *q = b;
  const int order = memcmp(p->position, q->position, sizeof p->position);
  return order ? order : (p->bead > q->bead) - (p->bead < q->bead);
}

void gromacs_separate(struct system *s, struct gromacs_gro *c)
{
  struct placed *p = alloc_array(s->n, sizeof *p);
  int64_t n = 0, moved = 0, same = 0;
  for (int64_t k = 0; k < s->n; k++) {
    if (s->ff->type[s->beads.type[k]].mass == 0) continue; /* sites may lie on an atom */
    memcpy(p[n].position, s->beads.position + 3 * k, sizeof p->position);
    p[n++].bead = k;
  }
  qsort(p, (size_t)n, sizeof *p, compare_placed);
  for (int64_t k = 1; k < n; k++) {
    same = memcmp(p[k].position, p[k - 1].position, sizeof p->position) ? 0 : same + 1;
    if (!same) continue;
    c->atom[p[k].bead].x[0] += APART * (double)same;
    set_bead(s, c, p[k].bead);
    if (moved++ == 0)
      warn("%s:%lld: the atom lies where that of line %lld lies. It is moved by %g nm along x, as "
           "are all others that lie on one point",
           c->path, (long long)(p[k].bead + c->first_line),
           (long long)(p[k - same].bead + c->first_line), APART);
  }
  free(p);
}

struct system *gromacs_system(const struct gromacs *g, const struct gromacs_gro *c,
                              struct forcefield *ff)
{
  const struct gromacs_topology *t = g->topology;
  struct system *s = system_create(c->n, 0, 1, ff);
  int *first_env = alloc_array(g->n_molecules, sizeof *first_env);
  int64_t at = 0, number = 0;
  system_set_box(s, c->box);
  for (int n = 0; n < g->n_molecules; n++)
    first_env[n] =
        has_environment(&g->molecule[n]) ? topology_add_molecule(&s->topology, ff, n) : -1;
  for (int b = 0; b < t->n_blocks; b++) {
    const int molecule_type = t->block[b].molecule;
    for (int64_t i = 0; i < t->block[b].count; i++) {
      const int32_t molecule = place_molecule_number(++number);
      for (int k = 0; k < g->molecule[molecule_type].n_atoms; k++, at++) {
        s->beads.type[at] = ff->molecule[molecule_type].bead[k];
        s->beads.molecule[at] = molecule;
        s->beads.molecule_type[at] = molecule_type;
        s->beads.bonded_env[at] = first_env[molecule_type] < 0 ? -1 : first_env[molecule_type] + k;
        set_bead(s, c, at);
      }
    }
  }
  free(first_env);
  return s;
}

enum { SHOWN = 10 };

/* The length of the longest name of a file: builders may cut all names there. */
static size_t longest_name(const struct gromacs_gro *c)
{
  size_t most = 0;
  for (int64_t k = 0; k < c->n; k++)
    if (strlen(c->atom[k].name) > most) most = strlen(c->atom[k].name);
  return most;
}

/* The length of a name without the charge of an ion, as in NA+ and CL-. */
static size_t without_sign(const char *name)
{
  size_t n = strlen(name);
  while (n > 1 && (name[n - 1] == '+' || name[n - 1] == '-'))
    n--;
  return n;
}

/* 1 if a name of a file is that of the topology, but for a sign, or cut where the longest name of
   the file ends. */
static int is_spelled(const char *name, const char *of_topology, size_t most)
{
  const size_t n = strlen(name), same = without_sign(name);
  if (n == most && n > 1 && !strncmp(name, of_topology, n)) return 1;
  return same == without_sign(of_topology) && !strncmp(name, of_topology, same);
}

void gromacs_gro_compare(const struct gromacs_gro *c, const struct gromacs *g, int allowed,
                         struct error_list *m)
{
  const struct gromacs_topology *t = g->topology;
  const size_t most = longest_name(c);
  int64_t at = 0, differ = 0, spelled = 0;
  for (int b = 0; b < t->n_blocks; b++) {
    const struct gromacs_molecule *molecule = gromacs_block_molecule(g, b);
    for (int64_t n = 0; n < t->block[b].count; n++)
      for (int k = 0; k < molecule->n_atoms; k++, at++) {
        const char *name = molecule->atom[k].name;
        if (at >= c->n || !strncmp(c->atom[at].name, name, GRO_NAME - 1)) continue;
        if (is_spelled(c->atom[at].name, name, most))
          spelled++;
        else if (differ++ < SHOWN && !allowed)
          error_list_add(m, c->path, (int)(at < INT32_MAX / 2 ? at + c->first_line : 0),
                         "atom %s, but %s in the topology (molecule type %s, %s:%d)",
                         c->atom[at].name, name, molecule->name, molecule->atom[k].where.file,
                         molecule->atom[k].where.line);
      }
  }
  if (spelled)
    warn("%s: the names of %lld atoms are those of the topology but for a sign, or for letters "
         "that are cut off",
         c->path, (long long)spelled);
  if (differ && allowed)
    warn("%s: the names of %lld atoms are not those of the topology, which hold", c->path,
         (long long)differ);
  else if (differ)
    error_list_advise(m,
                      "%lld names differ. Is the order of [ molecules ] that of the file? "
                      "--names=topology takes the names of the topology",
                      (long long)differ);
}
