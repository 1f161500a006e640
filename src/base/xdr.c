#include "base/xdr.h"

#include <endian.h>
#include <string.h>

void xdr_put_int(FILE *out, int32_t value)
{
  const uint32_t word = htobe32((uint32_t)value);
  fwrite(&word, sizeof word, 1, out);
}

void xdr_put_float(FILE *out, float value)
{
  int32_t word;
  memcpy(&word, &value, sizeof word);
  xdr_put_int(out, word);
}

int xdr_store_reals(void *bytes, int is_double, const double *value, int n)
{
  const size_t size = is_double ? 8 : 4;
  unsigned char *at = bytes;
  for (int k = 0; k < n; k++, at += size) {
    const float single = (float)value[k];
    uint64_t word;
    uint32_t half;
    memcpy(&word, &value[k], sizeof word);
    memcpy(&half, &single, sizeof half);
    word = htobe64(word);
    half = htobe32(half);
    memcpy(at, is_double ? (void *)&word : &half, size);
  }
  return n * (int)size;
}

void xdr_put_reals(FILE *out, int is_double, const double *value, int n)
{
  unsigned char bytes[8] = {0};
  for (int k = 0; k < n; k++)
    fwrite(bytes, 1, (size_t)xdr_store_reals(bytes, is_double, value + k, 1), out);
}

void xdr_put_bytes(FILE *out, const void *data, int64_t n)
{
  fwrite(data, 1, (size_t)n, out);
  xdr_fill(out, n);
}

void xdr_fill(FILE *out, int64_t n)
{
  fwrite("\0\0\0", 1, (size_t)(-n & 3), out);
}

int32_t xdr_int(const unsigned char bytes[4])
{
  uint32_t word;
  memcpy(&word, bytes, sizeof word);
  word = be32toh(word);
  int32_t value;
  memcpy(&value, &word, sizeof value);
  return value;
}

double xdr_float(const unsigned char bytes[4])
{
  const int32_t word = xdr_int(bytes);
  float value;
  memcpy(&value, &word, sizeof value);
  return (double)value;
}

double xdr_double(const unsigned char bytes[8])
{
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  word = be64toh(word);
  double value;
  memcpy(&value, &word, sizeof value);
  return value;
}
