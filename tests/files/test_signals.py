"""Signals to mpiexec end in a checkpoint of the step that was reached; status 99 where mpiexec
passes them on. A second SIGINT ends a rank at once."""
import os
import signal
import subprocess
import tempfile
import threading
import time

import trial
from run_lamella import LAMELLA, MPIEXEC, STOPPED, Checks, read, run

SPEC = "forcefield: lj\ntemperature: 120\nlattice: {type: fcc, cells: [16, 8, 8], density: 0.8442}\n"
SOON = 60  # s
checks = Checks()


STAGES = "--set=stages=[{name: a, steps: 3}, {name: b, steps: 100000000}]"


def start(folder, name, state, ranks, *more):
    command = [LAMELLA, "run", "empty.yaml", "--restart=never", f"--set=input={state}",
               *([] if more else ["--set=run.steps=100000000"]), "--set=run.dt=0.001", f"--set=output.prefix={name}",
               "--set=parallel.backend=cpu", *more]
    if ranks > 1:
        command = [*MPIEXEC, "-n", str(ranks), *command]
    job = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                           text=True, env={**os.environ,
                                           "OMPI_MCA_odls_base_sigkill_timeout": "10"})
    path, end = os.path.join(folder, name + (".b.csv" if more else ".csv")), time.monotonic() + SOON
    while time.monotonic() < end and not (os.path.exists(path) and os.path.getsize(path) > 900):
        time.sleep(0.1)
    return job


def to_launcher(folder, state, name, status):
    job = start(folder, name, state, 2)
    job.send_signal(getattr(signal, name))
    said = job.communicate(timeout=SOON)[1]
    checks.true(name + ": stopped at a step", "stopped at step " in said, said)
    checks.true(name + ": status", job.returncode in (status or [job.returncode]), job.returncode)
    checks.true(name + ": status of the ranks", "the job ends with status 99" in read(os.path.join(folder, name + ".log")))
    checks.true(name + ": no lock stays", not os.path.exists(os.path.join(folder, name + ".lock")))
    run("info", trial.checkpoint(folder, name))


def in_a_stage(folder, state):
    job = start(folder, "x", state, 1, STAGES)
    job.send_signal(signal.SIGTERM)
    said = job.communicate(timeout=SOON)[1]
    checks.true("in the second stage: stopped at a step", "stopped at step" in said and job.returncode == 99, said)
    run("info", trial.checkpoint(folder, "x.b"))


def twice(folder, state):
    job = start(folder, "twice", state, 1)
    os.kill(job.pid, signal.SIGSTOP)  # so that both come before the first is looked at
    job.send_signal(signal.SIGTERM)
    os.kill(job.pid, signal.SIGCONT)
    job.send_signal(signal.SIGINT)
    job.communicate(timeout=SOON)
    checks.true("SIGINT after SIGTERM", job.returncode in (130, 99), job.returncode)


with tempfile.TemporaryDirectory() as home:
    open(os.path.join(home, "empty.yaml"), "w").close()
    start_state = trial.build(home, "melt", SPEC)
    # mpiexec returns 1 after SIGINT and SIGTERM, whatever its ranks return. Open MPI 5 kills them 0.2 s later.
    signals = [("SIGUSR1", STOPPED), ("SIGTERM", None), ("SIGINT", None)]
    if os.environ.get("MPI", "").startswith(("Open MPI 5", "Open MPI 6")):
        signals = signals[:1]
    threads = [threading.Thread(target=to_launcher, args=(home, start_state, name, status)) for name, status in signals]
    threads += [threading.Thread(target=one, args=(home, start_state)) for one in (twice, in_a_stage)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
checks.end()
