/* Functions of the lag between two samples of the same items, for observables: molecules
   or beads, in a curve for each type or group of them. Each sample keeps a frame in o->kept: `head`
   numbers, and three of each item. Two numbers of a pair of frames are averaged for each curve.

   Values: of each lag the number of pairs of samples, 0 or 1; then the two of each curve, by lag.
 */
#ifndef CORRELATION_H
#define CORRELATION_H

#include "observe/items.h"

/* Lags and time origins of correlation functions that are computed while the run goes on. Lags: 1
   ... 15 samples, then 8 ... 15 times 2, 4, 8, ... samples, up to 24 levels. Every sample is a time
   origin of the lags of level 0; of those of level l every 2^l-th, counted from the first sample.
   So each sample costs about 23 pairs of frames, and memory grows with the logarithm of the run: 16
   frames, and 8 for each level that is in use (Ramirez et al., J. Chem. Phys. 133, 154103, 2010,
   but without averages over blocks of samples). Frames are rows of numbers in o->kept. Rank 0. */
enum { LAGS_LEVELS = 24, LAGS = 15 + 8 * (LAGS_LEVELS - 1) };

/* Lag k (from 0, ascending) in samples, and in ps. */
int64_t lags_samples(int k);
double lags_time(const struct observable *o, int k);

/* Number of lags that have pairs. */
int lags_known(const double *count);

/* Items of a type or of a group. */
struct curve {
  int type;           /* of group g, from 0: CURVE_GROUPS - g */
  const char *in;     /* [share]: 1 for the beads of the group; NULL: of a type */
  const char *name;   /* borrowed */
  int64_t n, *index;  /* [n]: things of the share that are items */
  int64_t first, end; /* items first ... end - 1 of all ranks */
};

enum { CURVE_GROUPS = -2, CURVE_GROUPS_MOST = 100 };

struct correlation {
  int groups;
  char **in; /* [groups] */
  int curves;
  struct curve *curve;
  struct items items;
  int head;
  int64_t start, row; /* index of the first frame in o->kept, and numbers of a frame */
};

/* For open: adds a curve unless there is one of the type. Returns 0 if none of the n things of the
   share of any rank is of it. Collective. */
int correlation_add(struct correlation *c, struct observable *o, int64_t n, subset_member *of,
                    int type, const char *name);
/* The beads of the group of a curve of this type, as struct curve has them; NULL: it is of none. */
const char *correlation_in(const struct correlation *c, int type);
/* For open: adds a curve for each item of the option `groups` (observe_group.h). lacking: why one
   has none of the n things. Errors go to the tree. Collective. */
void correlation_add_groups(struct correlation *c, struct observable *o, struct yaml_tree *t,
                            int options, int64_t n, subset_member *of, const char *lacking);
/* For open, when all curves are there: lists the items of each, of n things of the share. start of
   frames: after so many numbers of each item. Collective. */
void correlation_open(struct correlation *c, struct observable *o, int64_t n, subset_member *of,
                      int head, int start);
/* For open: adds the values, a table KIND_NAME for each curve, and one with a row for each. */
void correlation_tables(const struct correlation *c, struct observable *o,
                        const struct observe_column *column, int columns, const char *summary,
                        const struct observe_column *summary_column, int summary_columns);

/* For collect: gathers three words of each item. Collective. */
typedef void correlation_item(const struct observable *o, const struct observe_frame *f,
                              const struct curve *c, int64_t k, int64_t word[3]);
void correlation_collect(struct correlation *c, const struct observable *o,
                         const struct observe_frame *f, correlation_item *item);
/* For sample: adds a frame with the words of the items over `unit`, and returns it. */
double *correlation_frame(const struct correlation *c, struct observable *o, double unit);
/* The two numbers of a curve, as the mean over its items, from two frames. */
typedef void correlation_pair(const struct curve *c, const double *from, const double *to,
                              double mean[2]);
/* Then, when it is complete: sets the values from its pairs with frames before. */
void correlation_sample(const struct correlation *c, const struct observable *o, const double *to,
                        correlation_pair *pair, double *value);
/* For derive: sets the axes and the first two columns of the curves. */
void correlation_derive(const struct correlation *c, const struct observable *o, const double *mean,
                        double *result);

#endif
