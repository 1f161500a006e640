# Sourced by the gpu_*.sh scripts (bash): options, start states, timed runs, a CSV line for each.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
lamella=$top/build/lamella
backend=cuda
repeat=3
output=bench-out
base=
sizes=full
temperature=310 # K, of thermostats
read -ra launcher <<<"${MPIEXEC:-mpiexec}"
export LAMELLA_FORCEFIELDS=${LAMELLA_FORCEFIELDS:-$top/forcefields}

bench_usage() {
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
  cat <<'END'
  --lamella=PROGRAM   [build/lamella of the source tree]
  --backend=cuda|cpu  [cuda]
  --base=FILE         DOPC box to start from, a state file (.h5); without it
                      one is built and relaxed on the CPU
  --repeat=N          runs of each kind [3]
  --small             small systems, to try the script itself
  --output=FOLDER     [bench-out]
MPIEXEC [mpiexec] may carry options of the launcher. OUTPUT gets TABLE.csv (a line a run, below the
hardware and the versions), TABLE-summary.csv and, where matplotlib is installed, TABLE.png.
END
}

bench_options() {
  local option
  for option; do
    case $option in
    --lamella=*) lamella=$(realpath "${option#*=}") ;;
    --backend=*) backend=${option#*=} ;;
    --base=*) base=$(realpath "${option#*=}") ;;
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

# bench_open TABLE: TABLE.csv with what it was measured on, and the names of its columns.
bench_open() {
  table=$1
  {
    echo "table $table, $(date -u +%Y-%m-%d), $(nproc) cores, $(sed -n \
      's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
    nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader 2>/dev/null |
      sort | uniq -c
    "$lamella" --version
  } | sed 's/^/# /' >"$table.csv"
  echo "system,beads,backend,transport,ranks,precision,ensemble,steps,skin_nm,\
million_bead_steps_per_s,ms_per_step,steps_per_build,imbalance,bytes_per_bead,ms_move,ms_force,\
ms_halo,ms_build,ms_couple,ms_other" >>"$table.csv"
}

# bench_close: what the table comes to.
bench_close() {
  python3 "$top/bench/summary.py" "$table.csv"
}

bench_launch() { # bench_launch RANKS COMMAND ARGUMENTS
  local ranks=$1 start=()
  shift
  if test "$ranks" -gt 1; then start=("${launcher[@]}" -n "$ranks"); fi
  "${start[@]}" "$lamella" "$@" >bench.log 2>&1 || { cat bench.log >&2 && exit 1; }
}

# elba-base.h5, the box of 128 DOPC.
bench_base() {
  case $base in
  '')
    echo "{forcefield: elba, bilayer: {upper: {DOPC: 64}, lower: {DOPC: 64}," \
      "area_per_lipid: 0.72, water_per_lipid: 40}}" >elba.build.yaml
    bench_launch 1 build elba.build.yaml -o elba-built.h5
    cat >elba.yaml <<'END'
input: elba-built.h5
restart: never
run: {steps: 1000, dt: 0.010}
thermostat: {type: langevin, temperature: 310, tau: 0.2}
barostat: {type: berendsen, coupling: constant_area, tau: 2.0}
parallel: {backend: cpu}
output: {prefix: elba, energies_every: 0, checkpoint_every: 0}
END
    bench_launch 1 run elba.yaml
    mv elba.checkpoint.h5 elba-base.h5 ;;
  *) cp "$base" elba-base.h5 ;;
  esac
}

# bench_elba NAME NX NY RANKS: NAME.h5, copies in plane of that box, with momenta of their own.
bench_elba() {
  test -f elba-base.h5 || bench_base
  test -f "$1.h5" && return
  echo "{state: elba-base.h5, replicate: [$2, $3, 1], temperature: $temperature, seed: 2}" >"$1.yaml"
  bench_launch "$4" build "$1.yaml" -o "$1.h5"
}

# bench_lj NAME CELLS: NAME.h5, a melt of 4 CELLS^3 beads, from a crystal whose momenta are those of
# T* = 1.44, as in the LAMMPS benchmark: half of it is left in the melt.
bench_lj() {
  test -f "$1.h5" && return
  echo "{forcefield: lj, temperature: 173.1923," \
    "lattice: {type: fcc, cells: [$2, $2, $2], density: 0.8442}}" >"$1.build.yaml"
  bench_launch 1 build "$1.build.yaml" -o "$1.crystal.h5"
  echo "{restart: never, input: $1.crystal.h5}" >"$1.yaml"
  bench_launch 1 run "$1.yaml" -s run.dt=0.005 -s run.steps=300 -s output.prefix="$1" \
    -s output.energies_every=0 -s output.checkpoint_every=0 -s parallel.backend="$backend"
  mv "$1.checkpoint.h5" "$1.h5"
}

# bench_time NAME STATE RANKS DT STEPS ENSEMBLE [-s KEY=VALUE]...: timed runs from STATE.h5.
bench_time() {
  local name=$1 state=$2 ranks=$3 dt=$4 steps=$5 ensemble=$6 k
  shift 6
  case $ensemble in
  nve) set -- "$@" -s thermostat.type=none ;;
  langevin) set -- "$@" -s thermostat.type=langevin -s thermostat.temperature="$temperature" ;;
  esac
  echo "{restart: never, input: $state.h5}" >timed.yaml
  for k in $(seq "$repeat"); do
    bench_launch "$ranks" run timed.yaml -s run.dt="$dt" -s run.steps="$steps" \
      -s parallel.backend="$backend" -s output.prefix=timed -s output.energies_every=0 \
      -s output.checkpoint_every=0 -s neighbor.skin=auto "$@"
    python3 "$top/bench/row.py" timed.performance.json "$name" "$ensemble" |
      tee -a "$table.csv"
    rm -f timed.checkpoint.h5* timed.log timed.performance.json
  done
}
