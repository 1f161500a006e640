# LAMELLA_CUDA: --with-cuda=DIR|yes|no|auto. auto may find nothing; a wish that fails is an error.
# --with-cuda-arch=auto|native|all|LIST (80, or 80-virtual for PTX alone): LAMELLA_CUDA_ARCH. Sets NVCC, CUDA_CPPFLAGS, CUDA_LIBS,
# CUDA_GENCODE, HAVE_CUDA and HAVE_CUFFT.
AC_DEFUN([LAMELLA_CUDA], [
AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--with-cuda=DIR], [CUDA toolkit, or yes, no, auto @<:@auto@:>@])],
  [], [with_cuda=auto])
AC_ARG_WITH([cuda-arch],
  [AS_HELP_STRING([--with-cuda-arch=LIST], [compute capabilities such as 80,90, or 80-virtual: code that
    the driver compiles when the program starts; native: of the GPUs here; all: every generation that nvcc knows; auto: native, or 80,90 where no GPU is @<:@auto@:>@])],
  [], [with_cuda_arch=auto])
AC_ARG_VAR([NVCC], [CUDA compiler])
AC_ARG_VAR([NVCCFLAGS], [CUDA compiler flags])
lamella_have_cuda=no
lamella_have_cufft=no
lamella_cuda_version=no
AS_IF([test "x$with_cuda" != xno], [
  AS_CASE([$with_cuda], [yes|auto], [lamella_cuda_dir=/usr/local/cuda], [lamella_cuda_dir=$with_cuda])
  AS_CASE([$with_cuda],
    [yes|auto], [AC_PATH_PROG([NVCC], [nvcc], [], [$PATH$PATH_SEPARATOR$lamella_cuda_dir/bin])],
    [AC_PATH_PROG([NVCC], [nvcc], [], [$lamella_cuda_dir/bin])])
  AS_IF([test -n "$NVCC"], [LAMELLA_CUDA_TRY])
  AS_IF([test $lamella_have_cuda = no && test "x$with_cuda" != xauto],
    [AC_MSG_ERROR([--with-cuda=$with_cuda was asked for and no working nvcc was found.
  Give the folder that holds bin/nvcc, or see config.log for what nvcc said])])
])
AS_IF([test $lamella_have_cuda = yes],
  [AC_DEFINE([HAVE_CUDA], [1], [Define if the CUDA backend is built (for registries only)])])
AC_SUBST([CUDA_CPPFLAGS])
AC_SUBST([CUDA_LIBS])
AC_SUBST([CUDA_GENCODE])
AC_SUBST([lamella_cuda_version])
AM_CONDITIONAL([HAVE_CUDA], [test $lamella_have_cuda = yes])
LAMELLA_CUFFT
])

# Compiles a kernel for every architecture asked for and links it with the C compiler.
AC_DEFUN([LAMELLA_CUDA_TRY], [
lamella_cuda_root=`readlink -f "$NVCC"`
lamella_cuda_root=`AS_DIRNAME(["$lamella_cuda_root"])`
lamella_cuda_root=`AS_DIRNAME(["$lamella_cuda_root"])`
CUDA_CPPFLAGS=
AS_IF([test "x$lamella_cuda_root" != x/usr], [CUDA_CPPFLAGS="-isystem $lamella_cuda_root/include"])
for lamella_dir in lib64 lib targets/x86_64-linux/lib; do
  AS_IF([test -f "$lamella_cuda_root/$lamella_dir/libcudart_static.a"],
    [CUDA_LIBS="-L$lamella_cuda_root/$lamella_dir"; break])
done
CUDA_LIBS="$CUDA_LIBS -lcudart_static -lstdc++ -ldl -lrt -lpthread"
LAMELLA_CUDA_ARCH
AC_MSG_CHECKING([whether $NVCC compiles for $lamella_cuda_arch])
cat >conftest.cu <<_LAMELLA_EOF
#include <cuda_runtime.h>
__global__ void kernel(int *x) { *x = 1; }
extern "C" void launch(void) { kernel<<<1, 1>>>(0); cudaDeviceSynchronize(); }
_LAMELLA_EOF
AS_IF([AC_TRY_COMMAND([$NVCC $CUDA_GENCODE -std=c++17 $NVCCFLAGS -c conftest.cu -o conftest_cuda.o >&AS_MESSAGE_LOG_FD 2>&1])], [
  lamella_saved_libs=$LIBS
  LIBS="conftest_cuda.o $CUDA_LIBS $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[void launch(void);]], [[launch();]])], [
    lamella_have_cuda=yes
    lamella_cuda_version=`$NVCC --version | $SED -n 's/.*release \(@<:@0-9.@:>@*\).*/\1/p'`
    lamella_cuda_version="$lamella_cuda_version for $lamella_cuda_arch"])
  LIBS=$lamella_saved_libs
])
rm -f conftest.cu conftest_cuda.o
AC_MSG_RESULT([$lamella_have_cuda])
AS_IF([test $lamella_have_cuda = no], [CUDA_CPPFLAGS=; CUDA_LIBS=; CUDA_GENCODE=])
])

