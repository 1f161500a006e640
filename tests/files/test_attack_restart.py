"""A run never starts over and never continues the wrong thing without a word: checkpoints that cannot
be used or are not of this run, another input, changed physics, old files in the way, seeds."""
import os
import re
import shutil
import stat

import attack
from attack import h5py, np

a = attack.Attack("test_attack_restart", 20264)
STATE, PREV = "x.checkpoint.h5", "x.checkpoint.h5.prev"
STEPS, STOP = 40, 20


def prepare(name):
    """A copy of the stopped run."""
    return a.fresh(name, stopped)


def go(folder, *arguments, **how):
    return attack.lamella(folder, "run", "run.yaml", *arguments, **how)


def inside(folder, name):
    return os.path.join(folder, name)


def edit(folder, change, names=(STATE,)):
    for name in names:
        with h5py.File(inside(folder, name), "r+") as file:
            change(file)


def untouched(what, folder, before, done, *says, status=4):
    a.judge(f"{what}: status {status}", done.status == status, done)
    for words in says:
        a.judge(f"{what}: says '{words}'", words in done.err, done)
    touched = attack.touched(before, attack.contents(folder, ("x.log",)))
    a.judge(f"{what}: nothing is touched", not touched, touched, done)


def ends_right(what, folder, done, *says):
    a.judge(f"{what}: status 0", done.status == 0, done)
    for words in says:
        a.judge(f"{what}: says '{words}'", re.search(words, done.err), done)
    return not attack.same_run(a, what, folder, reference, "x")


# Checkpoints that cannot be used

def put(dataset, index, value):
    def change(file):
        data = file[dataset][()]
        data[index] = value
        file[dataset][...] = data
    return change


def scaled(dataset, factor):
    def change(file):
        file[dataset][...] = file[dataset][()] * factor
    return change


def moved_apart(file):
    """A bead whose stored place at the list build is half a box from where it is now."""
    words = file["beads/build_position"][()]
    words[7, 0] ^= np.int32(-2147483648)
    file["beads/build_position"][...] = words


EDITS = {"momenta that are no numbers": put("beads/momentum", (3, 1), np.nan),
         "an infinite momentum": put("beads/momentum", (5, 0), np.inf),
         "a negative box": put("system/box", 0, -3.8),
         "a box of no size": put("system/box", 2, 0.0),
         "a box that is no number": put("system/box", 1, np.nan),
         "a time that is no number": put("system/time", 0, np.nan),
         "a negative step": put("system/step", 0, -5),
         "a negative skin": put("neighbor_list/skin", 0, -0.5),
         "a list box that is no number": put("neighbor_list/box", 0, np.nan)}
LISTS = {"a box of the list that is twice too large": scaled("neighbor_list/box", 2.0),
         "a box of the list that is half too small": scaled("neighbor_list/box", 0.5),
         "a list build of a later step": put("neighbor_list/step", 0, 10**6),
         "a list build of another place": moved_apart}


def wrong_states():
    for what, change in EDITS.items():
        folder = prepare("edit")
        edit(folder, change)
        info = attack.lamella(folder, "info", STATE)
        a.judge(f"{what}: info says so", info.status == 4 and STATE in info.err + info.out, info)
        ends_right(what + " in the last checkpoint", folder, go(folder), r"\.prev")
        folder = prepare("edit")
        edit(folder, change, (STATE, PREV))
        before = attack.contents(folder, ("x.log",))
        untouched(what + " in both", folder, before, go(folder), STATE, PREV)
        a.count("states with wrong values and right checksums")


def wrong_lists():
    """The stored list build does not belong to the positions: refused, or another state is taken."""
    for what, change in LISTS.items():
        for names in (STATE,), (STATE, PREV):
            folder = prepare("lists")
            edit(folder, change, names)
            before = attack.contents(folder, ("x.log",))
            done = go(folder)
            if done.status == 0 and names == (STATE,):
                ends_right(what, folder, done, r"\.prev")
            else:
                untouched(f"{what} in {' and '.join(names)}", folder, before, done, STATE)
            a.count("states whose list build is of another state")


