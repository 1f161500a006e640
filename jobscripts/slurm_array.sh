#!/bin/bash
# Replicas of one run as an array of jobs, each on one GPU: replica K writes replica-K/RUN.* with
# run.replica K, so noise of its own, and continues until its last step is done. Of several run files task K does
# the K-th, as it stands. In the folder of the run:
#   PATH/slurm_array.sh [SBATCH OPTION]... RUN.yaml... [OPTION OF lamella run]...
# submits itself; each job computes one part of the run and queues the next part. Options before
# the run file (one word each, such as --time=02:00:00) override #SBATCH lines. To adapt the script,
# copy it and change the #SBATCH lines and those of the site.
# Do not give output.prefix: it would hold for all replicas.
#SBATCH --array=1-8
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=1
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
replica() { # run files stand after the options of sbatch and before those of lamella
  local files=() word
  for word; do
    if [[ $word != -* ]]; then files+=("$word"); elif test ${#files[@]} -gt 0; then break; fi
  done
  if test ${#files[@]} -gt 1; then
    part_files=("${files[@]:SLURM_ARRAY_TASK_ID - 1:1}")
    if test ${#part_files[@]} -eq 0; then
      echo "task $SLURM_ARRAY_TASK_ID of ${#files[@]} run files: give --array=1-${#files[@]}" >&2
      exit 2
    fi
    return
  fi
  mkdir -p "replica-$SLURM_ARRAY_TASK_ID" || exit 4
  local name=${files[0]##*/}
  if [[ $name == *.yaml ]]; then name=${name%.yaml}; else name=${name%.yml}; fi
  part_options=(-s "output.prefix=replica-$SLURM_ARRAY_TASK_ID/$name"
    -s "run.replica=$SLURM_ARRAY_TASK_ID")
}
if test -n "$SLURM_ARRAY_TASK_ID"; then replica "$@"; fi
chain "$@"
