/* YAML input: a document of libyaml as a tree of numbered nodes. Node 0 stands for a missing node,
   and every function accepts it, so calls can be nested:

     struct error_list m = {0};
     struct yaml_tree *t = yaml_load("spec.yaml", &m);
     int root = yaml_root(t), water = yaml_get(t, root, "water");
     yaml_expect_map(t, root, "forcefield|seed|water");
     int64_t seed = yaml_int(t, yaml_get(t, root, "seed"), 1, 0, INT64_MAX);
     double rho = yaml_real(t, yaml_need(t, water, "density"), 998, YAML_POSITIVE, 1e6);
     error_list_check(&m);
     yaml_destroy(t);

   Errors are collected with line and path ("spec.yaml:3: water.density: 'x' is not a number"), and
   the function returns its fallback. Syntax errors, keys given twice, and aliases end all ranks at
   once with STATUS_INPUT. */
#ifndef YAML_TREE_H
#define YAML_TREE_H

#include <float.h>
#include <stdint.h>

#include "base/error_list.h"

#define YAML_POSITIVE DBL_MIN /* as minimum of a real: greater than 0 */

enum { YAML_TEXT_MAX = 4 << 20 }; /* bytes of the largest text that is accepted */

struct yaml_tree; /* keeps the pointer to errors, which must outlive the tree */

/* Parse a string, or a file. origin: name of the text in messages. An empty text is an empty
   mapping. Syntax errors end all ranks with STATUS_INPUT. */
struct yaml_tree *yaml_parse(const char *text, const char *origin, struct error_list *m);
struct yaml_tree *yaml_load(const char *path, struct error_list *m);
/* A tree whose root is one scalar, for values from elsewhere (options); its errors have no line. */
struct yaml_tree *yaml_scalar(const char *value, const char *origin, struct error_list *m);
void yaml_destroy(struct yaml_tree *t);

/* Navigation. Entries of mappings and items of lists count from 0. */
int yaml_root(const struct yaml_tree *t);
int yaml_line(const struct yaml_tree *t, int node); /* from 1; 0: none */
const char *yaml_origin(const struct yaml_tree *t); /* name of the text in messages */
/* The path of a node from the root, such as "types.W.mass" or "pair.table[3]". Caller frees. */
char *yaml_path(const struct yaml_tree *t, int node);
/* The same with its line, "spec.yaml:3: types.W.mass". */
char *yaml_where(const struct yaml_tree *t, int node);
int yaml_is_map(const struct yaml_tree *t, int node);
int yaml_is_list(const struct yaml_tree *t, int node);
int yaml_is_text(const struct yaml_tree *t, int node,
                 const char *text); /* is it a scalar with this value? */
int yaml_count(const struct yaml_tree *t, int node);
int yaml_item(const struct yaml_tree *t, int node, int k); /* value of entry k, or item k */
const char *yaml_key(const struct yaml_tree *t, int map, int k);
int yaml_get(const struct yaml_tree *t, int map, const char *key);
int yaml_need(struct yaml_tree *t, int map, const char *key); /* an error if it is missing */

/* Checks of the type of a node: 1, or the items of a list, if it is as expected; else 0 and an
   error is added (none for node 0). keys: word list "a|b|c" of the known keys, or NULL for any;
   unknown keys are errors, but the result is still 1. */
int yaml_expect_map(struct yaml_tree *t, int node, const char *keys);
int yaml_expect_list(struct yaml_tree *t, int node, int min, int max);

/* Values of scalars. Return the fallback if the node is 0, or if it is wrong, which adds an error.
   Limits are inclusive. Strings belong to the tree. choice: an index into the word list "a|b|c". */
const char *yaml_text(struct yaml_tree *t, int node, const char *fallback);
double yaml_real(struct yaml_tree *t, int node, double fallback, double min, double max);
int64_t yaml_int(struct yaml_tree *t, int node, int64_t fallback, int64_t min, int64_t max);
int yaml_choice(struct yaml_tree *t, int node, int fallback, const char *choices);
/* Reads a list of exactly n numbers; `values` stays as it was if the list is wrong or missing. */
void yaml_reals(struct yaml_tree *t, int node, int n, double *values, double min, double max);

/* A node as YAML text in one line (flow style), which reads back as the same; "" for node 0. Caller
   frees. */
char *yaml_flow_text(struct yaml_tree *t, int node);

/* YAML text in a form that is the same for equal meaning: keys sorted, numbers in one spelling,
   names of a `group` sorted. Caller frees. */
char *yaml_meaning(const char *text);
/* 1 if two texts mean the same. */
int yaml_mean_same(const char *a, const char *b);

/* The number of errors so far, and the list that has them. */
int yaml_errors(const struct yaml_tree *t);
struct error_list *yaml_error_list(struct yaml_tree *t);
/* Adds an error at a node, with its line and path. */
__attribute__((format(printf, 3, 4))) void yaml_add_error(struct yaml_tree *t, int node,
                                                          const char *format, ...);

#endif
