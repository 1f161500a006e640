"""A program that ends within moments of its start ends with its status and its whole output, also where a thread of
Open MPI comes so late that MPI_Finalize waits for it for ever (tests/support/late_thread.c brings that about)."""
import os
import subprocess
import tempfile
import time

from run_lamella import Checks, run, skip

SOON = 60  # s; the program waits for 5
checks = Checks()
holder = tempfile.TemporaryDirectory(prefix="test_late_thread.")
os.chdir(holder.name)
source = os.path.join(os.environ.get("top_srcdir", "."), "tests", "support", "late_thread.c")
shim = os.path.abspath("late.so")
made = subprocess.run([*os.environ.get("MPICC", "cc").split(), "-std=gnu11", "-O1", "-shared", "-fPIC", "-o", shim,
                       source, "-ldl"], capture_output=True, text=True)
if made.returncode:
    skip("the shim does not compile here: " + made.stderr)
env = {"LD_PRELOAD": shim, "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}
whole = run("forcefield", "elba").stdout
found = 0
for what, arguments, status, words in (
        ("success", ("forcefield", "elba"), 0, ""),
        ("wrong input", ("convert", "none.trr", "--state=none.h5", "-o", "x.xtc"), 2, "its suffix is .h5")):
    began = time.monotonic()
    done = run(*arguments, status=status, env=env, timeout=SOON)
    found += "a thread is late" in done.stderr and time.monotonic() - began > 4
    checks.true(what + ": what it says", words in done.stderr, done.stderr)
    checks.true(what + ": its output", done.stdout == (whole if status == 0 else ""), done.stdout[-200:])
if not found:
    skip("no thread of this MPI is late")
checks.end()
