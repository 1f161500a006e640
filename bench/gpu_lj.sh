#!/bin/bash
# Speed on one GPU of Lennard-Jones melts (density 0.8442, a crystal started at T* = 1.44, dt 0.005)
# with cutoffs of 2.5 and 4.5 sigma: NVE and Langevin NVT (T* = 0.72). Table lj.
#
source "$(dirname "$0")/common.sh"
bench_options "$@"
temperature=86.6
bench_open lj

system() { # system NAME CELLS STEPS
  bench_lj "$1" "$2"
  for cutoff in 2.5 4.5; do
    sed "s/^cutoff: .*/cutoff: $cutoff/" "$LAMELLA_FORCEFIELDS/lj.yaml" >"lj-$cutoff.yaml"
    for ensemble in nve langevin; do
      bench_time "$1-$cutoff" "$1" 1 0.005 "$3" $ensemble -s forcefield="lj-$cutoff.yaml"
    done
  done
}

if test $sizes = small; then
  system lj-7k 12 50
else
  system lj-131k 32 5000
  system lj-2m 80 1000
fi
bench_close
