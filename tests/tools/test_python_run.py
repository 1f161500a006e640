#!/usr/bin/env python3
"""Commands that the module lamella starts: what comes back, progress, messages and statuses of failures, warnings, interrupts, and
where the program is looked for."""
import functools
import os
import pickle
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import warnings

from run_lamella import MPIEXEC, Checks, skip, write

SOURCE = os.environ["top_srcdir"]
sys.path.insert(0, os.path.join(SOURCE, "tools", "python"))
sys.dont_write_bytecode = True
try:
    import yaml  # noqa: F401
    import lamella
    from lamella import program
except ImportError as missing:
    skip(missing)

checks = Checks()
PROGRAM = os.environ["LAMELLA"]
work = tempfile.TemporaryDirectory(prefix="test_python_run.")
os.chdir(work.name)
write("water.yaml", "{forcefield: elba, water: {count: 800}, minimise: {max_steps: 50, force: 5000}}")
write("w.yaml", "input: water.h5\nrun: {steps: 60, dt: 0.002}\nthermostat: {type: langevin}\noutput: {frames_every: 20}\n")


def fails(what, call, status, *words, kind=lamella.Failed):
    try:
        call()
        checks.true(what + ": no error", False)
    except kind as why:
        checks.true(what, why.status == status and all(word in str(why) for word in words), why.status, str(why))
        return why
    return None


def commands():
    start = lamella.build("water.yaml", "water.h5")
    checks.true("build gives the state", isinstance(start, lamella.State) and start.n == 800 and os.path.exists("water.h5"))
    seen, program.INTERVAL = [], "0.001"
    run = lamella.run("w.yaml", set={"output": {"energies_every": 5}, "observe": [{"density": {"every": 10}}]}, progress=seen.append)
    checks.true("the files of a run", run.state.step == 60 and len(run.energies) == 13 and len(run.trajectory) == 4
                and run.observables["density"].every == 10 and run.prefix == "w")
    checks.true("its progress is told", len(seen) > 3 and seen[0].step == 10 and seen[0].steps == 60 and seen[0].temperature > 0, seen)
    checks.true("its end is told", (seen[-1].step, seen[-1].steps, seen[-1].left) == (60, 60, 0), seen)
    program.INTERVAL = "0.1"
    run = lamella.run("w.yaml", steps=100, ranks=2, launcher=MPIEXEC, progress=False)
    checks.true("it goes on, on two ranks", run.state.step == 100 and len(run.state.history) == 2 and len(run.jobs) == 2)
    again = lamella.run("w.yaml", steps=100, prefix="again", progress=False)
    checks.true("another prefix", again.prefix == "again" and (again.state.position == run.state.position).all())
    found = lamella.analyze("w", set={"observe": ["density"]})
    checks.true("analyze gives the results", found["density"].samples == 6 and found.path == "w.analysis.observables.h5", found.path)
    checks.true("standard output", "800" in lamella.call("info", "w.checkpoint.h5"))
    write("lj.yaml", "forcefield: lj\nlattice: {type: fcc, cells: [5, 5, 5], density: 0.8}\n")
    before = lamella.build("lj.yaml", "lj.h5")
    lamella.call("export", "lj.h5", gro="lj.gro", top="lj.top", digits=6)
    made = lamella.import_("lj.top", "lj.gro", output="made.h5")
    checks.true("import_ gives the state", made.n == before.n == 500 and abs(made.position - before.position).max() < 2e-6)


