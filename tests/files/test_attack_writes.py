"""A kill before or after each call that writes, syncs, lengthens, renames or closes a file, or that call fails (first,
n-th, all later; on one rank or all; errors of disks, quotas and permissions), while a run adds compressed frames with
observables, and just as nodes of HDF5's indices are split; files, standard streams and the heartbeat that
cannot be written to from the start. The same command, on any number of ranks, then ends
with the trajectory, energies, results and state of a run that nothing has disturbed, and `info` finds all whole."""
import errno
import itertools
import os
import shutil
import subprocess

import attack
from attack import h5py

a = attack.Attack("test_attack_writes", 20283)
LIQUID = """
forcefield: lj
seed: 5
temperature: 240
lattice: {type: fcc, cells: [4, 4, 4], density: 0.8442}
"""
# A frame has three chunks of an element, and a node of an index 64: it is split by the frame of step 21.
RUN = """
input: start.h5
neighbor: {{skin: 0.15}}
run: {{steps: {steps}, dt: 0.004, seed: 11}}
thermostat: {{type: langevin, temperature: 180, tau: 0.5}}
output: {{prefix: x, frames_every: 1, frames_precision: 0.001, energies_every: 2, checkpoint_every: 3}}
observe: [{{density: {{bins: 8, every: 1, frames: yes}}}}]
"""
END, STOP, HANG = 26, 20, 150
KINDS = "write", "ftruncate", "fsync", "rename", "close"
FILES = ("", ".log", "x.csv", ".h5md", ".undo", ".checkpoint.h5.tmp", ".psf.tmp", ".xmf", ".observables.h5.tmp",
         ".density.csv.tmp", ".json", ".lock")  # "": all
ERRORS = errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EACCES
source = os.path.join(os.path.dirname(attack.__file__), "attack_shim.c")
shim = a.path("shim.so")
made = subprocess.run([*os.environ.get("MPICC", "cc").split(), "-std=gnu11", "-O1", "-shared", "-fPIC", "-o", shim,
                       source, "-ldl"], capture_output=True, text=True)
if made.returncode:
    attack.skip("the shim does not compile here: " + made.stderr)


