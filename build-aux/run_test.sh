#!/bin/sh
# run_test.sh TEST: runs one test under a time limit, so that a hang is a failure. Programs
# test_mpi_* run on each number of ranks in TEST_NP; *.sh and *.py run under their interpreter;
# everything else runs alone. *.cmocka stands for a program that could not be built without cmocka.
# test_long_* run only with LAMELLA_LONG=1. Exit 77: skipped. A cmocka program that skipped every
# test is skipped too.
test=$1
name=$(basename "$test")
limit=${TEST_TIMEOUT:-600}

case $name in
test_long_*)
  if test "${LAMELLA_LONG:-0}" != 1; then echo "long: ./check --long runs it"; exit 77; fi
  limit=${TEST_TIMEOUT:-7200} ;;
esac

# Tests run as whoever builds, also as root in a container, with more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_hwloc_base_binding_policy=none
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}

output=$(mktemp) || exit 99
trap 'rm -f "$output"' EXIT
status=0
run() { # run COMMAND...: its status in $status, its output kept and shown
  timeout --kill-after=20 "$limit" "$@" >"$output.part" 2>&1
  status=$?
  cat "$output.part"
  cat "$output.part" >>"$output"
  rm -f "$output.part"
  if test $status -eq 124; then echo "$name: no end after $limit s: taken for a hang"; fi
}

case $name in
*.cmocka) echo "needs cmocka, which configure did not find"; exit 77 ;;
*.sh) run "${SHELL:-/bin/sh}" "$test" ;;
*.py)
  if test -z "$PYTHON"; then echo "no python3 with numpy and h5py"; exit 77; fi
  run "$PYTHON" "$test" ;;
test_mpi_*)
  for np in ${TEST_NP:-1 2 3 4}; do
    echo "== $np ranks"
    run ${MPIEXEC:-mpiexec} ${MPIEXEC_FLAGS:-} -n "$np" "$test"
    test $status -eq 0 || break
  done ;;
*) run "$test" ;;
esac

if test $status -eq 0 && grep -q '^\[  SKIPPED \]' "$output" &&
  ! grep -q '^\[       OK \]' "$output"; then
  status=77
fi
exit $status
