# LAMELLA_NCCL: --with-nccl=DIR|yes|no|auto, only with CUDA. Sets NCCL_CPPFLAGS, NCCL_LIBS and
# HAVE_NCCL.
AC_DEFUN([LAMELLA_NCCL], [
AC_ARG_WITH([nccl],
  [AS_HELP_STRING([--with-nccl=DIR], [NCCL, or yes, no, auto @<:@auto@:>@])],
  [], [with_nccl=auto])
lamella_have_nccl=no
AS_IF([test $lamella_have_cuda = no && test "x$with_nccl" != xno && test "x$with_nccl" != xauto],
  [AC_MSG_ERROR([--with-nccl=$with_nccl was asked for, but NCCL needs CUDA, which is not used])])
AS_IF([test $lamella_have_cuda = yes && test "x$with_nccl" != xno], [
  NCCL_CPPFLAGS=
  NCCL_LIBS=-lnccl
  AS_CASE([$with_nccl], [yes|auto], [], [
    NCCL_CPPFLAGS="-isystem $with_nccl/include"
    NCCL_LIBS="-L$with_nccl/lib -Wl,-rpath,$with_nccl/lib -lnccl"])
  AC_MSG_CHECKING([for NCCL])
  lamella_saved_cppflags=$CPPFLAGS
  lamella_saved_libs=$LIBS
  CPPFLAGS="$CPPFLAGS $NCCL_CPPFLAGS $CUDA_CPPFLAGS"
  LIBS="$NCCL_LIBS $CUDA_LIBS $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <nccl.h>]],
    [[ncclUniqueId id = {{0}};
      ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
      ncclComm_t comm;
      config.minCTAs = config.maxCTAs = 1;
      return ncclCommInitRankConfig(&comm, 1, id, 0, &config);]])],
    [lamella_have_nccl=yes])
  CPPFLAGS=$lamella_saved_cppflags
  LIBS=$lamella_saved_libs
  AC_MSG_RESULT([$lamella_have_nccl])
  AS_IF([test $lamella_have_nccl = no && test "x$with_nccl" != xauto],
    [AC_MSG_ERROR([--with-nccl=$with_nccl was asked for and NCCL does not link: see config.log])])
])
AS_IF([test $lamella_have_nccl = yes],
  [AC_DEFINE([HAVE_NCCL], [1], [Define if the NCCL transport is built (for registries only)])],
  [NCCL_CPPFLAGS=; NCCL_LIBS=])
AC_SUBST([NCCL_CPPFLAGS])
AC_SUBST([NCCL_LIBS])
AM_CONDITIONAL([HAVE_NCCL], [test $lamella_have_nccl = yes])
])
