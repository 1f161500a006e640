# LAMELLA_MPI_CC, before AC_PROG_CC: CC becomes the MPI compiler; a CC given by the user is what it wraps.
# LAMELLA_MPI, after it, proves that it works. Sets MPICC, MPIEXEC; lamella_mpi_version, such as "MPICH 4.0.2",
# and lamella_mpi, its first word; lamella_mpi_wraps: the variable that tells MPICC what to wrap, or nothing.
AC_DEFUN([LAMELLA_MPI_CC], [
AC_REQUIRE([AC_PROG_SED])
AC_ARG_VAR([MPICC], [MPI compiler, around CC where that is given])
AC_ARG_VAR([MPIEXEC], [starts the parallel tests @<:@the mpiexec of MPICC@:>@])
AS_CASE([$CC], [*mpi*cc* | *mpi*icx*], [: ${MPICC=$CC}; CC=])
AS_IF([test -n "$CRAYPE_VERSION"], [: ${MPICC=cc}]) # compilers of HPE Cray are MPI compilers
AC_CHECK_PROGS([MPICC], [mpicc mpiicx mpiicc])
AS_IF([! $MPICC --version >/dev/null 2>&1], [AC_MSG_ERROR([${MPICC:-mpicc} was not found or does not run.
  Lamella needs an MPI. Debian: apt-get install libopenmpi-dev openmpi-bin, or libmpich-dev mpich
  Elsewhere: load its module, or give MPICC=/path/to/mpicc])])
LAMELLA_MPI_NAME([lamella_mpi_version], [$MPICC])
lamella_mpi=${lamella_mpi_version%% *}
# A compiler that does not know -show wraps no other: that of HPE Cray, or a plain one with the flags of MPI.
AS_IF([$MPICC -show >/dev/null 2>&1],
  [AS_CASE([$lamella_mpi], [Open], [lamella_mpi_wraps=OMPI_CC], [Intel], [lamella_mpi_wraps=I_MPI_CC],
    [lamella_mpi_wraps=MPICH_CC])],
  [lamella_mpi_wraps=])
AS_IF([test -z "$CC" || test "x$CC" = "x$MPICC"], [CC=$MPICC],
  [test -n "$lamella_mpi_wraps"], [CC="env $lamella_mpi_wraps=$CC $MPICC"],
  [AC_MSG_ERROR([CC=$CC: $MPICC wraps no compiler of your choice. Leave CC out, or choose by its module (PrgEnv-...)])])
])

# LAMELLA_MPI_NAME(VARIABLE, COMPILER): name and version of the MPI whose mpi.h the compiler takes.
AC_DEFUN([LAMELLA_MPI_NAME], [
cat >conftest.c <<'LAMELLA_END'
#include <mpi.h>
#if defined OMPI_MAJOR_VERSION
lamella_text "Open MPI" OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION
#elif defined I_MPI_VERSION
lamella_text "Intel MPI" I_MPI_VERSION
#elif defined MVAPICH_VERSION
lamella_text "MVAPICH" MVAPICH_VERSION
#elif defined MVAPICH2_VERSION
lamella_text "MVAPICH" MVAPICH2_VERSION
#elif defined CRAY_MPICH_VERSION
lamella_text "Cray MPICH" CRAY_MPICH_VERSION
#elif defined MPICH_VERSION
lamella_text "MPICH" MPICH_VERSION
#else
lamella_text "MPI of another kind"
#endif
LAMELLA_END
$1=`$2 -E $CPPFLAGS conftest.c 2>&AS_MESSAGE_LOG_FD |
  $SED -n '/^lamella_text/,$ { /^#/d; s/lamella_text//; p; }' | tr -d '"\n' |
  $SED 's/  */ /g; s/^ //; s/\(@<:@0-9@:>@\) *\. */\1./g'`
rm -f conftest.c
])

AC_DEFUN([LAMELLA_MPI], [
AC_MSG_CHECKING([whether $CC builds MPI programs])
AC_LINK_IFELSE(
  [AC_LANG_PROGRAM([[#include <mpi.h>]], [[MPI_Init(0, 0); MPI_Finalize();]])],
  [AC_MSG_RESULT([yes, of $lamella_mpi_version])],
  [AC_MSG_RESULT([no])
   AC_MSG_ERROR([$CC cannot build an MPI program: see config.log.
  Debian: apt-get install libopenmpi-dev, or libmpich-dev])])
# mpicc.mpich has mpiexec.mpich, /opt/mpi/bin/mpicc has /opt/mpi/bin/mpiexec; mpicc may be a link to one of these,
# beside an mpiexec of another MPI.
AC_MSG_CHECKING([for the mpiexec of $MPICC])
lamella_fits=no
AS_IF([test -n "$MPIEXEC"], [LAMELLA_STARTS([$MPIEXEC])], [
  lamella_real=`command -v "$MPICC"` && lamella_real=`readlink -f "$lamella_real"`
  for lamella_try in `for one in "$MPICC" "$lamella_real"; do
      echo "$one" | $SED -n 's/mpi@<:@a-z@:>@*c@<:@cx@:>@\(@<:@^/@:>@*\)$/mpiexec\1/p'; done` mpiexec mpiexec.hydra mpirun srun; do
    AS_IF([test $lamella_fits = no], [LAMELLA_STARTS([$lamella_try])
      AS_IF([test $lamella_fits = yes], [MPIEXEC=$lamella_try])])
  done])
: ${MPIEXEC=mpiexec}
AC_MSG_RESULT([$MPIEXEC])
AS_IF([test $lamella_fits = no], [AC_MSG_WARN([*** MPIEXEC=$MPIEXEC is not that of $MPICC ($lamella_mpi_version):
      the tests need another one])])
lamella_cc_version=`$CC --version 2>/dev/null | $SED -n 1p`
AC_SUBST([lamella_mpi_version])
AC_SUBST([lamella_cc_version])
])

# LAMELLA_STARTS(COMMAND): lamella_fits=yes if the command runs and is no mpiexec of another MPI.
AC_DEFUN([LAMELLA_STARTS], [
lamella_said=`$1 --version 2>&1` && lamella_fits=yes
AS_CASE([$lamella_said],
  [*Open*MPI* | *OpenRTE* | *PRRTE*], [AS_IF([test "$lamella_mpi" != Open], [lamella_fits=no])],
  [*HYDRA* | *Intel*], [AS_IF([test "$lamella_mpi" = Open], [lamella_fits=no])])
])

# LAMELLA_HEADER_TEXT(VARIABLE, HEADER, TEXT): TEXT as the preprocessor leaves it after HEADER.
AC_DEFUN([LAMELLA_HEADER_TEXT], [
AC_LANG_CONFTEST([AC_LANG_SOURCE([[#include <$2>
lamella_text $3]])])
$1=`$CC -E $CPPFLAGS $CFLAGS conftest.$ac_ext 2>&AS_MESSAGE_LOG_FD |
  $SED -n '/^lamella_text/,$ { /^#/d; s/lamella_text//; p; }' | tr -d ' \\n'`
])
