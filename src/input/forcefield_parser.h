/* What the files that parse force fields share. */
#ifndef FORCEFIELD_PARSER_H
#define FORCEFIELD_PARSER_H

#include "input/yaml_tree.h"
#include "model/forcefield.h"

struct forcefield_parser {
  struct yaml_tree *tree;
  struct forcefield *ff;
  struct error_list *errors; /* of the tree */
};

/* The index of the type that a node names; -1, and an error, if there is none:
   forcefield_parser.c. */
int forcefield_parse_type(struct forcefield_parser *p, int node);
/* `names` and `residues` of a molecule: forcefield_names.c. */
void forcefield_parse_names(struct forcefield_parser *p, int node, struct ff_molecule *m);
/* The sections `tables` and `files`: forcefield_tables.c. */
void forcefield_parse_tables(struct forcefield_parser *p);
/* The text of a force field with those of the files that its tables name, as section `files`,
   unless it has them already. path: of the text, relative to whose folder they are. Frees the text.
   Caller frees. */
char *forcefield_add_files(char *text, const char *path);
/* The section `pair`, after the tables: cutoff treatments, pair table, sticky pairs. After the
   types: forcefield_pairs.c. */
void forcefield_parse_pairs(struct forcefield_parser *p);
/* The keys `constraints` and `sites` of a molecule, after its bonds; finds its clusters:
   forcefield_clusters.c. */
void forcefield_parse_clusters(struct forcefield_parser *p, int node, struct ff_molecule *m);

#endif
