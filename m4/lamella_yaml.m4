# LAMELLA_YAML: libyaml. Sets YAML_CFLAGS, YAML_LIBS.
AC_DEFUN([LAMELLA_YAML], [
PKG_CHECK_MODULES([YAML], [yaml-0.1], [], [
  AC_CHECK_HEADER([yaml.h], [AC_CHECK_LIB([yaml], [yaml_parser_initialize], [YAML_LIBS=-lyaml])])
  AS_IF([test -z "$YAML_LIBS"], [AC_MSG_ERROR([libyaml was not found.
  Debian: apt-get install libyaml-dev
  Elsewhere: give YAML_CFLAGS=-I... and YAML_LIBS='-L... -lyaml'])])
])
])
