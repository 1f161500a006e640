/* Block averages: sums of samples in up to BLOCKS blocks of equal length, which doubles when they
   are full, so that memory does not grow. Errors of functions of the means by the jackknife over
   blocks (Flyvbjerg and Petersen, J. Chem. Phys. 91, 461, 1989; Efron, 1982). Local; host memory.
 */
#ifndef BLOCKS_H
#define BLOCKS_H

#include <stdint.h>

enum { BLOCKS = 128, BLOCKS_LEAST = 8 };

struct blocks {
  int values;
  int n;           /* blocks begun; the last one may be incomplete */
  int64_t length;  /* samples of a complete block */
  int64_t samples; /* all */
  double *sum;     /* [BLOCKS][values] */
  double *square;  /* [values]: sum of squares of all samples */
};

void blocks_open(struct blocks *b, int values);
void blocks_close(struct blocks *b);
void blocks_add(struct blocks *b, const double *value);
/* Means of all samples; NaN without samples. */
void blocks_mean(const struct blocks *b, double *mean);
/* Variance of single samples of a value; NaN with less than two. */
double blocks_variance(const struct blocks *b, int value);

/* Standard errors of n functions of the means: of each the error at the first blocking whose
   doubling raises it no more than its own uncertainty. NaN with less than BLOCKS_LEAST complete
   blocks. function(argument, mean, result) sets result[n]. */
typedef void blocks_function(const void *argument, const double *mean, double *result);
void blocks_errors(const struct blocks *b, blocks_function *function, const void *argument, int n,
                   double *error);
/* Numbers that blocks_save writes, and writing and reading them. load returns 0 if they do not
   fit. */
int64_t blocks_saved(const struct blocks *b);
void blocks_save(const struct blocks *b, double *to);
int blocks_load(struct blocks *b, const double *from, int64_t n);

#endif
