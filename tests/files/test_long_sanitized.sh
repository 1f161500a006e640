#!/bin/sh
# 5,000 damaged files of every kind that the program reads, under AddressSanitizer and UndefinedBehaviorSanitizer: in a
# build of its own, or in the build folder that SANITIZED names.
build=${SANITIZED:-$(mktemp -d)}
if test -z "${SANITIZED:-}"; then
  trap 'rm -rf "$build"' EXIT
  unset MAKEFLAGS MFLAGS MAKELEVEL
  (cd "$build" && "$top_srcdir/configure" --enable-sanitize --without-cuda --with-isa=v1 CFLAGS='-O1 -g') >"$build/log" 2>&1 &&
    ${MAKE:-make} -C "$build" -j2 lamella tests/support/many_calls >>"$build/log" 2>&1 || {
    tail -n 60 "$build/log"
    exit 1
  }
fi
LAMELLA=$build/lamella "$PYTHON" "$top_srcdir/tests/files/test_attack_inputs.py" long
