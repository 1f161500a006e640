# LAMELLA_CCACHE, after all other checks: compilers are called through ccache where it is installed and
# --without-ccache was not given. It wraps the compiler behind MPICC (lamella_mpi_wraps), not MPICC: it
# has to see which compiler that is. Changes CC; sets NVCC_CCACHE and lamella_have_ccache.
AC_DEFUN([LAMELLA_CCACHE], [
AC_ARG_WITH([ccache],
  [AS_HELP_STRING([--without-ccache], [do not compile through ccache])], [], [with_ccache=auto])
lamella_have_ccache=no
AS_IF([test "x$with_ccache" != xno], [AC_CHECK_PROG([CCACHE], [ccache], [ccache])])
AS_IF([test -n "$CCACHE"], [
  lamella_have_ccache=yes
  lamella_wrapped=
  AS_IF([test -n "$lamella_mpi_wraps"], [lamella_wrapped=`$CC -show 2>/dev/null | $SED 's/ -.*//;1q'`])
  AS_CASE([$lamella_wrapped],
    [''], [lamella_have_ccache="for CUDA alone: $CC does not say which compiler it wraps"],
    [*ccache*], [],
    [lamella_wrapped="$CCACHE $lamella_wrapped"])
  AS_IF([test -n "$lamella_wrapped"],
    [CC="env $lamella_mpi_wraps='$lamella_wrapped' ${CC#env $lamella_mpi_wraps=* }"])
])
NVCC_CCACHE=$CCACHE
AC_SUBST([NVCC_CCACHE])
])
