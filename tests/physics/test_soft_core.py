#!/usr/bin/env python3
"""Soft cores: imported run parameters with free-energy = yes have the energies, forces, virial and slopes by lambda
that GROMACS computes in double precision. All molecules or one type coupled; lambda 0, 0.01, 0.5 and 1; beads on top of
each other; any truncation. And what that means in runs: columns of PREFIX.csv, soft minimisation, mistakes."""
import os
import sys
import tempfile

import trial
from run_lamella import Checks, energy, run, skip

try:
    import numpy as np
    import gromacs_files as gf
except ImportError as missing:
    skip(missing)

# Z has no Lennard-Jones with anything: sc-sigma
TOP = gf.FORCEFIELD.replace("[ nonb", "Z 45 0 A 0 0\n[ nonb").replace(
    "C Q 1 0.45440 0.012910", "C Q 1 0.000454 0.00000012910") + """[ moleculetype ]
LIP 1
[ atoms ]
1 Q 1 LIP NC3 1 1
2 Q 1 LIP PO4 2 -1
3 P 1 LIP GL1 3 0.5
4 C 1 LIP C1A 4 0
5 P 1 LIP C2A 5 -0.5
[ bonds ]
1 2 1 0.47 50
2 3 1 0.47 50
3 4 1 0.47 50
4 5 1 0.47 50
[ pairs ]
1 4 1 0.05 0.0005
[ moleculetype ]
W 1
[ atoms ]
1 P 1 W W 1 0
[ moleculetype ]
NA 1
[ atoms ]
1 Q 1 NA NA 1 1
[ moleculetype ]
CL 1
[ atoms ]
1 Z 1 CL CL 1 -1
[ system ]
soft
[ molecules ]
LIP %d
NA 12
CL 12
W %d
"""
EDGE = 7  # columns of beads along x and y
RADIUS = "verlet-buffer-tolerance = -1\nnstlist = 1\nrlist = 1.4\n" # GROMACS wants excluded pairs within it
PAIRS = {"lj": "LJ (SR)", "qq": "Coulomb (SR)"}


def atoms_of(rng, lipids=16, piled=0, shear=0):
    """A jittered lattice, lipids on neighbouring columns. piled: waters on top of other beads. Returns atoms and box."""
    columns = [[np.array([i + shear * k, j, k]) * 0.5 + rng.uniform(0, 0.12, 3) for k in range(EDGE)]
               for i in range(EDGE) for j in range(EDGE)]
    pairs = [k for k in range(0, EDGE * EDGE - 1, 2) if k % EDGE < EDGE - 1][:lipids]
    chains = [[p[0], p[1], q[1], q[0], p[2]] for p, q in ((columns[k], columns[k + 1]) for k in pairs)]
    atoms = [(n + 1, "LIP", name, x) for n, chain in enumerate(chains)
             for name, x in zip(("NC3", "PO4", "GL1", "C1A", "C2A"), chain)]
    used = {id(x) for *_, x in atoms}
    rest = [x for column in columns for x in column if id(x) not in used]
    rng.shuffle(rest)
    for k in range(piled):
        rest[-1 - k] = rest[k] + rng.uniform(-0.02, 0.02, 3)
    names = ["NA"] * 12 + ["CL"] * 12 + ["W"] * (len(rest) - 24)
    atoms += [(lipids + 1 + k, name, name, x) for k, (name, x) in enumerate(zip(names, rest))]
    edge = 0.5 * EDGE
    return atoms, [edge] * 3 + ([0, 0, 0, 0, shear * edge, 0] if shear else [])


def top_of(lipids=16):
    return TOP % (lipids, EDGE**3 - 5 * lipids - 24)


