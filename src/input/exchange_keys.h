/* The section `exchange` of a run file: what replicas exchange. Every rank reads it. */
#ifndef EXCHANGE_KEYS_H
#define EXCHANGE_KEYS_H

#include "input/param.h"
#include "model/bias.h"
#include "model/ladder.h"

/* The biases that replicas exchange, with the parameters of each rung. */
struct exchanged_biases {
  int n;
  int bias[BIASES_MOST];                              /* of struct bias_set */
  double (*value[BIASES_MOST])[BIAS_PARAMETERS_MOST]; /* [rungs] of each: the parameters that are
                                                         lists; owned */
};

/* Checks the section of one of n replicas (0: --replicas is not given) against the other keys, and
   gives p the temperature of its own. Mistakes are reported together, with lines; then all ranks
   end with status 2. */
void exchange_check(struct params *p, int n);
/* The temperatures of n replicas, K. 0: there are none. */
int exchange_temperatures(const struct params *p, int n, double temperature[RUNGS_MOST]);
/* The biases that n replicas exchange. Status 2 if there are none of the names, or a list does not
   have n numbers. The caller frees them by exchange_biases_free. */
void exchange_biases(const struct params *p, const struct bias_set *set, int n,
                     struct exchanged_biases *b);
void exchange_biases_free(struct exchanged_biases *b);

#endif
