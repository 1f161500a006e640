#!/bin/bash
# Speed on one GPU of the ELBA DOPC box of 7040 beads and its copies in plane, NVE at 10 fs, with
# exact list rebuilds (skin 0.2 nm) and with fixed intervals: OUTPUT/results.csv.
#
source "$(dirname "$0")/common.sh"
bench_options "$@"

system() { # system NAME NX NY STEPS
  bench_elba "$1" "$2" "$3"
  bench_warm "$1" 1 0.010 200
  bench_time elba "$1" 1 0.010 "$4" -s neighbor.rebuild=exact -s neighbor.skin=0.2
  bench_time elba "$1" 1 0.010 "$4" -s neighbor.rebuild=interval -s neighbor.every=10 \
    -s neighbor.skin=auto
}

if test $sizes = small; then
  system elba-7k 1 1 100
else
  system elba-7k 1 1 20000
  system elba-113k 4 4 5000
  system elba-1m 12 12 1000
fi
