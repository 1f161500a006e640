#!/usr/bin/env python3
"""A job script in a real Slurm: it submits itself, stops at the signal that Slurm sends before the
time limit, is queued again, and finishes; what it leaves is what one uninterrupted run leaves. A
job that needs the whole run does not start before its end."""
import os
import sys
import tempfile

try:
    import h5py  # noqa: F401
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

from run_lamella import Checks
from slurm_local import LocalSlurm
from slurm_project import EVERY, MANY, Project


def stop_requeue_finish(checks, slurm, folder):
    project = Project(slurm, os.path.join(folder, "a run"))
    project.write(MANY)
    number = project.submit("slurm_node.sh", "--time=1", "--signal=B:USR1@40")
    after = project.dependant(number)
    name = slurm.job(number)["JobName"]
    checks.true("the job is named after the folder", name.startswith("lamella-a_run-"), name)
    slurm.wait_for(lambda: slurm.job(number).get("Restarts") == "1", 120)
    steps = project.saved() + 300
    project.write(steps)  # the first part stopped somewhere: the second one ends soon
    ended = slurm.wait_state(number)
    said = project.said()
    checks.true("queued again once", ended.get("Restarts") == "1", ended, said)
    checks.true("done", ended.get("JobState") == "COMPLETED" and ended["ExitCode"] == "0:0", ended,
                said)
    checks.true("stopped by the signal", "queued again" in said, said)
    slurm.wait_state(after)
    checks.true("the dependant came last", project.said("dependant.out").startswith(f"{steps // EVERY * EVERY},"),
                project.said("dependant.out"))
    project.compare(checks, "two parts", steps)
    if checks.failed:
        slurm.show_logs()


def main():
    checks = Checks()
    with LocalSlurm() as slurm, tempfile.TemporaryDirectory() as folder:
        stop_requeue_finish(checks, slurm, folder)
    checks.end()


if __name__ == "__main__":
    main()
