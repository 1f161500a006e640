#!/bin/bash
# LAMMPS, GROMACS and Lamella side by side on one GPU: builds the others (build.sh) and runs all (peers.py).
#
#   --inputs=FOLDER      what "peers.py prepare" made
#   --lamella=PROGRAM    [build/lamella of the source tree]
#   --lammps=FOLDER      sources; also --lammps-kokkos, --gromacs, --arch, --prefix, --only: see build.sh --help
#   --part=all|build|run [all]
#   --build-limit=S --run-limit=S   seconds [300, 150]; no system is begun after the second
#   --ranks=1,8          numbers of ranks that LAMMPS with the GPU package tries [1,8]
#   --systems=NAME,...   [those that one of the programs can run, those that tell most first: peers.py run --help]
#   --output=FOLDER      [peers-out]: peers.csv, peers.log, build.log
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
inputs='' lamella=$here/../../build/lamella prefix=peers-build part=all build_limit=300 run_limit=150 ranks=1,8
systems='' output=peers-out build=()
for option; do
  case $option in
  --inputs=*) inputs=${option#*=} ;;
  --lamella=*) lamella=${option#*=} ;;
  --lammps=* | --lammps-kokkos=* | --gromacs=* | --arch=* | --only=*) build+=("$option") ;;
  --prefix=*) prefix=${option#*=} ;;
  --part=*) part=${option#*=} ;;
  --build-limit=*) build_limit=${option#*=} ;;
  --run-limit=*) run_limit=${option#*=} ;;
  --ranks=*) ranks=${option#*=} ;;
  --systems=*) systems=${option#*=} ;;
  --output=*) output=${option#*=} ;;
  --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit 0 ;;
  *) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
  esac
done
mkdir -p "$output" "$prefix" && prefix=$(realpath "$prefix") || exit 4

if test "$part" != run; then
  rm -f "$prefix"/build-*.log
  "$here/build.sh" ${build[@]+"${build[@]}"} --prefix="$prefix" --limit="$build_limit" | tee "$output/build.log"
  for log in "$prefix"/build-*.log; do
    if test -f "$log"; then
      { echo "=== ${log##*/}" && tail -n 40 "$log" | cut -c1-300; } >>"$output/build.log"
    fi
  done
fi
test "$part" = build && exit 0

programs=()
for kind in gpu kokkos; do
  if test -x "$prefix/lmp_$kind"; then programs+=(--lmp "$kind=$prefix/lmp_$kind"); fi
done
if test -x "$prefix/gmx"; then programs+=(--gmx "$prefix/gmx" --threads "$(nproc)"); fi
export MPIEXEC=${MPIEXEC:-mpiexec --oversubscribe}
# shellcheck disable=SC2086 # lists
python3 "$here/peers.py" run "${inputs:-/nonexistent}" -o "$output" --backend cuda --lamella "$lamella" "${programs[@]}" \
  --ranks ${ranks//,/ } ${systems:+--systems ${systems//,/ }} --seconds 1.5 --each 60 --limit "$run_limit"
status=$?
if test -x "$prefix/lmp_opt"; then # one core of the same host
  python3 "$here/peers.py" run "${inputs:-/nonexistent}" -o "$output/core" --lamella "$lamella" --lmp "opt=$prefix/lmp_opt" \
    --systems lj-7k-2.5 lj-7k-4.5 elba-7k --each 30 --limit 20
fi
exit $status
