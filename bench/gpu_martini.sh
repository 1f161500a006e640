#!/bin/bash
# Speed on one GPU of a Martini membrane and its copies in plane at 20 fs: NVT (bussi) and NPT (crescale), exact lists,
# skin: auto. --base=FILE: a state file, as `lamella import topol.top conf.gro -o FILE` makes it. Table martini.
#
source "$(dirname "$0")/common.sh"
bench_options "$@"
test -n "$base" || { bench_usage >&2 && exit 2; }
bench_open martini
temperature=325 # K

system() { # system NAME NX NY STEPS
  bench_elba "$1" "$2" "$3" 1
  local nvt=(-s thermostat.type=bussi -s thermostat.temperature="$temperature")
  bench_time "$1" "$1" 1 0.02 "$4" nvt "${nvt[@]}"
  bench_time "$1" "$1" 1 0.02 "$4" npt "${nvt[@]}" -s barostat.type=crescale \
    -s barostat.compressibility=3e-4 -s barostat.tau=12
}

if test "$sizes" = small; then
  system martini-1 1 1 200
else
  system martini-9 3 3 16000
  system martini-64 8 8 5000
  system martini-400 20 20 1600
fi
bench_close
