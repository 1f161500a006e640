# LAMELLA_HDF5: parallel HDF5 of the MPI at hand, by --with-hdf5=DIR, or a module's HDF5_DIR, HDF5_ROOT, ..., pkg-config,
# h5pcc; proved by linking H5Pset_fapl_mpio. Sets HDF5_CFLAGS, HDF5_LIBS.
AC_DEFUN([LAMELLA_HDF5], [
AC_ARG_WITH([hdf5],
  [AS_HELP_STRING([--with-hdf5=DIR], [parallel HDF5 @<:@pkg-config, h5pcc@:>@])],
  [], [with_hdf5=yes])
AC_ARG_VAR([HDF5_CFLAGS], [compiler flags for parallel HDF5])
AC_ARG_VAR([HDF5_LIBS], [linker flags for parallel HDF5])
lamella_hdf5_tried=
lamella_hdf5_version=
AS_CASE([$lamella_mpi], [Open], [lamella_hdf5_kind=openmpi], [lamella_hdf5_kind=mpich])
AS_CASE([$with_hdf5],
  [no], [AC_MSG_ERROR([--without-hdf5: every file that Lamella writes is HDF5])],
  [yes], [
    AS_IF([test -n "$HDF5_LIBS"], [LAMELLA_HDF5_TRY([HDF5_LIBS], [$HDF5_CFLAGS], [$HDF5_LIBS])])
    for lamella_dir in $HDF5_DIR $HDF5_ROOT $HDF5_HOME $HDF5_BASE $EBROOTHDF5; do
      AS_IF([test -z "$lamella_hdf5_version"], [LAMELLA_HDF5_DIR([$lamella_dir])])
    done
    lamella_plain='s/@<:@^ @:>@*<@<:@^ @:>@*//g' # a hdf5.pc by CMake may hold expressions of it, $<...>
    for lamella_module in hdf5-$lamella_hdf5_kind hdf5; do
      AS_IF([test -z "$lamella_hdf5_version" && $PKG_CONFIG --exists $lamella_module 2>/dev/null],
        [LAMELLA_HDF5_TRY([$lamella_module], [`$PKG_CONFIG --cflags $lamella_module | $SED "$lamella_plain"`],
          [`$PKG_CONFIG --libs $lamella_module | $SED "$lamella_plain"`])])
    done
    for lamella_h5pcc in `echo "$MPICC" | $SED -n 's/mpi@<:@a-z@:>@*c@<:@cx@:>@\(@<:@^/@:>@*\)$/h5pcc\1/p'` h5pcc; do
      lamella_words=`$lamella_h5pcc -show 2>/dev/null | tr ' ' '\n'`
      AS_IF([test -z "$lamella_hdf5_version" && test -n "$lamella_words"],
        [LAMELLA_HDF5_TRY([$lamella_h5pcc], [`echo "$lamella_words" | grep '^-I' | tr '\n' ' '`],
          [`echo "$lamella_words" | grep -e '^-@<:@lLW@:>@' -e '\.a$' -e '\.so$' | tr '\n' ' '`])])
      lamella_h5pcc=`command -v $lamella_h5pcc`
      AS_IF([test -z "$lamella_hdf5_version" && test -n "$lamella_h5pcc"], [LAMELLA_HDF5_DIR([${lamella_h5pcc%/bin/*}])])
    done
    AS_IF([test -z "$lamella_hdf5_version"], [LAMELLA_HDF5_TRY([-lhdf5], [], [-lhdf5])])],
  [LAMELLA_HDF5_DIR([$with_hdf5])])
AS_IF([test -z "$lamella_hdf5_version"], [AC_MSG_ERROR([no parallel HDF5 of $lamella_mpi_version. Tried:$lamella_hdf5_tried
  Lamella needs an HDF5 built with the MPI of $MPICC: H5Pset_fapl_mpio must link.
  Debian: apt-get install libhdf5-$lamella_hdf5_kind-dev
  Elsewhere: load its module and give --with-hdf5=DIR, where DIR holds include/ and lib/])])
AC_SUBST([lamella_hdf5_version])
])

# LAMELLA_HDF5_DIR(DIR)
AC_DEFUN([LAMELLA_HDF5_DIR], [
lamella_lib=$1/lib
AS_IF([test -e "$1/lib64/libhdf5.so" || test -e "$1/lib64/libhdf5.a"], [lamella_lib=$1/lib64])
LAMELLA_HDF5_TRY([$1], [-I$1/include], [-L$lamella_lib -Wl,-rpath,$lamella_lib -lhdf5])
])

# LAMELLA_HDF5_TRY(NAME, CFLAGS, LIBS). An HDF5 of Open MPI refers to its symbol ompi_mpi_byte (MPI_BYTE), one of
# another MPI does not: -y of the linker tells. It links with either, and would crash.
AC_DEFUN([LAMELLA_HDF5_TRY], [
AC_MSG_CHECKING([for parallel HDF5 by $1])
lamella_saved_cflags=$CFLAGS
lamella_saved_libs=$LIBS
lamella_try_cflags="$2"
lamella_try_libs="$3"
CFLAGS="$CFLAGS $lamella_try_cflags"
LIBS="$lamella_try_libs $LIBS"
lamella_why="there is none"
LAMELLA_HEADER_TEXT([lamella_hdf5_found], [hdf5.h], [H5_VERS_MAJOR.H5_VERS_MINOR.H5_VERS_RELEASE])
LAMELLA_HEADER_TEXT([lamella_parallel], [hdf5.h], [H5_HAVE_PARALLEL])
AS_CASE([$lamella_hdf5_found], ['' | *H5*], [], [
  lamella_why="it is a serial one"
  AS_IF([test "x$lamella_parallel" != xH5_HAVE_PARALLEL], [
    lamella_why="it does not link: see config.log"
    LAMELLA_MPI_NAME([lamella_with], [$CC $CFLAGS])
    AC_LANG_CONFTEST([AC_LANG_PROGRAM([[#include <mpi.h>
#include <hdf5.h>]], [[H5Pset_fapl_mpio(0, MPI_COMM_WORLD, MPI_INFO_NULL);]])])
    lamella_trace=`eval "$ac_link -Wl,-y,ompi_mpi_byte" 2>&1`
    echo "$lamella_trace" >&AS_MESSAGE_LOG_FD
    AS_CASE([$lamella_trace], [*hdf5*reference\ to\ ompi_mpi_byte*], [lamella_of=Open],
      [*definition\ of\ ompi_mpi_byte*], [lamella_of=other], [lamella_of=$lamella_mpi])
    AS_IF([test "x$lamella_with" != "x$lamella_mpi_version"], [lamella_why="it is of $lamella_with"],
      [test "$lamella_of.$lamella_mpi" = Open.Open], [],
      [test $lamella_of = Open], [lamella_why="it is of Open MPI"],
      [test $lamella_of = other], [lamella_why="it is not of Open MPI"])
    AS_CASE([$lamella_why], [it\ is*], [],
      [AC_LINK_IFELSE([], [
        HDF5_CFLAGS=$lamella_try_cflags
        HDF5_LIBS=$lamella_try_libs
        lamella_hdf5_version=$lamella_hdf5_found])])])])
rm -f conftest*
CFLAGS=$lamella_saved_cflags
LIBS=$lamella_saved_libs
AS_IF([test -n "$lamella_hdf5_version"], [AC_MSG_RESULT([yes])], [
  AC_MSG_RESULT([no, $lamella_why])
  lamella_hdf5_tried="$lamella_hdf5_tried
    $1: $lamella_why"])
])