def unusable():
    for what, change in (
            ("a newer format", lambda f: f.attrs.modify("format_version", np.int32(99))),
            ("no complete mark", lambda f: f.attrs.__delitem__("complete")),
            ("another format", lambda f: f.attrs.modify("format", "another")),
            ("no box", lambda f: f.__delitem__("system/box"))):
        for ranks in (1, 2):
            folder = prepare("unusable")
            edit(folder, change, (STATE, PREV))
            before = attack.contents(folder, ("x.log",))
            untouched(f"{what} on {ranks} ranks", folder, before, go(folder, ranks=ranks), STATE,
                      PREV)
    for name in (STATE, PREV):
        folder = prepare("alone")
        os.remove(inside(folder, PREV if name == STATE else STATE))
        attack.flip(inside(folder, name), a.random)
        os.truncate(inside(folder, name), 5000)
        before = attack.contents(folder, ("x.log",))
        untouched(f"{name} alone, cut", folder, before, go(folder), name)
    folder = prepare("alone")
    os.remove(inside(folder, STATE))
    ends_right("only .prev is there", folder, go(folder), r"\.prev")
    folder = prepare("folders")
    for name in (STATE, PREV):
        os.remove(inside(folder, name))
        os.mkdir(inside(folder, name))
    before = attack.contents(folder, ("x.log",))
    done = go(folder)
    a.judge("folders for checkpoints: refused", done.status in (2, 4), done)
    untouched("folders for checkpoints", folder, before, done, STATE, status=done.status)


def forbidden():
    """Files that may not be read, by one who is not root or has no right to overrule."""
    how = {"preexec_fn": attack.limited(without=attack.NOT_ROOT)}
    probe = a.write("probe", "x")
    os.chmod(probe, 0)
    if attack.subprocess.run(["cat", probe], capture_output=True, **how).returncode == 0:
        a.count("permissions do not count here: left out")
        return
    for ranks in (1, 2):
        folder = prepare("forbidden")
        before = attack.contents(folder, ("x.log",))
        for name in (STATE, PREV):
            os.chmod(inside(folder, name), 0)
        done = go(folder, ranks=ranks, **how)
        for name in (STATE, PREV):
            a.judge("its permissions stay", not os.stat(inside(folder, name)).st_mode & 0o777)
            os.chmod(inside(folder, name), stat.S_IRUSR | stat.S_IWUSR)
        untouched(f"both forbidden, {ranks} ranks", folder, before, done, "Permission denied", STATE)
        ends_right("and permitted again", folder, go(folder))
        # A trajectory that is only not permitted is not damaged.
        folder = prepare("forbidden")
        before = attack.contents(folder, ("x.log",))
        os.chmod(inside(folder, "x.h5md"), 0)
        done = go(folder, ranks=ranks, **how)
        os.chmod(inside(folder, "x.h5md"), 0o600)
        untouched(f"trajectory forbidden, {ranks} ranks", folder, before, done, "Permission denied",
                  "x.h5md")
        ends_right("and permitted again", folder, go(folder))


# Another input, other physics

def other_inputs():
    other = attack.build(a, "other", attack.MOLTEN.replace("seed: 5", "seed: 6"))
    for what, arguments in (("another file", ["-s", "input=" + other]), ("other contents", [])):
        folder = prepare("input")
        if not arguments:
            shutil.copy(other, inside(folder, "start.h5"))
        before = attack.contents(folder, ("x.log",))
        done = go(folder, *arguments)
        named = other if arguments else "start.h5"
        untouched(f"{what} as input", folder, before, done, STATE, named, status=2)
    folder = prepare("input")
    os.remove(inside(folder, "start.h5"))
    ends_right("the input is gone", folder, go(folder), r"start\.h5")
    folder = prepare("input")
    shutil.move(inside(folder, "start.h5"), inside(folder, "moved.h5"))
    ends_right("the same input under another name", folder, go(folder, "-s", "input=moved.h5"))


def time_of(folder):
    with h5py.File(inside(folder, STATE), "r") as file:
        return float(file["system/time"][0]), int(file["system/step"][0])


