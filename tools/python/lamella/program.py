"""Starting the program lamella, following it, and raising what it says."""
import collections.abc
import contextlib
import json
import numbers
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import warnings

from . import files
from .job import STATUS
from .observables import Observables
from .results import Run
from .state import State

# A progress line. steps: of all jobs of the run; time: ps; rate: steps/s; left: s; stage: its name in a run with stages;
# text: the line. Unknown numbers are None.
Progress = collections.namedtuple("Progress", "step steps time temperature rate ns_per_day left stage text")
STEP = re.compile(r"step (\d+) of (\d+), (\S+) ps, (\S+) K, (\S+) steps/s, (\S+) ns/day, (\d+) min (\d+) s left")
DONE = re.compile(r"done: step (\d+) of (\d+)$")
STAGE = re.compile(r"stage (\S+), \d+ of \d+")
# Messages of simulations side by side begin with their names.
WARNING = re.compile(r"(?:[^:]+: )?lamella: warning: (.*)")
ENDED = re.compile(r"(?:[^:]+: )?(?:lamella: (?!warning: |stopping soon)|stopped (?:at|in|before) )")
# What launchers of MPI write.
LAUNCHER = re.compile(r"[-=]{20}|\[\S+:\d+\]|srun: |slurmstepd: |mpiexec|prterun|application called MPI_Abort|Abort\(")
INTERVAL = "0.5"  # s between progress lines
DICTS = ("groups", "restraints")  # keys without a section that are dicts


class Failed(files.Error):
    """The program ended with an error. status: its exit status (docs/reference/exit-status.md), None if a signal killed it;
    signal: that signal, else None; message: what it said; output: all of its standard error; command: as it was started."""

    def __init__(self, command, status, output):
        self.command, self.output, self.given = command, output, (command, status, output)
        self.status, self.signal = meaning_of(status)
        self.message = message_of(output)
        if self.signal:
            name = signal.Signals(self.signal).name
            says = f"killed by {name}" + "; the system may have been out of memory" * (name == "SIGKILL")
        else:
            says = f"status {self.status}, {STATUS.get(self.status, 'which is none of its own')}"
        last = "\n".join(["lamella ended without a message; the last lines were:", *output.splitlines()[-5:]])
        super().__init__(f"{self.message or last}\n({says}: {shlex.join(command)})")

    def __reduce__(self):  # for pools of processes
        return type(self), self.given


class Stopped(Failed):
    """The run was stopped early, by its time limit or a signal: the same command goes on."""


class ProgramWarning(UserWarning):
    """A warning of the program."""


def meaning_of(status):
    """The exit status and the signal that an exit status of a process, or of a launcher of MPI, stands for."""
    number = -status if status < 0 else status - 128
    return (None, number) if number in set(signal.Signals) else (status, None)


def message_of(output):
    """What the program said of its end, without what launchers write between."""
    found, own = [], False
    for line in output.splitlines():
        own = bool(ENDED.match(line)) or own and not LAUNCHER.match(line)
        if own:
            found.append(line)
    return "\n".join(found).strip()


def find_program():
    """The path of lamella: the environment variable LAMELLA, a folder bin or build above this module, or PATH."""
    given = os.environ.get("LAMELLA")
    if given:
        found = shutil.which(given)
        if not found:
            raise files.Error(f"the environment variable LAMELLA is '{given}', which is no program")
        return os.path.abspath(found)
    above = os.path.dirname(os.path.abspath(__file__))
    while above != os.path.dirname(above):
        above = os.path.dirname(above)
        for folder in ("bin", "build"):
            found = shutil.which(os.path.join(above, folder, "lamella"))
            if found:
                return found
    found = shutil.which("lamella")
    if not found:
        raise files.Error("the program lamella is neither beside this module nor in PATH: build and install it "
                          "(docs/how-to/install.md), or give its path in the environment variable LAMELLA")
    return found


