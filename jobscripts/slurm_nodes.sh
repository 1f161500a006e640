#!/bin/bash
# Several nodes, one rank for each GPU; continues the run until its last step is done. Slabs cut one
# axis of the membrane: neighbours in rank order share a face, so ranks are placed node by node
# (block), and only the first and last GPU of a node talk to another node. The run needs rank count
# times (cutoff + skin) along that axis. In the folder of the run:
#   PATH/slurm_nodes.sh [SBATCH OPTION]... RUN.yaml [OPTION OF lamella run]...
# submits itself; each job computes one part of the run and queues the next part. Options before
# the run file (one word each, such as --time=02:00:00) override #SBATCH lines. To adapt the script,
# copy it and change the #SBATCH lines and those of the site.
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
# Without the line above the run is one of CPUs: then --ntasks-per-node is the number of cores.
#SBATCH --gpu-bind=none
#SBATCH --cpus-per-task=8
#SBATCH --distribution=block:block
#SBATCH --time=24:00:00
#SBATCH --signal=B:USR1@300
#SBATCH --requeue
#SBATCH --open-mode=append
# Site: account, partition, modules.
# #SBATCH --account=... --partition=...
# module load openmpi hdf5-parallel cuda   # or the MPI that lamella was built with
# export LAMELLA_BIN=$HOME/lamella/bin
# Lustre, BeeGFS: if writing is slow or hangs with Open MPI, try its other MPI-IO.
# export OMPI_MCA_io=^ompio

# The rest is in slurm_common.sh: in the folder of this script, or where lamella of PATH is
# installed.
common=${LAMELLA_JOBSCRIPTS:-$(dirname "$(readlink -f "$0")")}/slurm_common.sh
bin=$(dirname "$(command -v lamella)")
test -r "$common" || common=$bin/../share/lamella/jobscripts/slurm_common.sh
source "$common" || exit 1
chain "$@"
