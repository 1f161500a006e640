#!/usr/bin/env python3
"""A job script in a real Slurm: it submits itself, stops at the signal that Slurm sends to jobs
before their time limit, is queued again, and finishes; what it leaves is what one uninterrupted run
leaves. A job that needs the whole run does not start before its end."""
import os
import subprocess
import sys
import tempfile

try:
    import h5py  # noqa: F401
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

from run_lamella import Checks, read, write
from slurm_local import LocalSlurm
from slurm_project import EVERY, MANY, SCRIPTS, Project


def stop_requeue_finish(checks, slurm, folder, limit=()):
    """limit: sbatch's options for a signal that comes by itself; without it comes now."""
    project = Project(slurm, os.path.join(folder, "a run"))
    project.write(MANY)
    number = project.submit("slurm_node.sh", "--time=20", *limit)
    after = project.dependant(number)
    name = slurm.job(number)["JobName"]
    checks.true("the job is named after the folder", name.startswith("lamella-a_run-"), name)
    project.wait_step(200)
    if not limit:
        slurm.command("scancel", "--batch", "--signal=USR1", number)
    slurm.wait_for(lambda: slurm.job(number).get("Restarts") == "1", 300)
    steps = project.saved() + 300
    project.write(steps)  # the first part stopped somewhere: the second one ends soon
    ended = slurm.wait_state(number, seconds=300)
    said = project.said()
    checks.true("queued again once", ended.get("Restarts") == "1", ended, said)
    checks.true("done", ended.get("JobState") == "COMPLETED" and ended["ExitCode"] == "0:0", ended,
                said)
    checks.true("stopped by the signal", "queued again" in said, said)
    slurm.wait_state(after)
    found = project.said("dependant.out")
    checks.true("the dependant came last", found.startswith(f"{steps // EVERY * EVERY},"), found)
    project.compare(checks, "two parts", steps)
    if checks.failed:
        slurm.show_logs()


def time_left(checks, folder):
    """The end of a job from what Slurm says: seconds since 1970, or the time left."""
    for name, said in (("squeue", 'echo "$LEFT"'), ("date", "echo 1000")):
        write(os.path.join(folder, name), f"#!/bin/sh\n{said}\n")
        os.chmod(os.path.join(folder, name), 0o755)
    for left, end in (("1-02:03:04", 94784), ("08:09:10", 30350), ("9:08", 1548), ("0:33", 1033),
                      ("UNLIMITED", ""), ("INVALID", "")):
        said = subprocess.run(
            ["bash", "-c", f"source '{SCRIPTS}/slurm_common.sh'; end_of_job"], text=True,
            env={"PATH": f"{folder}:{os.environ['PATH']}", "LEFT": left}, capture_output=True)
        checks.true(f"time left {left}", said.stdout.strip() == str(end), said)
    said = subprocess.run(
        ["bash", "-c", f"source '{SCRIPTS}/slurm_common.sh'; end_of_job"], text=True,
        env={**os.environ, "SLURM_JOB_END_TIME": "123"}, capture_output=True)
    checks.true("SLURM_JOB_END_TIME", said.stdout.strip() == "123", said)


PART = """source '%s/slurm_common.sh'
end_of_job() { :; }
find_launcher() { launcher=(false); }
steps_to_do() { cat to_do; }
queue_next() { echo "next after $calls"; exit 99; }
run_and_wait() { calls=$((calls + 1)) status=$STATUS launched=$SECONDS stop=$STOP; echo 50 >to_do; }
arguments=(run.yaml) calls=0
echo 100 >to_do
run_part; ended=$?
"""


def lost_rank(checks, folder):
    """A rank that is lost is tried once more: in the same job, or after the signal to stop in the next part."""
    write(os.path.join(folder, "squeue"), "#!/bin/sh\necho RUNNING\n")
    os.chmod(os.path.join(folder, "squeue"), 0o755)
    for status, stop, ends, says in ((137, "1", 99, "next after 1"), (5, "1", 99, "next after 1"), (137, "", 137, "status 137"),
                                     (3, "1", 3, "status 3"), (99, "1", 99, "next after 1")):
        said = subprocess.run(["bash", "-c", PART % SCRIPTS], text=True, capture_output=True, cwd=folder,
                              env={"PATH": f"{folder}:{os.environ['PATH']}", "SLURM_JOB_ID": "1", "STATUS": str(status), "STOP": stop})
        checks.true(f"status {status} with stop '{stop}'", said.returncode == ends and says in said.stdout + said.stderr, said)


def array_of_files(checks, folder):
    """Task K of an array does the K-th of several run files, or replica K of one."""
    for name, said in (("squeue", ":"), ("scontrol", ":"), ("lamella", 'echo "$@" >called; echo nothing to do'),
                       ("srun", 'test "$1" = --mpi=list && echo pmix && exit; shift 2; "$@"')):
        write(os.path.join(folder, name), f"#!/bin/sh\n{said}\n")
        os.chmod(os.path.join(folder, name), 0o755)
    for files, task, ends, called in (
            (("a.yaml", "b.yaml", "c.yaml"), 2, 0, "run b.yaml -s parallel.backend=cpu -s x=1 --restart=auto --dry-run"),
            (("a.yaml", "b.yaml"), 3, 2, None),
            (("d/a.yaml",), 3, 0, "run d/a.yaml -s parallel.backend=cpu -s output.prefix=replica-3/a -s run.replica=3 -s x=1")):
        done = subprocess.run(["bash", f"{SCRIPTS}/slurm_array.sh", "--array=1-3", *files, "-s", "x=1"], text=True,
                              capture_output=True, cwd=folder, env={
                                  "PATH": f"{folder}:{os.environ['PATH']}", "ENVIRONMENT": "BATCH", "SLURM_JOB_ID": "1",
                                  "SLURM_ARRAY_TASK_ID": str(task), "SLURM_JOB_END_TIME": "9999999999"})
        checks.true(f"task {task} of {files}", done.returncode == ends, done)
        if called:
            checks.true(f"task {task} of {files} calls", read(os.path.join(folder, "called")).startswith(called), done)
        else:
            checks.true("too many tasks", "--array=1-2" in done.stderr, done)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        time_left(checks, folder)
        lost_rank(checks, folder)
        array_of_files(checks, folder)
    with LocalSlurm() as slurm, tempfile.TemporaryDirectory() as folder:
        stop_requeue_finish(checks, slurm, folder)
    checks.end()


if __name__ == "__main__":
    main()
