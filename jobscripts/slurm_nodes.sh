#!/bin/bash
# Several nodes, one rank for each GPU; continues the run until its last step is done.
#   sbatch --chdir=RUN_FOLDER slurm_nodes.sh [RUN.yaml]
# Slabs cut one axis of the membrane: neighbours in rank order share a face, so ranks are placed
# node by node (block), and only the first and last GPU of a node talk to another node. The run
# needs rank count times (cutoff + skin) along that axis. Stops and queues again as slurm_node.sh.
#SBATCH --job-name=lamella
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --gpu-bind=none
#SBATCH --cpus-per-task=8
#SBATCH --distribution=block:block
#SBATCH --time=24:00:00
#SBATCH --signal=B:USR1@300
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --dependency=singleton

# module load openmpi hdf5-parallel cuda
export PATH=${LAMELLA_BIN:-$HOME/lamella/bin}:$PATH
export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-1} # srun of Slurm 22.05 to 23.02 forgets it
export OMP_NUM_THREADS=1
# Lustre, BeeGFS: if writing is slow or hangs, try the other MPI-IO of Open MPI.
# export OMPI_MCA_io=^ompio
hours=23.8 # a little less than --time

srun -K1 lamella run "${1:-run.yaml}" --restart=auto --max-hours=$hours &

run=$!
trap 'kill -USR1 $run' USR1
wait $run
status=$?
while kill -0 $run 2>/dev/null; do
  wait $run
  status=$?
done
if test $status -eq 99; then scontrol requeue "$SLURM_JOB_ID"; fi
exit $status