def text_of(value, inside=False):
    """A value of an option or a key, as YAML. inside: of a list or a mapping."""
    value = getattr(value, "tolist", lambda: value)()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, collections.abc.Mapping):
        return "{" + ", ".join(f"{name_of(key)}: {text_of(one, True)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text_of(one, True) for one in value) + "]"
    value = os.fspath(value) if isinstance(value, os.PathLike) else value
    return value if isinstance(value, str) and not inside else json.dumps(value)


def name_of(key):
    """A key of a mapping, as YAML."""
    return str(key) if re.fullmatch(r"\w+", str(key)) else json.dumps(str(key))


def keys_of(sections):
    """SECTION.KEY=VALUE of {"section.key": value} and {"section": {"key": value}}; every other dict is a value."""
    for name, value in sections.items():
        if isinstance(value, collections.abc.Mapping) and "." not in name and name not in DICTS:
            yield from (f"{name}.{key}={text_of(one)}" for key, one in value.items())
        else:
            yield f"{name}={text_of(value)}"


def options_of(options):
    """Options of the command line: max_hours=2 is --max-hours=2, dry_run=True --dry-run, a list an option for each item."""
    for name, value in options.items():
        if value is None or value is False:
            continue
        if name == "set":
            value = list(keys_of(value))
        word = name.rstrip("_").replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if len(word) == 1:
                yield from ["-" + word, text_of(one)]
            else:
                yield "--" + word + ("" if one is True else "=" + text_of(one))


def launched(command, ranks, launcher):
    """The command as `ranks` processes of MPI; ValueError for a number of them that is none."""
    if isinstance(ranks, bool) or not isinstance(ranks, numbers.Integral) or ranks < 1:
        raise ValueError(f"ranks is {ranks!r}; give the number of processes, a whole number of at least 1")
    if ranks == 1 and not launcher:
        return command
    launcher = launcher or os.environ.get("MPIEXEC") or "mpiexec"
    return [*(launcher.split() if isinstance(launcher, str) else launcher), "-n", str(ranks), *command]


class Follower:
    """Reads the messages of the program line by line. told: called with each Progress, or None."""

    def __init__(self, told):
        self.told, self.stage, self.lines = told, "", []

    def read(self, line):
        self.lines.append(line)
        stage, step, done, warned = (pattern.match(line) for pattern in (STAGE, STEP, DONE, WARNING))
        if stage:
            self.stage = stage.group(1)
        elif warned:
            warnings.warn(warned.group(1), ProgramWarning, stacklevel=5)
        elif step and self.told:
            step, steps, time, temperature, rate, ns_per_day, minutes, seconds = map(float, step.groups())
            self.told(Progress(int(step), int(steps), time, temperature, rate, ns_per_day, 60 * minutes + seconds,
                               self.stage, line))
        elif done and self.told:
            self.told(Progress(*map(int, done.groups()), None, None, None, None, 0.0, self.stage, line))


def shown(progress):
    """Rewrites the line of a terminal or a notebook."""
    line = (f"{progress.stage}: " if progress.stage else "") + progress.text
    sys.stdout.write("\r" + line.ljust(110) + "\n" * (progress.step == progress.steps))
    sys.stdout.flush()


def is_watched():
    return sys.stdout.isatty() or "ipykernel" in sys.modules


