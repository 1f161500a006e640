#!/bin/sh
# What the tarball holds builds in its own folder too, where sources and objects lie side by side, and the
# checks of files pass there.
work=$(mktemp -d) || exit 99
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
{
  ${MAKE:-make} -s -C "$top_builddir" distdir distdir="$work/lamella" && cd "$work/lamella" &&
    ./configure --without-cuda --with-isa=v1 CFLAGS=-O0 && ${MAKE:-make} -j2 &&
    ${MAKE:-make} check check_PROGRAMS= \
      TESTS='tests/source/test_format.sh tests/source/test_functions.sh tests/source/test_manual.sh'
} >"$work/log" 2>&1 && exit 0
tail -n 60 "$work/log"
exit 1
