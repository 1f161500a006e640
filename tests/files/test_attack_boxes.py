"""Damaged boxes in .gro files, state files, building specs and LAMMPS data files: a message and status 2 (4 of states), or the
box that the file says and the energy of a sum over all images in it. LAMELLA_COUNT: of each kind."""
import itertools
import json
import math
import os
import shutil

import attack
from run_lamella import ELBA_DATA, skip

try:
    import h5py
    import numpy as np

    from gromacs_files import vectors
except ImportError as missing:
    skip(missing)

a = attack.Attack("test_attack_boxes", 54)
CUTOFF, SIGMA, EPSILON = 1.1, 0.3, 2.0
TOP = """[ defaults ]
1 2
[ atomtypes ]
P 72 0 A %g %g
[ moleculetype ]
W 1
[ atoms ]
1 P 1 W W 1
[ system ]
boxes
[ molecules ]
W 12
""" % (SIGMA, EPSILON)
BOXES = [[3.2, 3.1, 3.4], [3.0, 3.1, 3.3, 0, 0, 0, 0, 0, 0], [3.6, 3.11769, 3.2, 0, 0, 1.8, 0, 0, 0],
         [3.4, 3.4, 2.40416, 0, 0, 0, 0, 1.7, 1.7], [3.9, 3.67696, 3.18434, 0, 0, 1.3, 0, -1.3, 1.83848]]
WORDS = ["nan", "inf", "-inf", "x", "1e300", "-1e300", "1e999", "0", "-0.0", "-3", "1e-9", "0.005", "1e7", "1,5", "3.1.2", "--3", "1e-320",
         "3d0", "2.2", "2.19", "1.0", "\xff"]
PLACES = np.array(list(itertools.product((0.31, 1.1, 1.87), (0.42, 1.33), (0.5, 1.61)))) + \
    np.random.default_rng(4).uniform(-0.15, 0.15, (12, 3))
PLACES = np.round(PLACES, 3)


def faces(rows):
    """The distances of opposite faces: volume over area."""
    across = np.array([np.cross(rows[1], rows[2]), np.cross(rows[2], rows[0]), np.cross(rows[0], rows[1])])
    return np.linalg.det(rows) / np.linalg.norm(across, axis=1)


def reduced(rows):
    """The same lattice with short vectors, as far as needed to find all images nearby."""
    rows = rows.copy()
    for i, j in (2, 1), (2, 0), (1, 0):
        rows[i] -= np.round(rows[i, j] / rows[j, j]) * rows[j]
    return rows


def energy_of(places, rows):
    """Lennard-Jones, shifted by its energy at the cutoff, over all images; the least distance."""
    rows = reduced(rows)
    apart = places[:, None] - places[None]
    apart -= np.floor(apart @ np.linalg.inv(rows) + 0.5) @ rows
    images = np.array(list(itertools.product((-1, 0, 1), repeat=3))) @ rows
    r = np.linalg.norm(apart[:, :, None] + images, axis=3)
    r = r[(r > 0) & (r < CUTOFF)]
    s, end = (SIGMA / r) ** 6, (SIGMA / CUTOFF) ** 6
    return 2 * EPSILON * (s * s - s - end * end + end).sum(), r.min(initial=CUTOFF)


def changed(numbers):
    """Words of a box in which one thing or a few are others."""
    words = ["%.5f" % number for number in numbers]
    for _ in range(a.random.choice((1, 1, 2))):
        k, do = a.random.randrange(len(words)), a.random.randrange(12)
        if do == 0:
            words = words[:a.random.choice((0, 1, 2, 4, 5, 6, 7, 8, 3))]
        elif do == 1:
            words = (words + ["0.00000"] * 9)[:a.random.choice((6, 9, 10, 12))]
        elif do < 5:
            words[k] = a.random.choice(WORDS)
        elif do == 5:
            other = a.random.randrange(len(words))
            words[k], words[other] = words[other], words[k]
        elif do == 6:
            words[k] = "-" + words[k].lstrip("-")
        elif do == 7 and len(words) == 9:  # a tilt of any size, or a component that has to be 0
            words[a.random.choice((3, 4, 5, 5, 6, 7, 7, 8, 8))] = "%.5f" % a.random.uniform(-12, 12)
        elif do == 8:
            factor = a.random.choice((0.5, 0.65, 0.75, 3, 40))
            words = ["%.6f" % (factor * number) for number in numbers]
        elif do == 9:
            words[k] = "%.4e" % numbers[k % len(numbers)]
        elif len(words) == 9:  # whole vectors added: the same lattice
            box, n = list(numbers), a.random.choice((-3, -1, 1, 2))
            if do == 10:
                box[7], box[8] = box[7] + n * box[5], box[8] + n * box[1]
            else:
                box[5], box[7] = box[5] + n * box[0], box[7] - n * box[0]
            words = ["%.5f" % number for number in box]
        if not words:
            return words
    return words


