#!/bin/sh
# cppcheck and clang-tidy find nothing in src, mpi and io. The analyzer of clang follows 8,000 states of a
# function: most mistakes for an eighth of the time. In ./check --long it follows 225,000, its default.
# A file in which nothing was found is not analysed again before it, a header of ours that it includes,
# .clang-tidy, the flags or the tool change: tests/stamps in the build folder has a hash of them.
# LAMELLA_CHANGED=1: clang-tidy looks only at files that differ from the last commit but one and at the
# .c files of headers that do.
cd "${top_srcdir:-.}" || exit 99
build=${top_builddir:-.}
include="-Isrc -I. -I$build/src -I$build"
jobs=$(nproc 2>/dev/null || echo 1)
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
stamps=$build/tests/stamps
mkdir -p "$stamps/cppcheck" || exit 99
failed=0
ran=0
complain() {
  echo "$*"
  failed=1
}
{ # a mistake for clang's analyzer, one for the other checks of clang-tidy, one for cppcheck
  echo '#include <stdlib.h>'
  echo '#include <string.h>'
  echo 'static void release(int *p) { free(p); }'
  echo 'void planted(int *p) { release(p); *p = 1; }'
  echo 'void planted_memset(int *p) { memset(p, sizeof *p, 0); }'
  echo 'int planted_index(void) { int a[2] = {0, 0}; return a[2]; }'
} >"$tmp/planted.c"

if command -v cppcheck >/dev/null; then
  ran=1
  check="cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr -j $jobs
    --suppress=missingInclude --suppress=missingIncludeSystem --error-exitcode=1
    -D__x86_64__ -DKERNEL_NAME=mixed_v1 $include"
  $check -DLAMELLA_DATADIR='"x"' --cppcheck-build-dir="$stamps/cppcheck" src mpi io || failed=1
  $check "$tmp/planted.c" 2>&1 | grep -q arrayIndexOutOfBounds || complain "cppcheck notices nothing"
fi

if command -v clang-tidy >/dev/null; then
  ran=1
  libraries="$DEPENDENCY_CFLAGS $(${MPICC:-mpicc} --showme:compile 2>/dev/null)"
  libraries=$(echo "$libraries" | sed 's/-I\//-isystem \//g')
  flags="-std=c11 -D_DEFAULT_SOURCE -DHAVE_CONFIG_H -DKERNEL_NAME=mixed_v1 $include $libraries"
  depth=8000
  if test "${LAMELLA_LONG:-0}" = 1; then depth=225000; fi
  options="--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=$depth"
  mkdir -p "$stamps/$depth"
  export tmp flags options
  # Files that nothing is found in are done sixteen at a time, as half of the time for one is that for starting. Where
  # something is found, each counts by what is found in it alone: clang-tidy 14 takes va_start() for another function
  # after its first file, and reports lists that nobody has begun. Files that use it are not among others.
  tidy='
    tidy() { clang-tidy --quiet --config-file=.clang-tidy --warnings-as-errors="*" $options "$@" -- $flags \
      -DLAMELLA_DATADIR="\"x\"" 2>&1 | grep -v "warnings\{0,1\} generated\|^Suppressed\|^Use -header-filter"; }'

  files=$(find src mpi io -name '*.c' | xargs ls -S)
  if test "${LAMELLA_CHANGED:-0}" = 1 &&
    changed=$(git diff --relative --name-only HEAD~1 2>/dev/null && git ls-files -o --exclude-standard); then
    files=$(echo "$files" | grep -xF "$(echo "$changed" | sed 's/\.h$/.c/')")
  fi

  # Of each file, a line with the hash of all that its analysis depends on, unless that was done.
  tool=$(clang-tidy --version; cat .clang-tidy; echo "$flags")
  : >"$tmp/depends"
  test -z "$files" || ${MPICC:-mpicc} -MM $flags $files >"$tmp/depends" || failed=1
  sed -e ':join' -e '/\\$/{N;s/\\\n//;b join' -e '}' -e 's/^[^:]*: *//' "$tmp/depends" >"$tmp/read"
  mkdir "$tmp/keys"
  tr -s ' ' '\n' <"$tmp/read" | sort -u | xargs -r sha256sum | tool=$tool keys=$tmp/keys awk '
    FILENAME == "-" { hash[$2] = $1; next }
    { key = sprintf("%s/%06d", ENVIRON["keys"], FNR)
      print ENVIRON["tool"] >key
      for (k = 1; k <= NF; k++) print $k, hash[$k] >key
      close(key)
    }' - "$tmp/read"
  find "$tmp/keys" -type f | sort | xargs -r sha256sum | paste -d ' ' - "$tmp/read" | while read -r key _ file _; do
    test -f "$stamps/225000/$key" || test -f "$stamps/$depth/$key" || echo "$file:$stamps/$depth/$key"
  done >"$tmp/todo"
  sed 's/:.*//' "$tmp/todo" | xargs -r grep -l 'va_' | sed 's/$/:/' >"$tmp/alone"
  look="$tidy"'
    for pair; do files="$files ${pair%%:*}"; done
    if test $# -gt 1 && test -z "$(tidy $files)"; then
      for pair; do : >"${pair#*:}"; done
      exit 0
    fi
    for pair; do
      found=$(tidy "${pair%%:*}")
      if test -n "$found"; then echo "$found"; status=1; else : >"${pair#*:}"; fi
    done
    exit ${status:-0}'
  { grep -F -f "$tmp/alone" "$tmp/todo" | xargs -r -P "$jobs" -n 1 sh -c "$look" look; } || failed=1
  { grep -vF -f "$tmp/alone" "$tmp/todo" | xargs -r -P "$jobs" -n 16 sh -c "$look" look; } || failed=1
  # after another file, as most are
  sh -c "$tidy"'; tidy "$@"' look src/base/worker.c "$tmp/planted.c" >"$tmp/noticed"
  for name in clang-analyzer-unix.Malloc bugprone-suspicious-memset-usage; do
    grep -q "$name" "$tmp/noticed" || complain "clang-tidy does not notice $name"
  done
fi

if test $ran = 0; then echo "neither cppcheck nor clang-tidy"; exit 77; fi
exit $failed
