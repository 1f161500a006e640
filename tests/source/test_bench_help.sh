#!/bin/sh
# Every program of bench/ says what it does: --help ends with status 0 and prints how it is called.
cd "${top_srcdir:-.}" || exit 99
failed=0 skipped=0
test -n "$PYTHON" && "$PYTHON" -c 'import h5py, numpy, yaml' 2>/dev/null || skipped=1
for program in bench/*.py bench/*/*.py bench/*.sh bench/*/*.sh; do
  case $program in
  *.sh) grep -q '^#!' "$program" || continue
    run=bash ;;
  *) grep -q '^if __name__' "$program" && test $skipped = 0 || continue
    run=$PYTHON ;;
  esac
  said=$("$run" "$program" --help 2>&1) && test "$(printf '%s\n' "$said" | wc -l)" -gt 3 ||
    { echo "$program --help: $said" && failed=1; }
done
test $failed = 0 && test $skipped = 1 && echo "no Python with h5py and yaml: programs in Python are not tried" && exit 77
exit $failed
