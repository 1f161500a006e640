#!/usr/bin/env python3
"""Every job script in a real Slurm, as it stands: chains with and without requeue, arrays, several
nodes, jobs that wait for others, cancelling, limits that are too short, launches that fail, nodes
that die. Exit statuses are right, and what is left is what one uninterrupted run leaves."""
import os
import re
import shutil
import signal
import sys
import tempfile

try:
    import h5py  # noqa: F401
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

import slurm_project
from run_lamella import LAMELLA, Checks
from slurm_local import LocalSlurm, environment
from slurm_project import EVERY, FILE, MANY, Project
from test_slurm import stop_requeue_finish

STEPS = 1500  # of each replica
LIMIT = ("--time=3", "--signal=B:USR1@60")  # the signal comes a minute earlier or so


def ends(checks, slurm, what, number, state, status, seconds=400):
    job = slurm.wait_state(number, seconds=seconds)
    checks.true(f"{what}: {state}, status {status}",
                (job.get("JobState"), job.get("ExitCode")) == (state, f"{status}:0"), job)


def stop(slurm, number):
    """The signal that Slurm sends before the limit, at once."""
    slurm.command("scancel", "--batch", "--signal=USR1", number)


def limit_requeue_finish(checks, slurm, folder):
    stop_requeue_finish(checks, slurm, folder, LIMIT)


def chain_without_requeue(checks, slurm, folder):
    """Each part submits the next one; jobs that wait for a part wait for the whole chain then."""
    what = "no requeue"
    project = Project(slurm, os.path.join(folder, "no requeue"), prefix="a b")
    project.write(MANY)
    number = project.submit("slurm_node.sh", "--no-requeue", "--time=10")
    after = project.dependant(number)
    anyhow = project.dependant(number, "afterany")
    project.wait_step(300)
    stop(slurm, number)
    ends(checks, slurm, what + ": first part", number, "FAILED", 99)
    names = slurm.command("squeue", "-h", "-o", "%i %j").split("\n")
    name = slurm.job(number)["JobName"]
    follower = [line.split()[0] for line in names if line.endswith(" " + name)]
    checks.true(what + ": one next part", len(follower) == 1, names, project.said())
    steps = project.saved() + 300
    project.write(steps)
    slurm.wait_for(lambda: slurm.state(after) == "COMPLETED", 120)
    checks.true(what + ": dependants came last", slurm.state(anyhow) == "COMPLETED" and
                project.said("dependant.out").startswith(f"{steps // EVERY * EVERY},"),
                project.said("dependant.out"), project.said())
    project.compare(checks, what, steps)


def several_nodes(checks, slurm, folder):
    what = "two nodes"
    project = Project(slurm, os.path.join(folder, "nodes"))
    project.write(MANY)
    number = project.submit("slurm_nodes.sh", *LIMIT, ranks=1)
    slurm.wait_for(lambda: slurm.job(number).get("Restarts") == "1", 400)
    steps = project.saved() + 300
    project.write(steps)
    ends(checks, slurm, what, number, "COMPLETED", 0)
    project.compare(checks, what, steps)


def array(checks, slurm, folder):
    """Three replicas; the second one stops once and goes on."""
    what = "array"
    project = Project(slurm, os.path.join(folder, "array"), prefix="replica-2/run it")
    project.write(STEPS)
    number = project.submit("slurm_array.sh", "--array=1-3", "--gpus-per-node=1",
                            "--output=%a.out", ranks=1)
    after = project.dependant(number)
    project.wait_step(100)
    stop(slurm, number + "_2")
    ends(checks, slurm, what, number + "_2", "COMPLETED", 0)
    slurm.wait_state(after)
    said = project.said("2.out")
    checks.true(what + ": stopped and went on", "queued again" in said, said)
    checks.true(what + ": the dependant came last",
                project.said("dependant.out").startswith(f"{STEPS},"),
                project.said("dependant.out"))
    for k in 1, 2, 3:
        project.compare(checks, what, STEPS, f"replica-{k}/run it", "-s", f"run.replica={k}")
    rows = {open(project.path(f"replica-{k}/run it.csv")).read() for k in (1, 2, 3)}
    checks.true(what + ": other noise for each", len(rows) == 3)


