/* Groups of beads in YAML: a selection, or the name of a group of the run file.

     groups:
       solute: {molecules: [BENZ]}
       upper_tails: {molecules: [DPPC], names: [C1A, C2A], leaflet: upper}
     fields:
       - {form: force, z: 10, group: solute}
       - {form: force, z: -1, group: {any: [upper_tails, {types: [W], region: {z: [0, 1]}}]}}

   A selection has the beads for which all its keys hold: docs/reference/groups.md. Mistakes are
   added to the tree. Local: every rank reads. */
#ifndef GROUP_READER_H
#define GROUP_READER_H

#include "input/param.h"
#include "input/yaml_tree.h"
#include "model/bead_group.h"
#include "model/forcefield.h"

enum { NAMED_GROUPS_MOST = 32 };

struct named_group {
  char *name; /* owned */
  struct bead_group group;
};

/* The group at a node of a tree; of node 0 all beads. Its beads are not found yet. p: has the named
   groups; NULL: there are none. n_total: beads of the system. */
void bead_group_read(struct yaml_tree *t, int node, const struct params *p,
                     const struct forcefield *ff, int64_t n_total, struct bead_group *g);
/* The same where words, as bits, may be names of bead types and of molecule types too. */
enum { WORDS_TYPES = 1, WORDS_MOLECULES = 2 };
void bead_group_read_words(struct yaml_tree *t, int node, int words, const struct params *p,
                           const struct forcefield *ff, int64_t n_total, struct bead_group *g);
/* The group of a text: such words, "A,B", or a selection, "{...}"; of "" all beads. origin: name of
   the text in messages. Mistakes are added to m. */
void bead_group_read_text(const char *text, const char *origin, int words, const struct params *p,
                          const struct forcefield *ff, int64_t n_total, struct bead_group *g,
                          struct error_list *m);
/* The groups that a run file names, *n of them. Status 2 for mistakes. The caller destroys them. */
struct named_group *named_groups_read(const struct params *p, const struct forcefield *ff,
                                      int64_t n_total, int *n);
void named_groups_destroy(struct named_group *group, int n);

#endif