def many_runs():
    write("s.yaml", "input: water.h5\nrun: {dt: 0.002}\noutput: {prefix: s}\nstages: [{name: em, minimise: {steps: 3, force: 1e6}}, {name: md, steps: 10}]\n")
    run = lamella.run("s.yaml")
    checks.true("of stages the last", run.prefix == "s.md" and run.state.step == 10, run.prefix)
    write("t.yaml", "input: water.h5\nrun: {steps: 5, dt: 0.002}\nthermostat: {type: langevin}\n")
    both = lamella.run("s.yaml", "t.yaml")
    checks.true("several run files", [run.prefix for run in both] == ["s.md", "t"])
    fails("replicas that are the same", lambda: lamella.run("t.yaml", replicas=2, ranks=2, launcher=MPIEXEC, set={"thermostat.type": "none"}), 2,
          "nothing in this run is random")
    copies = lamella.run("t.yaml", replicas=2, ranks=2, launcher=MPIEXEC, prefix="r")
    checks.true("replicas", [run.state.step for run in copies] == [5, 5] and copies[1].prefix == "replica-2/r", copies)
    lamella.run("t.yaml", dry_run=True, set={"groups": {"a": {"ids": [1, 3]}}, "frozen": [{"group": "a"}],
                                             "thermostat": {"temperature": {"points": [[0, 300], [1, 310]], "periodic": True}}})
    for ranks in (0, -3, True, 1.5, "2", None):
        checks.raises(ValueError, f"ranks={ranks!r}", lambda: lamella.run("t.yaml", ranks=ranks), "ranks is " + repr(ranks))
    checks.raises(TypeError, "a list of run files", lambda: lamella.run(["s.yaml", "t.yaml"]), "as arguments")


def follow():
    """Progress lines of other kinds than those of a short run."""
    seen = []
    one = program.Follower(seen.append)
    one.read("stage eq, 2 of 3")
    one.read("step 640 of 1000, 0.6 ps, 1027 K, 42.3 steps/s, 3.7 ns/day, 1 min 08 s left")
    checks.true("a progress line", seen[0][:8] == (640, 1000, 0.6, 1027, 42.3, 3.7, 68, "eq"), seen)
    asked = [option for option in program.options_of({"set": {"run": {"dt": 0.5}, "observe": ["msd", {"rdf": {"in_plane": True}}]}, "max_hours": 2, "D": ["A", "B=1"],
                                                      "dry_run": True, "from_": 3, "verify": None, "nothing": False})]
    checks.true("options", asked == ["--set=run.dt=0.5", '--set=observe=["msd", {rdf: {in_plane: yes}}]', "--max-hours=2", "-D", "A", "-D", "B=1", "--dry-run",
                                     "--from=3"], asked)
    heads, ramp = {"DOPC": ["P"], "a b": 1}, {"points": [[0, 300]], "periodic": True}
    said = list(program.keys_of({"membrane.heads": heads, "membrane": {"heads": heads}, "thermostat": {"temperature": ramp},
                                 "groups": {"a": {"ids": [1, 3]}}, "restraints": {"POSRES": 200}}))
    checks.true("dicts are values", said == [*2 * ['membrane.heads={DOPC: ["P"], "a b": 1}'],
                                             "thermostat.temperature={points: [[0, 300]], periodic: yes}",
                                             "groups={a: {ids: [1, 3]}}", "restraints={POSRES: 200}"], said)


def failures():
    run = functools.partial(lamella.run, "w.yaml", restart="never", progress=False)
    write("bad.yaml", "input: water.h5\nrun: {steps: 20, dtt: 0.001}\noutput: {prefx: w}\n")
    for ranks in (1, 2):
        how = {"ranks": ranks, "launcher": MPIEXEC if ranks > 1 else None}
        why = fails(f"mistakes on {ranks} ranks", lambda: lamella.run("bad.yaml", **how), 2, "bad.yaml:2:", "bad.yaml:3:", "wrong input")
        checks.true("nothing of the launcher", why and why.message.startswith("lamella: 2 mistakes:") and len(why.message.splitlines()) == 3,
                    why and why.message)
        why = fails(f"a blow-up on {ranks} ranks", lambda: run(set={"run.dt": 0.9}, **how), 3, "blown up")
        checks.true("its message alone", why and not why.signal and why.message.startswith("lamella: "), why and why.message)
    again = pickle.loads(pickle.dumps(why))
    checks.true("for other processes", (type(again), again.status, again.message, str(again)) == (type(why), 3, why.message, str(why)))
    fails("a missing file", lambda: run("nothing.yaml"), 2, "nothing.yaml")
    fails("options that do not exist", lambda: run(hours=3), 2, "--hours")
    why = fails("a time limit", lambda: run(steps=10000000, max_hours=1e-5), 99, "--restart=auto", kind=lamella.Stopped)
    checks.true("what it said last", why and why.message.startswith("stopped at step "), why and why.message)
    with_no_interval = {**os.environ, "LAMELLA_PROGRESS": "soon"}
    done = subprocess.run([PROGRAM, "run", "w.yaml"], stderr=subprocess.PIPE, text=True, env=with_no_interval)
    checks.true("an interval that is none", done.returncode == 2 and "LAMELLA_PROGRESS is 'soon'" in done.stderr, done)
    fails("a damaged spec", lambda: lamella.build("bad.yaml", "b.h5"), 2, "bad.yaml")
    checks.raises(lamella.Error, "no trajectory", lambda: lamella.analyze("nothing"), "nothing.h5md")
    checks.raises(lamella.Error, "no launcher", lambda: run(ranks=2, launcher="no-such-launcher"), "no-such-launcher")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(set={"observe": [{"density": {"every": 10, "frames": True}}], "output.frames_every": 0})
    checks.true("warnings of the program", any(issubclass(w.category, lamella.ProgramWarning) and "no frames" in str(w.message)
                                               and w.filename == __file__ for w in caught), caught)


