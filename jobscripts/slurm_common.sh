# Sourced by the job scripts (bash): a script that is run outside Slurm submits itself; in its job
# it runs one part of the simulation, and queues the next part where the last step is not done.
#
# Exit status of a job: 0 the last step is done; 1 this script gives up, with a message; 2, 3, 4
# lamella's (wrong input, numerical failure, files); 5 a rank was lost, twice in this job; 99
# stopped with a checkpoint, and the next part is queued, or the job was cancelled; others (137,
# 143, ...) the ranks or their launch failed twice in this job, or the job was cancelled. The chain
# goes on only after 99.

say() { echo "$(date '+%F %T') ${SLURM_JOB_ID:+job $SLURM_JOB_ID }$*" >&2; }

give_up() { # give_up MESSAGE...
  say "$* The run is not finished and no part is queued. Once that is mended, continue with:" \
    "${script[*]}"
  exit 1
}

# split_arguments [SBATCH OPTION]... RUN.yaml... [OPTION]...: into sbatch_options and arguments.
split_arguments() {
  sbatch_options=()
  while [[ ${1:-} == -* ]]; do
    sbatch_options+=("$1")
    shift
  done
  if test $# -eq 0; then
    echo "usage: ${0##*/} [SBATCH OPTION]... RUN.yaml... [OPTION OF lamella run]..." >&2
    exit 2
  fi
  arguments=("$@")
  local word
  for word in "$@"; do
    if [[ $word == --restart* || $word == --max-hours* ]]; then
      echo "$word: the job script sets --restart and --max-hours itself" >&2
      exit 2
    fi
  done
}

# One name a folder: singleton then lets the jobs of one folder run one after the other.
job_name() {
  local hash
  read -r hash _ < <(pwd -P | cksum)
  printf 'lamella-%s-%08x' "$(basename "$(pwd -P)" | tr -c 'A-Za-z0-9._\n-' _)" "$hash"
}

# submit DEPENDENCY [SBATCH OPTION]...: submits this script with its arguments; prints the job id.
submit() (
  dependency=$1
  shift
  for name in ${!SLURM_@} ${!SRUN_@}; do # those of the job that submits the next part
    test "$name" = SLURM_CONF || unset "$name"
  done
  export LAMELLA_JOBSCRIPTS=$common_folder LAMELLA_JOBSCRIPT=${script[0]}
  sbatch --parsable --export=ALL --job-name="$(job_name)" "${sbatch_options[@]}" \
    --dependency="$dependency" "$@" "$script_file" "${sbatch_options[@]}" "${arguments[@]}"
)

