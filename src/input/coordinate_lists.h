/* The lists `coordinates` and `biases` of a run file. Mistakes are added to a list, with their
   lines. Local: every rank reads the lists. */
#ifndef COORDINATE_LISTS_H
#define COORDINATE_LISTS_H

#include "input/param.h"
#include "model/bias.h"
#include "model/forcefield.h"

enum { CENTRE_RULES_MOST = COORDINATES_MOST * COORDINATE_CENTRES_MOST };

/* A group of a coordinate, as read: its ranges of ids are not found yet; or a point. */
struct centre_rule {
  struct bead_group group;
  int by_mass; /* 1: weighted by mass; 0: every bead alike */
  int is_point;
  double point[3]; /* where it is at the start of the run, nm; it scales with the box */
  int line;        /* of the run file */
};

/* Sets the coordinates of a run, whose centres are numbered in the order of the rules, and the
   rules, of which several may be of one group. Returns how many rules there are. n_total: beads of
   the system. */
int coordinates_read(const struct params *p, const struct forcefield *ff, int64_t n_total,
                     struct bias_set *set, struct centre_rule rule[CENTRE_RULES_MOST],
                     struct error_list *m);
/* The kinds and names of the coordinates of a run; NULL: there are none. Status 2 for mistakes. The
   caller frees it. */
struct bias_set *coordinates_outline(const struct params *p, const struct forcefield *ff,
                                     int64_t n_total);
/* Sets the biases, once the coordinates are set. */
void biases_read(const struct params *p, struct bias_set *set, struct error_list *m);
/* Reads `fields`, `coordinates` and `biases`. All mistakes of the three are reported together; then
   all ranks end with status 2. */
void forces_check(const struct params *p, const struct forcefield *ff, int64_t n_total);
/* Prints the kinds of coordinates and of biases to stdout. */
void bias_kinds_print(void);

#endif