def shimmed(folder, ranks, replicas, settings, timeout):
    env = {"LD_PRELOAD": shim, "SHIM_FOLDER": os.path.realpath(folder),
           **{"SHIM_" + key.upper(): str(value) for key, value in settings.items()}}
    if attack.SANITIZED:
        env["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0"
    words = ["env", *(f"{key}={value}" for key, value in env.items())]
    return attack.lamella(folder, *command(replicas), "-s", f"parallel.timeout={timeout}", ranks=ranks, prefix=words,
                          limit=HANG)


def command(replicas):
    return ("run", "run.yaml", *([f"--replicas={replicas}"] if replicas > 1 else []))


def calls(source, ranks, replicas):
    """The names of the calls of rank 0 in an undisturbed run."""
    folder, counter = a.fresh("calls", source), a.path("names")
    attack.overwrite(counter, b"")
    done = shimmed(folder, ranks, replicas, {"count": counter, "rank": 0, "calls": ",".join(KINDS)}, 60)
    a.judge("an undisturbed run ends", done.status == 0, done)
    return attack.read(counter, "r").split()


folders = {}


def origin(name, copies):
    """The folder of a run that has not begun ("new"), has stopped, or is done, of so many replicas."""
    if (name, copies) not in folders:
        path = folders[name, copies] = a.fresh(f"{name}{copies}")
        shutil.copy(a.path("start.h5"), path)
        a.write(f"{name}{copies}/run.yaml", RUN.format(steps=END))
        steps = {"new": 0, "stopped": STOP, "done": END}[name]
        if steps:
            one = attack.lamella(path, *command(copies), "-s", f"run.steps={steps}", ranks=copies)
            a.judge(f"the run to step {steps} ends", one.status == 0, one)
    return folders[name, copies]


def results(folder, replicas):
    return [os.path.join(folder, f"replica-{k + 1}") for k in range(replicas)] if replicas > 1 else [folder]


def frames(path):
    """The steps of the frames that a reader gets."""
    try:
        with h5py.File(path, "r") as file:
            return file["particles/trajectory/position/step"][:].tolist()
    except (OSError, KeyError):
        return []


def same(what, folder, replicas):
    """Everything is as in the undisturbed run, and whole."""
    for now, then in zip(results(folder, replicas), results(origin("done", replicas), replicas)):
        for name in ("x.h5md", "x.checkpoint.h5", "x.checkpoint.h5.prev", "x.observables.h5"):
            path = os.path.join(now, name)
            if name.endswith(("h5md", "checkpoint.h5", "prev")):
                info = attack.lamella(now, "info", name)
                a.judge(f"{what}: {name} is whole", info.status == 0, info)
            if not name.endswith("prev"):
                differ = attack.apart(path, os.path.join(then, name), leave_out=attack.STORY)
                a.judge(f"{what}: the same {name}", not differ, differ[:4], frames(path))
        for name in "x.csv", "x.psf", "x.xmf", "x.density.density.csv":
            texts = [attack.read(path) if os.path.exists(path) else b"" for path in
                     (os.path.join(f, name) for f in (now, then))]
            a.judge(f"{what}: the same {name}", texts[0] == texts[1], len(texts[0]), len(texts[1]))
        left = [n for n in os.listdir(now) if n.endswith((".tmp", ".lock", ".undo", ".new"))]
        a.judge(f"{what}: nothing is left over", not left, left)
        a.counts["trajectories kept as damaged"] += sum(".damaged" in n for n in os.listdir(now))


def goes_on(what, folder, ranks, replicas, first):
    done = attack.lamella(folder, *command(replicas), ranks=ranks, limit=HANG)
    if a.judge(f"{what}: goes on", done.status == 0, done, first):
        same(what, folder, replicas)


def case_of(k):
    """What is done to a job; deterministic in k."""
    kind = KINDS[k % len(KINDS)] if k % 3 else "write"
    ranks, replicas = a.random.choice(((1, 1), (2, 1), (2, 1), (2, 2)))
    begun = a.random.choice(("new", "stopped"))
    whom = a.random.choice((0, ranks - 1, None))
    number = numbers(begun, ranks, replicas, kind)
    settings = {"calls": kind, "at": a.random.randint(1, max(1, number))}
    if whom is not None:
        settings["rank"] = whom
    if k % 2:
        settings["do"] = a.random.choice(("before", "after"))
    else:
        settings["do"] = a.random.choice(ERRORS + (("short",) if kind == "write" else ()))
        settings["at"] = a.random.choice((1, settings["at"], settings["at"]))
        if a.random.random() < 0.4:
            settings["always"] = 1
    return kind, ranks, replicas, begun, settings, a.random.choice((1, 2))


counted = {}


def numbers(begun, ranks, replicas, kind):
    key = begun, ranks, replicas
    if key not in counted:
        counted[key] = calls(origin(begun, replicas), ranks, replicas)
    return sum(kind in name for name in counted[key])


def every_call(first, step):
    """Kills of a job that splits nodes: at each step-th of the first calls of a kind."""
    return [(kind, 1, 1, "stopped", {"calls": kind, "at": at, "rank": 0, "do": "before"}, 1)
            for kind in ("write", "ftruncate", "rename", "fsync")
            for at in range(1, min(first, numbers("stopped", 1, 1, kind)) + 1, step)]


def from_the_first():
    """Jobs in which each beat of the heartbeat, or each write to a file, or to all, fails. long: files in every way."""
    picked = [("", 2, "stopped", "short"), (".h5md", 3, "stopped", "short"), ("x.csv", 1, "new", errno.ENOSPC),
              (".undo", 2, "stopped", errno.EIO), (".log", 1, "new", "short")]
    if attack.LONG:
        picked = [*itertools.product(FILES, (1, 2, 3), ("new", "stopped"), ("short", errno.ENOSPC, errno.EIO))]
    first = {"at": 1, "always": 1}
    return [("send", 2, 1, "new", {"calls": "send", "sends": 1, "do": errno.EIO, **first}, 1),
            *(("write", ranks, 1, begun, {"calls": "write", "file": file, "do": do, **first}, 1)
              for file, ranks, begun, do in picked)]


def said_nowhere():
    """Standard output and error that take nothing stop no run."""
    for ranks in (1, 2, 3) if attack.LONG else (2,):
        folder, words = a.fresh("nowhere", origin("new", 1)), ("sh", "-c", 'exec "$@" > /dev/full 2>&1', "sh")
        done = attack.lamella(folder, *command(1), ranks=ranks, limit=HANG, prefix=words)
        if a.judge(f"standard output and error are full, {ranks} ranks: status 0", done.status == 0, done):
            same(f"standard output and error are full, {ranks} ranks", folder, 1)


def shortened(precision, ranks, cut):
    """A file that is shorter than its superblock says, without an undo file, and with frames after the checkpoint.
    cut: bytes; 0: to the middle of its last chunk."""
    folder, whole = a.fresh("short", origin("stopped", 1)), origin("done", 1)
    frames_at = f"output.frames_precision={precision}"
    if precision == 0:
        folder, whole = a.fresh("short", origin("new", 1)), a.fresh("whole", origin("new", 1))
        run_to(STOP, folder, frames_at)
        run_to(END, whole, frames_at)
    path = os.path.join(folder, "x.h5md")
    os.replace(os.path.join(folder, "x.checkpoint.h5.prev"), os.path.join(folder, "x.checkpoint.h5"))
    ends = []
    with h5py.File(path, "r") as file:
        for element in "position", "image":
            data = file[f"particles/trajectory/{element}/value"].id
            ends += [(c.byte_offset, c.size) for c in map(data.get_chunk_info, range(data.get_num_chunks()))]
    os.truncate(path, os.path.getsize(path) - cut if cut else max(ends)[0] + max(ends)[1] // 2)
    what = f"shortened by {cut or 'half a chunk'}, precision {precision}, {ranks} ranks"
    before = attack.read(path)
    done = attack.lamella(folder, "run", "run.yaml", "-s", frames_at, ranks=ranks)
    a.judge(f"{what}: goes on and says it", done.status == 0 and "cannot be continued" in done.err, done)
    kept = [n for n in os.listdir(folder) if ".h5md.damaged" in n]
    a.judge(f"{what}: the file is kept", [attack.read(os.path.join(folder, n)) == before for n in kept] == [True], kept)
    a.judge(f"{what}: whole", attack.lamella(folder, "info", "x.h5md").status == 0)
    differ = attack.apart(path, os.path.join(whole, "x.h5md"))
    a.judge(f"{what}: all frames", not differ, differ[:4], frames(path))


def run_to(step, folder, setting):
    done = attack.lamella(folder, "run", "run.yaml", "-s", f"run.steps={step}", "-s", setting)
    a.judge(f"the run to step {step} with {setting} ends", done.status == 0, done)


def nothing_to_do():
    """Such a job removes what a killed one has left, and puts the trajectory right."""
    folder = a.fresh("again", origin("done", 1))
    for name in "x.checkpoint.h5.tmp", "x.h5md.new", "x.h5md.tmp", "x.psf.tmp", "x.h5md.undo":
        a.write(f"again/{name}", "something")
    done = attack.lamella(folder, "run", "run.yaml")
    a.judge("nothing to do", done.status == 0 and "nothing to do" in done.err, done)
    same("nothing to do", folder, 1)


def standing():
    """A state that is to be replaced stands, or the new one does, whichever call fails; the message names it."""
    folder = a.fresh("standing")
    old = attack.read(a.path("start.h5"))
    a.write("standing/spec.yaml", LIQUID.replace("240", "250"))
    for kind in "fsync", "rename":
        for at in range(1, 10):
            attack.overwrite(os.path.join(folder, "start.h5"), old)
            words = ["env", f"LD_PRELOAD={shim}", f"SHIM_FOLDER={os.path.realpath(folder)}", f"SHIM_CALLS={kind}", f"SHIM_AT={at}",
                     f"SHIM_DO={errno.EIO}"]
            done = attack.lamella(folder, "build", "spec.yaml", "-o", "start.h5", prefix=words, limit=HANG)
            what = f"a state is replaced, {kind} {at} fails"
            now = os.path.join(folder, "start.h5")
            whole = os.path.exists(now) and attack.lamella(folder, "info", "start.h5").status == 0
            a.judge(f"{what}: one stands", whole and done.status in (0, 4), done, os.listdir(folder))
            if done.status == 0:
                break
            a.judge(f"{what}: it is named", "start.h5" in done.err, done)
        a.judge(f"calls of {kind}", at > 1, at)


def judge(case, done):
    (kind, ranks, replicas, begun, settings, later), folder = case
    what = f"{kind} {settings} on {ranks} ranks, {replicas} replicas, {begun}"
    killed = settings["do"] in ("before", "after")
    good = (-9, 137, 9, 5, 0) if killed else (0, 2, 4, 5, 137)
    a.count(f"{'kills at' if killed else 'failing'} {kind}, status {done.status}")
    a.judge(f"{what}: it ends", done.status is not None, done)
    a.judge(f"{what}: status {good}", done.status in good, done)
    a.judge(f"{what}: no crash", not any(word in done.err for word in (
        "SIGSEGV", "Segmentation", "signal 11", "signal 6", "Sanitizer")), done)
    if done.status == 4:
        a.judge(f"{what}: the file is said", any(name in done.err for name in ("x.", "start.h5", "run.yaml")), done)
    goes_on(what, folder, later * replicas if replicas > 1 else later, replicas, done)
    shutil.rmtree(folder)


def campaign(cases):
    def prepare(k):
        return cases[k], a.fresh(f"case{k}", origin(cases[k][3], cases[k][2]))

    attack.in_batches(len(cases), prepare, lambda it: shimmed(it[1], it[0][1], it[0][2], it[0][4], 1), judge)


attack.build(a, "start", LIQUID)
campaign([case_of(k) for k in range(attack.count(3, 600))])
campaign(every_call(10000, 1) if attack.LONG else every_call(30, 27))
campaign(from_the_first())
said_nowhere()
for how in ((0.001, 1, 0), (0.001, 2, 1), (0, 1, 1), (0, 2, 0)):
    shortened(*how)
nothing_to_do()
standing()
a.end()
