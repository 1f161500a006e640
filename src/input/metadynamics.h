/* A bias of kind metadynamics of the list `biases` (coordinate_lists.h): its coordinates, and the
   grid of its hills. */
#ifndef METADYNAMICS_H
#define METADYNAMICS_H

#include "input/param.h"
#include "input/yaml_tree.h"
#include "model/bias.h"

/* Sets b->coordinate, set->hills and, where it is not given, the temperature of *b, the next bias
   of the set, whose parameters have been read. Mistakes are added to the tree. */
void metadynamics_read(struct yaml_tree *t, int item, const struct params *p, struct bias_set *set,
                       struct bias *b);

#endif
