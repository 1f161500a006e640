#!/bin/sh
# run_test.sh TEST: runs one test under a time limit, so that a hang is a failure. Programs
# test_mpi_* run on each number of ranks in TEST_NP (1 2 4; with LAMELLA_LONG=1 also 3); *.sh and *.py run under their interpreter;
# everything else runs alone. *.cmocka stands for a program that could not be built without cmocka.
# test_long_* run only with LAMELLA_LONG=1. Exit 77: skipped. A cmocka program that skipped every
# test is skipped too.
# Each test adds a line to tests/times.csv of the build folder: test, exit status, seconds, seconds of
# processors, largest memory of a process (MB), largest number of ranks; with GNU time only.
test=$1
name=$(basename "$test")
limit=${TEST_TIMEOUT:-600}
folder=${top_builddir:-.}/tests
# 2: both neighbours are one rank; 4: the fewest of which some are no neighbours; 3 is between them.
ranks='1 2 4'
if test "${LAMELLA_LONG:-0}" = 1; then ranks='1 2 3 4'; fi

case $name in
test_long_*)
  if test "${LAMELLA_LONG:-0}" != 1; then echo "long: ./check --long runs it"; exit 77; fi
  limit=${TEST_TIMEOUT:-7200} ;;
esac

# Tests run as whoever builds, also as root in a container, with more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader # the ranks of a test are on one host
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_hwloc_base_binding_policy=none
# The same for the launcher of Open MPI 5.
export PRTE_MCA_rmaps_default_mapping_policy=slot:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
# No rank is bound to a core: Open MPI need not look for caches and devices at each start, a quarter of its time.
# mpiexec of Intel MPI would crash.
case $MPI in Open*) export HWLOC_COMPONENTS=no_os,stop ;; esac
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}

# A thread of Open MPI binds its functions at their first call, while others load and unload plugins: once in some
# thousand starts that crashed in the loader of glibc. Plugins of Slurm cannot be bound so.
case $test in
*slurm*) ;;
*) export LD_BIND_NOW=1 ;;
esac

# Tests share the cores: a rank has one thread where a test does not say more, and waiting threads sleep soon.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} GOMP_SPINCOUNT=${GOMP_SPINCOUNT:-200}

# Ranks that wait sleep. Not where hanging ranks and failing files are tested: the program knows by a thread that
# polls that it waits in MPI (mpi/comm/file_call.h). And not in programs with ASan, which has to be loaded first.
# MPICH does not yield: where its ranks outnumber the cores without it, each step takes a second.
case $MPI.$test in
*_heartbeat | *_wait | *_heartbeat.py | *_writes.py | *_full.py | *_slow_files.py | *_writer.py | *_faults.py | Open*/files/*) ;;
*)
  if test -f "$folder/yield_sleeps.so" && ! grep -qs __asan_init "${LAMELLA:-lamella}" "$test"; then
    export LD_PRELOAD="$folder/yield_sleeps.so${LD_PRELOAD:+:$LD_PRELOAD}"
  fi ;;
esac

# Each test has a folder of its own for its files and those of Open MPI; in memory where there is room,
# since the files are small and written through to the disk over and over.
memory=
if test "$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')" -gt 4000000 2>/dev/null; then
  memory=/dev/shm
fi
work=$(mktemp -d "${memory:-${TMPDIR:-/tmp}}/lamella-test.XXXXXX") || exit 99
chmod 1777 "$work"
export TMPDIR="$work"
output=$(mktemp) || exit 99
trap 'rm -rf "$work"' EXIT
export RANKS_NOTED="$output.ranks"
MPIEXEC="${SHELL:-/bin/sh} ${top_srcdir:-.}/build-aux/mpiexec_noted.sh ${MPIEXEC:-mpiexec}"
export MPIEXEC
clock=
if test -x /usr/bin/time; then clock="/usr/bin/time --quiet --append --output=$output.time --format=%e,%U,%S,%M"; fi

# Tests named in tests/alone run while no other test does: they measure time, or need every core.
if command -v flock >/dev/null && exec 9>>"$folder/alone.lock"; then
  if grep -qx "$name" "${top_srcdir:-.}/tests/alone"; then flock -x 9; else flock -s 9; fi
fi

status=0
run() { # run COMMAND...: its status in $status, its output kept and shown
  $clock timeout --kill-after=20 "$limit" "$@" >"$output.part" 2>&1 9>&-
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
  for np in ${TEST_NP:-$ranks}; do
    echo "== $np ranks"
    run $MPIEXEC ${MPIEXEC_FLAGS:-} -n "$np" "$test"
    test $status -eq 0 || break
  done ;;
*) run "$test" ;;
esac

if test $status -eq 0 && grep -q '^\[  SKIPPED \]' "$output" &&
  ! grep -q '^\[       OK \]' "$output"; then
  status=77
fi
if test -s "$output.time"; then
  ranks=$(sort -n "$output.ranks" 2>/dev/null | tail -n 1)
  awk -F, -v OFS=, -v name="$name" -v status=$status -v ranks="${ranks:-1}" '
    { wall += $1; cpu += $2 + $3; if ($4 > most) most = $4 }
    END { print name, status, wall, cpu, int(most / 1024), ranks }' "$output.time" >>"$folder/times.csv"
fi
exit $status