def mdp_of(molecule="system", states=("vdw-q", "none"), at=0.5, alpha=0.5, power=1, sigma=0.3, intramol="yes", more="", soft_charges="yes",
           modifier="potential-shift", rf="0"):
    """at: lambda, or that of Lennard-Jones and that of charges."""
    keys = "free-energy = yes\ncouple-moltype = %s\ncouple-lambda0 = %s\ncouple_lambda1 = %s\n" % (molecule, *states)
    keys += "couple-intramol = %s\nsc-alpha = %g\nsc-power = %d\nsc-sigma = %g\nnstdhdl = 1\n" % (intramol, alpha, power, sigma)
    if isinstance(at, tuple):
        keys += "init-lambda-state = 1\nfep-lambdas = 0 %g\ncoul-lambdas = 0 %g\nsc-coul = %s\n" % (*at, soft_charges)
    else:
        keys += "init-lambda = %g\n" % at
    return gf.SINGLE_POINT % dict(modifier=modifier, coulomb="reaction-field", rf=rf) + keys + more + RADIUS


def settings(folder):
    """What the section soft_core of a run file says, as options."""
    options, inside = [], False
    for line in open(os.path.join(folder, "run.yaml")):
        if inside and line.startswith("  "):
            key, value = line.split("#")[0].split(":")
            options += ["-s", "soft_core.%s=%s" % (key.strip(), value.strip())]
        inside = line.startswith("soft_core:") or inside and line.startswith("  ")
    return options


def import_case(folder, top, atoms, box, mdp):
    gf.write(folder, "topol.top", top)
    gf.write(folder, "conf.gro", gf.gro(box, atoms))
    gf.write(folder, "sp.mdp", mdp)
    run("import", "topol.top", "conf.gro", "--mdp=sp.mdp", "-o", "start.h5", "--run=run.yaml", cwd=folder)


def compare(checks, rng, name, piled=0, shear=0, lipids=16, **keys):
    atoms, box = atoms_of(rng, lipids, piled, shear)
    top = top_of(lipids)
    mdp = mdp_of(**keys)
    with tempfile.TemporaryDirectory() as folder:
        import_case(folder, top, atoms, box, mdp)
        want, force = gf.single_point(folder, mdp)
        text = os.path.join(folder, "forces.txt")
        got = energy(os.path.join(folder, "start.h5"), "--precision=double", "--forces=" + text, *settings(folder))
        own = np.loadtxt(text)[:, 1:4]
    terms, scale = got["terms"], sum(abs(want[part]) for part in PAIRS.values())
    wanted = {term: sum(want.get(part, 0) for part in gf.TERMS[term]) for term in ("lj", "qq", "bond")}
    slope = {"dudl_lj": want.get("dVvdw/dl", 0), "dudl_qq": want.get("dVcoul/dl", 0)}
    if "dVremain/dl" in want and "dVcoul/dl" not in want: # one lambda
        slope = {"dudl_lj": want["dVremain/dl"] - terms.get("dudl_qq", 0), "dudl_qq": terms.get("dudl_qq", 0)}
    elif "dVcoul/dl" in want and "dVvdw/dl" not in want: # that of Lennard-Jones is fep-lambdas
        slope["dudl_lj"] = want["dVremain/dl"]
    scale += sum(abs(v) for v in slope.values())
    for term, value in {**wanted, **slope}.items():
        checks.close(name + ": " + term, terms.get(term, 0), value, relative=1e-6, absolute=1e-9 * scale)
    checks.close(name + ": potential", got["potential"], want["Potential"], relative=1e-6, absolute=1e-9 * scale)
    virial = [-2 * want["Vir-%s%s" % (a, b)] / got["volume"] * 16.605390672 for a in "XYZ" for b in "XYZ"]
    off = np.abs(np.array(got["virial_tensor"]) - virial).max()
    checks.true(name + ": virial", off < 1e-6 * np.abs(virial).max(), off, virial[0])
    largest = np.abs(force).max()
    checks.true(name + ": forces", largest > 1 and np.abs(own - force).max() < 1e-7 * largest,
                np.abs(own - force).max(), largest)


