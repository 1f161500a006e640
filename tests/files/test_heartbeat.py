"""A rank that is stopped, has died unseen or hangs ends all ranks with status 5, its number and
host; a job that stands still as a whole goes on. The launcher is one that does nothing about it."""
import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time

import trial
from run_lamella import LAMELLA, MPIEXEC, RANK, Checks, write

TIMEOUT = 5   # s, parallel.timeout
SOON = 120    # s: an end after this is taken for a hang
SEIZE, INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000
SPEC = "forcefield: lj\ntemperature: 120\nlattice: {type: fcc, cells: [24, 8, 8], density: 0.8442}\n"


class Job:
    """A long run. Shells stand between the launcher and the ranks, so that it sees no rank end
    before the shell does, and keep the number and the status of their rank. A shell stays until
    as many ranks have ended as will."""

    def __init__(self, folder, name, state, ranks, will_end):
        self.folder, self.name, self.ranks = folder, name, ranks
        path = os.path.join(folder, name)
        write(path + ".yaml", "output: {prefix: %s, energies_every: 20}\n" % name)
        command = (f"sh -c 'echo $$ >{name}.pid.{RANK}; exec {LAMELLA} run "
                   f"{name}.yaml --restart=never --set=input={state} --set=run.steps=100000000 "
                   f"--set=run.dt=0.001 --set=parallel.backend=cpu "
                   f"--set=parallel.timeout={TIMEOUT}'; status=$?; "
                   f"echo $status >{name}.status.{RANK}; "
                   f"for k in $(seq {SOON}); do "
                   f"test $(ls {name}.status.* | wc -l) -ge {will_end} && break; sleep 1; done; "
                   "exit $status")
        self.said = open(path + ".said", "w+")
        self.launcher = subprocess.Popen([*MPIEXEC, "-n", str(ranks), "sh", "-c", command],
                                         cwd=folder, stderr=self.said, stdin=subprocess.DEVNULL)
        end = time.monotonic() + SOON
        while self.lines() < 3 and time.monotonic() < end:
            time.sleep(0.1)
        self.pids = [int(self.read(f".pid.{k}")) for k in range(ranks)]

    def read(self, ending):
        with contextlib.suppress(OSError), open(os.path.join(self.folder, self.name + ending)) as f:
            return f.read()
        return ""

    def lines(self):
        return self.read(".csv").count("\n")

    def signal(self, number, ranks):
        for k in ranks:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pids[k], number)

    def wait(self):
        """What was said, and the status of each rank; None: not ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.launcher.wait(SOON)
        statuses = [self.read(f".status.{k}").strip() or None for k in range(self.ranks)]
        self.signal(signal.SIGCONT, range(self.ranks))
        self.signal(signal.SIGKILL, range(self.ranks))
        if self.launcher.poll() is None:
            self.launcher.kill()
        self.launcher.wait()
        self.said.close()
        return self.read(".said"), statuses


checks = Checks()
host = socket.gethostname()


def named(job, what, said, statuses, rank, others, why):
    checks.true(f"{what}: the others end with status 5", all(statuses[k] == "5" for k in others),
                statuses)
    where = f"rank {rank} on host {host} (process {job.pids[rank]}) {why}"
    checks.true(f"{what}: rank and host are named", where in said, said)


def stopped(folder, state):
    job = Job(folder, "stopped", state, 2, 1)
    job.signal(signal.SIGSTOP, [1])
    said, statuses = job.wait()
    named(job, "a stopped rank", said, statuses, 1, [0], "is stopped, or its host is lost")


def dead(folder, state):
    job = Job(folder, "dead", state, 3, 3)
    job.signal(signal.SIGKILL, [0])
    said, statuses = job.wait()
    named(job, "a dead rank", said, statuses, 0, [1, 2], "has died")


def hanging(folder, state):
    """The main thread of a rank alone is held, as a debugger does it."""
    trace = ctypes.CDLL(None, use_errno=True).ptrace
    trace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    job = Job(folder, "hanging", state, 2, 2)
    if trace(SEIZE, job.pids[1], None, None) or trace(INTERRUPT, job.pids[1], None, None):
        print("skipped: a rank that hangs (no ptrace here)")
        job.signal(signal.SIGKILL, [0, 1])
        job.wait()
        return
    end = time.monotonic() + SOON
    while time.monotonic() < end and job.launcher.poll() is None:  # it is ours to wait for
        with contextlib.suppress(ChildProcessError):
            os.waitpid(job.pids[1], os.WNOHANG | WALL)
        time.sleep(0.2)
    said, statuses = job.wait()
    if statuses == [None] * 2:  # by design, a rank may stay between two steps as long as it likes
        print("skipped: a rank that hangs (it was held between two steps)")
    elif "all ranks have waited for each other" in said:  # it was held while it waited itself
        checks.true("a rank that hangs: all end with status 5", statuses == ["5"] * 2, statuses)
    else:
        named(job, "a rank that hangs", said, statuses, 1, [0, 1], "hangs")


def suspended(folder, state):
    """Everything stands still for longer than the timeout; not all are woken at once."""
    job = Job(folder, "suspended", state, 3, 3)
    job.signal(signal.SIGSTOP, range(3))
    time.sleep(TIMEOUT + 4)
    job.signal(signal.SIGCONT, [2])
    time.sleep(1)
    job.signal(signal.SIGCONT, range(3))
    before, end = job.lines(), time.monotonic() + SOON
    while job.lines() < before + 3 and time.monotonic() < end and job.launcher.poll() is None:
        time.sleep(0.2)
    checks.true("a suspended job goes on", job.lines() >= before + 3, before, job.lines())
    job.signal(signal.SIGUSR1, range(3))
    said, statuses = job.wait()
    checks.true("a suspended job ends when it is asked to", statuses == ["99"] * 3, statuses, said)


with tempfile.TemporaryDirectory() as home:
    start = trial.build(home, "melt", SPEC)
    threads = [threading.Thread(target=case, args=(home, start))
               for case in (stopped, dead, hanging, suspended)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
checks.end()