def number(word):
    try:
        return float(word) if word.isascii() and "_" not in word else None
    except ValueError:
        return None


def wanted(words):
    """The box vectors of a .gro file, or None where it has to be refused."""
    box = [number(word) for word in words]
    if len(box) not in (3, 9) or None in box or not np.isfinite(box).all():
        return None
    rows = vectors(box)
    if (np.diag(rows) < 0.01).any() or (np.abs(rows) > 1e6).any() or np.triu(rows, 1).any():
        return None
    return rows


def state_box(path):
    """Box vectors as rows, and places of a state, nm."""
    with h5py.File(path, "r") as file:
        edges = file["system/box"][:]
        tilt = file["system/tilt"][:] if "system/tilt" in file else [0, 0, 0]
        at = file["beads/position"][:].view(np.uint32) / 2.0**32
    rows = np.array([[edges[0], 0, 0], [tilt[0], edges[1], 0], [tilt[1], tilt[2], edges[2]]])
    return rows, at @ rows


def lattice_error(difference, rows, scale):
    """How far vectors are from whole vectors of a lattice, relative to a length."""
    whole = difference @ np.linalg.inv(rows)
    return np.abs((whole - np.round(whole)) @ rows).max() / scale


def judge_energy(what, done, places, rows):
    """energy of a state: the sum over images, or why there is none."""
    least = faces(rows).min()
    good = a.judge(f"{what}: status", done.status in (0, 2, 3) and (done.status == 0 or "lamella: " in done.err), done)
    if least < 2 * CUTOFF * (1 - 1e-9):
        return a.judge(f"{what}: too small a box is refused", done.status == 2, least, done) and good
    want, nearest = energy_of(places, rows)
    a.count("status %s in a large box" % done.status)
    if done.status == 0:
        got = json.loads(done.out)["potential"]
        return a.judge(f"{what}: energy", abs(got - want) <= 1e-4 * abs(want) + 1e-4, got, want, rows) and good
    return a.judge(f"{what}: refused for a reason", least < 2.03 * CUTOFF or nearest < 0.1 and done.status == 3, least, nearest,
                   done) and good


def case_gro(_):
    words = changed(a.random.choice(BOXES))
    folder = a.fresh("gro%d" % a.random.randrange(10**9))
    attack.overwrite(os.path.join(folder, "topol.top"), TOP.encode())
    rows = ["%5dW        W%5d%8.3f%8.3f%8.3f" % (k + 1, k + 1, *x) for k, x in enumerate(PLACES)]
    line = a.random.choice((" ", "  ", "\t")).join(words)
    text = "boxes\n12\n" + "\n".join(rows) + "\n" + a.random.choice(("", "   ")) + line + a.random.choice(("\n", "", " \n", "\r\n"))
    attack.overwrite(os.path.join(folder, "conf.gro"), text.encode("latin-1"))
    return folder, words


def work_gro(calls, folder):
    done = [calls.run(folder, "import", "topol.top", "conf.gro", "-o", "s.h5")]
    if done[0].status == 0:
        done.append(calls.run(folder, "energy", "s.h5", "--format=json", "--precision=double"))
    return done


def judge_gro(case, done):
    folder, words = case
    what, rows = "gro " + " ".join(words), wanted(words)
    good = a.judge(f"{what}: no crash", not any(one.crashed() for one in done), *done)
    if rows is None:
        good &= a.judge(f"{what}: a message", done[0].status == 2 and "conf.gro:15: box" in done[0].err, done[0])
    elif done[0].status:  # too far from a small box
        good &= a.judge(f"{what}: taken", done[0].status == 2 and "too far" in done[0].err and np.diag(rows).min() < 0.1, done[0])
    else:
        box, places = state_box(os.path.join(folder, "s.h5"))
        size = np.diag(rows).max()
        good &= a.judge(f"{what}: the same lattice", np.allclose(np.diag(box), np.diag(rows), rtol=1e-12) and
                        lattice_error(rows - box, box, size) < 1e-9, box, rows)
        good &= a.judge(f"{what}: reduced", all(abs(box[i, j]) <= box[j, j] * 0.50005 for i, j in ((1, 0), (2, 0), (2, 1))), box)
        good &= a.judge(f"{what}: places", lattice_error(places - PLACES, box, size) < 1e-8, box)
        good &= judge_energy(what, done[1], PLACES, box)
    a.count("gro: %s" % " ".join(str(one.status) for one in done))
    keep_or_remove(folder, good)


