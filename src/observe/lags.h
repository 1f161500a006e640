/* Lags and time origins of correlation functions that are computed while the run goes on. Lags: 1
   ... 15 samples, then 8 ... 15 times 2, 4, 8, ... samples, up to 24 levels. Every sample is a time
   origin of the lags of level 0; of those of level l every 2^l-th, counted from the first sample.
   So each sample costs about 23 pairs of frames, and memory grows with the logarithm of the run: 16
   frames, and 8 for each level that is in use (Ramirez et al., J. Chem. Phys. 133, 154103, 2010,
   but without averages over blocks of samples). Frames are rows of numbers in o->kept. Rank 0. */
#ifndef LAGS_H
#define LAGS_H

#include "observe/observable.h"

enum { LAGS_LEVELS = 24, LAGS = 15 + 8 * (LAGS_LEVELS - 1) };

/* Lag k (from 0, ascending) in samples, and in ps. */
int64_t lags_samples(int k);
double lags_time(const struct observable *o, int k);

/* For sample, once: makes room for the frame of this sample, whose number is o->blocks.samples, and
   returns it. The frames lie in o->kept from index start on; each has n numbers. */
double *lags_add(struct observable *o, int64_t start, int64_t n);
/* The frame that lies lag k before the frame added last. NULL if this sample does not end a pair of
   this lag. */
const double *lags_origin(const struct observable *o, int64_t start, int64_t n, int k);

/* Number of lags that have pairs. */
int lags_known(const double *count);

#endif
