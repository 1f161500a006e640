# Sourced by the gpu_*.sh scripts (bash): options, starts, timed runs, a CSV line for each.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
lamella=$top/build/lamella
backend=cuda
repeat=3
output=bench-out
data=
sizes=full
launcher=${MPIEXEC:-mpiexec}
export LAMELLA_FORCEFIELDS=${LAMELLA_FORCEFIELDS:-$top/forcefields}

bench_usage() {
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
  cat <<'END'
  --lamella=PROGRAM   [build/lamella of the source tree]
  --backend=cuda|cpu  [cuda]
  --data=FILE         LAMMPS data file of a DOPC box to start from; without it one is built
  --repeat=N          [3]
  --small             small systems, to try the script itself
  --output=FOLDER     [bench-out]
END
}

bench_options() {
  local option
  for option; do
    case $option in
    --lamella=*) lamella=$(realpath "${option#*=}") ;;
    --backend=*) backend=${option#*=} ;;
    --data=*) data=$(realpath "${option#*=}") ;;
    --repeat=*) repeat=${option#*=} ;;
    --small) sizes=small ;;
    --output=*) output=${option#*=} ;;
    --help) bench_usage && exit 0 ;;
    *) bench_usage >&2 && exit 2 ;;
    esac
  done
  test -x "$lamella" || { echo "no program $lamella: --lamella=PROGRAM" >&2 && exit 2; }
  mkdir -p "$output" && cd "$output" || exit 4
}

# bench_elba NAME NX NY: NAME.h5, copies in plane of the box of 128 DOPC, with momenta of their own.
bench_elba() {
  if test ! -f elba-base.h5; then
    if test -n "$data"; then
      "$lamella" import "$data" --format=lammps-data --forcefield=elba -o elba-base.h5 || exit 1
    else
      echo "{forcefield: elba, bilayer: {upper: {DOPC: 64}, lower: {DOPC: 64}," \
        "area_per_lipid: 0.72, water_per_lipid: 40}}" >elba-build.yaml
      "$lamella" build elba-build.yaml -o elba-built.h5 || exit 1
      "$lamella" run --restart=never /dev/stdin <<'END' || exit 1
input: elba-built.h5
run: {steps: 1000, dt: 0.010}
thermostat: {type: langevin, temperature: 310, tau: 0.2}
barostat: {type: berendsen, coupling: constant_area, tau: 2.0}
parallel: {backend: cpu}
output: {prefix: elba-relaxed, energies_every: 0, checkpoint_every: 0}
END
      mv elba-relaxed.checkpoint.h5 elba-base.h5
    fi
  fi
  test -f "$1.h5" && return
  echo "{state: elba-base.h5, replicate: [$2, $3, 1], temperature: 310, seed: 2}" >"$1.build.yaml"
  "$lamella" build "$1.build.yaml" -o "$1.h5" || exit 1
}

# bench_lj NAME CELLS CUTOFF: NAME.h5, an fcc crystal of 4 CELLS^3 beads at T* = 1.44.
bench_lj() {
  test -f "$1.h5" && return
  sed "s/^cutoff: .*/cutoff: $3/" "$top/forcefields/lj.yaml" >"$1.forcefield.yaml"
  echo "{forcefield: $1.forcefield.yaml, temperature: 173.1923," \
    "lattice: {type: fcc, cells: [$2, $2, $2], density: 0.8442}}" >"$1.build.yaml"
  "$lamella" build "$1.build.yaml" -o "$1.h5" || exit 1
}

# bench_warm NAME RANKS DT STEPS: NAME.warm.h5, the state after some steps.
bench_warm() {
  test -f "$1.warm.h5" && return
  echo "{restart: never, input: $1.h5}" >"$1.yaml"
  bench_launch "$2" "$1.yaml" -s run.dt="$3" -s run.steps="$4" -s output.prefix="$1.warming" \
    -s output.energies_every=0 -s output.checkpoint_every=0 -s parallel.backend="$backend"
  mv "$1.warming.checkpoint.h5" "$1.warm.h5"
}

bench_launch() { # bench_launch RANKS ARGUMENTS
  local ranks=$1 start=()
  shift
  if test "$ranks" -gt 1; then start=("$launcher" -n "$ranks"); fi
  "${start[@]}" "$lamella" run "$@" || exit 1
}

# bench_time TABLE NAME RANKS DT STEPS [-s KEY=VALUE]...: timed runs from NAME.warm.h5.
bench_time() {
  local table=$1 name=$2 ranks=$3 dt=$4 steps=$5 k
  shift 5
  test -s results.csv || echo "table,system,beads,backend,transport,ranks,precision,steps,skin_nm,\
ms_per_step,million_bead_steps_per_s,steps_per_build,missed_pairs,imbalance,bytes_per_bead,git,\
settings" >results.csv
  echo "{restart: never, input: $name.warm.h5}" >"$name.yaml"
  for k in $(seq "$repeat"); do
    bench_launch "$ranks" "$name.yaml" -s run.dt="$dt" -s run.steps="$steps" \
      -s parallel.backend="$backend" -s output.prefix="$name.timed" -s output.energies_every=0 \
      -s output.checkpoint_every=0 "$@" 2>"$name.log" || { cat "$name.log" >&2 && exit 1; }
    python3 - "$table" "$name" "$*" <<'END' | tee -a results.csv
import csv, json, sys
table, name, settings = sys.argv[1:]
r = json.load(open(name + ".timed.performance.json"))
keys = ("beads backend transport ranks precision steps skin_nm ms_per_step "
        "million_bead_steps_per_s steps_per_build missed_pairs imbalance bytes_per_bead git")
csv.writer(sys.stdout, lineterminator="\n").writerow(
    [table, name, *(r[k] for k in keys.split()), settings.replace("-s ", "")])
END
  done
}