# The first part. --dependency=... among the options is kept, and singleton added to it.
submit_first() {
  local option dependency=singleton id
  for option in "${sbatch_options[@]}"; do
    if [[ $option == --dependency=* ]]; then dependency=${option#*=},$dependency; fi
  done
  if ! id=$(submit "$dependency"); then exit 1; fi
  echo "job ${id%%;*} in $PWD, name $(job_name)"
}

# When the job must be over, in seconds since 1970; nothing where it has no limit.
end_of_job() {
  local left
  if test -n "$SLURM_JOB_END_TIME"; then # Slurm 23.02 and later
    echo "$SLURM_JOB_END_TIME"
    return
  fi
  left=$(squeue -h -j "$SLURM_JOB_ID" -o %L)
  if [[ $left =~ ^(([0-9]+)-)?(([0-9]+):)?([0-9]+):([0-9]+)$ ]]; then
    echo $(($(date +%s) + ((10#0${BASH_REMATCH[2]} * 24 + 10#0${BASH_REMATCH[4]}) * 60 + \
      10#${BASH_REMATCH[5]}) * 60 + 10#${BASH_REMATCH[6]}))
  fi
}

# How ranks are started: srun, where it has the plugin that the MPI of lamella needs, else mpiexec, which knows the nodes
# and tasks of the job.
find_launcher() {
  local plugin=pmix default
  default=$(scontrol show config | sed -n 's/^MpiDefault *= *//p')
  if [[ $(lamella --version 2>/dev/null) =~ MPI\ (MPICH|Intel|Cray|MVAPICH) ]]; then
    plugin=pmi2
    if [[ $default == cray* ]]; then plugin=$default; fi
  fi
  if [[ $(srun --mpi=list 2>&1) != *"$plugin"* ]]; then
    launcher=(mpiexec)
  elif [[ $default == "$plugin"* ]]; then
    launcher=(srun -K1)
  else
    launcher=(srun -K1 "--mpi=$plugin")
  fi
}

# A launch or ranks that failed for reasons outside lamella are tried once more, in the same job, or
# after the signal to stop in the next one: a node that died leaves a socket of PMIx, for instance,
# at which a step of the same number fails.
failed_outside() { # failed_outside STATUS
  case $1 in 0 | 2 | 3 | 4 | 99 | 138) return 1 ;; esac
  test -z "$cancelled" && test "$(squeue -h -j "$SLURM_JOB_ID" -o %T)" = RUNNING || return 1
  say "lamella or its launch ended with status $1"
}

# Steps that are not done yet, by a dry run on all ranks; fails with lamella's words and status.
steps_to_do() {
  local said status
  said=$("${launcher[@]}" lamella run "${run_arguments[@]}" --dry-run 2>&1)
  status=$?
  if failed_outside $status; then
    said=$("${launcher[@]}" lamella run "${run_arguments[@]}" --dry-run 2>&1)
    status=$?
  fi
  if test $status -eq 0 && [[ $said =~ (-?[0-9]+)\ steps?\ to\ do ]]; then
    echo $((BASH_REMATCH[1] > 0 ? BASH_REMATCH[1] : 0))
  elif test $status -eq 0 && [[ $said == *othing\ to\ do* ]]; then
    echo 0
  else
    echo "$said" >&2
    return $((status ? status : 1))
  fi
}

# Jobs that wait for this one wait for the next part instead: move_dependants ID.
move_dependants() {
  local job dependency
  squeue -h -u "$(id -un)" -t PD -o '%i %E' | while read -r job dependency; do
    if [[ $dependency =~ after[a-z]*:([0-9_*+:]*:)?$SLURM_JOB_ID([^0-9_]|$) ]]; then
      dependency=$(sed "s/([a-z]*)//g; s/:$SLURM_JOB_ID\b/:$1/g" <<<"$dependency")
      scontrol update JobId="$job" Dependency="$dependency" &&
        say "job $job now waits for the next part, job $1"
    fi
  done
}

# The next part: this job again, or where the site does not requeue, another one.
queue_next() {
  local id
  if test -z "$at_limit" && scontrol requeue "$SLURM_JOB_ID" 2>/dev/null; then
    say "queued again"
    exit 99
  fi
  local how=(singleton)
  if test -n "$SLURM_ARRAY_TASK_ID"; then # singleton would wait for the other tasks
    how=("afterany:$SLURM_JOB_ID" --array="$SLURM_ARRAY_TASK_ID")
  fi
  id=$(submit "${how[@]}") ||
    give_up "Neither scontrol requeue nor sbatch works here."
  say "the next part is job ${id%%;*}"
  move_dependants "${id%%;*}"
  exit 99
}

# A part that does not bring the run forward would be queued for ever.
check_progress() {
  local after done
  after=$(steps_to_do) || give_up "The state of the run cannot be read."
  done=$((before - after))
  say "$done steps in $((SECONDS - launched)) s, $after to do"
  if test $done -le 0; then
    give_up "This part did no step: the time limit of the job is too short."
  elif test $((done * 1000)) -lt "$after"; then
    give_up "It would take more than 1000 such parts: the time limit of the job is too short."
  fi
}

too_early() {
  give_up "The signal to stop came before the run began: the time limit of the job is too short."
}

# The ranks run in the background, so that signals reach this shell and go on to them.
run_and_wait() {
  local hours=() left
  if test -n "$end"; then # a margin of five minutes, less in short jobs
    left=$((end - $(date +%s)))
    left=$((left > 1500 ? left - 300 : left * 4 / 5))
    hours=(--max-hours="$(awk "BEGIN { printf \"%.6f\", $left / 3600 }")")
  fi
  if test -n "$stop"; then too_early; fi
  launched=$SECONDS
  "${launcher[@]}" lamella run "${run_arguments[@]}" "${hours[@]}" &
  run=$!
  while
    interrupted=
    wait $run
    status=$?
    test -n "$interrupted"
  do :; done
}

run_part() {
  stop= cancelled= interrupted= at_limit= run=
  trap 'stop=1 interrupted=1; test -z "$run" || kill -USR1 $run' USR1
  trap 'cancelled=1 interrupted=1' TERM # Slurm sends it to the ranks, too
  end=$(end_of_job)
  find_launcher
  # GPUs or CPUs for the whole chain, also where one node lacks what the others have.
  local backend=cpu
  if test -n "$SLURM_JOB_GPUS" || test "${SLURM_GPUS_ON_NODE:-0}" != 0; then backend=cuda; fi
  local n=0 # run files come first
  while [[ $n -lt ${#arguments[@]} && ${arguments[n]} != -* ]]; do n=$((n + 1)); done
  if test ${#part_files[@]} -eq 0; then part_files=("${arguments[@]:0:n}"); fi
  run_arguments=("${part_files[@]}" -s "parallel.backend=$backend" "${part_options[@]}"
    "${arguments[@]:n}" --restart=auto)
  before=$(steps_to_do) || exit
  if test "$before" -eq 0; then
    say "nothing to do: the last step is done"
    exit 0
  fi
  run_and_wait
  if failed_outside $status; then
    if test -n "$stop"; then # no time is left in this job: the next part is the second try
      check_progress
      queue_next
    fi
    run_and_wait
  fi
  if test -n "$cancelled" && test -n "$end" && test "$(date +%s)" -ge "$end"; then at_limit=1; fi
  case $status in
  0)
    after=$(steps_to_do) || exit
    if test "$after" -eq 0; then exit 0; fi
    # After a signal mpiexec of MPICH may end with 0 in place of 99.
    test -n "$stop$cancelled" || give_up "The launcher ended with status 0, but $after steps are not done." ;;
  99) ;;
  138) too_early ;; # SIGUSR1 before the ranks were ready for it
  *)
    say "lamella or its launch ended with status $status"
    exit $status ;;
  esac
  if test -n "$at_limit"; then
    say "the stop took until the time limit: an earlier signal (--signal=B:USR1@SECONDS) is safer"
    queue_next
  elif test -n "$cancelled" || test "$(squeue -h -j "$SLURM_JOB_ID" -o %T)" != RUNNING; then
    say "cancelled: the checkpoint is written, and no part is queued"
    exit 99
  fi
  check_progress
  queue_next
}

# Environment of all job scripts. Installed, the program lies in ../../../bin from here.
prepare() {
  if test -n "$LAMELLA_BIN"; then
    PATH=$LAMELLA_BIN:$PATH
  elif test -x "$common_folder/../../../bin/lamella"; then
    PATH=$common_folder/../../../bin:$PATH
  fi
  export PATH
  export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-1} # srun of Slurm 22.05 to 23.02 forgets it
  export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
}

# chain "$@": all that a job script does. part_options: options of lamella for this job alone;
# part_files: its run files, of those that are given.
chain() {
  split_arguments "$@"
  script_file=$0
  script=("${LAMELLA_JOBSCRIPT:-$(readlink -f "$0")}" "${sbatch_options[@]}" "${arguments[@]}")
  if test "$ENVIRONMENT" != BATCH; then
    submit_first
  else
    prepare
    run_part
  fi
}

common_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
