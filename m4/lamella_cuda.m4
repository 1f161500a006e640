# LAMELLA_CUDA: --with-cuda=DIR|yes|no|auto. auto may find nothing; a wish that fails is an error.
# Sets NVCC, CUDA_CPPFLAGS, CUDA_LIBS, CUDA_GENCODE, HAVE_CUDA and HAVE_CUFFT.
AC_DEFUN([LAMELLA_CUDA], [
AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--with-cuda=DIR], [CUDA toolkit, or yes, no, auto @<:@auto@:>@])],
  [], [with_cuda=auto])
AC_ARG_WITH([cuda-arch],
  [AS_HELP_STRING([--with-cuda-arch=LIST], [compute capabilities, comma separated @<:@80,90@:>@])],
  [], [with_cuda_arch=80,90])
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
CUDA_GENCODE=
for lamella_arch in `echo $with_cuda_arch | tr , ' '`; do
  CUDA_GENCODE="$CUDA_GENCODE -gencode arch=compute_$lamella_arch,code=sm_$lamella_arch"
done
AC_MSG_CHECKING([whether $NVCC compiles for $with_cuda_arch])
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
    lamella_cuda_version="$lamella_cuda_version for $with_cuda_arch"])
  LIBS=$lamella_saved_libs
])
rm -f conftest.cu conftest_cuda.o
AC_MSG_RESULT([$lamella_have_cuda])
AS_IF([test $lamella_have_cuda = no], [CUDA_CPPFLAGS=; CUDA_LIBS=; CUDA_GENCODE=])
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
