"""Mutated run files, building specs, force fields, LAMMPS files and HDF5 states made by hand: a
documented status, a message that names the file or the key, bounded time and memory, and no crash.
LAMELLA may be a build with --enable-sanitize."""
import os
import re
import shutil
import tempfile

import attack
import attack_states

a = attack.Attack("test_attack_inputs", 20266)
MEMORY = 3 << 30  # bytes; nothing here needs more than a tenth
SECONDS = 60
PIECES = ["[", "]", "{", "}", ": ", ",", "\n", "- ", "-1", "nan", "inf", "~", "1e999", "0x10", "#",
          "99999999999999999999", "&a ", "*a", "\"", "'", "\\0", "\xff", "\x01", "\x00", "\t", "? ",
          "---\n", "[]", "{}", "<<: ", "!!int ", "|\n", "0", "ä", "1e300", "-0.0", "2147483648", "%d",
          "4294967296", "9223372036854775807", "/", "../", "1e-300", " ", "yes", "A" * 5000, "-inf"]
RUN = """input: {start}
forcefield: lj
run: {{steps: 2, dt: 0.004, seed: 11, precision: mixed, momentum_every: 2, verify: 1}}
thermostat: {{type: langevin, temperature: 180, tau: 0.5, every: 2}}
barostat: {{type: crescale, coupling: isotropic, pressure: 80, tau: 5.0, every: 2}}
neighbor: {{rebuild: exact, skin: 0.2}}
parallel: {{backend: cpu, transport: auto, axis: x, balance_every: 3}}
output: {{prefix: out, frames_every: 1, velocities: 1, energies_every: 1, checkpoint_every: 1}}
"""
SPECS = ["forcefield: lj\nseed: 5\ntemperature: 240\n"
         "lattice: {type: fcc, cells: [5, 4, 4], density: 0.8442, molecule: A}\n"
         "replicate: [1, 2, 1]\n",
         "forcefield: elba\nseed: 3\ntemperature: 303\nbilayer:\n  upper: {DOPC: 4, DMPC: 6}\n"
         "  lower: {DOPE: 7, POPC: 3}\n  water_per_lipid: 9\n  area_per_lipid: 0.68\n"
         "minimise: {max_steps: 2, force: 2000}\n",
         "forcefield: elba\nseed: 3\nwater: {count: 300, density: 998, molecule: W}\nminimise: no\n",
         "state: {start}\nreplicate: [1, 1, 2]\nminimise: {{max_steps: 1, force: 9}}\n"]
LAMMPS = """three waters and a bond

6 atoms
2 bonds
1 angles
6 atom types
5 bond types
5 angle types

0 60 xlo xhi
0 60 ylo yhi
0 60 zlo zhi

Atoms

1 6 1.0 1.0 1.0 1 0 0 0 0 5.0 0.6417
2 6 5.0 1.0 1.0 1 0 0 0 0 5.0 0.6417 0 0 1
3 6 9.0 1.0 1.0 1 0 0 0 0 5.0 0.6417

Velocities

1 0.1 0 0 0 0 0
2 0 0.1 0 0 0 0
3 0 0 1e-5 0 0 0
"""


