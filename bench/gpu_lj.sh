#!/bin/bash
# Speed on one GPU of Lennard-Jones melts (density 0.8442, T* = 1.44, skin 0.3 sigma, dt 0.005) with
# cutoffs of 2.5 and 4.5 sigma: OUTPUT/results.csv.
#
source "$(dirname "$0")/common.sh"
bench_options "$@"

system() { # system NAME CELLS CUTOFF STEPS
  bench_lj "$1" "$2" "$3"
  bench_warm "$1" 1 0.005 300
  bench_time lj "$1" 1 0.005 "$4" -s neighbor.rebuild=exact -s neighbor.skin=0.3
}

if test $sizes = small; then
  system lj-7k-2.5 12 2.5 50
  system lj-7k-4.5 12 4.5 50
else
  system lj-131k-2.5 32 2.5 5000
  system lj-131k-4.5 32 4.5 5000
  system lj-2m-2.5 80 2.5 1000
  system lj-2m-4.5 80 4.5 1000
fi
