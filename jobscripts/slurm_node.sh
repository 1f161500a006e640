#!/bin/bash
# One node, one rank for each of its GPUs; continues the run until its last step is done.
#   sbatch --chdir=RUN_FOLDER slurm_node.sh [RUN.yaml]
# Before the time limit the run stops with a checkpoint and status 99, and the job queues itself
# again: the same command then continues bit for bit. Adapt the lines up to "srun" to the site.
#SBATCH --job-name=lamella
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --gpu-bind=none
#SBATCH --cpus-per-task=8
#SBATCH --time=24:00:00
#SBATCH --signal=B:USR1@300
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --dependency=singleton
# Without GPUs: remove the two gpu lines, ask for one task a core, and add
# "-s parallel.backend=cpu" to the srun line.

# module load openmpi hdf5-parallel cuda
export PATH=${LAMELLA_BIN:-$HOME/lamella/bin}:$PATH
export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-1} # srun of Slurm 22.05 to 23.02 forgets it
export OMP_NUM_THREADS=1
hours=23.8 # a little less than --time

srun -K1 lamella run "${1:-run.yaml}" --restart=auto --max-hours=$hours &

# The signal reaches this shell (B:), not the ranks: pass it on, and wait for the checkpoint.
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
