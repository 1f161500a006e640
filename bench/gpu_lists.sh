#!/bin/bash
# What lists that miss pairs do to a large membrane: copies of a Martini membrane in plane (22 x 22), NPT (crescale,
# semi-isotropic, 1 bar) at 20 fs, with exact lists and with lists of a fixed interval and a skin of 0.1 nm.
# --base=FILE: a state file, as `lamella import topol.top conf.gro -o FILE` makes it. Writes lists-NAME.csv, means of
# 5 ps; lists.py draws them.
#
source "$(dirname "$0")/common.sh"
bench_options "$@"
test -n "$base" || { bench_usage >&2 && exit 2; }
temperature=325 # K
copies=22 steps=60000 every=100
if test "$sizes" = small; then copies=2 steps=600 every=20; fi
bench_elba lists "$copies" "$copies" 1

lists() { # lists NAME OPTION...
  "${launcher[@]}" -n 1 "$lamella" run run.yaml -s input=lists.h5 -s run.steps="$steps" -s run.dt=0.02 \
    -s parallel.backend="$backend" -s output.prefix="$1" -s output.energies_every="$every" \
    -s output.checkpoint_every=0 -s thermostat.type=bussi -s thermostat.temperature="$temperature" \
    -s barostat.type=crescale -s barostat.coupling=semi_isotropic -s barostat.pressure=1 \
    -s barostat.compressibility=3e-4 -s barostat.tau=6 "${@:2}" >"$1.log" || exit
  python3 "$top/bench/lists.py" --means "$1.csv" >"lists-$1.csv"
}

echo "restart: never" >run.yaml
lists exact -s neighbor.skin=auto
for interval in 20 40; do
  lists "$interval" -s neighbor.rebuild=interval -s neighbor.every="$interval" -s neighbor.skin=0.1 \
    -s neighbor.max_missed=1e6
done
