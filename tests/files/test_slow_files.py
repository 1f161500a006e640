"""A checkpoint that takes long to write is finished, whatever happens meanwhile: a blow-up, which has
its own status, a second SIGTERM, or other ranks that wait for longer than parallel.timeout. And a
rank that hangs in MPI between two steps ends all. Calls are made slow by a library that is loaded
before the program."""
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time

import h5py

import trial
from run_lamella import LAMELLA, MPIEXEC, Checks, read, run, skip, write

SPEC = ("forcefield: lj\nseed: 2\ntemperature: 120\n"
        "lattice: {type: fcc, cells: [16, 8, 8], density: 0.8442}\n")
SOON = 90  # s: an end after this is taken for a hang
# Takes SLOW seconds to rename a file to a checkpoint, for the SLOW_FROM-th time and later; SLOW_WRITE
# seconds for the 20th write of rank 1 at a place of a file, in a call of HDF5; and never comes back from the HANG-th question of rank 1 for a stop (a maximum of two integers).
SLOW = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static int number(const char *name)
{
  const char *text = getenv(name);
  return text ? atoi(text) : 0;
}
static void pass(int seconds)
{
  struct timespec left = {seconds, 0};
  while (nanosleep(&left, &left))
    continue;
}
int rename(const char *from, const char *to)
{
  static int n;
  static const char end[] = ".checkpoint.h5";
  int (*next)(const char *, const char *) =
      (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
  size_t size = strlen(to);
  if (size >= sizeof end && !strcmp(to + size - (sizeof end - 1), end) &&
      ++n >= number("SLOW_FROM")) {
    close(creat("slow", 0666));
    pass(number("SLOW"));
  }
  return next(from, to);
}
ssize_t pwrite(int file, const void *data, size_t n, off_t at)
{
  static int calls;
  ssize_t (*next)(int, const void *, size_t, off_t) =
      (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
  if (number("SLOW_WRITE") && number("OMPI_COMM_WORLD_RANK") + number("PMI_RANK") == 1 && ++calls == 20) {
    close(creat("slow", 0666));
    pass(number("SLOW_WRITE"));
  }
  return next(file, data, n, at);
}
int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  static int n;
  int rank;
  if (count == 2 && type == MPI_INT64_T && op == MPI_MAX && number("HANG")) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (n++; rank == 1 && n >= number("HANG");)
      pause();
  }
  return PMPI_Allreduce(in, out, count, type, op, comm);
}
"""
SLEEPS = os.path.join(os.environ.get("top_builddir", ""), "tests", "yield_sleeps.so")
checks = Checks()
host = socket.gethostname()


def loaded(sleeps):
    """The environment in which calls are slow. sleeps: and ranks that wait in MPI sleep, of which a write must not
    be one, since the program takes it by its polling for a wait (build-aux/run_test.sh)."""
    libraries = [os.path.join(home, "slow.so")]
    if sleeps and os.path.exists(SLEEPS):
        libraries.append(SLEEPS)
    return {"LD_PRELOAD": ":".join(libraries)}


class Job:
    """A run in a folder of its own."""

    def __init__(self, name, ranks, shim, **settings):
        self.name, self.folder = name, os.path.join(home, name)
        os.mkdir(self.folder)
        write(os.path.join(self.folder, name + ".yaml"), "output: {prefix: %s, writer: thread}\n" % name)
        settings = {"input": state, "run.steps": 100000000, "run.dt": 0.001,
                    "output.frames_every": 0, "output.energies_every": 0, "parallel.backend": "cpu",
                    **{key.replace("__", "."): value for key, value in settings.items()}}
        command = [LAMELLA, "run", name + ".yaml", *(f"--set={k}={v}" for k, v in settings.items())]
        if ranks > 1:
            command = [*MPIEXEC, "-n", str(ranks), *command]
        self.process = subprocess.Popen(
            command, cwd=self.folder, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
            env={**os.environ, **loaded("SLOW_WRITE" not in shim),
                 **{key: str(value) for key, value in shim.items()}})

    def path(self, name):
        return os.path.join(self.folder, name)

    def await_slow(self):
        end = time.monotonic() + SOON
        while not os.path.exists(self.path("slow")) and time.monotonic() < end:
            time.sleep(0.05)

    def end(self):
        """What was said."""
        try:
            return self.process.communicate(timeout=SOON)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.communicate()[1] + "(killed by the test)"

    def step(self):
        run("info", self.name + ".checkpoint.h5", cwd=self.folder)
        with h5py.File(self.path(self.name + ".checkpoint.h5"), "r") as file:
            return int(file["system/step"][0])


def blown_up():
    """It blows up at step 3 or 4, while the checkpoint of step 2 is written."""
    job = Job("blown", 2, {"SLOW": 4, "SLOW_FROM": 2}, run__dt=0.04, parallel__timeout=1,
              output__checkpoint_every=2)
    said = job.end()
    checks.true("a blow-up has its status", job.process.returncode == 3, job.process.returncode, said)
    checks.true("it is said", "blown up" in said or "not finite" in said, said)
    checks.true("and the checkpoint is finished", job.step() >= 2, job.step())


def asked_twice():
    """Two SIGTERM while the last checkpoint is written."""
    job = Job("twice", 1, {"SLOW": 9, "SLOW_FROM": 2}, output__checkpoint_minutes=0)
    end = time.monotonic() + SOON
    while not os.path.exists(job.path("twice.checkpoint.h5")) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.5)
    job.process.send_signal(signal.SIGTERM)
    job.await_slow()
    time.sleep(5.5)
    checks.true("the file is still being written", job.process.poll() is None)
    job.process.send_signal(signal.SIGTERM)
    said = job.end()
    checks.true("a second SIGTERM while a file is written", job.process.returncode == 99,
                job.process.returncode, said)
    checks.true("and the checkpoint is there", f"stopped at step {job.step()} " in said, said)


def waiting():
    """The ranks wait for each other's files for longer than the 2.3 s at which they would be taken for hanging, with and
    without a thread."""
    jobs = [Job(f"waiting_{slow}_{writer}", 2, {slow: 3}, parallel__timeout=1, run__steps=40,
                output__checkpoint_every=20, output__writer=writer)
            for slow in ("SLOW", "SLOW_WRITE") for writer in ("thread", "none")]
    for job in jobs:
        said = job.end()
        checks.true(f"slow files end nobody, {job.name}", job.process.returncode == 0,
                    job.process.returncode, said)
        checks.true(f"a file was slow, {job.name}", os.path.exists(job.path("slow")))


def hanging():
    job = Job("hanging", 2, {"HANG": 20}, parallel__timeout=2)
    said = job.end()
    checks.true("a rank hangs in MPI between two steps: status 5", job.process.returncode == 5,
                job.process.returncode, said)
    checks.true("it is said", f"on host {host}: all ranks have waited for each other" in said, said)
    last = read(job.path("hanging.log")).splitlines()[-1]
    checks.true("the log has its last line", "the job ends with status 5" in last, last)


with tempfile.TemporaryDirectory() as home:
    state = trial.build(home, "melt", SPEC)
    write(os.path.join(home, "slow.c"), SLOW)
    done = subprocess.run([os.environ.get("MPICC", "mpicc"), "-shared", "-fPIC", "-o", "slow.so",
                           "slow.c", "-ldl"], cwd=home, check=False)
    # A sanitizer must be the first library.
    if done.returncode or run("--version", status=None, env=loaded(False)).returncode:
        skip("no library can be loaded before the program")
    threads = [threading.Thread(target=case)
               for case in (blown_up, asked_twice, waiting, hanging)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
checks.end()