def stop(process, gently):
    """Ends the program when Python was interrupted: a run writes its checkpoint first; a second interrupt kills it."""
    try:
        process.send_signal(gently)
        for _ in process.stderr:
            pass
        process.wait()
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def follow(command, told, gently):
    """Runs a command to its end; its status, and the texts of standard output and error."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   encoding="utf-8", errors="replace", start_new_session=True,
                                   env={"LAMELLA_PROGRESS": INTERVAL, **os.environ} if told else None)
    except OSError as why:
        raise files.unusable(why, command[0]) from None
    follower, out = Follower(told), []
    reader = threading.Thread(target=lambda: out.append(process.stdout.read()), daemon=True)
    reader.start()
    try:
        for line in process.stderr:
            follower.read(line.rstrip("\n"))
        process.wait()
    except BaseException:
        stop(process, gently)
        raise
    reader.join()
    process.stdout.close()
    process.stderr.close()
    return process.returncode, out[0], "\n".join(follower.lines)


def call(command, *arguments, ranks=1, launcher=None, progress=None, **options):
    """Runs a command of lamella; what it wrote to standard output.

        lamella.call("convert", "dopc.h5md", output="dopc.xtc", every=10)

    is `lamella convert dopc.h5md --output=dopc.xtc --every=10`. ranks: processes of MPI, started by the launcher (default: the
    environment variable MPIEXEC, or mpiexec), such as "srun --mpi=pmix". progress: a function that is called with each
    Progress; True: a line is shown; False: none; None: a line on a terminal and in notebooks. Warnings of the program are
    ProgramWarning. Raises Failed, with the message and the status of the program.
    """
    told = progress if callable(progress) else shown if progress or progress is None and is_watched() else None
    line = launched([find_program(), command, *map(os.fspath, arguments), *options_of(options)], ranks, launcher)
    status, out, said = follow(line, told, signal.SIGUSR1 if command == "run" else signal.SIGTERM)
    if status and told is shown:
        print()
    if status:
        raise (Stopped if status == 99 else Failed)(line, status, said)
    return out


def build(spec, output, **how):
    """lamella build: the State that a building spec describes, written to `output`."""
    call("build", spec, output=output, **how)
    return State(output)


def import_(*given, output, **how):
    """lamella import: the State of files of another program, written to `output`:
    lamella.import_("topol.top", "conf.gro", output="start.h5", mdp=["em.mdp", "md.mdp"])."""
    call("import", *given, output=output, **how)
    return State(output)


def analyze(trajectory, run_file=None, output=None, **how):
    """lamella analyze: the Observables of a run file, or of set={"observe": [...]}, in the frames of a trajectory."""
    path = files.find(trajectory, ".h5md")
    call("analyze", path, *([run_file] if run_file else []), output=output, **how)
    return Observables((os.fspath(output) if output else os.path.splitext(path)[0] + ".analysis") + ".observables.h5")


def prefixes_of(path, prefix, replicas):
    """Prefixes of the files that a run file writes: one, or one for each replica."""
    try:
        made = files.yaml_of(files.read_text(path), path)
    except files.Error:  # the program has read it
        made = {}
    made = made if isinstance(made, dict) else {}
    prefix = prefix or (made.get("output") or {}).get("prefix") or os.path.splitext(path)[0]
    if made.get("stages"):
        prefix += "." + made["stages"][-1]["name"]
    folder, name = os.path.split(prefix)
    return [os.path.join(folder, f"replica-{k}", name) for k in range(1, replicas + 1)] if replicas else [prefix]


def run(*run_files, steps=None, prefix=None, set=None, replicas=None, **how):
    """lamella run: simulates what a run file says, or goes on; the Run of its files (of the last stage), a list of Runs of
    several run files or replicas.

        run = lamella.run("run.yaml", steps=20000, ranks=4, set={"thermostat.temperature": 310})

    steps, prefix: run.steps and output.prefix; set: other keys; restart, max_hours, ...: options of the command; ranks,
    launcher, progress: see call. An interrupt (Ctrl-C) stops it with a checkpoint. Raises Failed; Stopped if the time limit
    or a signal ended it early.
    """
    for path in run_files:
        if isinstance(path, (list, tuple)):
            raise TypeError("a list is no run file: give several as arguments, run(*paths) or run('a.yaml', 'b.yaml')")
    keys = {**(set or {}), **({} if steps is None else {"run.steps": steps}), **({} if prefix is None else {"output.prefix": prefix})}
    call("run", *run_files, set=keys, replicas=replicas, **how)
    if how.get("dry_run"):
        return None
    given = dict(line.split("=", 1) for line in keys_of(keys)).get("output.prefix")
    found = [Run(one) for path in run_files for one in prefixes_of(os.fspath(path), given, replicas)]
    return found if replicas or len(found) > 1 else found[0]
