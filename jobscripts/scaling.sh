#!/bin/bash
# Strong scaling of a run file in one job, or on a workstation: a CSV line for each number of ranks.
#   sbatch --nodes=2 --ntasks-per-node=4 --gpus-per-node=4 scaling.sh RUN.yaml [STEPS]
#   RANKS="1 2" bash scaling.sh RUN.yaml [STEPS]
# RANKS names the numbers of ranks [powers of two up to the job's tasks]. Starts from the input of
# the run file each time; the result is scaling.csv in the folder it is started in.
#SBATCH --job-name=lamella-scaling
#SBATCH --gpu-bind=none
#SBATCH --cpus-per-task=8
#SBATCH --time=01:00:00

# module load openmpi hdf5-parallel cuda
export PATH=${LAMELLA_BIN:-$HOME/lamella/bin}:$PATH
export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-1}
export OMP_NUM_THREADS=1
file=${1:?a run file}
steps=${2:-1000}
tasks=${SLURM_NTASKS:-$(getconf _NPROCESSORS_ONLN)}
ranks=${RANKS:-$(for ((n = 1; n <= tasks; n *= 2)); do echo $n; done)}

# launch N COMMAND...: srun inside a job, mpiexec outside.
launch() {
  local n=$1
  shift
  if test -n "$SLURM_JOB_ID"; then srun -K1 -n "$n" "$@"; else mpiexec -n "$n" "$@"; fi
}

echo "ranks,backend,transport,precision,beads,steps,ms_per_step,ns_per_day,\
million_bead_steps_per_s,imbalance,git" >scaling.csv
for n in $ranks; do
  launch "$n" lamella run "$file" --restart=never -s run.steps="$steps" \
    -s output.prefix=scaling -s output.frames_every=0 -s output.energies_every=0 \
    -s output.checkpoint_every=0 || exit 1
  python3 - <<'END' | tee -a scaling.csv
import csv, json, sys
r = json.load(open("scaling.performance.json"))
csv.writer(sys.stdout, lineterminator="\n").writerow(
    r[key] for key in "ranks backend transport precision beads steps ms_per_step ns_per_day "
    "million_bead_steps_per_s imbalance git".split())
END
done
