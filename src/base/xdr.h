/* Numbers as XDR (RFC 4506) stores them: big-endian, in multiples of 4 bytes. Local. Errors stay in
   the stream: ferror. */
#ifndef XDR_H
#define XDR_H

#include <stdint.h>
#include <stdio.h>

void xdr_put_int(FILE *out, int32_t value);
void xdr_put_float(FILE *out, float value);
/* As doubles, or as floats. */
void xdr_put_reals(FILE *out, int is_double, const double *value, int n);
/* The same in memory; returns the bytes, 8 or 4 each. */
int xdr_store_reals(void *bytes, int is_double, const double *value, int n);
/* Bytes, and zeros up to a multiple of 4. */
void xdr_put_bytes(FILE *out, const void *data, int64_t n);
/* The zeros after n bytes. */
void xdr_fill(FILE *out, int64_t n);

/* What 4 or 8 bytes mean. */
int32_t xdr_int(const unsigned char bytes[4]);
double xdr_float(const unsigned char bytes[4]);
double xdr_double(const unsigned char bytes[8]);

#endif
