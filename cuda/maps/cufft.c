/* Loading of cuFFT: see cufft.h. */
#include "cuda/maps/cufft.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "config.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define LIBRARY "libcufft.so." TEXT(CUFFT_VER_MAJOR)

/* Sets *function to a function of the library, by memcpy, since C does not convert object pointers
   to function pointers. 1 if it was found. */
static int find(void *library, const char *name, void *function)
{
  void *found = dlsym(library, name);
  memcpy(function, &found, sizeof found);
  return found != NULL;
}

const char *cufft_load(struct cufft *f)
{
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen(CUFFT_DIR "/" LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return "the method 'full' on GPUs needs " LIBRARY ", which is found neither in " CUFFT_DIR
           " nor where the system looks: install cuFFT of the CUDA toolkit, or name its folder in "
           "LD_LIBRARY_PATH, or use --backend=cpu";
  if (find(library, "cufftCreate", &f->create) && find(library, "cufftMakePlanMany64", &f->make) &&
      find(library, "cufftExecD2Z", &f->forward_real) &&
      find(library, "cufftExecZ2D", &f->backward_real) &&
      find(library, "cufftExecZ2Z", &f->transform) && find(library, "cufftDestroy", &f->destroy))
    return NULL;
  return LIBRARY " lacks functions that the method 'full' calls: another version is needed";
}

void cufft_check(cufftResult result, const char *call)
{
  if (result == CUFFT_SUCCESS) return;
  if (result == CUFFT_ALLOC_FAILED)
    die(STATUS_INPUT, "%s: the memory of the GPU is exhausted: use more GPUs, or a larger spacing",
        call);
  die(STATUS_NUMERIC, "%s failed with error %d of cuFFT: look at nvidia-smi and the system log",
      call, (int)result);
}