def other_physics():
    folder = prepare("physics")
    done = go(folder, "-s", "run.dt=0.002", "-s", "thermostat.temperature=150")
    a.judge("dt and temperature changed: goes on", done.status == 0, done)
    for old, new, key in ("0.004", "0.002", "run.dt"), ("180", "150", "thermostat.temperature"):
        line = [text for text in done.err.splitlines() if key in text]
        a.judge(f"{key}: old and new are listed",
                any(old in text and new in text for text in line), done)
    wanted = STOP * 0.004 + (STEPS - STOP) * 0.002
    got, step = time_of(folder)
    a.judge("time goes on with the new step", abs(got - wanted) < 1e-9 and step == STEPS, got, wanted)
    with h5py.File(inside(folder, "x.h5md"), "r") as file:
        steps = file["particles/trajectory/position/step"][:]
        times = file["particles/trajectory/position/time"][:]
    want = np.where(steps <= STOP, steps * 0.004, STOP * 0.004 + (steps - STOP) * 0.002)
    a.judge("frames carry that time", np.allclose(times, want, rtol=0, atol=1e-9), times, want)
    folder = prepare("physics")
    again = go(folder, "-s", "run.seed=12")
    ends_right("another seed is ignored", folder, again, "seed")
    folder = prepare("physics")
    before = attack.contents(folder, ("x.log", "x.performance.json"))
    done = go(folder, "-s", "run.steps=10")
    a.judge("fewer steps than done: says so", done.status == 0 and "othing to do" in done.err and
            str(STOP) in done.err, done)
    touched = attack.touched(before, attack.contents(folder, ("x.log", "x.performance.json")))
    a.judge("fewer steps than done: nothing is touched", not touched, touched)


# Files of another run, and missing ones

def without_ids(folder):
    """Trajectory and topology that do not say of which run they are."""
    with h5py.File(inside(folder, "x.h5md"), "r+") as file:
        del file["parameters/lamella"].attrs["run_id"]
    text = attack.read(inside(folder, "x.psf"), "r")
    a.write(inside(folder, "x.psf"), re.sub(", run [0-9a-f]{16}", "", text))


def foreign_files():
    """A job continues its own trajectory, topology and energies, or says what it finds."""
    others = {"another seed": "run.seed=12", "another temperature": "thermostat.temperature=150",
              "a shorter run": "run.steps=10"}
    for what, setting in others.items():
        other = prepare("other")
        for name in (STATE, PREV):
            os.remove(inside(other, name))
        settings = ["-s", f"run.steps={STOP}", "-s", setting]
        if what == "a shorter run":
            settings += ["-s", "run.seed=12"]
        a.judge("another run ends", go(other, *settings).status == 0)
        for name in ("x.h5md", "x.csv", "x.psf"):
            for ranks in (1, 2):
                folder = prepare("foreign")
                shutil.copy(inside(other, name), inside(folder, name))
                before = attack.contents(folder, ("x.log",))
                untouched(f"{name} of {what}", folder, before, go(folder, ranks=ranks), name,
                          "othing was changed", "move it away", status=2)
                a.count("files of another run")
                with open(inside(folder, STATE), "r+b") as file:
                    file.write(bytes(64))  # damaged: the one before would be taken, if it were this run's
                before = attack.contents(folder, ("x.log",))
                untouched(f"{name} of {what}, a damaged checkpoint", folder, before, go(folder, ranks=ranks),
                          name, "othing was changed", status=2)
    moved = prepare("branch")  # same beginning, then another temperature
    a.judge("a branch ends", go(moved, "--restart=" + STATE, "-s", "output.prefix=y", "-s",
                                "thermostat.temperature=150", "-s", "run.steps=30").status == 0)
    for name in (".h5md", ".psf"):
        folder = prepare("foreign")
        shutil.copy(inside(moved, "y" + name), inside(folder, "x" + name))
        before = attack.contents(folder, ("x.log",))
        untouched(f"{name} of a branch", folder, before, go(folder), "x" + name, status=2)
    for name in ("x.h5md", "x.csv", "x.psf"):
        folder = prepare("missing")
        os.remove(inside(folder, name))
        done = go(folder)
        a.judge(f"{name} is missing: goes on", done.status == 0, done)
        a.judge(f"{name} is missing: says so", f"'{name}'" in done.err and "not there" in done.err,
                done)
        a.judge(f"{name} is missing: a new one", os.path.exists(inside(folder, name)))
        a.judge(f"{name} is missing: and is continued",
                go(folder, "-s", f"run.steps={STEPS + 4}").status == 0)
    folder = prepare("unnamed")
    without_ids(folder)
    before = attack.contents(folder, ("x.log",))
    untouched("files without identity", folder, before, go(folder), "x.h5md", "does not say which", "othing was changed",
              status=2)


