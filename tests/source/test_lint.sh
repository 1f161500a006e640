#!/bin/sh
# cppcheck and clang-tidy find nothing in src, mpi and io.
cd "${top_srcdir:-.}" || exit 99
build=${top_builddir:-.}
include="-Isrc -I. -I$build/src -I$build"
jobs=$(nproc 2>/dev/null || echo 1)
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
export tmp
failed=0
ran=0

if command -v cppcheck >/dev/null; then
  ran=1
  cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr -j "$jobs" \
    --suppress=missingInclude --suppress=missingIncludeSystem --error-exitcode=1 \
    -D__x86_64__ -DKERNEL_NAME=mixed_v1 -DLAMELLA_DATADIR='"x"' $include src mpi io || failed=1
fi

if command -v clang-tidy >/dev/null; then
  ran=1
  libraries="$DEPENDENCY_CFLAGS $(${MPICC:-mpicc} --showme:compile 2>/dev/null)"
  libraries=$(echo "$libraries" | sed 's/-I\//-isystem \//g')
  flags="-std=c11 -D_DEFAULT_SOURCE -DHAVE_CONFIG_H -DKERNEL_NAME=mixed_v1 $include $libraries"
  export flags
  find src mpi io -name '*.c' | sort | xargs -P "$jobs" -n 1 sh -c '
    clang-tidy --quiet --warnings-as-errors="*" "$0" -- $flags -DLAMELLA_DATADIR="\"x\"" 2>&1 |
      grep -v "warnings\{0,1\} generated\|^Suppressed\|^Use -header-filter" >"$tmp/$$" 
    if test -s "$tmp/$$"; then cat "$tmp/$$"; exit 1; fi' || failed=1
fi

if test $ran = 0; then echo "neither cppcheck nor clang-tidy"; exit 77; fi
exit $failed
