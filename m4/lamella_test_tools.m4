# LAMELLA_TEST_TOOLS: what the tests need beyond the program: cmocka, and a python3 with numpy and
# h5py. Sets CMOCKA_CFLAGS, CMOCKA_LIBS, HAVE_CMOCKA, PYTHON (empty when there is none).
AC_DEFUN([LAMELLA_TEST_TOOLS], [
PKG_CHECK_MODULES([CMOCKA], [cmocka], [lamella_have_cmocka=yes], [lamella_have_cmocka=no])
AM_CONDITIONAL([HAVE_CMOCKA], [test $lamella_have_cmocka = yes])
AC_ARG_VAR([PYTHON], [python3 with numpy and h5py, for tests and tools])
AC_MSG_CHECKING([for a python3 with numpy and h5py])
lamella_pythons="/usr/bin/python3 python3"
AS_IF([test -n "$PYTHON"], [lamella_pythons=$PYTHON])
PYTHON=
for lamella_python in $lamella_pythons; do
  AS_IF([$lamella_python -c 'import numpy, h5py' >&AS_MESSAGE_LOG_FD 2>&1],
    [PYTHON=$lamella_python; break])
done
lamella_python_text=${PYTHON:-no}
AC_MSG_RESULT([$lamella_python_text])
])
