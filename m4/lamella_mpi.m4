# LAMELLA_MPI_CC, before AC_PROG_CC: CC becomes the MPI compiler; a CC given by the user is what it
# wraps (Open MPI's OMPI_CC). LAMELLA_MPI, after it, proves that it works. Sets MPICC, MPIEXEC.
AC_DEFUN([LAMELLA_MPI_CC], [
AC_ARG_VAR([MPICC], [MPI compiler, around CC where that is given])
AC_ARG_VAR([MPIEXEC], [starts the parallel tests])
AC_CHECK_PROGS([MPICC], [mpicc])
AS_IF([! $MPICC --version >/dev/null 2>&1], [AC_MSG_ERROR([${MPICC:-mpicc} was not found or does not run.
  Lamella needs Open MPI. Debian: apt-get install libopenmpi-dev openmpi-bin
  Elsewhere: load its module, or give MPICC=/path/to/mpicc])])
AS_CASE([$CC],
  [''], [CC=$MPICC],
  [*mpicc*], [],
  [CC="env OMPI_CC=$CC $MPICC"])
])

AC_DEFUN([LAMELLA_MPI], [
AC_CHECK_PROGS([MPIEXEC], [mpiexec mpirun], [mpiexec])
AC_MSG_CHECKING([whether $CC builds MPI programs])
AC_LINK_IFELSE(
  [AC_LANG_PROGRAM([[#include <mpi.h>]], [[MPI_Init(0, 0); MPI_Finalize();]])],
  [AC_MSG_RESULT([yes])],
  [AC_MSG_RESULT([no])
   AC_MSG_ERROR([$CC cannot build an MPI program: see config.log.
  Debian: apt-get install libopenmpi-dev])])
LAMELLA_HEADER_TEXT([lamella_mpi_version], [mpi.h], [OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION])
AS_CASE([$lamella_mpi_version], [*OMPI*], [lamella_mpi_version="MPI, not Open MPI"],
  [lamella_mpi_version="Open MPI $lamella_mpi_version"])
lamella_cc_version=`$CC --version 2>/dev/null | $SED -n 1p`
AC_SUBST([lamella_mpi_version])
AC_SUBST([lamella_cc_version])
])

# LAMELLA_HEADER_TEXT(VARIABLE, HEADER, TEXT): TEXT as the preprocessor leaves it after HEADER.
AC_DEFUN([LAMELLA_HEADER_TEXT], [
AC_LANG_CONFTEST([AC_LANG_SOURCE([[#include <$2>
lamella_text $3]])])
$1=`$CC -E $CPPFLAGS $CFLAGS conftest.$ac_ext 2>&AS_MESSAGE_LOG_FD |
  $SED -n '/^lamella_text/,$ { /^#/d; s/lamella_text//; p; }' | tr -d ' \\n'`
])
