/* 64-bit checksums against damage (not against intent), the same for any partition of rows over
   ranks. Local. */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Goes on from h over more bytes; another h for each other content of the same length. */
uint64_t checksum_more(uint64_t h, const void *data, size_t bytes);
/* The sum over rows first (from 0), first + 1 ... of a mix of the row's number and contents, modulo
   2^64: sums of parts add up to that of the whole. key: tells columns apart. */
uint64_t checksum_rows(uint64_t key, int64_t first, int64_t n, size_t bytes, const void *data);

#endif
