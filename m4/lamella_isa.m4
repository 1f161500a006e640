# LAMELLA_ISA: the instruction sets that the force kernels are compiled for, beside the compiler's
# default (v1). Sets ISA_V3_CFLAGS, ISA_V4_CFLAGS and the conditionals HAVE_ISA_V3, HAVE_ISA_V4.
AC_DEFUN([LAMELLA_ISA], [
ISA_V3_CFLAGS="-march=x86-64-v3"
ISA_V4_CFLAGS="-march=x86-64-v4 -mprefer-vector-width=512"
lamella_isas=v1
LAMELLA_ISA_CHECK([V3], [v3])
LAMELLA_ISA_CHECK([V4], [v4])
AC_SUBST([ISA_V3_CFLAGS])
AC_SUBST([ISA_V4_CFLAGS])
])

AC_DEFUN([LAMELLA_ISA_CHECK], [
AC_CACHE_CHECK([for x86-64-$2], [lamella_cv_isa_$2], [
lamella_saved_cflags=$CFLAGS
CFLAGS="$CFLAGS $ISA_$1_CFLAGS"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#ifndef __x86_64__
#error not x86-64
#endif
]], [[return !__builtin_cpu_supports("avx2");]])], [lamella_cv_isa_$2=yes], [lamella_cv_isa_$2=no])
CFLAGS=$lamella_saved_cflags])
AS_IF([test $lamella_cv_isa_$2 = yes], [
  lamella_isas="$lamella_isas $2"
  AC_DEFINE([HAVE_ISA_$1], [1], [Define if force kernels for x86-64-$2 are built])
])
AM_CONDITIONAL([HAVE_ISA_$1], [test $lamella_cv_isa_$2 = yes])
])
