/* Checksums: see checksum.h. Each step (multiply, fold) is a bijection, so any change of a single
   word changes the result. */
#include "io/checksum.h"

#include <string.h>

static const uint64_t factor = 0xd6e8feb86659fd93u, stride = 0x9e3779b97f4a7c15u;

static inline uint64_t mix(uint64_t h, uint64_t word)
{
  h = (h ^ word) * factor;
  return h ^ h >> 32;
}

static inline uint64_t more(uint64_t h, const char *data, size_t bytes)
{
  for (; bytes >= 8; bytes -= 8, data += 8) {
    uint64_t word;
    memcpy(&word, data, 8);
    h = mix(h, word);
  }
  uint64_t word = 0;
  memcpy(&word, data, bytes);
  return bytes ? mix(h, word) : h;
}

uint64_t checksum_update(uint64_t h, const void *data, size_t bytes)
{
  return mix(more(h, data, bytes), bytes);
}

static inline uint64_t rows(uint64_t key, int64_t first, int64_t n, size_t bytes, const char *data)
{
  uint64_t sum = 0;
  for (int64_t k = 0; k < n; k++)
    sum +=
        mix(more(key + (uint64_t)(first + k + 1) * stride, data + (size_t)k * bytes, bytes), key);
  return sum;
}

uint64_t checksum_rows(uint64_t key, int64_t first, int64_t n, size_t bytes, const void *data)
{
  /* A constant size lets the compiler unroll the loop. */
  switch (bytes) {
  case 12:
    return rows(key, first, n, 12, data);
  case 16:
    return rows(key, first, n, 16, data);
  default:
    return rows(key, first, n, bytes, data);
  }
}
