/* What the files that parse force fields share. */
#ifndef FORCEFIELD_PARSER_H
#define FORCEFIELD_PARSER_H

#include "input/yaml_tree.h"
#include "model/forcefield.h"

/* The index of the type that a node names; -1, and an error, if there is none. */
int forcefield_parse_type(struct yaml_tree *yaml, struct forcefield *ff, int node);
/* The index of the molecule type of that name, or of one that has several beads; -1, and an error
   at the node, if there is none. */
int forcefield_parse_molecule(struct yaml_tree *yaml, const struct forcefield *ff, int node,
                              const char *name);
int forcefield_parse_lipid(struct yaml_tree *yaml, const struct forcefield *ff, int node,
                           const char *name);
/* Copies a name, from a key or a value at a node; adds an error if it is too long or has one of the
   characters `not`. */
void forcefield_parse_name(struct yaml_tree *yaml, int node, const char *name, const char * not,
                           char out[FF_NAME]);
/* A bead of a molecule of n beads: from 1 in the file, from 0 here; -1, and an error, if it is
   wrong. */
int forcefield_parse_bead(struct yaml_tree *yaml, int node, int n);
/* Reads the parameters of a form, which stand at a mapping beside keys "a|b". 0, and an error, if
   it is none. */
int form_read_parameters(struct yaml_tree *yaml, int map, const char *keys,
                         const struct form_parameter *parameter, double *value);
/* `names` and `residues` of a molecule. */
void forcefield_parse_names(struct yaml_tree *yaml, int node, struct ff_molecule *m);
/* Where a table stands, and its units. */
struct tabulated_source {
  const char *text, *origin; /* of the file; its name in messages */
  const char *section;   /* keyword of a section as LAMMPS has them; NULL: the file is a table */
  double length, energy; /* nm and kJ/mol of one unit of the file */
  enum tabulated_interpolation interpolation;
  /* The table is the sum of the potentials of the file, each with its factor; one with factor 1,
     unless the file is a table. */
  int n_factors;
  double factor[TABULATED_POTENTIALS_MOST];
  double cutoff; /* nm: where the table ends; 0: at the last row */
};

/* Reads a table: tabulated_file.c. Without a section a row is r U F, or r U F U F ... of several
   potentials; in a section it is number r U F, after a line `N rows`, which may give the distances
   (R or RSQ). Lines that begin with # or @ are comments. Adds an error with the line of the file
   for each mistake. Caller frees with tabulated_rows_free. */
struct tabulated_rows tabulated_read(const struct tabulated_source *from, struct error_list *m);
void tabulated_rows_free(struct tabulated_rows *rows);
/* The sections `tables` and `files`: forcefield_tables.c. */
void forcefield_parse_tables(struct yaml_tree *yaml, struct forcefield *ff);
/* The number, from 1, of the table that a node names; 0, and an error, if there is none. */
int forcefield_parse_tabulated(struct yaml_tree *yaml, int node);
/* Adds an error at a node if a table does not suit the pairs or the bonded type there. */
void forcefield_check_pair_table(struct yaml_tree *yaml, const struct forcefield *ff, int node,
                                 const struct tabulated *t);
void forcefield_check_bonded_table(struct yaml_tree *yaml, const struct forcefield *ff, int node,
                                   const struct ff_bonded *b);
/* The section `pair`, after the tables: cutoff treatments, pair table, sticky pairs. After the
   types: forcefield_pairs.c. */
void forcefield_parse_pairs(struct yaml_tree *yaml, struct forcefield *ff);
/* The keys `constraints` and `sites` of a molecule, after its bonds; finds its clusters:
   forcefield_clusters.c. */
void forcefield_parse_clusters(struct yaml_tree *yaml, struct forcefield *ff, int node,
                               struct ff_molecule *m);

#endif
