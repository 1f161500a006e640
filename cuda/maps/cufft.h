/* The functions of cuFFT that maps call. The library is loaded when it is first needed: it has
   hundreds of megabytes, which runs of dynamics do without. */
#ifndef MAPS_CUFFT_H
#define MAPS_CUFFT_H

#include <cufft.h>

#include "cuda/runtime/cuda_check.h"

BEGIN_C

struct cufft {
  cufftResult (*create)(cufftHandle *);
  cufftResult (*make)(cufftHandle, int, long long *, long long *, long long, long long, long long *,
                      long long, long long, cufftType, long long, size_t *);
  cufftResult (*forward_real)(cufftHandle, cufftDoubleReal *, cufftDoubleComplex *);
  cufftResult (*backward_real)(cufftHandle, cufftDoubleComplex *, cufftDoubleReal *);
  cufftResult (*transform)(cufftHandle, cufftDoubleComplex *, cufftDoubleComplex *, int);
  cufftResult (*destroy)(cufftHandle);
};

/* Loads the library from where the system finds libraries, or from the CUDA toolkit of the build.
   Returns NULL, or why it cannot be loaded and what to do; the text stays valid until the next
   call. */
const char *cufft_load(struct cufft *f);

/* Checks a call of cuFFT: an error names it and ends the program; status 2 if memory is
   exhausted. */
#define CUFFT(call) cufft_check((call), #call)
void cufft_check(cufftResult result, const char *call);

END_C

#endif
