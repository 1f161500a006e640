/* 64-bit checksums that detect damage (not intent). Sums over rows do not depend on how rows are
   distributed over ranks. Local. */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Extends checksum h by more bytes. Contents of equal length that differ give different results
   with high probability. */
uint64_t checksum_update(uint64_t h, const void *data, size_t bytes);
/* Sum modulo 2^64 of a hash of each row's number and contents, for n rows from row `first` (counted
   from 0). The sums of blocks of rows add up to that of all rows. key: distinguishes columns. */
uint64_t checksum_rows(uint64_t key, int64_t first, int64_t n, size_t bytes, const void *data);

#endif
