# LAMELLA_FFTW: --with-fftw=DIR|yes|no|auto, for maps by the method full on CPUs. Sets FFTW_CFLAGS,
# FFTW_LIBS and HAVE_FFTW.
AC_DEFUN([LAMELLA_FFTW], [
AC_ARG_WITH([fftw],
  [AS_HELP_STRING([--with-fftw=DIR], [FFTW 3, or yes, no, auto @<:@auto@:>@])],
  [], [with_fftw=auto])
lamella_have_fftw=no
AS_IF([test "x$with_fftw" != xno], [
  AS_CASE([$with_fftw], [yes|auto],
    [PKG_CHECK_MODULES([FFTW], [fftw3], [], [FFTW_LIBS=-lfftw3])],
    [FFTW_CFLAGS="-isystem $with_fftw/include"
     FFTW_LIBS="-L$with_fftw/lib -Wl,-rpath,$with_fftw/lib -lfftw3"])
  AC_MSG_CHECKING([whether FFTW links])
  lamella_saved_cppflags=$CPPFLAGS
  lamella_saved_libs=$LIBS
  CPPFLAGS="$CPPFLAGS $FFTW_CFLAGS"
  LIBS="$FFTW_LIBS $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <fftw3.h>]],
    [[fftw_cleanup();]])], [lamella_have_fftw=yes])
  CPPFLAGS=$lamella_saved_cppflags
  LIBS=$lamella_saved_libs
  AC_MSG_RESULT([$lamella_have_fftw])
  AS_IF([test $lamella_have_fftw = no && test "x$with_fftw" != xauto],
    [AC_MSG_ERROR([--with-fftw=$with_fftw was asked for and FFTW 3 does not link: see config.log.
  Debian: apt-get install libfftw3-dev])])
])
AS_IF([test $lamella_have_fftw = yes],
  [AC_DEFINE([HAVE_FFTW], [1], [Define if maps use FFTW on CPUs (for registries only)])],
  [FFTW_CFLAGS=; FFTW_LIBS=])
AC_SUBST([FFTW_CFLAGS])
AC_SUBST([FFTW_LIBS])
AM_CONDITIONAL([HAVE_FFTW], [test $lamella_have_fftw = yes])
])