# The architectures that kernels are compiled for: lamella_cuda_arch, CUDA_GENCODE. Code for X.y runs on
# GPUs X.z with z >= y. PTX of the newest, which drivers compile for later GPUs, is added from 9.0 on:
# PTX for less has no chained passes (cuda/step/force_chain.cuh), which such a GPU would ask for.
AC_DEFUN([LAMELLA_CUDA_ARCH], [
lamella_cuda_known=`$NVCC --list-gpu-code 2>/dev/null | $SED -n 's/^sm_\(@<:@0-9@:>@*\)$/\1/p' | sort -n`
lamella_cuda_here=`nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
  $SED -n 's/^\(@<:@0-9@:>@*\)\.\(@<:@0-9@:>@\)$/\1\2/p' | sort -nu`
AS_CASE([$with_cuda_arch],
  [auto], [
    lamella_cuda_arch=$lamella_cuda_here
    for lamella_arch in $lamella_cuda_here; do
      AS_CASE([" "`echo $lamella_cuda_known`" "], [*" $lamella_arch "*], [], [lamella_cuda_arch=])
    done
    AS_IF([test -z "$lamella_cuda_arch"],
      [lamella_cuda_arch=`echo "$lamella_cuda_known" | grep -x -e 80 -e 90`])],
  [native], [
    lamella_cuda_arch=$lamella_cuda_here
    AS_IF([test -z "$lamella_cuda_here"],
      [AC_MSG_ERROR([--with-cuda-arch=native was asked for and nvidia-smi found no GPU here.
  Give the compute capabilities of the GPUs, such as --with-cuda-arch=80,90])])],
  [all], [lamella_cuda_arch=`echo "$lamella_cuda_known" | $SED -n '/^@<:@89@:>@.$/p; /^.@<:@0-9@:>@.$/p' |
    awk '!seen@<:@substr(@S|@1, 1, length(@S|@1) - 1)@:>@++'`],
  [lamella_cuda_arch=`echo $with_cuda_arch | tr ', ' '\n\n' | $SED '/^$/d' | sort -nu`])
CUDA_GENCODE=
for lamella_arch in $lamella_cuda_arch; do
  AS_CASE([$lamella_arch],
    [*-virtual], [
      lamella_number=`echo $lamella_arch | $SED 's/-virtual//'`
      CUDA_GENCODE="$CUDA_GENCODE -gencode arch=compute_$lamella_number,code=compute_$lamella_number"],
    [CUDA_GENCODE="$CUDA_GENCODE -gencode arch=compute_$lamella_arch,code=sm_$lamella_arch"])
done
lamella_cuda_arch=`echo $lamella_cuda_arch | tr ' ' ,`
AS_IF([test "${lamella_arch:-0}" -ge 90 2>/dev/null], [
  CUDA_GENCODE="$CUDA_GENCODE -gencode arch=compute_$lamella_arch,code=compute_$lamella_arch"
  lamella_cuda_arch="$lamella_cuda_arch and later GPUs"])
])

# cuFFT, for maps by the method full on GPUs. Only its header is needed here: the library, of hundreds
# of megabytes, is loaded when a map asks for it, also from the toolkit's folder CUFFT_DIR.
AC_DEFUN([LAMELLA_CUFFT], [
AS_IF([test $lamella_have_cuda = yes], [
  lamella_saved_cppflags=$CPPFLAGS
  CPPFLAGS="$CPPFLAGS $CUDA_CPPFLAGS"
  AC_CHECK_HEADER([cufft.h], [lamella_have_cufft=yes])
  CPPFLAGS=$lamella_saved_cppflags
])
AS_IF([test $lamella_have_cufft = yes], [
  AC_DEFINE([HAVE_CUFFT], [1], [Define if maps use cuFFT on GPUs (for registries only)])
  AC_DEFINE_UNQUOTED([CUFFT_DIR], ["$lamella_cuda_root/lib64"], [Where cuFFT is looked for too])])
AM_CONDITIONAL([HAVE_CUFFT], [test $lamella_have_cufft = yes])
])
