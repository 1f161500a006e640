#!/bin/bash
# reference.sh FOLDER [STAGE ...]: the tables of liu2008.py and shkurti2013.py that need one version, one GPU and its host's
# cores, of which nothing else is running: Tables 2, 4 and 5 of Liu et al. (2008); Tables 6 and 7 and Figures 10 and 11 of
# Shkurti et al. (2013). On one H100 or H200 with 16 cores in about nine minutes. Stages, in this order if none is named:
#
#   quiet      on a core each, most others idle: times of Lennard-Jones (L; 131,072 atoms, all others) and of a step of 1,
#              10 and 20 fs (S), while the GPU makes the boxes of S and their start, 8 ns of 4 fs; then temperature,
#              energies and pressure of L on a core and the GPU
#   runs       1 ns of NVT and of NVE of S from that start: on CORES cores for each, LIMIT seconds at most, and on the
#              GPU; then the times of the GPU of L and S
#   tables     from the files that the other stages kept in FOLDER
#   steps      only if named, last: steps.py at 2.5 sigma and 8,192 and 131,072 atoms (Figures 12 and 13 of L; needs nvcc)
#
# Environment: LAMELLA, MPIEXEC (its options may follow it), PYTHON (python3 with numpy, h5py, yaml), SIZE (3k: 6,144
# beads), CORES (a number of regions that the box can be cut into; 6), PRECISION of the CPU (mixed), LIMIT (360), LMP (LAMMPS, if
# Table 5 is to have it), SMALL=1: a quick trial. LIMIT=540 in a command of its own for `runs tables` is nearer to 1 ns.
set -e -o pipefail
case ${1:-} in
'' | -h | --help)
  sed -n '2,/^set/{/^set/d; s/^# \{0,1\}//p}' "$0"
  exit 0
  ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
python=${PYTHON:-python3}
export MPIEXEC="${MPIEXEC:-mpiexec --bind-to none}"
small=${SMALL:+--sizes small}

# One program, with what it prints in a log; the seconds so far beside its name.
say() {
  local log=$out/$1.log
  shift
  echo "$SECONDS s: $(basename "$1") ${*:2}"
  # shellcheck disable=SC2086 # several words
  "$python" "$@" $small >"$log" 2>&1 || { tail -n 5 "$log"; return 1; }
}

liu() { say "$1" "$here/liu2008.py" --lmp "${LMP:-}" -o "$out/liu" "${@:2}"; }
species() {
  say "$1" "$here/shkurti2013.py" -o "$out/shkurti" --size "${SIZE:-3k}" --part species --ranks "${CORES:-6}" \
    --cpu-precision "${PRECISION:-mixed}" --limit "${LIMIT:-360}" "${@:2}"
}
timestep() { say "$1" "$here/shkurti2013.py" -o "$out/shkurti" --part timestep --cpu-steps 100 "${@:2}"; }

prepare() {
  timestep boxes --backend cuda --prepare
  touch "$out/boxes.done"
  species start --backend cuda --prepare
  liu accuracy --backend cuda --part accuracy
}

quiet() {
  prepare &
  local prepared=$!
  liu liu-core --backend cpu --part speed --most 65536 &
  local core=$!
  test -n "$small" || liu liu-core-large --backend cpu --part speed --least 131072 &
  local large=$!
  while ! test -e "$out/boxes.done"; do
    kill -0 $prepared || return 1
    sleep 1
  done
  timestep step-core --backend cpu
  wait $core
  wait $large
  wait $prepared
}

runs() {
  species species-core --backend cpu &
  local cores=$!
  species species-gpu --backend cuda
  liu liu-gpu --backend cuda --part speed
  timestep step-gpu --backend cuda
  wait $cores
}

tables() {
  liu tables-liu --backend cpu --backend cuda --part speed
  species tables-species --backend cpu --backend cuda
  timestep tables-step --backend cpu --backend cuda
  cat "$out"/{accuracy,tables-liu,tables-species,tables-step}.log | tee "$out/reference.md"
}

steps() {
  "$python" "$here/steps.py" --atoms 8192,131072 --cutoffs 2.5 -o "$out/steps" | tee -a "$out/reference.md"
}

for stage in "${@:-quiet runs tables}"; do
  for part in $stage; do "$part"; done
done
echo "$SECONDS s"
