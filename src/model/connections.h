/* What holds molecules together: for each bonded environment, the beads that a bead is connected
   with, by differences of ids. All terms of the section of bonds connect, whether they are chemical
   bonds or not, but for pairs with the energies of pairs. A virtual site is connected with its
   first parent, and with others that nothing else connects it with. BY_TERMS: beads of a bonded
   term of any section are connected too. Host memory. */
#ifndef CONNECTIONS_H
#define CONNECTIONS_H

#include "model/topology.h"

/* Environment e has partner[start[e]] ... partner[start[e + 1] - 1]: ids less that of the bead,
   ascending, each once. Each connection stands with both of its beads. */
struct connections {
  int *start; /* [n_envs + 1] */
  int64_t *partner;
};

enum connected { BY_BONDS, BY_TERMS };
struct connections connections_of(const struct forcefield *ff, const struct topology *t,
                                  enum connected by);
void connections_free(struct connections *c);

#endif
