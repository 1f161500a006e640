/* Metadynamics: Gaussians, called hills, that a run deposits at the values of one or two
   coordinates (Laio and Parrinello, PNAS 99, 12562, 2002; well-tempered: Barducci et al., Phys.
   Rev. Lett. 100, 020603, 2008). Their sum is kept at the nodes of a grid. Plain structs, the same
   on host and device; pair/hills_body.h computes with them. */
#ifndef HILLS_H
#define HILLS_H

#include <stdint.h>

#include "base/hd.h"

/* Half the square of the distance, in widths, at which a hill ends. */
#define HILL_CUT 6.25

enum {
  HILL_AXES_MOST = 2,
  HILL_NODES_MOST = 1 << 20,
  HILL_NUMBERS = 7,  /* of a struct hill */
  HILLS_RECENT = 128 /* that a backend keeps: more than the steps that the host lets it run ahead */
};

/* Doubles alone: a row of the state file. Places and widths of an axis that is not there are 0. */
struct hill {
  double time, height;                                 /* ps, kJ/mol */
  double factor;                                       /* bias factor; infinite: not tempered */
  double place[HILL_AXES_MOST], width[HILL_AXES_MOST]; /* nm or rad */
};

struct hill_axis {
  int coordinate;      /* of struct bias_set */
  int nodes;           /* at least 2 */
  double low, spacing; /* place of the first node, and from node to node, nm or rad */
  double period;       /* nodes spacing; 0: the axis ends at its last node */
  double width;        /* of hills to come: the standard deviation, nm or rad */
};

/* n 0: the run has no metadynamics. */
struct hill_grid {
  int n, bias;   /* axes; number of the bias */
  int64_t every; /* steps */
  struct hill_axis axis[HILL_AXES_MOST];
};

/* Values of a node: the energy V, its slopes dV/dx, then with two axes dV/dy and d2V/dxdy. */
HD int hill_node_values(const struct hill_grid *g)
{
  return 1 << g->n;
}

HD int hill_nodes(const struct hill_grid *g)
{
  return g->axis[0].nodes * (g->n > 1 ? g->axis[1].nodes : 1);
}

/* Memory of a backend. */
struct hill_store {
  double *node;        /* [nodes of axis 1][nodes of axis 0][values] */
  struct hill *recent; /* [HILLS_RECENT]: hill k at k modulo HILLS_RECENT */
};

#endif
