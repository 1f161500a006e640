#!/bin/sh
# The programs of bench/papers compile, without warnings: no build does it otherwise. They include headers of the
# program.
cd "${top_srcdir:-.}" || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
cc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only bench/papers/clipping.c || failed=1
if command -v nvcc >/dev/null && test -n "$PYTHON" && "$PYTHON" -c 'import h5py, numpy, yaml' 2>/dev/null; then
  "$PYTHON" bench/papers/variants.py --compile-only "$work" >"$work/said" 2>&1 || failed=1
  test -x "$work/variants" || failed=1
  if grep -i 'warning\|error' "$work/said"; then failed=1; fi
elif test $failed = 0; then
  echo "no nvcc, or no Python with h5py and yaml: the kernels of bench/papers are not compiled"
  exit 77
fi
exit $failed
