#!/usr/bin/env python3
"""Numbers have a point where a library that MPI loads sets a locale with a comma (here a shim, in MPI_Init)."""
import os
import shutil
import subprocess
import tempfile

from run_lamella import Checks, run, skip, write

SHIM = """#include <locale.h>
#include <mpi.h>
#include <stdio.h>
int MPI_Init_thread(int *n, char ***words, int required, int *provided)
{
  const int out = PMPI_Init_thread(n, words, required, provided);
  setlocale(LC_ALL, "");
  fprintf(stderr, "half is %g\\n", 0.5);
  return out;
}
"""
checks = Checks()
if not shutil.which("localedef"):
    skip("no localedef")
with tempfile.TemporaryDirectory() as folder:
    write(os.path.join(folder, "shim.c"), SHIM)
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, "de_DE.UTF-8")],
                          capture_output=True, text=True)
    shim = os.path.join(folder, "shim.so")
    built = subprocess.run([*os.environ.get("MPICC", "mpicc").split(), "-shared", "-fPIC", "-o", shim,
                            os.path.join(folder, "shim.c")], capture_output=True, text=True)
    if not os.path.isdir(os.path.join(folder, "de_DE.UTF-8")) or built.returncode:
        skip("no locale or no shim: " + made.stderr + built.stderr)
    env = {"LD_PRELOAD": shim, "LOCPATH": folder, "LC_ALL": "de_DE.UTF-8", "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}
    done = run("forcefield", "elba", env=env)
    if "half is 0,5" not in done.stderr:
        skip("the locale does not hold: " + done.stderr)
    checks.true("the same text", done.stdout == run("forcefield", "elba").stdout, done.stdout[:300])
checks.end()