def token_mutation(text):
    """One token of the text replaced, doubled, taken off, or exchanged with another."""
    tokens = re.findall(r"[\w.+-]+|\s+|[^\w\s]", text)
    k, other = (a.random.randrange(len(tokens)) for _ in range(2))
    while tokens[k].isspace() and a.random.random() < 0.9:
        k = a.random.randrange(len(tokens))
    do = a.random.randrange(5)
    if do == 0:
        tokens[k] = a.random.choice(PIECES)
    elif do == 1:
        tokens[k] *= 2
    elif do == 2:
        del tokens[k]
    elif do == 3:
        tokens[k], tokens[other] = tokens[other], tokens[k]
    else:
        try:
            value = float(tokens[k])
            tokens[k] = a.random.choice([f"{-value:g}", f"{value * 1e6:g}", f"{value + 0.5:g}",
                                         f"{value / 1e9:g}", "0", f"{value:.0f}e30"])
        except ValueError:
            tokens[k] = tokens[k][:len(tokens[k]) // 2]
    return "".join(tokens)


def byte_mutation(text):
    data = text.encode() or b" "
    at, span = a.random.randrange(len(data)), a.random.randrange(40)
    piece = a.random.choice(PIECES).encode("utf-8" if a.random.random() < 0.5 else "latin-1")
    do = a.random.randrange(4)
    if do == 0:
        data = data[:at] + piece + data[at:]
    elif do == 1:
        data = data[:at] + piece + data[at + span:]
    elif do == 2:
        data = data[:at] + bytes([data[at] ^ 1 << a.random.randrange(8)]) + data[at + 1:]
    else:
        data = data[:at]
    return data


def mutated(text):
    for _ in range(a.random.choice((1, 1, 1, 2, 3))):
        if isinstance(text, bytes) or a.random.random() < 0.5:
            text = byte_mutation(text if isinstance(text, str) else text.decode("latin-1"))
        else:
            text = token_mutation(text)
    return text if isinstance(text, bytes) else text.encode()


def case_text(k):
    kind = ("run", "spec", "field", "data")[k % 4]
    folder = tempfile.mkdtemp(dir=a.folder)
    field, start, spec = a.random.choice(fields)
    source = {"run": run_text, "spec": a.random.choice(specs), "field": field,
              "data": data_text}[kind]
    name = {"run": "m.yaml", "spec": "m.yaml", "field": "m.yaml", "data": "m.data"}[kind]
    attack.overwrite(os.path.join(folder, name), mutated(source))
    safe = ["-s", "output.prefix=out", "-s", "run.steps=2"]
    words = {"run": ["run", name, *safe], "spec": ["build", name, "-o", "out.h5"],
             "field": ["forcefield", "./" + name],
             "data": ["import", name, "--format=lammps-data", "--forcefield=elba", "-o", "out.h5"]}
    if kind == "field" and a.random.random() < 0.5:
        attack.overwrite(os.path.join(folder, "spec.yaml"),
                         re.sub("forcefield: .*", "forcefield: ./" + name, spec).encode())
        words["field"] = a.random.choice((["build", "spec.yaml", "-o", "out.h5"],
                                          ["run", "../run.yaml", "-s", "input=" + start, "-s",
                                           "forcefield=./" + name, *safe]))
    return folder, kind, name, words[kind], ""


def case_state(k):
    folder = tempfile.mkdtemp(dir=a.folder)
    what = attack_states.make(a.random, a.random.choice(starts), os.path.join(folder, "m.h5"))
    attack.overwrite(os.path.join(folder, "m.yaml"), b"state: m.h5\nreplicate: [1, 1, 1]\n")
    words = a.random.choice((["info", "m.h5"], ["energy", "m.h5", "--forces=f"],
                             ["build", "m.yaml", "-o", "out.h5"],
                             ["run", "../run.yaml", "-s", "input=m.h5", "-s", "forcefield="]))
    return folder, "state", "m.h5", words, what


def work(case):
    """Runs a case. Open MPI has its session folder there: two programs that make and remove the same
    one at once end with an error of MPI_Init."""
    return attack.lamella(case[0], *case[3], limit=SECONDS, env={"OMPI_MCA_orte_tmpdir_base": case[0]},
                          prefix=() if attack.SANITIZED else ("prlimit", f"--as={MEMORY}"))


def names(kind, name, err):
    """The file, or another that it names; for a run also one of its keys."""
    if name in err or "spec.yaml" in err or re.search(r"cannot (read|write|open) '", err):
        return True
    if "there is no force field" in err or "has crossed the box" in err:
        return True
    keys = r"\b(run|thermostat|barostat|neighbor|parallel|output)\.[a-z_]+|input|forcefield|skin"
    return kind in ("run", "state", "field") and re.search(keys, err)


def judge(case, done):
    folder, kind, name, words, how = case
    what = f"{kind}: {' '.join(words[:2])} {how}"
    good = a.judge(f"{what}: no crash", not done.crashed(), done)
    good &= a.judge(f"{what}: memory", attack.SANITIZED or done.memory < MEMORY // 4, done.memory)
    if done.status:
        good &= a.judge(f"{what}: a message", "lamella: " in done.err, done)
        if done.status in (2, 4):
            good &= a.judge(f"{what}: names the file", names(kind, name, done.err), done)
    left = [one for one in os.listdir(folder) if one.endswith((".tmp", ".lock"))]
    good &= a.judge(f"{what}: nothing is left over", not left, left)
    a.count(f"{kind}: status {done.status}")
    keep = os.environ.get("LAMELLA_KEEP")
    if not good and keep:
        shutil.copytree(folder, os.path.join(keep, os.path.basename(folder)), dirs_exist_ok=True)
        print("kept:", os.path.basename(folder))
    shutil.rmtree(folder)


starts = [attack.build(a, "start", attack.MOLTEN), attack.build(a, "wet", attack.MEMBRANE)]
run_text = RUN.format(start=starts[0])
a.write("run.yaml", run_text)
specs = [*SPECS[:3], SPECS[3].format(start=starts[0])]
field_folder = os.environ["LAMELLA_FORCEFIELDS"].split(":")[0]
# Texts of force fields, each with a state and a specification that use it.
fields = [(attack.read(os.path.join(field_folder, name), "r"), start, spec)
          for name, start, spec in zip(("lj.yaml", "elba.yaml"), starts, specs)]
data_text = LAMMPS
attack.in_batches(attack.count(100, 3000), case_text, work, judge)
attack.in_batches(attack.count(30, 400), case_state, work, judge)
a.end()
