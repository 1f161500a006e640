#!/bin/sh
# The programs of bench/papers compile, without warnings: no build does it otherwise. Some include headers of the
# program. The kernels of clipping.cu find all pairs of a small box, one core in place of a GPU; those of steps.cu give the
# same bits apart and joined, and the forces of sums over all atoms.
cd "${top_srcdir:-.}" || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
cc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only bench/papers/clipping.c || failed=1
# As rodrigues2008.py compiles it gcc makes vectors of AVX2 of the inner loops of clipping.c.
case $(cc --version | head -n 1)-$(uname -m) in
*gcc*-x86_64 | cc*-x86_64)
  cc -O3 -mavx2 -mfma -fno-math-errno -fno-trapping-math -S -o - bench/papers/clipping.c | grep -q 'sqrtps.*%ymm' ||
    { echo "clipping.c: no vectors with AVX2"; failed=1; }
  ;;
esac
if command -v nvcc >/dev/null && test -n "$PYTHON" && "$PYTHON" -c 'import h5py, numpy, yaml' 2>/dev/null; then
  "$PYTHON" bench/papers/variants.py --compile-only "$work" >"$work/said" 2>&1 || failed=1
  test -x "$work/variants" || failed=1
  nvcc -arch=sm_90 -std=c++17 -O3 -Xcompiler -Wall,-Wextra,-march=native bench/papers/clipping.cu -o "$work/clipping" \
    >>"$work/said" 2>&1 || failed=1
  nvcc -arch=sm_90 -std=c++17 -O3 -Xcompiler -Wall,-Wextra,-march=native bench/papers/steps.cu -o "$work/steps" \
    >>"$work/said" 2>&1 || failed=1
  if grep -i 'warning\|error' "$work/said"; then failed=1; fi
  "$work/steps" --help | grep -q '^  --cutoff' || { echo "steps --help: no options"; failed=1; }
  "$work/steps" --host --atoms=2048 >"$work/said" 2>&1 || { cat "$work/said"; failed=1; }
  for wrong in --atoms=3000 --cutoff=0 --steps=15 --lost atoms '--atoms=2048 --cutoff=6.0 --skin=1'; do
    # shellcheck disable=SC2086 # several words
    "$work/steps" --host $wrong >"$work/said" 2>&1
    test $? = 2 || { echo "steps $wrong: not status 2"; cat "$work/said"; failed=1; }
  done
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=bench "$PYTHON" -c 'import sys, map_common
map_common.write_pqr(sys.argv[1], *map_common.water(28))' "$work/water.pqr" || failed=1
  "$work/clipping" --host "$work/water.pqr" 28 1 >"$work/said" || { cat "$work/said"; failed=1; }
elif test $failed = 0; then
  echo "no nvcc, or no Python with h5py and yaml: the kernels of bench/papers are not compiled"
  exit 77
fi
exit $failed
