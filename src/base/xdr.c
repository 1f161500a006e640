#include "base/xdr.h"

#include <string.h>

static void store_word(unsigned char *byte, uint64_t word, int bytes)
{
  for (int k = 0; k < bytes; k++)
    byte[k] = (unsigned char)(word >> 8 * (bytes - 1 - k));
}

static void put_word(FILE *out, uint64_t word, int bytes)
{
  unsigned char byte[8];
  store_word(byte, word, bytes);
  fwrite(byte, 1, (size_t)bytes, out);
}

void xdr_put_int(FILE *out, int32_t value)
{
  put_word(out, (uint32_t)value, 4);
}

void xdr_put_float(FILE *out, float value)
{
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  put_word(out, word, 4);
}

int xdr_store_reals(void *bytes, int is_double, const double *value, int n)
{
  unsigned char *at = bytes;
  for (int k = 0; k < n; k++) {
    const float single = (float)value[k];
    uint64_t word = 0;
    uint32_t half;
    memcpy(&half, &single, sizeof half);
    if (is_double) memcpy(&word, &value[k], sizeof word);
    store_word(at, is_double ? word : half, is_double ? 8 : 4);
    at += is_double ? 8 : 4;
  }
  return (int)(at - (unsigned char *)bytes);
}

void xdr_put_reals(FILE *out, int is_double, const double *value, int n)
{
  unsigned char byte[8] = {0};
  for (int k = 0; k < n; k++) {
    const int bytes = xdr_store_reals(byte, is_double, value + k, 1);
    fwrite(byte, 1, (size_t)bytes, out);
  }
}

void xdr_put_bytes(FILE *out, const void *data, int64_t n)
{
  fwrite(data, 1, (size_t)n, out);
  xdr_fill(out, n);
}

void xdr_fill(FILE *out, int64_t n)
{
  put_word(out, 0, (int)(-n & 3));
}

static uint64_t get_word(const unsigned char *byte, int bytes)
{
  uint64_t word = 0;
  for (int k = 0; k < bytes; k++)
    word = word << 8 | byte[k];
  return word;
}

int32_t xdr_int(const unsigned char bytes[4])
{
  const uint32_t word = (uint32_t)get_word(bytes, 4);
  int32_t value;
  memcpy(&value, &word, sizeof value);
  return value;
}

double xdr_float(const unsigned char bytes[4])
{
  const uint32_t word = (uint32_t)get_word(bytes, 4);
  float value;
  memcpy(&value, &word, sizeof value);
  return (double)value;
}

double xdr_double(const unsigned char bytes[8])
{
  const uint64_t word = get_word(bytes, 8);
  double value;
  memcpy(&value, &word, sizeof value);
  return value;
}
