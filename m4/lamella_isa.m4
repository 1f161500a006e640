# LAMELLA_ISA: the instruction sets that force and map kernels are compiled for. --with-isa=all (the default),
# a list of v1 (the compiler's default), v3 (AVX2) and v4 (AVX-512), or native: the best of this processor.
# On aarch64 there is one, neon, which every such processor has.
# Sets ISA_V3_CFLAGS, ISA_V4_CFLAGS, lamella_isas and the conditionals HAVE_ISA_NEON, HAVE_ISA_V1, HAVE_ISA_V3, HAVE_ISA_V4.
AC_DEFUN([LAMELLA_ISA], [
AC_ARG_WITH([isa],
  [AS_HELP_STRING([--with-isa=LIST], [instruction sets of the CPU kernels: all, native, or some of v1,v3,v4 (aarch64: neon) @<:@all@:>@])],
  [], [with_isa=all])
AC_CACHE_CHECK([which instruction sets there are], [lamella_cv_isas], [
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#ifndef __aarch64__
#error another processor
#endif]], [])], [lamella_cv_isas=neon], [lamella_cv_isas=v1,v3,v4])])
ISA_NEON_CFLAGS=
ISA_V1_CFLAGS=
ISA_V3_CFLAGS="-march=x86-64-v3"
ISA_V4_CFLAGS="-march=x86-64-v4 -mprefer-vector-width=512"
lamella_isas=
AS_CASE([$with_isa],
  [all|yes], [lamella_isas_wanted=$lamella_cv_isas],
  [native], [LAMELLA_ISA_NATIVE],
  [lamella_isas_wanted=$with_isa])
for lamella_isa in `echo $lamella_isas_wanted | tr , ' '`; do
  AS_CASE([,$lamella_cv_isas,], [*,$lamella_isa,*], [],
    [AC_MSG_ERROR([--with-isa=$with_isa: $lamella_isa is none of $lamella_cv_isas])])
done
LAMELLA_ISA_CHECK([NEON], [neon])
LAMELLA_ISA_CHECK([V1], [v1])
LAMELLA_ISA_CHECK([V3], [v3])
LAMELLA_ISA_CHECK([V4], [v4])
AS_IF([test -z "$lamella_isas"],
  [AC_MSG_ERROR([the compiler has none of the instruction sets --with-isa=$with_isa])])
AC_SUBST([ISA_V3_CFLAGS])
AC_SUBST([ISA_V4_CFLAGS])
])

# The best instruction set of the processor that configures; the first where no program can be run.
AC_DEFUN([LAMELLA_ISA_NATIVE], [
AC_CACHE_CHECK([for the instruction set of this processor], [lamella_cv_isa_native], [
lamella_cv_isa_native=`echo $lamella_cv_isas | $SED 's/,.*//'`
LAMELLA_ISA_RUNS([v3], [__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
  __builtin_cpu_supports("bmi2")])
LAMELLA_ISA_RUNS([v4], [__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("avx512f") &&
  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")])])
lamella_isas_wanted=$lamella_cv_isa_native
])

AC_DEFUN([LAMELLA_ISA_RUNS], [AC_RUN_IFELSE([AC_LANG_PROGRAM([], [[return !($2);]])],
  [lamella_cv_isa_native=$1], [], [:])])

# LAMELLA_ISA_CHECK(V3, v3): whether it is wanted, and the compiler has it.
AC_DEFUN([LAMELLA_ISA_CHECK], [
lamella_have_isa=no
AS_CASE([,$lamella_isas_wanted,], [*,$2,*], [
AC_CACHE_CHECK([whether the compiler has $2], [lamella_cv_isa_$2], [
lamella_saved_cflags=$CFLAGS
CFLAGS="$CFLAGS $ISA_$1_CFLAGS"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [lamella_cv_isa_$2=yes], [lamella_cv_isa_$2=no])
CFLAGS=$lamella_saved_cflags])
lamella_have_isa=$lamella_cv_isa_$2])
AS_IF([test $lamella_have_isa = yes], [
  lamella_isas="$lamella_isas $2"
  AC_DEFINE([HAVE_ISA_$1], [1], [Define if kernels for $2 are built])])
AM_CONDITIONAL([HAVE_ISA_$1], [test $lamella_have_isa = yes])
])