def case_state(_):
    """Edges and tilt of a good state become others, right checksums."""
    folder = a.fresh("state%d" % a.random.randrange(10**9))
    path = os.path.join(folder, "s.h5")
    shutil.copy(a.random.choice(states), path)
    what = []
    with h5py.File(path, "r+") as file:
        names = [name for name in ("system/box", "system/tilt") if name in file]
        for _ in range(a.random.choice((1, 1, 2, 3))):
            name, k = a.random.choice(names), a.random.randrange(3)
            old = file[name][k]
            value = a.random.choice([math.nan, math.inf, -math.inf, 0.0, -1.0, 1e300, 1e-310, 1e-5, -old, old / 2, old * 1.2, old + 3.3,
                                     old - 40.0, 1e12, -1e5, old * 0.66, 2.2, 1.9])
            file[name][k] = value
            what.append("%s[%d] = %g" % (name, k, value))
        if a.random.random() < 0.1:
            name, n = a.random.choice(names), a.random.choice((0, 1, 2, 4, 6, 9))
            attributes = dict(file[name].attrs)
            del file[name]
            file[name] = np.full(n, 3.0)
            file[name].attrs.update(attributes)
            what.append("%s of %d numbers" % (name, n))
    return folder, ", ".join(what)


def work_state(calls, folder):
    return [calls.run(folder, "energy", "s.h5", "--format=json", "--precision=double"), calls.run(folder, "info", "s.h5")]


def judge_state(case, done):
    folder, what = case
    good = a.judge(f"{what}: no crash", not any(one.crashed() for one in done), *done)
    a.count("state: %s" % " ".join(str(one.status) for one in done))
    if done[0].status == 4:
        good &= a.judge(f"{what}: names the file", "s.h5" in done[0].err and "box" in done[0].err or "tilt" in done[0].err, done[0])
    else:
        rows, places = state_box(os.path.join(folder, "s.h5"))
        good &= a.judge(f"{what}: a box that can be", np.isfinite(rows).all() and (np.diag(rows) > 0).all(), done[0])
        if good:
            good &= judge_energy(what, done[0], places, rows)
    keep_or_remove(folder, good)


FIELD = """format: 1
name: boxes
cutoff: 1.1
types:
  P: {mass: 72}
pair:
  lj: {truncation: energy_shift}
  electrostatics: {truncation: none}
  table:
    - [P, P, {epsilon: 2.0, sigma: 0.3}]
bonds:
  b: {form: harmonic, k: 600, r0: 0.4}
molecules:
  W: {beads: [P]}
  L: {beads: [P, P, P], bonds: [[b, 1, 2], [b, 2, 3]]}
"""
SPECS = ["water: {count: NUMBER, density: NUMBER, molecule: W}\n", "lattice: {type: sc, cells: [NUMBER, NUMBER, NUMBER], density: NUMBER, molecule: W}\n",
         "bilayer: {upper: {L: 9}, lower: {L: 9}, shape: SHAPE, area_per_lipid: NUMBER, height: NUMBER, water_per_lipid: 5, water: W}\n"
         "replicate: [NUMBER, 1, 1]\n"]
GOOD = [["150", "998"], ["5", "5", "6", "4.0"], ["0.8", "5", "1"]]


def case_spec(_):
    folder, k = a.fresh("spec%d" % a.random.randrange(10**9)), a.random.randrange(len(SPECS))
    values = list(GOOD[k])
    at = a.random.randrange(len(values))
    old = float(values[at])
    odd = [word for word in WORDS[:-1] if word != "1e7"] + ["[3, 3]", "{x: 1}", "~", ""]
    near = ["%g" % (old * factor) for factor in (-1, 0.2, 0.33, 1, 1.5, 2, 3, 30)]
    values[at] = a.random.choice(a.random.choice((odd, near)))
    shape = a.random.choice(("square", "hexagonal", "hexagonal", "cubic", "5", "[1, 2]"))
    text = "forcefield: ./ff.yaml\nseed: 3\nminimise: no\n" + SPECS[k].replace("SHAPE", shape)
    for value in values:
        text = text.replace("NUMBER", value, 1)
    attack.overwrite(os.path.join(folder, "spec.yaml"), text.encode())
    attack.overwrite(os.path.join(folder, "ff.yaml"), FIELD.encode())
    return folder, text.split("\n", 3)[3].strip()


def work_spec(calls, folder):
    return [calls.run(folder, "build", "spec.yaml", "-o", "s.h5")]


