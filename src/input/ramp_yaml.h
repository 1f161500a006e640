/* Targets that may change in time, in YAML: a number, a list of points [[ps, value], ...], or
   {points: [...], periodic: yes}. Numbers of box edges: one for all, or [x, y, z]. */
#ifndef RAMP_YAML_H
#define RAMP_YAML_H

#include "input/yaml_tree.h"
#include "model/ramp.h"

/* Sets *r to the value at a node, if the node exists; wrong ones add errors. */
void ramp_read(struct yaml_tree *t, int node, struct ramp *r, double low, double high);
/* As YAML in one line. Caller frees. */
char *ramp_text(const struct ramp *r);

void edges_set(double edges[3], double value);
/* As ramp_read and ramp_text. */
void edges_read(struct yaml_tree *t, int node, double edges[3], double low, double high);
char *edges_text(const double edges[3]);

#endif
