#!/bin/bash
# Strong scaling of a run file in one job, or on a workstation: a CSV line for each number of ranks.
#   sbatch --nodes=2 --ntasks-per-node=4 --gpus-per-node=4 scaling.sh RUN.yaml [STEPS]
#   RANKS="1 2" bash scaling.sh RUN.yaml [STEPS]
# RANKS names the numbers of ranks [powers of two up to the job's tasks]. Starts from the input of
# the run file each time; the result is scaling.csv in the folder it is started in, and the files of
# N ranks are scaling-N.*. When it is run again, those of the last time are moved to the folders
# scaling-N.backup.K, and scaling.csv is overwritten.
#SBATCH --job-name=lamella-scaling
#SBATCH --gpu-bind=none
#SBATCH --cpus-per-task=8
#SBATCH --time=01:00:00

# module load openmpi hdf5-parallel cuda   # or the MPI that lamella was built with
# export LAMELLA_BIN=$HOME/lamella/bin

# Slurm runs a copy of this script, and knows where the script itself is. slurm_common.sh is in that
# folder, or where lamella (in PATH) is installed.
submitted=
if test "$ENVIRONMENT" = BATCH; then
  submitted=$(scontrol show job "$SLURM_JOB_ID" | sed -n 's|^ *Command=\(.*\)/[^/]*\.sh.*|\1|p')
fi
bin=$(dirname "$(command -v lamella)")
for folder in "$LAMELLA_JOBSCRIPTS" "$(dirname "$(readlink -f "$0")")" "$submitted" \
  "$bin/../share/lamella/jobscripts"; do
  if test -r "$folder/slurm_common.sh"; then break; fi
done
source "$folder/slurm_common.sh" || exit 1
prepare
if test -n "$SLURM_JOB_ID"; then find_launcher; else launcher=(mpiexec); fi

file=${1:?a run file}
steps=${2:-1000}
tasks=${SLURM_NTASKS:-$(getconf _NPROCESSORS_ONLN)}
ranks=${RANKS:-$(for ((n = 1; n <= tasks; n *= 2)); do echo $n; done)}

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
