#!/bin/bash
# One node, one rank for each of its GPUs, or more ranks, which then share them (lamella starts MPS
# for them); continues the run until its last step is done. In the folder of the run:
#   PATH/slurm_node.sh [SBATCH OPTION]... RUN.yaml [OPTION OF lamella run]...
# submits itself; each job computes one part of the run and queues the next part. Options before
# the run file (one word each, such as --time=02:00:00) override #SBATCH lines. To adapt the script,
# copy it and change the #SBATCH lines and those of the site.
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
# Without the line above the run is one of CPUs: then --ntasks-per-node is the number of cores.
#SBATCH --gpu-bind=none
#SBATCH --cpus-per-task=8
#SBATCH --time=24:00:00
#SBATCH --signal=B:USR1@300
#SBATCH --requeue
#SBATCH --open-mode=append
# Site: account, partition, modules.
# #SBATCH --account=... --partition=...
# module load openmpi hdf5-parallel cuda   # or the MPI that lamella was built with
# export LAMELLA_BIN=$HOME/lamella/bin

# The rest is in slurm_common.sh: in the folder of this script, or where lamella of PATH is
# installed.
common=${LAMELLA_JOBSCRIPTS:-$(dirname "$(readlink -f "$0")")}/slurm_common.sh
bin=$(dirname "$(command -v lamella)")
test -r "$common" || common=$bin/../share/lamella/jobscripts/slurm_common.sh
source "$common" || exit 1
chain "$@"
