#!/bin/bash
# Scaling over the GPUs of one host, one rank a GPU: weak with 1 M ELBA beads a GPU, strong with 1 M
# in all. GPUS="1 2 4 8" [as many as there are] chooses the numbers: OUTPUT/results.csv.
#
source "$(dirname "$0")/common.sh"
bench_options "$@"

present=$(nvidia-smi -L 2>/dev/null | wc -l)
if test $sizes = small; then present=2; fi
gpus=${GPUS:-$(for n in 1 2 4 8; do test $n -le "$present" && echo $n; done)}
steps=1000
side=12
if test $sizes = small; then
  steps=50
  side=1
fi

bench_elba elba-strong $side $side
bench_warm elba-strong 1 0.010 200
for n in $gpus; do
  bench_time strong elba-strong "$n" 0.010 $steps
  bench_elba "elba-weak-$n" $((side * n)) $side
  bench_warm "elba-weak-$n" "$n" 0.010 200
  bench_time weak "elba-weak-$n" "$n" 0.010 $steps
done
