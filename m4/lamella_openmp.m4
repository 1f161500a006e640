# LAMELLA_OPENMP: threads of a rank (src/base/parallel_loop.c), unless --disable-openmp; without, every rank has one.
# Sets OPENMP_CFLAGS, lamella_have_openmp, and HAVE_OPENMP to 1 or 0.
AC_DEFUN([LAMELLA_OPENMP], [
AC_OPENMP
lamella_have_openmp=no
lamella_openmp=0
AS_IF([test "x$OPENMP_CFLAGS" != x], [lamella_have_openmp=yes lamella_openmp=1])
AC_DEFINE_UNQUOTED([HAVE_OPENMP], [$lamella_openmp], [1 if loops may have several threads])
])