def results_again():
    """A run that is complete writes results again that are missing or of an earlier checkpoint."""
    observe = ["-s", "observe=[{density: {every: 2, bins: 8}}, {msd: {every: 4}}]"]
    folder = a.fresh("results", reference)
    for name in os.listdir(folder):
        if name.startswith("x."):
            os.remove(inside(folder, name))
    a.judge("a part", go(folder, *observe, "-s", f"run.steps={STOP}").status == 0)
    found = [name for name in os.listdir(folder) if "density" in name or "msd" in name or
             "observables" in name]
    early = {name: attack.read(inside(folder, name)) for name in found}
    a.judge("the whole", go(folder, *observe).status == 0)
    late = {name: attack.read(inside(folder, name)) for name in found}
    a.judge("there are tables", len(found) >= 4 and early != late, found)
    for what, change in (("stale", lambda name: attack.overwrite(inside(folder, name), early[name])),
                         ("missing", lambda name: os.remove(inside(folder, name)))):
        for lost in (found, ["x.observables.h5"], ["x.density.density.csv"]):
            if what == "stale" and lost[0].endswith(".csv") and len(lost) == 1:
                continue  # the HDF5 file takes its name last: it is never newer than a table
            for ranks in (1, 2):
                for name in lost:
                    change(name)
                done = go(folder, *observe, ranks=ranks)
                a.judge(f"{what}: status 0", done.status == 0 and "nothing to do" in done.err, done)
                a.judge(f"{what}: says so", "written again" in done.err, done)
                differ = attack.apart(inside(folder, "x.observables.h5"), whole_results(late))
                a.judge(f"{what}: the results of the end", not differ, differ)
                tables = [n for n in found if n.endswith(".csv") and
                          attack.read(inside(folder, n)) != late[n]]
                a.judge(f"{what}: the tables of the end", not tables, tables)
    before = attack.contents(folder, ("x.log",))
    stamp = os.stat(inside(folder, "x.observables.h5")).st_mtime_ns
    done = go(folder, "-s", "observe=[]")
    a.judge("current: nothing is said", "written again" not in done.err, done)
    a.judge("current: nothing is touched", before == attack.contents(folder, ("x.log",)) and
            stamp == os.stat(inside(folder, "x.observables.h5")).st_mtime_ns)


def whole_results(late):
    path = a.path("late.h5")
    attack.overwrite(path, late["x.observables.h5"])
    return path


# Old files

def kept(what, folder, before, names):
    """Every old file is still there with all its bytes, under whatever name."""
    now = attack.contents(folder)
    for name in names:
        found = [new for new, content in now.items() if content == before[name]]
        if not found and name.endswith(".log"):  # or it is appended to
            found = attack.read(inside(folder, name)).startswith(logs[0])
        a.judge(f"{what}: the old {name} is there", found, sorted(now))


def backups():
    names = [STATE, PREV, "x.csv", "x.h5md"]
    folder, history = prepare("never"), []
    for turn in range(4):
        before = attack.contents(folder)
        if os.path.exists(inside(folder, "x.log")):
            logs[:] = [attack.read(inside(folder, "x.log"))]
            names = [STATE, PREV, "x.csv", "x.h5md", "x.log"]
        done = go(folder, "--restart=never", "-s", f"run.seed={turn + 30}", "-s", "run.steps=12",
                  ranks=1 + turn % 2)
        a.judge(f"never, turn {turn}: status 0", done.status == 0, done)
        kept(f"never, turn {turn}", folder, before, names)
        history.append({name: before[name] for name in names})
        new = sorted({*attack.contents(folder)} - {*before})
        a.judge(f"never, turn {turn}: names the backups", all(
            name.split("/")[0] in done.err for name in new if name != "x.log"), new, done)
        a.count("starts with restart: never on old files")
    now = {*attack.contents(folder).values()}
    lost = [(turn, name) for turn, old in enumerate(history) for name, content in old.items()
            if content not in now and name != "x.log"]
    a.judge("after four starts everything is there", not lost, lost)
    # A new run on an old prefix: no checkpoint, but other files.
    folder = prepare("prefix")
    before = attack.contents(folder)
    for name in (STATE, PREV):
        os.remove(inside(folder, name))
    done = go(folder)
    kept("a new run on an old prefix", folder, before, ["x.csv", "x.h5md"])
    ends_right("a new run on an old prefix", folder, done)


