# LAMELLA_HDF5: parallel HDF5, by pkg-config or --with-hdf5=DIR, proved by linking
# H5Pset_fapl_mpio. Sets HDF5_CFLAGS, HDF5_LIBS.
AC_DEFUN([LAMELLA_HDF5], [
AC_ARG_WITH([hdf5],
  [AS_HELP_STRING([--with-hdf5=DIR], [parallel HDF5 @<:@pkg-config hdf5-openmpi, hdf5@:>@])],
  [], [with_hdf5=yes])
AC_ARG_VAR([HDF5_CFLAGS], [compiler flags for parallel HDF5])
AC_ARG_VAR([HDF5_LIBS], [linker flags for parallel HDF5])
lamella_hdf5_tried=
lamella_hdf5_version=
AS_CASE([$with_hdf5],
  [no], [AC_MSG_ERROR([--without-hdf5: every file that Lamella writes is HDF5])],
  [yes], [
    AS_IF([test -n "$HDF5_LIBS"], [LAMELLA_HDF5_TRY([HDF5_LIBS], [$HDF5_CFLAGS], [$HDF5_LIBS])])
    for lamella_module in hdf5-openmpi hdf5-mpich hdf5; do
      AS_IF([test -z "$lamella_hdf5_version" && $PKG_CONFIG --exists $lamella_module 2>/dev/null],
        [LAMELLA_HDF5_TRY([$lamella_module], [`$PKG_CONFIG --cflags $lamella_module`],
          [`$PKG_CONFIG --libs $lamella_module`])])
    done
    AS_IF([test -z "$lamella_hdf5_version"], [LAMELLA_HDF5_TRY([-lhdf5], [], [-lhdf5])])],
  [
    lamella_rpath="-Wl,-rpath,$with_hdf5/lib"
    LAMELLA_HDF5_TRY([$with_hdf5], [-I$with_hdf5/include],
      [-L$with_hdf5/lib $lamella_rpath -lhdf5])])
AS_IF([test -z "$lamella_hdf5_version"], [AC_MSG_ERROR([no parallel HDF5 (tried:$lamella_hdf5_tried).
  Lamella needs an HDF5 built with MPI: H5Pset_fapl_mpio must link.
  Debian: apt-get install libhdf5-openmpi-dev
  Elsewhere: load its module and give --with-hdf5=DIR, where DIR holds include/ and lib/])])
AC_SUBST([lamella_hdf5_version])
])

# LAMELLA_HDF5_TRY(NAME, CFLAGS, LIBS)
AC_DEFUN([LAMELLA_HDF5_TRY], [
AC_MSG_CHECKING([for parallel HDF5 by $1])
lamella_hdf5_tried="$lamella_hdf5_tried $1"
lamella_saved_cflags=$CFLAGS
lamella_saved_libs=$LIBS
lamella_try_cflags="$2"
lamella_try_libs="$3"
CFLAGS="$CFLAGS $lamella_try_cflags"
LIBS="$lamella_try_libs $LIBS"
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#include <hdf5.h>
#ifndef H5_HAVE_PARALLEL
#error serial HDF5
#endif]], [[H5Pset_fapl_mpio(0, MPI_COMM_WORLD, MPI_INFO_NULL);]])], [
  HDF5_CFLAGS=$lamella_try_cflags
  HDF5_LIBS=$lamella_try_libs
  LAMELLA_HEADER_TEXT([lamella_hdf5_version], [hdf5.h], [H5_VERS_MAJOR.H5_VERS_MINOR.H5_VERS_RELEASE])
  AS_IF([test -z "$lamella_hdf5_version"], [lamella_hdf5_version=unknown])
], [])
CFLAGS=$lamella_saved_cflags
LIBS=$lamella_saved_libs
AS_IF([test -n "$lamella_hdf5_version"], [AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])
])