def runs(checks, rng):
    """A run with soft cores: the slopes that `energy` has in each line, on several ranks the same bits; continued by a
    job it ends with the bits of one; without soft cores there are no such columns. Others are not disturbed: a
    molecule type that none of the system is coupled to changes nothing."""
    atoms, box = atoms_of(rng)
    top = top_of()
    with tempfile.TemporaryDirectory() as folder:
        import_case(folder, top, atoms, box, mdp_of(molecule="NA", at=0.3))
        keys = "input: start.h5\nrun: {steps: 20, dt: 0.002, verify: 20}\noutput: {energies_every: 10}\n"
        text = "soft_core: {lambda: 0.3, at_0: all, molecules: [NA]}\n"
        for name, ranks, more in ("one", 1, text), ("two", 2, text), ("hard", 1, ""):
            gf.write(folder, name + ".yaml", keys + more)
            if name == "two":
                run("run", name + ".yaml", "-s", "run.steps=10", cwd=folder)
            run("run", name + ".yaml", ranks=ranks, cwd=folder)
        one, two, hard = (os.path.join(folder, name) for name in ("one", "two", "hard"))
        checks.true("bits of ranks and jobs", not trial.differences(one + ".checkpoint.h5", two + ".checkpoint.h5"))
        csv = trial.columns(folder, "one")
        got = energy(one + ".checkpoint.h5", "--precision=double", "-s", "soft_core.lambda=0.3", "-s", "soft_core.molecules=[NA]")
        for term in ("dudl_lj", "dudl_qq", "lj"):
            checks.close("column " + term, csv[term][-1], got["terms"][term], relative=1e-4, absolute=0.1)
        checks.true("slopes", abs(csv["dudl_lj"][-1]) > 1 and abs(csv["dudl_qq"][-1]) > 1)
        checks.true("no columns", not any(name.startswith("dudl") for name in trial.columns(folder, "hard")))
        # the slope is that of the energy
        h, kept = 1e-4, ["--precision=double", "-s", "soft_core.molecules=[NA]", "-s", "soft_core.power=2"]
        values = [energy(one + ".checkpoint.h5", *kept, "-s", "soft_core.lambda=%.9f" % (0.3 + d)) for d in (-h, 0, h)]
        checks.close("slope", sum(values[1]["terms"][term] for term in ("dudl_lj", "dudl_qq")),
                     (values[2]["potential"] - values[0]["potential"]) / (2 * h), relative=1e-5, absolute=1e-3)
        # no bead of the system is coupled: bits as without
        run("run", "hard.yaml", "-s", "output.prefix=off", "-s", "soft_core.lambda=0.3", "-s", "soft_core.at_1=all", cwd=folder)
        others = trial.differences(hard + ".checkpoint.h5", os.path.join(folder, "off.checkpoint.h5"))
        checks.true("nothing depends on lambda", not any(name.startswith("beads/") for name in others), others)
        import_case(folder, top, atoms, box, mdp_of())
        for what, text in {
                "bead type Q is in coupled": "soft_core: {lambda: 0.3, molecules: [NA]}",
                "no molecule type 'WW'": "soft_core: {lambda: 0.3, molecules: [WW]}",
                "lambda": "soft_core: {lambda: 1.3}",
                "lambda_charges is 0.3, and soft_core.lambda is auto": "soft_core: {lambda_charges: 0.3}",
                "give minimise.steps": "minimise: {soft: [0.1]}",
                "soft": "minimise: {steps: 3, soft: [2]}"}.items():
            gf.write(folder, "bad.yaml", keys + text)
            checks.refused("refused: " + text, what, "run", "bad.yaml", cwd=folder)


def minimise(checks, rng):
    """Beads anywhere, so that many are on top of each other, are relaxed by way of soft cores: the same on two ranks."""
    atoms, box = atoms_of(rng)
    atoms = [(*row[:3], row[3] if row[1] == "LIP" else rng.uniform(0, box[0], 3)) for row in atoms]
    top = top_of().replace("1 Z 1 CL", "1 Q 1 CL").replace("C Q 1 0.0", "C Q 1 0.45440 0.012910 ;")
    with tempfile.TemporaryDirectory() as folder:
        import_case(folder, top, atoms, box, mdp_of())
        for name, ranks in ("one", 1), ("two", 2):
            gf.write(folder, name + ".yaml", "input: start.h5\nminimise: {steps: 1000, force: 100, soft: [0.05, 0.01]}\n")
            said = run("run", name + ".yaml", ranks=ranks, cwd=folder).stderr
        gf.write(folder, "build.yaml", "state: start.h5\nminimise: {max_steps: 1000, force: 100, soft: [0.05, 0.01]}\n")
        run("build", "build.yaml", "-o", "built.h5", cwd=folder)
        one, two, built = (os.path.join(folder, name) for name in ("one.checkpoint.h5", "two.checkpoint.h5", "built.h5"))
        checks.true("minimised: bits of ranks", not trial.differences(one, two))
        checks.true("each lambda is said", all("soft cores at lambda %g" % v in said for v in (0.05, 0.01)), said)
        for state in one, built:
            text = os.path.join(folder, "forces.txt")
            energy(state, "--precision=double", "--forces=" + text)
            largest = np.linalg.norm(np.loadtxt(text)[:, 1:4], axis=1).max()
            checks.true("minimised", largest < 100, largest)


