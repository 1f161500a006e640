# LAMELLA_PYTHON_SITE: where PYTHON looks for packages, for a file that tells it where the module lamella is. Sets
# pythonsitedir and python_path (its line), HAVE_PYTHON_SITE.
AC_DEFUN([LAMELLA_PYTHON_SITE], [
AC_ARG_WITH([python-site], [AS_HELP_STRING([--with-python-site=DIR],
  [folder of packages of PYTHON for lamella.pth, or no (default: one below PREFIX, else one that can be written to)])],
  [], [with_python_site=auto])
AC_MSG_CHECKING([for a folder of packages of $PYTHON])
AS_CASE([$with_python_site],
  [no], [pythonsitedir=],
  [yes|auto], [
    lamella_prefix=$prefix
    AS_IF([test "$lamella_prefix" = NONE], [lamella_prefix=$ac_default_prefix])
    pythonsitedir=
    AS_IF([test -n "$PYTHON"],
      [read pythonsitedir python_path <<EOF
`$PYTHON "$srcdir/build-aux/python_site.py" "$lamella_prefix"`
EOF
    ])],
  [pythonsitedir=$with_python_site python_path='${pkgdatadir}/python'])
# The line is relative to the folder only where the module lies in share.
AS_IF([test "$datadir/$datarootdir" != '${datarootdir}/${prefix}/share'], [python_path='${pkgdatadir}/python'])
AC_MSG_RESULT([${pythonsitedir:-none}])
AC_SUBST([pythonsitedir])
AC_SUBST([python_path])
AM_CONDITIONAL([HAVE_PYTHON_SITE], [test -n "$pythonsitedir"])
])
