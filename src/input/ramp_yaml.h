/* Targets that may change in time, in YAML: a number, a list of points [[ps, value], ...], or
   {points: [...], periodic: yes}. */
#ifndef RAMP_YAML_H
#define RAMP_YAML_H

#include "input/yaml_tree.h"
#include "model/ramp.h"

/* Sets *r to the value at a node, if the node exists; wrong ones add errors. */
void ramp_read(struct yaml_tree *t, int node, struct ramp *r, double low, double high);
/* As YAML in one line. Caller frees. */
char *ramp_text(const struct ramp *r);

#endif