def mistakes(checks):
    """What GROMACS has and soft cores have not is refused with its line."""
    rng = np.random.default_rng(1)
    atoms, box = atoms_of(rng)
    top = top_of()
    with tempfile.TemporaryDirectory() as folder:
        import_case(folder, top, atoms, box, mdp_of())
        for what, keys in {
                "charges without": dict(states=("q", "none")), "no such molecules": dict(molecule="lip"),
                "sc-power": dict(power=3), "init-lambda": dict(more="init-lambda-state = 0\n"),
                "does not change": dict(more="delta-lambda = 1e-5\n"), "beutler": dict(more="sc-function = gapsys\n"),
                "sc-r-power": dict(more="sc-r-power = 48\n")}.items():
            gf.write(folder, "bad.mdp", mdp_of(**keys))
            checks.refused("refused: " + what, (what, "bad.mdp:"), "import", "topol.top", "conf.gro", "--mdp=bad.mdp",
                           "-o", "bad.h5", "--run=bad.yaml", cwd=folder)
        gf.write(folder, "end.mdp", mdp_of(at=1, more="sc-function = gapsys\n").replace("1.1", "0.1"))
        run("import", "topol.top", "conf.gro", "--mdp=end.mdp", "-o", "end.h5", "--run=run.yaml", cwd=folder)
        end = energy(os.path.join(folder, "end.h5"), *settings(folder))["terms"]
        want = energy(os.path.join(folder, "start.h5"), "-s", "soft_core.lambda=1")["terms"] # bonded terms alone
        checks.true("nothing interacts at the end", end["qq"] == want["qq"] == 0 and end["lj"] == want["lj"], end, want)


def main():
    if not gf.GMX:
        skip("gmx_d (GROMACS in double precision) is not installed")
    checks = Checks()
    runs(checks, np.random.default_rng(5))
    minimise(checks, np.random.default_rng(6))
    mistakes(checks)
    rng = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
    compare(checks, rng, "lambda 0", at=0)
    compare(checks, rng, "lambda 0.01", at=0.01, alpha=4, piled=40)
    compare(checks, rng, "lambda 0.5", at=0.5, power=2, piled=40, shear=0.3)
    compare(checks, rng, "lambda 1", at=1)
    compare(checks, rng, "two lambdas", at=(0.3, 0.6), states=("none", "vdw-q"), sigma=0.5)
    compare(checks, rng, "charges alone", at=(0.3, 0.6), states=("vdw-q", "vdw"), alpha=0.7)
    compare(checks, rng, "no charges", at=(0.3, 0.6), states=("none", "vdw"))
    compare(checks, rng, "no charges at both ends", at=0.4, states=("vdw", "vdw"))
    compare(checks, rng, "nothing at both ends", at=0.4, states=("none", "none"), molecule="LIP")
    compare(checks, rng, "all at both ends", at=0.4, states=("vdw-q", "vdw-q"))
    compare(checks, rng, "hard charges", at=(1, 0.6), states=("none", "vdw-q"), soft_charges="no")
    compare(checks, rng, "lipids", molecule="LIP", at=0.4)
    compare(checks, rng, "lipids that stay together", molecule="LIP", at=0.7, intramol="no", modifier="none", rf="78")
    compare(checks, rng, "switched", at=0.6, modifier="potential-switch", more="rvdw-switch = 0.8\n")
    checks.end()


if __name__ == "__main__":
    main()
