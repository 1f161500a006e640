"""Files of a stopped run cut at a random length, emptied or filled with zeros: the same command ends
in the same bits, from .prev where it has to, or refuses with status 4 and touches nothing; a table of
energies that has lost lines before the checkpoint is refused with status 2. Of a cut
trajectory or table of energies no line or frame comes back changed, and none is lost that comes after
the checkpoint."""
import os
import shutil

import attack
from attack import h5py, np

a = attack.Attack("test_attack_cuts", 20263)
STATE, PREV, FRAMES, TABLE = "x.checkpoint.h5", "x.checkpoint.h5.prev", "x.h5md", "x.csv"
TARGETS = [(STATE,), (PREV,), (FRAMES,), (TABLE,), (STATE, PREV), (STATE, FRAMES)]
GROUP = "particles/trajectory/"


def damage(path, how):
    size = os.path.getsize(path)
    if how == "cut":
        length = a.random.randrange(1, size)
        os.truncate(path, length)
        return f"cut to {length} of {size} bytes"
    attack.overwrite(path, b"" if how == "empty" else bytes(size))
    return how


def damaged(k):
    targets = TARGETS[k % len(TARGETS)]
    folder = a.fresh(f"case{k}", stopped)
    how = a.random.choice(("cut", "cut", "cut", "empty", "zeros"))
    what = "; ".join(f"{t} {damage(os.path.join(folder, t), how)}" for t in targets)
    return folder, targets, what, attack.contents(folder, ("x.log",)), a.random.randint(1, 2)


def use(case):
    folder, targets, _, _, ranks = case
    infos = {t: attack.lamella(folder, "info", t) for t in targets if t != TABLE}
    return infos, attack.lamella(folder, "run", "run.yaml", ranks=ranks)


def frames_of(path):
    """{step: bytes of the frame}."""
    with h5py.File(path, "r") as file:
        steps = file[GROUP + "position/step"][:]
        parts = [file[GROUP + name][:] for name in
                 ("position/value", "image/value", "velocity/value", "box/edges/value")]
        parts.append(file[GROUP + "position/time"][:])
    return {int(s): [np.asarray(p[k]).tobytes() for p in parts] for k, s in enumerate(steps)}


def judge_frames(what, folder):
    there, wanted = (frames_of(os.path.join(f, FRAMES)) for f in (folder, reference))
    wrong = [s for s in there if there[s] != wanted.get(s)]
    a.judge(f"{what}: frames are right", not wrong, wrong)
    lost = [s for s in wanted if s > checkpoint_step and s not in there]
    a.judge(f"{what}: frames after the checkpoint are there", not lost, lost)


def judge_table(what, folder):
    there, wanted = (attack.read(os.path.join(f, TABLE), "r").split("\n")
                     for f in (folder, reference))
    a.judge(f"{what}: the table has its heading", there[0] == wanted[0], there[0])
    a.judge(f"{what}: lines are right", set(there) <= set(wanted), set(there) - set(wanted))
    lost = [w for w in wanted[1:] if w and int(w.split(",")[0]) > checkpoint_step and w not in there]
    a.judge(f"{what}: lines after the checkpoint are there", not lost, lost)
    a.judge(f"{what}: lines are in order", there == [w for w in wanted if w in there], there[:3])


def judge_table_refused(case, done):
    """A table that lacks the last line that the checkpoint knows may be of another run."""
    folder, _, what, before, ranks = case
    a.judge(f"{what}: names the table", TABLE in done.err and "move it away" in done.err, done)
    touched = attack.touched(before, attack.contents(folder, ("x.log",)))
    a.judge(f"{what}: nothing is touched", not touched, touched)
    os.remove(os.path.join(folder, TABLE))
    again = attack.lamella(folder, "run", "run.yaml", ranks=ranks)
    a.judge(f"{what}: the run goes on without the table", again.status == 0, again)
    differ = attack.apart(*(os.path.join(f, STATE) for f in (folder, reference)), leave_out=attack.STORY)
    a.judge(f"{what}: the same final state without the table", not differ, differ)
    a.count("runs refused with a table cut short")


def judge_end(case, done):
    folder, targets, what, before, _ = case
    if TABLE in targets and done.status == 2:
        judge_table_refused(case, done)
        return
    if not a.judge(f"{what}: the run goes on", done.status == 0, done):
        return
    if STATE in targets:
        a.judge(f"{what}: names .prev", ".prev" in done.err, done)
    differ = attack.apart(*(os.path.join(f, STATE) for f in (folder, reference)),
                          leave_out=attack.STORY)
    a.judge(f"{what}: the same final state", not differ, differ, done)
    if FRAMES in targets:
        kept = [name for name, now in attack.contents(folder).items()
                if now == before[FRAMES] and name != FRAMES]
        a.judge(f"{what}: the cut trajectory is kept", kept, os.listdir(folder))
        judge_frames(what, folder)
    else:
        differ = attack.apart(*(os.path.join(f, FRAMES) for f in (folder, reference)))
        a.judge(f"{what}: the same trajectory", not differ, differ[:5])
    judge_table(what, folder)
    if TABLE not in targets:
        same = attack.read(os.path.join(folder, TABLE)) == attack.read(
            os.path.join(reference, TABLE))
        a.judge(f"{what}: the same energies", same)
    left = [name for name in os.listdir(folder) if name.endswith((".tmp", ".lock"))]
    a.judge(f"{what}: nothing is left over", not left, left)
    a.count("runs gone on")


def judge(case, results):
    folder, targets, what, before, _ = case
    infos, done = results
    a.count("files damaged: " + " and ".join(targets))
    for name, info in infos.items():
        a.judge(f"{what}: info on {name} says so", info.status == 4 and name in info.err + info.out,
                info)
    if PREV in targets and STATE in targets:
        a.judge(f"{what}: status 4", done.status == 4, done)
        a.judge(f"{what}: names both", STATE + ".prev" in done.err and
                STATE in done.err.replace(STATE + ".prev", ""), done)
        touched = attack.touched(before, attack.contents(folder, ("x.log",)))
        a.judge(f"{what}: nothing is touched", not touched, touched)
        a.count("runs refused with nothing usable")
    else:
        judge_end(case, done)
    shutil.rmtree(folder)


start = attack.build(a, "start", attack.MOLTEN)
reference, stopped = a.fresh("reference"), a.fresh("stopped")
for folder, steps in (reference, 48), (stopped, 26):
    a.write(os.path.join(folder, "run.yaml"), attack.RUN.format(
        input=start, steps=steps, prefix="x", frames=4, energies=3, checkpoints=10))
    first = attack.lamella(folder, "run", "run.yaml")
    a.judge(f"the run of {steps} steps ends", first.status == 0, first)
shutil.copy(os.path.join(reference, "run.yaml"), stopped)
with h5py.File(os.path.join(stopped, PREV), "r") as older:
    checkpoint_step = 26
    a.judge("the older checkpoint is of step 20", older["system/step"][0] == 20)
attack.in_batches(attack.count(12, 100), damaged, use, judge)
a.end()