def judge_spec(case, done):
    folder, what = case
    good = a.judge(f"{what}: no crash", not done[0].crashed(), done[0])
    a.count("spec: %s" % done[0].status)
    if done[0].status:
        good &= a.judge(f"{what}: a message", done[0].status in (2, 3) and "lamella: " in done[0].err, done[0])
    else:
        rows, places = state_box(os.path.join(folder, "s.h5"))
        good &= a.judge(f"{what}: a box that can be", np.isfinite(rows).all() and (np.diag(rows) > 0).all() and len(places) > 0, rows)
        if "hexagonal" in what and "replicate: [1," in what:
            good &= a.judge(f"{what}: hexagonal", abs(rows[1, 0] - rows[0, 0] / 2) < 1e-9 * rows[0, 0] and
                            abs(rows[1, 1] - rows[0, 0] * math.sqrt(0.75)) < 1e-9 * rows[0, 0], rows)
    keep_or_remove(folder, good)


LAMMPS = """three waters

3 atoms
6 atom types
5 bond types
5 angle types
%s

Atoms

1 1 2 3 4 0 0 0 0.54132 0 5 0.6
2 1 9 10 11 0 0 0 0.54132 0 5 0.6
3 1 18 19 20 0 0 0 0.54132 0 5 0.6
"""
BOUNDS = [["0", "32", "0", "31", "-3", "30"], ["-20", "20", "-18", "18", "0", "35", "12", "-9", "14"]]


def case_lammps(_):
    folder, words = a.fresh("data%d" % a.random.randrange(10**9)), list(a.random.choice(BOUNDS))
    for _ in range(a.random.choice((1, 1, 2))):
        words[a.random.randrange(len(words))] = a.random.choice([*WORDS[:-1], "50", "-50", "16", "90.5"])
    lines = ["%s %s %slo %shi" % (words[2 * d], words[2 * d + 1], "xyz"[d], "xyz"[d]) for d in range(3)]
    if len(words) == 9:
        lines.append(" ".join(words[6:]) + " xy xz yz")
    attack.overwrite(os.path.join(folder, "m.data"), (LAMMPS % "\n".join(lines)).encode())
    return folder, words


def work_lammps(calls, folder):
    return [calls.run(folder, "import", "m.data", *ELBA_DATA, "-o", "s.h5")]


def judge_lammps(case, done):
    folder, words = case
    what, box = "data " + " ".join(words), [number(word) for word in words]
    good = a.judge(f"{what}: no crash", not done[0].crashed(), done[0])
    a.count("lammps: %s" % done[0].status)
    if done[0].status:
        good &= a.judge(f"{what}: a message", done[0].status == 2 and "m.data" in done[0].err, done[0])
    else:
        good &= a.judge(f"{what}: numbers", None not in box and np.isfinite(box).all())
        if good:
            edges = [(box[2 * d + 1] - box[2 * d]) / 10 for d in range(3)]
            tilt = [number / 10 for number in box[6:]] or [0, 0, 0]
            rows = np.array([[edges[0], 0, 0], [tilt[0], edges[1], 0], [tilt[1], tilt[2], edges[2]]])
            got, _ = state_box(os.path.join(folder, "s.h5"))
            good &= a.judge(f"{what}: the same lattice", (np.diag(rows) > 0).all() and np.allclose(np.diag(got), np.diag(rows)) and
                            lattice_error(rows - got, got, max(edges)) < 1e-9, got, rows)
    keep_or_remove(folder, good)


def keep_or_remove(folder, good):
    keep = os.environ.get("LAMELLA_KEEP")
    if not good and keep:
        shutil.copytree(folder, os.path.join(keep, os.path.basename(folder)), dirs_exist_ok=True)
    shutil.rmtree(folder)


def make_states(calls):
    made = []
    for k, box in enumerate(BOXES):
        folder, _ = case_gro(0)
        line = " ".join("%.5f" % number for number in box)
        with open(os.path.join(folder, "conf.gro"), encoding="latin-1") as file:
            text = "\n".join(file.read().split("\n")[:14]) + "\n" + line + "\n"
        attack.overwrite(os.path.join(folder, "conf.gro"), text.encode())
        done = work_gro(calls, folder)
        a.judge(f"whole: {line}", len(done) == 2 and done[1].status == 0, *done)
        judge_energy(f"whole: {line}", done[-1], PLACES, vectors(box))
        made.append(shutil.move(os.path.join(folder, "s.h5"), a.path("good%d.h5" % k)))
        shutil.rmtree(folder)
    return made


KINDS = {"gro": (case_gro, work_gro, judge_gro), "state": (case_state, work_state, judge_state), "spec": (case_spec, work_spec, judge_spec),
         "lammps": (case_lammps, work_lammps, judge_lammps)}
with attack.Calls(20) as server:
    states = make_states(server)
    for prepare, work, judge in KINDS.values():
        attack.in_batches(attack.count(45, 1000), prepare, lambda case: work(server, case[0]), judge)
a.end()