def script(name, text):
    write(name, "#!/bin/sh\n" + text)
    os.chmod(name, os.stat(name).st_mode | stat.S_IXUSR)
    return os.path.abspath(name)


def deaths():
    """Programs and launchers that are killed, or end in ways of their own."""
    def with_program(text):
        os.environ["LAMELLA"] = script("fake", text)
        return lambda: lamella.run("w.yaml", progress=False)
    for text, status, number, words in (
            ("echo starting >&2; kill -9 $$", None, 9, ("SIGKILL", "out of memory", "starting")), ("exit 137", None, 9, ("SIGKILL",)),
            ("kill -SEGV $$", None, 11, ("SIGSEGV",)), ("exit 7", 7, None, ("without a message", "status 7")),
            ("echo 'lamella: rank 3: no' >&2; echo 'srun: error: x: task 3: Exited with exit code 4' >&2; exit 4", 4, None, ("rank 3: no",))):
        why = fails(text, with_program(text), status, *words)
        checks.true(f"{text}: the signal", why and why.signal == number, why and why.signal)
    checks.true("no words of srun", why and why.message == "lamella: rank 3: no", why and why.message)
    os.environ["LAMELLA"] = PROGRAM


def interrupts():
    """What Ctrl-C and errors in the caller's function do: a checkpoint, and no program is left."""
    for error in (KeyboardInterrupt, ZeroDivisionError):
        def told(progress):
            raise error
        began = time.monotonic()
        checks.raises(error, f"{error.__name__} ends a run", lambda: lamella.run("w.yaml", steps=10000000, restart="never", progress=told))
        step = lamella.State("w.checkpoint.h5").step
        checks.true("with a checkpoint, at once", 0 < step < 10000000 and time.monotonic() - began < 60 and not os.path.exists("w.lock"),
                    step)
    run = lamella.run("w.yaml", steps=step + 10, progress=False)
    checks.true("it goes on from there", run.state.step == step + 10)


def places():
    """Where the program is looked for."""
    del os.environ["LAMELLA"]
    shutil.copytree(os.path.join(SOURCE, "tools", "python", "lamella"), "tree/share/lamella/python/lamella")
    os.makedirs("tree/bin")
    beside, in_path = script("tree/bin/lamella", "exit 0"), os.path.dirname(PROGRAM)
    ask = [sys.executable, "-B", "-c", "import lamella; print(lamella.find_program())"]
    for what, changes, want in (("beside the module", {}, beside), ("LAMELLA", {"LAMELLA": PROGRAM}, PROGRAM)):
        said = subprocess.run(ask, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": "tree/share/lamella/python", **changes})
        checks.true("found: " + what, os.path.realpath(said.stdout.strip()) == os.path.realpath(want), said.stdout)
    os.rename("tree/bin", "tree/none")
    for what, path, want in (("in PATH", in_path, PROGRAM), ("nowhere", "/none", "in PATH: build and install it")):
        said = subprocess.run(ask, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "PYTHONPATH": "tree/share/lamella/python", "PATH": path})
        checks.true("found: " + what, want in said.stdout, said.stdout)
    os.environ["LAMELLA"] = "no/program"
    checks.raises(lamella.Error, "LAMELLA is wrong", lambda: lamella.call("info", "water.h5"), "'no/program'")
    os.environ["LAMELLA"] = PROGRAM


commands()
many_runs()
follow()
failures()
deaths()
interrupts()
places()
checks.end()
