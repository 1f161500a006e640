#!/bin/bash
# Strong scaling of a run file in one job, or on a workstation: a CSV line for each number of ranks.
#   sbatch --nodes=2 --ntasks-per-node=4 --gpus-per-node=4 scaling.sh RUN.yaml [STEPS]
#   RANKS="1 2" bash scaling.sh RUN.yaml [STEPS]
# RANKS names the numbers of ranks [powers of two up to the job's tasks]. Starts from the input of
# the run file each time; the result is scaling.csv in the folder it is started in, and the files of
# N ranks are scaling-N.*.
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

# How ranks are started: srun in a job, where it has PMIx, which Open MPI needs; else mpiexec.
launcher=(mpiexec)
if test -n "$SLURM_JOB_ID" && srun --mpi=list 2>&1 | grep -q pmix; then
  launcher=(srun -K1 --mpi=pmix)
fi

echo "ranks,backend,transport,precision,beads,steps,ms_per_step,ns_per_day,\
million_bead_steps_per_s,imbalance,git" >scaling.csv
for n in $ranks; do
  "${launcher[@]}" -n "$n" lamella run "$file" --restart=never -s run.steps="$steps" \
    -s output.prefix=scaling-"$n" -s output.frames_every=0 -s output.energies_every=0 \
    -s output.checkpoint_every=0 || exit 1
  python3 - "scaling-$n.performance.json" <<'END' | tee -a scaling.csv
import csv, json, sys
r = json.load(open(sys.argv[1]))
csv.writer(sys.stdout, lineterminator="\n").writerow(
    r[key] for key in "ranks backend transport precision beads steps ms_per_step ns_per_day "
    "million_bead_steps_per_s imbalance git".split())
END
done
