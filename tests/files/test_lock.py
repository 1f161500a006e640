"""One job a prefix: who has it is named, a killed job leaves nothing in the way, two that start
together do not both run, and what is no lock file is left alone."""
import fcntl
import os
import signal
import socket
import subprocess
import tempfile
import time

import trial
from run_lamella import LAMELLA, Checks, run, write

SPEC = "forcefield: lj\ntemperature: 120\nlattice: {type: fcc, cells: [8, 8, 8], density: 0.8442}\n"
SOON = 60  # s
# A file system without locks: fcntl fails for files that are named so.
WITHOUT = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int call(const char *name, int file, int command, void *argument)
{
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  if (command == F_SETLK && readlink(link, path, sizeof path - 1) > 0 && strstr(path, ".lock")) {
    errno = ENOLCK;
    return -1;
  }
  int (*next)(int, int, void *) = (int (*)(int, int, void *))dlsym(RTLD_NEXT, name);
  return next(file, command, argument);
}
#define WRAP(name) \
  int name(int file, int command, ...) \
  { \
    va_list list; \
    va_start(list, command); \
    void *argument = va_arg(list, void *); \
    va_end(list); \
    return call(#name, file, command, argument); \
  }
WRAP(fcntl)
WRAP(fcntl64)
"""

checks = Checks()
host = socket.gethostname()


def start(prefix, state, steps, **how):
    return subprocess.Popen([LAMELLA, "run", "empty.yaml", f"--set=input={state}",
                             f"--set=run.steps={steps}", f"--set=output.prefix={prefix}"],
                            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, **how)


def begun(prefix):
    end = time.monotonic() + SOON
    while not os.path.exists(prefix + ".checkpoint.h5") and time.monotonic() < end:
        time.sleep(0.05)


def again(prefix, state, **how):
    return run("run", "empty.yaml", f"--set=input={state}", "--set=run.steps=10",
               f"--set=output.prefix={prefix}", "--set=output.frames_every=5", timeout=SOON, **how).stderr


def held(state, env):
    prefix = "held_without" if env else "held"  # a fresh start has a checkpoint at once
    first = start(prefix, state, 10**9, env={**os.environ, **env, "SLURM_JOB_ID": "4711"})
    begun(prefix)
    first.send_signal(signal.SIGSTOP)  # it leaves the cores to others, and keeps the lock
    for ranks in 1, 2:
        said = again(prefix, state, status=4, ranks=ranks, env=env)
        owner = f"process {first.pid} on host {host}, Slurm job 4711"
        checks.true("who has the lock is named", owner in said, said)
    if not env:
        write("held.lock", "process 1 on host elsewhere\n")
        said = again(prefix, state, status=4)
        checks.true("the lock holds whatever the file says", "on host elsewhere" in said, said)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    checks.true("a killed job leaves its file", os.path.exists(prefix + ".lock"))
    again(prefix, state, env=env)
    checks.true("which the next takes and removes", not os.path.exists(prefix + ".lock"))


def elsewhere(state, env):
    """The lock file of a job of another host."""
    write("other.lock", "process 1 on host elsewhere, Slurm job 12\n\x1b[31m" + 9999 * "x")
    said = again("other", state, env=env)
    told = "process 1 on host elsewhere" in said
    checks.true("a lock file of another host is told where there are no locks", told == bool(env),
                said)
    checks.true("and goes", not os.path.exists("other.lock"))


def together(state):
    """The one that runs is stopped when the others have ended, however late they began."""
    for k in range(5):
        jobs = [start(f"twins{k}", state, 10**9) for _ in range(3)]
        end = time.monotonic() + SOON
        while sum(job.poll() is None for job in jobs) > 1 and time.monotonic() < end:
            time.sleep(0.05)
        for job in jobs:
            if job.poll() is None:
                job.send_signal(signal.SIGUSR1)
        said = [job.communicate(timeout=SOON)[1] for job in jobs]
        statuses = sorted(job.returncode for job in jobs)
        checks.true("of jobs that start together one runs", statuses == [4, 4, 99], statuses, said)


def analyses(state):
    """Two analyses, or two conversions, of one output: the second is refused, and touches nothing."""
    again("seen", state, status=0)
    words = {"seen.analysis": ("analyze", "seen.h5md"), "seen.gro": ("convert", "seen.h5md", "-o", "seen.gro")}
    for output, command in words.items():
        with open(output + ".lock", "w") as file:
            fcntl.lockf(file, fcntl.LOCK_EX)
            said = run(*command, status=4).stderr
            checks.true("a second " + command[0], "another job is writing" in said, said)
        before = set(os.listdir())
        run(*command)
        made = set(os.listdir()) - before
        checks.true("leaves no lock", made and not any(name.endswith((".lock", ".tmp")) for name in made), made)


def no_file(state):
    os.mkdir("folder.lock")
    os.symlink("target", "link.lock")
    os.symlink("folder.lock", "dirlink.lock")
    os.mkfifo("pipe.lock")
    for name, why in (("folder", "a directory"), ("link", "a symbolic link"),
                      ("dirlink", "a symbolic link"), ("pipe", "no plain file")):
        said = again(name, state, status=2)
        checks.true(name + " is refused", f"'{name}.lock' is {why}" in said, said)
        checks.true(name + " stays", os.path.lexists(name + ".lock"))
    checks.true("nothing is written through a link", not os.path.exists("target"))


with tempfile.TemporaryDirectory() as home:
    os.chdir(home)
    open("empty.yaml", "w").close()
    melt = trial.build(home, "melt", SPEC)
    write("without.c", WITHOUT)
    done = subprocess.run([os.environ.get("MPICC", "mpicc"), "-shared", "-fPIC", "-o", "without.so",
                           "without.c", "-ldl"], check=False)
    held(melt, {})
    elsewhere(melt, {})
    together(melt)
    no_file(melt)
    analyses(melt)
    # A sanitizer must be the first library: there, and without a compiler, this part is left out.
    without = {"LD_PRELOAD": home + "/without.so"}
    if done.returncode == 0 and run("--version", status=None, env=without).returncode == 0:
        held(melt, without)
        elsewhere(melt, without)
    else:
        print("skipped: a file system without locks")
checks.end()
