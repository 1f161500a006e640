#!/bin/bash
# Speed on one GPU of the ELBA DOPC box of 7040 beads and its copies in plane at 10 fs: NVE and
# Langevin. Table elba.
#
source "$(dirname "$0")/common.sh"
bench_options "$@"
bench_open elba

system() { # system NAME NX NY STEPS
  bench_elba "$1" "$2" "$3" 1
  for ensemble in nve langevin; do
    bench_time "$1" "$1" 1 0.010 "$4" $ensemble
  done
}

if test $sizes = small; then
  system elba-7k 1 1 100
else
  system elba-7k 1 1 20000
  system elba-113k 4 4 5000
  system elba-1m 12 12 1000
fi
bench_close
