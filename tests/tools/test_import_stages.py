#!/usr/bin/env python3
"""lamella import of several .mdp files, and of what stands in them beside the keys of a run: stages, minimisers, restraints
and velocities of a stage, annealing, words by --substitute, --observe and --minimise; that every key of GROMACS 2026 and of
the mdout.mdp of grompp is known and in the manual; and that the .mdp files of others are imported."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from mdp_keys import KEYS
from run_lamella import DATA, Checks, read, run, skip, write

try:
    import yaml
except ImportError as missing:
    skip(missing)

SOURCE = os.environ.get("top_srcdir", ".")
TYPES = """[ defaults ]
1 2
[ atomtypes ]
P 72 0 A 0.47 3
N 72 1 A 0.47 3
M 72 -1 A 0.47 3
"""
MOLECULE = """[ moleculetype ]
%s 1
[ atoms ]
1 N 1 %s A1 1
2 M 1 %s A2 2
3 P 1 %s A3 3
[ bonds ]
#ifdef FLEXIBLE
1 2 1 0.47 1250
#endif
2 3 1 0.47 1250
#ifndef FLEXIBLE
[ constraints ]
1 2 1 0.47
#endif
"""
RESTRAINT = """#ifdef %s
[ position_restraints ]
%d 1 %s 1000 1000
#endif
"""
PAIRS = "coulombtype = reaction-field\nepsilon-r = 15\nrcoulomb = %g\nrvdw = %g\n"
BATH = "tcoupl = v-rescale\ntc-grps = System\ntau-t = 1\nref-t = 300\n"
EM = "integrator = steep\nnsteps = 30\nemtol = 50\n" + PAIRS % (1.2, 1.2)
EQ = "integrator = md\nnsteps = 20\ndt = 0.01\nnstenergy = 10\ngen-vel = yes\ngen-temp = 250\ngen-seed = 7\n" + BATH + PAIRS % (1.1, 1.1)
MD = EQ.replace("gen-vel = yes", "gen-vel = no").replace("nsteps = 20", "nsteps = 30")


def system(names, count=10, macros=()):
    """A topology of molecules of three beads, the first kind with restraints in #ifdef, and its configuration."""
    text, rows = TYPES, []
    for name in names:
        text += MOLECULE % ((name,) + 3 * (name[:4],))
        if name == names[0]:
            text += "".join(RESTRAINT % (macro, 1 + k % 3, "1000") for k, macro in enumerate(macros))
    write("t.top", text + "[ system ]\nx\n[ molecules ]\n" + "".join(f"{name} {count}\n" for name in names))
    for k, name in enumerate(names):
        for m in range(count):
            rows += [(name[:4], f"A{a + 1}", 0.47 * a + 0.1, 0.6 * m + 0.1, 0.6 * k + 0.1) for a in range(3)]
    lines = ["%5d%-5s%5s%5d%8.3f%8.3f%8.3f" % (n // 3 + 1, row[0], row[1], n + 1, *row[2:]) for n, row in enumerate(rows)]
    write("c.gro", "made\n%d\n" % len(rows) + "\n".join(lines) + "\n6 6 6\n")


def imported(files, *arguments, status=0):
    """What is said and the run file of .mdp texts, by their names."""
    for name, text in files.items():
        write(name, text)
    options = [f"--mdp={name}" for name in files]
    if os.path.exists("r.yaml"):
        os.unlink("r.yaml")
    done = run("import", "t.top", "c.gro", *options, "-o", "s.h5", "--run=r.yaml", *arguments, status=status)
    if status:
        return done.stderr, None
    return done.stderr + read("r.yaml"), yaml.safe_load(open("r.yaml"))


def row_of(name, at=0):
    with open(name) as lines:
        rows = [line.strip().split(",") for line in lines]
    return dict(zip(rows[0], rows[1 + at]))


def stages(checks):
    """A protocol em, eq, md: what each stage is, and that it runs."""
    system(["LIP", "W"], macros=("POSRES", "HEADS"))
    protocol = {"em.mdp": EM + "define = -DPOSRES -DFLEXIBLE\n", "eq.mdp": EQ + "define = -DPOSRES -DHEADS\n", "md.mdp": MD}
    said, made = imported(protocol, "-r", "c.gro")
    checks.true("-r as grompp", "no --reference" not in said, said)
    said, made = imported(protocol, "--minimise=20", "--observe=density,msd")
    checks.true("no --reference", "no --reference (grompp -r)" in said and "before it minimises" in said, said)
    names = [stage["name"] for stage in made["stages"]]
    checks.true("names of stages", names == ["minimise", "em", "eq", "md"], names)
    first, em, eq, md = made["stages"]
    checks.true("what a minimiser leaves out", "# define = -DPOSRES -DFLEXIBLE: without -DFLEXIBLE\n" in said and
                "# define = -DFLEXIBLE: a minimiser has" in said, said)
    checks.true("--minimise", first["minimise"] == {"steps": 20}, first)
    checks.true("a minimiser", em["minimise"] == {"steps": 30, "force": 50}, em)
    checks.true("keys of stages", eq["set"]["run"]["steps"] == 20 and md["set"]["run"]["steps"] == 30 and
                eq["set"]["thermostat"]["type"] == "bussi", made)
    checks.true("velocities of a stage", eq["set"]["velocities"] == {"temperature": 250, "seed": 7} and
                "velocities" not in md["set"], made)
    checks.true("observables of the last stage", md["set"]["observe"] == ["density", "msd"] and "observe" not in eq["set"], md)
    checks.true("pairs of a minimiser", "# pairs end as in md.mdp" in said, said)
    want = [{"POSRES": True, "HEADS": False}, {"POSRES": True, "HEADS": True}, {"POSRES": False, "HEADS": False}]
    got = [stage["set"]["restraints"] for stage in (em, eq, md)]
    checks.true("restraints of stages", got == want, got)
    run("run", "r.yaml", "--dry-run")
    run("run", "r.yaml")
    checks.true("each stage has its files", all(os.path.exists(f"r.{name}.checkpoint.h5") for name in names))
    checks.true("the run observes", os.path.exists("r.md.observables.h5"))
    checks.true("restraints act", float(row_of("r.eq.csv")["external"]) >= 0 if "external" in row_of("r.eq.csv") else True)


def flexible(checks):
    """A minimiser has the constraints of the last stage, or bonds in their place; a comment says where its own are others."""
    system(["LIP", "W"])
    define = "define = -DFLEXIBLE\n"
    for own in "", define:
        for last in "", define:
            said, _ = imported({"em.mdp": EM + own, "md.mdp": MD + last}, "--forcefield=f.yaml")
            with open("f.yaml") as file:
                constrained = "constraints:" in file.read()
            run("run", "r.yaml", "--dry-run", "-s", "output.prefix=flexible")
            what = f"em with '{own.strip()}', md with '{last.strip()}': "
            checks.true(what + "constraints of md", constrained == (not last), said)
            comment = "# constraints are those of md.mdp, which is with%s -DFLEXIBLE" % ("" if last else "out")
            checks.true(what + "a comment where they differ", (comment in said) == (own != last), said)


def velocities(checks):
    """Those that a stage draws are those that an import draws."""
    system(["LIP", "W"])
    imported({"eq.mdp": EQ})
    run("run", "r.yaml", "-s", "output.prefix=one")
    imported({"eq.mdp": EQ, "md.mdp": MD})
    run("run", "r.yaml", "-s", "output.prefix=two")
    one, two = row_of("one.csv"), row_of("two.eq.csv")
    checks.true("drawn at the begin of a stage", all(one[key] == two[key] for key in ("potential", "kinetic")), one, two)
    before, after = row_of("two.eq.csv", 2), row_of("two.md.csv")
    checks.true("kept by the next stage", before["kinetic"] == after["kinetic"], before, after)


def options(checks):
    system(["LIP", "W"])
    other = {"md.mdp": MD.replace("v-rescale", "Nose-Hoover") + "pcoupl = MTTK\nref-p = 1\ncompressibility = 3e-4\n"}
    said, _ = imported(other, status=2)
    checks.true("a thermostat that is none", "md.mdp:8: tcoupl = Nose-Hoover" in said and "--substitute" in said, said)
    said, made = imported(other, "--substitute=nose_hoover:V-rescale,mttk:c-rescale", "--substitute=pme:reaction-field")
    checks.true("--substitute", made["thermostat"]["type"] == "bussi" and made["barostat"]["type"] == "crescale" and
                "# tcoupl = Nose-Hoover (--substitute: V-rescale)" in said, said)
    checks.true("one that is not used", "--substitute=pme:reaction-field has no effect" in said, said)
    imported({"md.mdp": MD.replace("reaction-field", "PME")}, "--substitute=PME:reaction-field")
    for words, status in ("a:b", "no key can have the value 'b'"), ("a", "expected WORD:WORD"), ("a:b:c", "expected WORD:WORD"):
        said, _ = imported({"md.mdp": MD}, "--substitute=" + words, status=2)
        checks.true("--substitute=" + words, status in said, said)
    said, _ = imported({"md.mdp": MD.replace("epsilon-r = 15\n", "")})
    checks.true("no permittivity", "md.mdp: no epsilon-r: it is 1" in said, said)
    said, _ = imported({"md.mdp": MD})
    checks.true("permittivity, no restraints", "no epsilon-r" not in said and "--reference" not in said, said)
    said, made = imported({"md.mdp": MD}, "--observe=density")
    checks.true("--observe of one run", made["observe"] == ["density"] and "stages" not in made, made)
    said, _ = imported({"md.mdp": MD}, "--observe=densty", status=2)
    checks.true("an unknown observable", "did you mean 'density'?" in said and not os.path.exists("r.yaml"), said)
    frozen = MD + "freezegrps = W\nfreezedim = %s\n"
    for lists, axes, words in (("density,temperature", "Y Y Y", "md.mdp:"), ("density", "Y Y Y", ""), ("temperature", "N N N", "")):
        said, _ = imported({"md.mdp": frozen % axes}, "--observe=" + lists, status=2 if words else 0)
        checks.true(f"--observe={lists}, frozen {axes}", words in said and ("--observe=temperature: " in said) == bool(words), said)
        if not words:
            run("run", "r.yaml", "--dry-run", "-s", "output.prefix=frozen")
    groups = "comm-grps = Lipids\n"
    wrong = {name: text.replace("tc-grps = System", "tc-grps = Lipids") + groups for name, text in (("eq.mdp", EQ), ("md.mdp", MD))}
    said, _ = imported(wrong, status=2)
    places = re.findall(r"(\w+)\.mdp:\d+(?:: | \()((?:tc|comm)-grps)", said)
    checks.true("a wrong name is said once", said.count("what is 'Lipids'?") == 1, said)
    checks.true("with its places", sorted(places) == [(name, key) for name in ("eq", "md") for key in ("comm-grps", "tc-grps")], said)
    said, _ = imported({"em.mdp": EM}, "--observe=density", status=2)
    checks.true("--observe of a minimiser", "no stage is a run" in said, said)
    os.makedirs("other", exist_ok=True)
    for paths, names in ((["step6.0_minimization_of_all_of_it.mdp", "step6.1_equilibration.mdp"],) * 2,
                         (["eq_1.mdp", "eq.mdp", "other/eq.mdp", "eq_2.mdp"], ["eq_1", "eq", "eq_2", "eq_2_2"]),
                         (["csv.mdp", "_", "-a b.mdp", "minimise.mdp"], ["csv_2", "stage", "a_b", "minimise_2"])):
        _, made = imported(dict.fromkeys(paths, MD), "--minimise=5")
        want = ["minimise"] + [name.removesuffix(".mdp").replace(".", "_") for name in names]
        checks.true(f"names of stages: {paths}", [stage["name"] for stage in made["stages"]] == want, made)
        run("run", "r.yaml", "--dry-run", "-s", "output.prefix=named")
    _, made = imported({"em.mdp": EM.replace("steep", "l-bfgs").replace("30", "-1") + "emstep = 0.001\n"})
    checks.true("a minimiser without end", made["stages"][0]["minimise"] == {"steps": 1000000, "force": 50, "displacement": 0.001},
                made)
    said, _ = imported({"eq.mdp": EQ.replace("rvdw = 1.1", "rvdw = 1.2"), "md.mdp": MD}, status=2)
    checks.true("runs whose pairs differ", "eq.mdp:15: pairs end otherwise than in md.mdp" in said, said)


def physics(checks):
    """What changes the physics and has no meaning is refused at its line; what does not is taken."""
    system(["LIP", "W"])
    line = MD.count("\n") + 1
    coupled = "pcoupl = c-rescale\nref-p = 1\ncompressibility = 3e-4\n"
    for rows, words in ((coupled + "DispCorr = EnerPres", "dispcorr = EnerPres: "), ("accelerate = 0.1 0 0", "accelerate = 0.1 0 0: "),
                        ("constraints = all-bonds", "constraints = all-bonds: "), ("pbc = xy", "pbc = xy: "),
                        ("annealing = simple", "annealing = simple: "), ("free-energy = expanded", "free-energy = expanded: "),
                        ("comm-mode = sideways", "comm-mode = sideways: ")):
        said, _ = imported({"md.mdp": MD + rows + "\n"}, status=2)
        checks.true(rows, f"md.mdp:{line + rows.count(chr(10))}: {words}" in said, said)
    for rows in ("DispCorr = EnerPres", coupled + "DispCorr = Ener", "constraints = h-bonds", "tinit = 5000\ninit-step = 10",
                 "acc-grps = System\naccelerate = 0 0 0", "continuation = yes", "emtol = 1", "comm-mode = none"):
        imported({"md.mdp": MD + rows + "\n"})
        checks.true(rows + " is taken", True)
    write("c.gro", open("c.gro").read().replace("   A3", "   H3"))
    write("t.top", open("t.top").read().replace(" A3 ", " H3 "))
    said, _ = imported({"md.mdp": MD + "constraints = h-bonds\n"}, status=2)
    checks.true("a hydrogen", f"md.mdp:{line}: constraints = h-bonds: atom H3" in said, said)
    system(["LIP", "W"])
    _, made = imported({"md.mdp": MD.replace("tau-t = 1", "tau-t = 0")})
    checks.true("no relaxation time", float(made["thermostat"]["tau"]) == 1e-6, made)


def annealing(checks):
    """Temperatures of groups that change in time."""
    system(["LIP", "W"])
    two = MD.replace("tc-grps = System", "tc-grps = LIP W").replace("tau-t = 1", "tau-t = 1 1").replace("ref-t = 300", "ref-t = 300 310")
    rows = {"annealing": "single periodic", "annealing-npoints": "2 3", "annealing-time": "0 0.1 0 0.05 0.1",
            "annealing-temp": "300 350 300 310 300"}
    text = two + "".join(f"{key} = {value}\n" for key, value in rows.items())
    _, made = imported({"md.mdp": text})
    groups = [group["temperature"] for group in made["thermostat"]["groups"]]
    checks.true("annealing", groups == [[[0, 300], [0.1, 350]],
                                        {"points": [[0, 300], [0.05, 310], [0.1, 300]], "periodic": True}], groups)
    run("run", "r.yaml", "--dry-run", "-s", "output.prefix=annealed")
    _, made = imported({"md.mdp": text.replace("single periodic", "no single").replace("= 2 3", "= 0 5").replace("0 0.05", "0.2 0.3")
                        .replace("0.3 0.1", "0.3 0.4")})
    checks.true("one group of two", made["thermostat"]["groups"][0]["temperature"] == 300, made)
    first = two.count("\n") + 1
    for key, value, line, words in (("annealing", "no sometimes", 0, "no, single and periodic"), ("annealing-npoints", "2", 1, "has 1 numbers"),
                                    ("annealing-npoints", "2 4", 1, "group 2 has 4 points"), ("annealing-time", "0.1 0 0 1 2", 2, "must be 0"),
                                    ("annealing-time", "0 1 0 2 1", 2, "1 comes after 2"), ("annealing-temp", "300 1e9 1 1 1", 3, "1e+09"),
                                    ("annealing", "single no\ntinit = 5", 0, "tinit")):
        said, _ = imported({"md.mdp": two + "".join(f"{k} = {value if k == key else v}\n" for k, v in rows.items())}, status=2)
        checks.true(f"{key} = {value}", f"md.mdp:{first + line}: " in said and words in said, said)


def known(checks):
    """Every key of GROMACS 2026, and each of mdout.mdp, is a row of the manual."""
    system(["LIP", "W"])
    with open(os.path.join(SOURCE, "docs/reference/mdp.md")) as page:
        listed = re.findall(r"`([^`]*)`", "".join(line.split("|")[1] for line in page if line.startswith("| `")))
    plain = [re.sub("[-_]", "", key.lower()) for key in listed]

    def has_row(key):
        key = re.sub("[-_]", "", key.lower())
        return any(key == row or re.sub("[0-9]+", "#", key) == row or (row.endswith("*") and key.startswith(row[:-1])) or
                   (row.startswith("*") and key.endswith(row[1:])) for row in plain)

    said = run("import", "t.top", "c.gro", "--mdp=all.mdp", "-o", "s.h5", status=None,
               before=["sh", "-c", "printf '%s = 0\\n' " + " ".join(KEYS) + ' >all.mdp; exec "$0" "$@"']).stderr
    checks.true("keys of 2026 are known", "unknown key" not in said and "no version" not in said, said)
    for key in KEYS:
        checks.true(f"the manual has {key}", has_row(key))
    if not shutil.which("gmx_d"):
        return
    write("few.mdp", "integrator = md\n" + PAIRS % (1.1, 1.1))
    subprocess.run(["gmx_d", "grompp", "-f", "few.mdp", "-c", "c.gro", "-p", "t.top", "-o", "x.tpr", "-maxwarn", "9"],
                   capture_output=True, check=True)
    said, made = imported({"mdout.mdp": open("mdout.mdp").read()})
    checks.true("mdout.mdp of grompp", "no version" not in said and made["run"]["dt"] == 0.001, said)
    for key in re.findall(r"^([A-Za-z][\w-]*) *=", open("mdout.mdp").read(), re.M):
        checks.true(f"the manual has {key} of mdout.mdp", has_row(key))


def settings_of(path):
    found = {}
    for line in open(path, errors="replace"):
        key, equal, value = line.split(";")[0].partition("=")
        if equal and value.split():
            found[re.sub("[-_]", "", key.strip().lower())] = value.split()
    return found


def others(checks):
    """Files of public repositories, each with a system that has its groups."""
    for path in sorted(glob.glob(os.path.join(DATA, "mdp", "*.mdp"))) if DATA else ():
        keys = settings_of(path)
        names = [name for name in keys.get("tcgrps", []) if name.lower() != "system"] or ["LIP", "W"]
        system(names, macros=[word[2:] for word in keys.get("define", []) if word != "-DFLEXIBLE"])
        groups = {"System": range(1, 30 * len(names) + 1)}
        groups.update({name: range(30 * k + 1, 30 * k + 31) for k, name in enumerate(names)})
        for name in keys.get("freezegrps", []) + keys.get("commgrps", []):
            groups.setdefault(name, range(3, 4))
        write("i.ndx", "".join(f"[ {name} ]\n{' '.join(map(str, atoms))}\n" for name, atoms in groups.items()))
        shutil.copy(path, "x.mdp")
        done = run("import", "t.top", "c.gro", "--mdp=x.mdp", "--ndx=i.ndx", "-o", "s.h5", "--run=r.yaml", status=None)
        checks.true(os.path.basename(path) + " is imported", done.returncode == 0, done.stderr)
        if done.returncode == 0:
            run("run", "r.yaml", "--dry-run")


def main():
    checks = Checks()
    sys.stdout.reconfigure(line_buffering=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for part in (stages, flexible, velocities, options, physics, annealing, known, others):
            part(checks)
        os.chdir("/")
    checks.end()


main()
