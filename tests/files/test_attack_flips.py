"""One flipped bit in a checkpoint, in both generations of it, or in a trajectory: whatever changes a
value that a reader gets is noticed by info and by run, which ends in the same bits or touches
nothing. Flips in bytes that no reader gets are counted apart."""
import os
import shutil

import attack

a = attack.Attack("test_attack_flips", 20262)
CHECKPOINT, TRAJECTORY = "x.checkpoint.h5", "x.h5md"
LOG = "x.log"  # a run that refuses may say so there


def noticed(info):
    return info.status == 4


# Checkpoints

def flipped_checkpoint(k):
    """A copy of the stopped run with one bit of one or both checkpoints flipped."""
    names = [CHECKPOINT] if a.random.random() < 0.75 else [CHECKPOINT, CHECKPOINT + ".prev"]
    folder = a.fresh(f"case{k}", stopped)
    where = [(name, *attack.flip(os.path.join(folder, name), a.random)) for name in names]
    changed = {name: bool(attack.apart(attack.values(os.path.join(folder, name)), true[name]))
               for name in names}
    return folder, where, changed, attack.contents(folder, (LOG,))


def use_checkpoint(case):
    folder, _, changed, _ = case
    infos = {name: attack.lamella(folder, "info", name) for name in changed}
    return infos, attack.lamella(folder, "run", "run.yaml")


def judge_refusal(what, case, done, bad):
    folder, _, _, before = case
    a.judge(f"{what}: status 4 where neither can be used", done.status == 4, done)
    for name in bad:
        a.judge(f"{what}: names {name}", name in done.err, done)
    touched = attack.touched(before, attack.contents(folder, (LOG,)))
    a.judge(f"{what}: nothing is touched", not touched, touched, done)
    a.count("runs refused with nothing usable")


def judge_checkpoint(case, results):
    folder, where, changed, before = case
    infos, done = results
    what = "flip in " + ", ".join(f"{name} byte {byte} bit {bit}" for name, byte, bit in where)
    bad = [name for name in infos if noticed(infos[name])]
    for name, info in infos.items():
        a.count("flips in checkpoints")
        if changed[name]:
            a.judge(f"{what}: info notices {name}", noticed(info), info)
        else:
            a.count("  in unused bytes, " + ("noticed" if noticed(info) else "not noticed"))
            a.judge(f"{what}: info on {name} ends", info.status in (0, 4), info)
    if len(bad) == 2:
        judge_refusal(what, case, done, bad)
    else:
        if bad == [CHECKPOINT]:
            a.judge(f"{what}: falls back and says so", ".prev" in done.err, done)
            a.count("runs gone on from .prev")
        if a.judge(f"{what}: the run goes on", done.status == 0, done):
            wrong = attack.same_run(a, what, folder, reference, "x")
            a.count("runs ended in " + ("OTHER BITS" if wrong else "the same bits"))
    shutil.rmtree(folder)


# Trajectories

def flipped_trajectory(k):
    path = a.path(f"flip{k}.h5md")
    shutil.copy(sound, path)
    byte, bit = attack.flip(path, a.random)
    return path, f"flip in trajectory byte {byte} bit {bit}", attack.apart(attack.values(path), whole)


def overwritten(name, filler):
    """A piece of a dataset, one frame where it has frames, filled with one byte."""
    path = a.path("over" + name.replace("/", "_") + f"{filler}.h5md")
    shutil.copy(sound, path)
    with attack.h5py.File(sound, "r") as file:
        item = file[name]
        if item.chunks is None:
            at, length = item.id.get_offset(), item.id.get_storage_size()
        else:
            chunk = item.id.get_chunk_info(a.random.randrange(item.id.get_num_chunks()))
            at, length = chunk.byte_offset, chunk.size
    if not at or not length:
        return None
    # In a chunk of many frames, those that are there.
    length = min(length, item_bytes[name])
    attack.overwrite(path, bytes([filler]) * length, at)
    return path, f"{name} filled with {filler:#x}", attack.apart(attack.values(path), whole)


def look_at(case):
    return attack.lamella(a.folder, "info", case[0])


def judge_trajectory(case, info):
    path, what, changed = case
    a.count("flips and fillings in trajectories")
    if changed:
        a.judge(f"{what}: info notices", noticed(info), changed[:4], info)
    else:
        a.count("  in unused bytes, " + ("noticed" if noticed(info) else "not noticed"))
        a.judge(f"{what}: info ends", info.status in (0, 4), info)
    os.remove(path)


def fillings():
    names = []
    with attack.h5py.File(sound, "r") as file:
        file.visititems(lambda name, item: names.append(name) if
                        isinstance(item, attack.h5py.Dataset) and item.size else None)
        for name in names:
            item_bytes[name] = file[name].size * file[name].dtype.itemsize
    chosen = [(name, filler) for name in names for filler in (0, 0xff)]
    if not attack.LONG:
        chosen = a.random.sample(chosen, 24)
    return [case for case in (overwritten(*words) for words in chosen) if case]


def run_until(folder, steps):
    # Frames, energies and checkpoints at other intervals: checkpoints lie between frames.
    a.write(os.path.join(folder, "run.yaml"), attack.RUN.format(
        input=start, steps=steps, prefix="x", frames=4, energies=3, checkpoints=10))
    done = attack.lamella(a.path(folder), "run", "run.yaml")
    a.judge(f"the run of {steps} steps ends", done.status == 0, done)


for system, flips in ("MOLTEN", attack.count(30, 800)), ("MEMBRANE", attack.count(10, 200)):
    start = attack.build(a, "start", getattr(attack, system))
    reference, stopped = a.fresh("reference"), a.fresh("stopped")
    run_until("reference", 44)
    run_until("stopped", 24)
    text = attack.read(os.path.join(reference, "run.yaml"), "r")
    a.write("stopped/run.yaml", text)
    true = {name: attack.values(os.path.join(stopped, name))
            for name in (CHECKPOINT, CHECKPOINT + ".prev")}
    attack.in_batches(flips, flipped_checkpoint, use_checkpoint, judge_checkpoint)
    sound, item_bytes = os.path.join(stopped, TRAJECTORY), {}
    whole = attack.values(sound)
    attack.in_batches(attack.count(*((20, 300) if system == "MOLTEN" else (40, 700))),
                      flipped_trajectory, look_at, judge_trajectory)
    filled = fillings()
    attack.in_batches(len(filled), lambda k: filled[k], look_at, judge_trajectory)
a.end()
