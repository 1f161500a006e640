#!/bin/bash
# Transports between two GPUs of one host, one rank a GPU: ELBA, 112,640 and 1,013,760 beads a GPU, NVE and NPT at 10 fs
# with exact lists. `ipc+staged` and `ipc+nccl` have their links by MPI and NCCL, since LAMELLA_NODES=2
# tells the ranks that they are on two nodes. TRANSPORTS="ipc ipc+nccl ipc+staged staged nccl" chooses. Table transports.
#
source "$(dirname "$0")/common.sh"
bench_options "$@"
bench_open transports

transports=${TRANSPORTS:-ipc ipc+nccl ipc+staged staged nccl}
if test $sizes = small; then
  copies='2x1:50'
else
  copies='8x4:2000 24x12:600'
fi
npt=(-s thermostat.type=bussi -s thermostat.temperature="$temperature" -s thermostat.tau=1 -s barostat.type=crescale
  -s barostat.coupling=semi_isotropic -s barostat.pressure=1.01325 -s barostat.tau=5)

for size in $copies; do
  IFS=x: read -r nx ny steps <<<"$size"
  bench_elba "elba-$nx-$ny" "$nx" "$ny" 2
  for transport in $transports; do
    nodes=1
    if [[ $transport == ipc+* ]]; then nodes=2; fi
    export LAMELLA_NODES=$nodes
    bench_time "elba $transport" "elba-$nx-$ny" 2 0.010 "$steps" nve -s parallel.transport="$transport"
    bench_time "elba $transport" "elba-$nx-$ny" 2 0.010 "$steps" npt -s parallel.transport="$transport" "${npt[@]}"
  done
done
bench_close
