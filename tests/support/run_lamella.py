"""What the Python tests share: running the program, and the end of a test."""
import contextlib
import json
import os
import subprocess
import sys

LAMELLA = os.environ.get("LAMELLA", "lamella")
MPIEXEC = (os.environ.get("MPIEXEC") or "mpiexec").split()  # may carry options
# What a shell makes of these is the number of its rank, and among those of its node: of Open MPI, and of the hydra of others.
RANK, LOCAL_RANK = "${OMPI_COMM_WORLD_RANK-$PMI_RANK}", "${OMPI_COMM_WORLD_LOCAL_RANK-$MPI_LOCALRANKID}"
# How mpiexec ends after a signal at which all ranks end with 99; hydra's forgets that at times.
STOPPED = (99,) if os.environ.get("MPI", "Open MPI").startswith("Open") else (99, 0)
DATA = os.environ.get("DATA", "")  # files from elsewhere, for tests beyond those that need none
SKIPPED = 77
# Of a LAMMPS data file with the types of ELBA in the order of its force field, without choline's.
ELBA_DATA = ("--format=lammps-data", "--forcefield=elba", "--types=W,C,P,G,E,T", "--bond-types=CP,PG,GE,ET,TT",
             "--angle-types=CPG,PGE,saturated,cis,restraint")


def skip(why):
    print("skipped:", why)
    sys.exit(SKIPPED)


def threads_of(pid):
    """What each thread of a process does, as far as Linux tells: state, and what it waits for."""
    found = []
    try:
        tasks = sorted(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return "it has ended, and another process has its output open"
    for task in tasks:
        words = [task]
        for name in "comm", "stat", "wchan", "syscall":
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/{name}") as file:
                words.append(" ".join(file.read().split()[:4]))
        found.append("  ".join(words))
    return "\n".join(found)


def run(*arguments, ranks=1, status=0, cwd=None, timeout=500, env=None, before=()):
    """Runs lamella and checks its exit status; the standard output and error. before: words of a
    command that starts it on each rank. Several ranks have two threads each, so that what tests
    compare with one rank is compared with one thread."""
    command = [*before, LAMELLA, *map(str, arguments)]
    if ranks > 1:
        command = [*MPIEXEC, "-n", str(ranks), *command]
        env = {"OMP_NUM_THREADS": "2", **(env or {})}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd,
                               env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL)
    try:
        out, said = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        print("hangs:", " ".join(command), "\n" + threads_of(process.pid))
        process.kill()
        process.communicate()
        raise
    done = subprocess.CompletedProcess(command, process.returncode, out, said)
    if status is not None and done.returncode != status:
        print(" ".join(command), "\nstatus", done.returncode, "instead of", status)
        print(done.stdout[-2000:], done.stderr[-4000:])
        sys.exit(1)
    return done


def read(path):
    """The text of a file."""
    with open(path) as file:
        return file.read()


def write(path, text):
    """Writes a text file; its path."""
    with open(path, "w") as file:
        file.write(text)
    return path


def energy(state, *arguments, ranks=1):
    return json.loads(run("energy", state, "--format=json", *arguments, ranks=ranks).stdout)


class Checks:
    """Counts failures and reports each with its numbers."""

    def __init__(self):
        self.done = self.failed = 0

    def true(self, what, good, *numbers):
        self.done += 1
        if not good:
            self.failed += 1
            print("FAILED:", what, *numbers)

    def close(self, what, got, want, relative=0.0, absolute=0.0):
        error = abs(got - want)
        self.true(what, error <= absolute + relative * abs(want), "got", repr(got), "want", want,
                  "off by", error)

    def refused(self, what, words, *arguments, **how):
        """Runs lamella, which has to end with status 2 and to say these words, a text or several."""
        said = run(*arguments, status=2, **how).stderr
        self.true(what, all(word in said for word in ([words] if isinstance(words, str) else words)), said)

    def raises(self, error, what, call, *words):
        """call raises this error with these words."""
        try:
            call()
            self.true(what + ": no error", False)
        except error as why:
            self.true(what, all(word in str(why) for word in words), repr(str(why)))

    def end(self):
        print(self.done, "checks,", self.failed, "failed")
        sys.exit(1 if self.failed or not self.done else 0)