def cancelled(checks, slurm, folder):
    """The checkpoint is there, and nothing is queued: the same command continues."""
    what = "scancel"
    project = Project(slurm, os.path.join(folder, "cancelled"))
    project.write(MANY)
    for requeue in "--requeue", "--no-requeue":
        number = project.submit("slurm_node.sh", requeue, "--time=10")
        after = project.dependant(number)
        project.wait_step(project.step() + 100)
        slurm.command("scancel", number)
        job = slurm.wait_state(number)
        checks.true(what + ": cancelled", job["JobState"] == "CANCELLED", job)
        left = slurm.command("squeue", "-h", "-o", "%i").split()
        checks.true(what + ": the dependant does not start", left in ([], [after]), left)
        slurm.command("scancel", after)
    steps = project.saved() + 100
    project.write(steps)
    ends(checks, slurm, what + ", and again", project.submit("slurm_node.sh"), "COMPLETED", 0)
    project.compare(checks, what, steps)


def too_short(checks, slurm, folder):
    """Limits that leave no time, or so little that there would be no end."""
    project = Project(slurm, os.path.join(folder, "short"))
    project.write(MANY)
    number = project.submit("slurm_node.sh", "--time=1", "--signal=B:USR1@60", ranks=1,
                            arguments=("-s", "run.steps=2000000000"))
    ends(checks, slurm, "too short", number, "FAILED", 1)
    checks.true("too short: it is said", "time limit of the job is too short" in project.said(),
                project.said())


def failed_launches(checks, slurm, folder):
    project = Project(slurm, os.path.join(folder, "failed"))
    project.write(300)
    number = project.submit("slurm_node.sh", arguments=("-s", "run.steps=-3"))
    ends(checks, slurm, "wrong input", number, "FAILED", 2)
    os.rename(project.path("melt.h5"), project.path("melt"))
    ends(checks, slurm, "no input", project.submit("slurm_node.sh"), "FAILED", 4)
    os.rename(project.path("melt"), project.path("melt.h5"))
    # A launcher that fails and says 0, as srun does at times.
    folder = project.path("bin")
    os.makedirs(folder)
    with open(os.path.join(folder, "lamella"), "w") as file:
        file.write('#!/bin/sh\ncase "$*" in *dry-run*) exec "%s" "$@" ;; esac\nexit 0\n' % LAMELLA)
    os.chmod(os.path.join(folder, "lamella"), 0o755)
    number = project.submit("slurm_node.sh", bin=folder)
    after = project.dependant(number)
    ends(checks, slurm, "status 0 of nothing", number, "FAILED", 1)
    checks.true("status 0 of nothing: no dependant starts", slurm.state(after) == "PENDING")
    slurm.command("scancel", after)
    done = project.submit("slurm_node.sh", arguments=("--restart=never",), check=False)
    checks.true("a restart of one's own is refused", done.returncode == 2, done)
    project.write(300)
    for _ in range(2):  # the second one has nothing to do
        ends(checks, slurm, "done", project.submit("slurm_node.sh"), "COMPLETED", 0)


def kill_rank(checks, slurm):
    """Ends the rank on the second node."""
    found = [pid for pid in slurm.processes("n2")
             if environment(pid).get("SLURM_PROCID") == "1" and
             os.readlink(f"/proc/{pid}/exe") == os.path.realpath(LAMELLA)]
    checks.true("a rank dies: it is found", len(found) == 1, found)
    os.kill(found[0], signal.SIGKILL)


