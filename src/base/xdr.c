#include "base/xdr.h"

#include <string.h>

static void put_word(FILE *out, uint64_t word, int bytes)
{
  unsigned char byte[8] = {0};
  for (int k = 0; k < bytes; k++)
    byte[k] = (unsigned char)(word >> 8 * (bytes - 1 - k));
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

void xdr_put_double(FILE *out, double value)
{
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  put_word(out, word, 8);
}

void xdr_put_reals(FILE *out, int is_double, const double *value, int64_t n)
{
  for (int64_t k = 0; k < n; k++)
    if (is_double)
      xdr_put_double(out, value[k]);
    else
      xdr_put_float(out, (float)value[k]);
}

void xdr_put_bytes(FILE *out, const void *data, int64_t n)
{
  fwrite(data, 1, (size_t)n, out);
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
