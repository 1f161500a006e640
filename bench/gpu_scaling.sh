#!/bin/bash
# Scaling over the GPUs of one host, one rank a GPU: strong with 1 M ELBA beads in all, weak with 1 M
# a GPU; NVE at 10 fs, skin: auto.
# GPUS="1 2 4 8" [as many as there are] chooses the numbers. Table scaling.
#
source "$(dirname "$0")/common.sh"
bench_options "$@"
bench_open scaling

present=$(nvidia-smi -L 2>/dev/null | wc -l)
steps=1000
side=12
if test $sizes = small; then
  present=2
  steps=50
  side=1
fi
gpus=${GPUS:-$(for n in 1 2 4 8; do test $n -le "$present" && echo $n; done)}

bench_elba "elba-$side" $side $side 1
for n in $gpus; do
  test "$n" = 1 || bench_elba "elba-$side-$n" $((side * n)) $side "$n"
  bench_time strong "elba-$side" "$n" 0.010 $steps nve
  test "$n" = 1 || bench_time weak "elba-$side-$n" "$n" 0.010 $steps nve
  test "$n" = 1 || rm -f "elba-$side-$n.h5"
done
bench_close