def dead_rank(checks, slurm, folder):
    """Once: the job starts it again from the checkpoint. Twice: the job has failed."""
    what = "a rank dies"
    project = Project(slurm, os.path.join(folder, "rank"))
    project.write(MANY)
    number = project.submit("slurm_nodes.sh", ranks=1)
    after = project.dependant(number)
    project.wait_step(600)
    kill_rank(checks, slurm)
    again = slurm.wait_for(lambda: "going on from" in project.said(), 120)
    checks.true(what + ": started again", again, project.said())
    project.wait_step(1200)
    kill_rank(checks, slurm)
    job = slurm.wait_state(number)
    checks.true(what + ": the job has failed", job["JobState"] == "FAILED", job)
    checks.true(what + ": status", job["ExitCode"] not in ("0:0", "99:0", "1:0"), job)
    checks.true(what + ": the dependant does not start", slurm.state(after) == "PENDING")
    slurm.command("scancel", after)


def dead_node(checks, slurm, folder):
    """Slurm queues the job of a dead node again; it goes on from the checkpoint."""
    what = "a node dies"
    project = Project(slurm, os.path.join(folder, "node"))
    project.write(MANY)
    number = project.submit("slurm_nodes.sh", ranks=1)
    after = project.dependant(number)
    project.wait_step(600)
    slurm.kill_node("n2")
    job = slurm.wait_state(number, "PENDING", *slurm.ended, seconds=180)
    said = project.said()
    checks.true(what + ": failed or queued again",
                job["JobState"] in ("PENDING", "FAILED", "NODE_FAIL"), job, said)
    checks.true(what + ": the dependant waits", slurm.state(after) == "PENDING")
    steps = project.saved() + 300
    project.write(steps)
    slurm.start_node("n2")
    slurm.command("scontrol", "update", "NodeName=n2", "State=RESUME")
    if job["JobState"] != "PENDING":
        number = project.submit("slurm_nodes.sh", ranks=1)
    ends(checks, slurm, what + ", and on", number, "COMPLETED", 0)
    checks.true(what + ": said", project.said().count("going on from") > 0, project.said())
    slurm.command("scancel", after)
    project.compare(checks, what, steps)


def installed(checks, slurm, folder):
    """From where make install puts them: scripts find the program, also as sbatch SCRIPT, and where
    slurm_common.sh is not found they say so."""
    tree = os.path.join(folder, "tree")
    scripts = os.path.join(tree, "share", "lamella", "jobscripts")
    shutil.copytree(slurm_project.SCRIPTS, scripts)
    os.makedirs(os.path.join(tree, "bin"))
    os.symlink(LAMELLA, os.path.join(tree, "bin", "lamella"))
    project = Project(slurm, os.path.join(folder, "installed"))
    project.write(300)
    script = os.path.join(scripts, "slurm_node.sh")
    options = ("--ntasks-per-node=1", "--cpus-per-task=1", "--gpus-per-node=0", "--output=job.out")
    path = os.environ["PATH"]
    for what, command, path, status in (
            ("sbatch", ["sbatch", *options, script], path, 1),
            ("sbatch, program in PATH", ["sbatch", *options, script],
             os.path.join(tree, "bin") + ":" + path, 0),
            ("script", [script, *options], path, 0)):
        project.write(300 + project.step())
        said = slurm.command(*command, FILE, cwd=project.folder, environment={"PATH": path})
        number = re.search(r"job (\d+)", said)[1]
        job = slurm.wait_state(number)
        checks.true(f"installed, {what}", job.get("ExitCode") == f"{status}:0", job, project.said())


ONE_NODE = (limit_requeue_finish, chain_without_requeue, array, cancelled, too_short,
            failed_launches, installed)
TWO_NODES = (several_nodes, dead_rank, dead_node)


def main():
    checks = Checks()
    wanted = sys.argv[1:]
    for nodes, mpi, parts in (1, "none", ONE_NODE), (2, "pmix", TWO_NODES):
        parts = [part for part in parts if not wanted or part.__name__ in wanted]
        if not parts:
            continue
        with LocalSlurm(nodes, settings="MpiDefault=" + mpi) as slurm, \
                tempfile.TemporaryDirectory() as folder:
            for part in parts:
                failed = checks.failed
                print("==", part.__name__, flush=True)
                part(checks, slurm, folder)
                slurm.command("scancel", "-u", "root")
                if checks.failed > failed:
                    slurm.show_logs()
    checks.end()


if __name__ == "__main__":
    main()
