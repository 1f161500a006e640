#!/bin/sh
# Every program of bench/ says what it does: --help ends with status 0 and prints how it is called.
cd "${top_srcdir:-.}" || exit 99
failed=0 skipped=0
"${PYTHON:-false}" -c 'import h5py, numpy, yaml' 2>/dev/null || skipped=1
for program in bench/*.py bench/*/*.py bench/*.sh bench/*/*.sh; do
  case $program in
  *.sh) run=bash begin='#!' ;;
  *) run=$PYTHON begin='if __name__' ;;
  esac
  if ! grep -q "^$begin" "$program"; then continue; fi # read by others
  if test "$run" != bash && test $skipped = 1; then continue; fi
  status=0
  said=$("$run" "$program" --help 2>&1) || status=$?
  if test $status != 0 || test "$(printf '%s\n' "$said" | wc -l)" -lt 4; then
    echo "$program --help: status $status, $said"
    failed=1
  fi
done
if test $failed$skipped = 01; then
  echo "no Python with h5py and yaml: programs in Python are not tried"
  exit 77
fi
exit $failed
