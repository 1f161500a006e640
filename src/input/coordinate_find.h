/* Coordinates by name. */
#ifndef COORDINATE_FIND_H
#define COORDINATE_FIND_H

#include "input/yaml_tree.h"
#include "model/bias.h"

/* The coordinate of the name at a node; -1 with an error: there is none. */
int coordinate_find(struct yaml_tree *t, int node, const struct bias_set *set);

#endif