def default_prefix():
    text = re.sub(r"prefix: x, ", "", attack.read(inside(stopped, "run.yaml"), "r"))
    folder = a.fresh("default")
    shutil.copy(inside(stopped, "start.h5"), folder)
    a.write("default/some.run.yaml", text)
    done = attack.lamella(folder, "run", "some.run.yaml")
    a.judge("the default prefix is the run file's name", done.status == 0 and os.path.exists(
        inside(folder, "some.run.checkpoint.h5")), done, os.listdir(folder))


def seed_of(path):
    with h5py.File(path, "r") as file:
        return int(file["system/seed"][0])


def seeds():
    text = attack.read(inside(stopped, "run.yaml"), "r").replace(", seed: 11", "")
    other = attack.build(a, "replica", attack.MOLTEN.replace("seed: 5", "seed: 7"))
    runs = {"one": "start.h5", "again": "start.h5", "replica": other, "next": "../one/" + STATE}
    for name, source in runs.items():
        folder = a.fresh(name)
        shutil.copy(inside(stopped, "start.h5"), folder)
        a.write(name + "/run.yaml", text)
        done = go(folder, "-s", "input=" + source)
        a.judge(f"seeds: {name} ends", done.status == 0, done)
        a.judge(f"seeds: {name} says its seed",
                str(seed_of(inside(folder, STATE))) in done.err + log_of(folder), done)
    seed = {name: seed_of(a.path(name, STATE)) for name in runs}
    a.judge("the same input has the same seed", seed["one"] == seed["again"], seed)
    differ = attack.apart(a.path("one", STATE), a.path("again", STATE), leave_out=attack.STORY)
    a.judge("the same input gives the same trajectory", not differ, differ)
    a.judge("a replica has another seed", seed["replica"] != seed["one"], seed)
    a.judge("the next run has another seed", seed["next"] != seed["one"], seed)


def log_of(folder):
    path = inside(folder, "x.log")
    return attack.read(path, "r") if os.path.exists(path) else ""


def history():
    folder = prepare("log")
    first = log_of(folder)
    a.judge("x.log is there", first)
    done = go(folder, "-s", "thermostat.tau=0.25")
    both = log_of(folder)
    a.judge("x.log is appended to", first and both.startswith(first) and len(both) > len(first))
    for words in ("run.yaml", "thermostat.tau", "checkpoint", "lj", "0.5", "0.25"):
        a.judge(f"x.log holds {words}", words in both)
    info = attack.lamella(folder, "info", STATE)
    a.judge("info shows the temperature", "temperature" in info.out, info, done)


logs = [b""]
reference, stopped = a.fresh("reference"), a.fresh("stopped")
built = attack.build(a, "start", attack.MOLTEN)
for run_folder in (reference, stopped):
    shutil.copy(built, inside(run_folder, "start.h5"))
    a.write(inside(run_folder, "run.yaml"), attack.RUN.format(
        input="start.h5", steps=STEPS, prefix="x", frames=4, energies=3, checkpoints=5))
a.judge("the whole run", go(reference).status == 0)
a.judge("its first part", go(stopped, "-s", f"run.steps={STOP}").status == 0)
for part in (wrong_states, wrong_lists, unusable, forbidden, other_inputs, other_physics, foreign_files,
             results_again, backups, default_prefix, seeds, history):
    if os.environ.get("LAMELLA_PART", part.__name__) == part.__name__:
        part()
a.end()
