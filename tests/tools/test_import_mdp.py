#!/usr/bin/env python3
"""lamella import of .mdp files: spellings, keys of all versions, default groups, electric fields, warnings, and that
every run file it writes can be run."""
import os
import re
import tempfile

from run_lamella import Checks, run, skip, write

try:
    import yaml
except ImportError as missing:
    skip(missing)

MOLECULES = {"PEP": ("ALA BB", "SER SC1"), "DPPC": ("DPPC PO4", "DPPC C1A"), "W": ("W W",), "WF": ("W WF",),
             "TIP": ("SOL OW",), "SODIUM": ("NA NA",), "CHLORIDE": ("ION CL",), "MAGNESIUM": ("Mg MG",)}
BLOCKS = (("PEP", 1), ("DPPC", 2), ("W", 2), ("TIP", 2), ("SODIUM", 1), ("CHLORIDE", 1), ("W", 1), ("WF", 1),
          ("MAGNESIUM", 1))
# Default groups of `gmx make_ndx` 2022.5 for the configuration of these molecules.
DEFAULT = {"System": range(1, 16), "Protein": [1, 2], "non-Protein": range(3, 16),
           "Other": [3, 4, 5, 6, 7, 8, 12, 13, 14, 15], "DPPC": [3, 4, 5, 6], "W": [7, 8, 13, 14], "NA": [11], "ION": [12],
           "Mg": [15], "Water": [9, 10], "SOL": [9, 10], "non-Water": [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15],
           "Ion": [11], "Water_and_ions": [9, 10, 11]}
MDP = {"integrator": "md-vv", "dt": "0.02", "nsteps": "10", "nstcomm": "10", "comm-mode": "linear", "ld-seed": "3",
       "nstxout": "5", "nstenergy": "5", "coulombtype": "reaction-field", "rcoulomb": "1.1", "epsilon-r": "15",
       "epsilon-rf": "0", "vdwtype": "cut-off", "vdw-modifier": "potential-shift", "rvdw": "1.1", "tcoupl": "v-rescale",
       "tc-grps": "System", "tau-t": "1", "ref-t": "300", "nsttcouple": "10", "pcoupl": "parrinello-rahman",
       "pcoupltype": "semi-isotropic", "nstpcouple": "10", "tau-p": "12", "compressibility": "3e-4 3e-4",
       "ref-p": "1 1", "refcoord-scaling": "com", "gen-vel": "yes", "gen-temp": "300", "gen-seed": "7"}
WORDS = ("integrator", "comm-mode", "coulombtype", "vdwtype", "vdw-modifier", "tcoupl", "pcoupl", "pcoupltype",
         "refcoord-scaling", "gen-vel")
OFF = """rlistlong = -1; nstcalclr = -1; nstcheckpoint = 100; verlet-buffer-drift = 0.01; verlet_buffer_pressure_tolerance = 0.4
ensemble-temperature-setting = constant; ensemble-temperature = 300; andersen-seed = 1; domain-decomposition = no; mts = no
mts-level2-forces = nonbonded; mts-levels = 2; adress = no; adress-type = off; swapcoords = no; swap-frequency = 100
split-group0 = A; iontype0-name = NA; iontypes = 1; bulk-offsetA = 0; cyl0-r = 2; coupl-steps = 10; threshold = 1
gb-algorithm = Still; gb_saltconc = 0; sa-algorithm = None; nstgbradii = 1; rgbradii = 1; implicit-solvent = No
QMMM = no; QMMM-grps = A; QMmethod = RHF; QMMMscheme = ONIOM; SAon = 1; bTS = no; bOPT = no; MMChargeScaleFactor = 1
qmmm-cp2k-active = FALSE; qmmm-cp2k-qmgroup = System; colvars-active = no; colvars-configfile = x; nnpot-active = false
nnpot-modelfile = m.pt; density-guided-simulation-active = 0; density-guided-simulation-group = A; fmm-backend = inactive
fmm-exafmm-order = 6; awh = no; awh-potential = convolved; awh1-dim1-start = 0; pull = no; pull-ngroups = 2
pull-coord1-rate = 0.1; pull_group1_name = A; rotation = no; rot-nstrout = 10; disre = no; disre-tau = 0; nstdisreout = 1
orire = no; orire-fc = 0; dihre = no; dihre-fc = 1000; nstdihreout = 100; foreign-lambda = 0.5
init-lambda-state = 0; init-histogram-counts = 1; lmc-stats = no; lmc-seed = 1; weight-c-range = 0; wl-ratio = 0.8
nstexpanded = 100; mininum-var-min = 100; sc-function = gapsys; sc-gapsys-sigma-lj = 0.3; dh_hist_size = 0
couple-moltype = A; simulated-tempering = no; sim-temp-low = 300; simulated-tempering-scaling = linear; annealing = no no
annealing-npoints = 2; nwall = 0; wall-type = 9-3; morse = no; IMD-group = System; deform = 0 0 0 0 0 0
deform-init-flow = no; cos-acceleration = 0; mass-repartition-factor = 1; E-xt = 0; userint1 = 0; userreal4 = 0
cutoff-scheme = group; ns_type = simple; optimize_fft = yes; xtc-precision = 100; unconstrained_start = no; table-extension = 1
nh-chain-length = 10; print-nose-hoover-chain-variables = no; lj-pme-comb-rule = Geometric; ewald-rtol-lj = 1e-3
coulomb-modifier = Potential-shift; shake-sor = no; simulation-part = 1; tinit = 0; init-step = 0; nokey ="""
ON = ("awh = yes", "mts = yes", "QMMM = yes", "qmmm-cp2k-active = true", "colvars-active = yes",
      "nnpot-active = 1", "density-guided-simulation-active = true", "other-active = on", "fmm-backend = exafmm",
      "rotation = yes", "swapcoords = X", "adress = yes", "deform = 0 0 1 0 0 0",
      "coulomb-modifier = Potential-switch", "simulated-tempering = yes", "implicit-solvent = GBSA",
      "E-xt = 1 5 0", "delta-lambda = 0.1", "orire = yes", "morse = yes", "cos-acceleration = 0.1")


def topology(charge=1, extra=""):
    """Types without sense; molecules of the residues and atoms above."""
    lines = ["[ defaults ]", "1 2", "[ atomtypes ]"]
    lines += [f"{name} 72 {q} A 0.45 3" for name, q in (("P", 0), ("N", charge), ("M", -charge))]
    for name, atoms in MOLECULES.items():
        lines += ["[ moleculetype ]", name + " 1", "[ atoms ]"]
        kind = {"SODIUM": "N", "CHLORIDE": "M"}.get(name, "P")
        residues = list(dict.fromkeys(atom.split()[0] for atom in atoms))
        for k, (residue, atom) in enumerate(atom.split() for atom in atoms):
            lines.append(f"{k + 1} {kind} {residues.index(residue) + 1} {residue} {atom} 1")
        if len(atoms) == 2:
            lines += ["[ bonds ]", "1 2 1 0.5 100"]
        if name == "W":
            lines.append(extra)
    return "\n".join(lines + ["[ system ]", "x", "[ molecules ]"] + [f"{name} {n}" for name, n in BLOCKS]) + "\n"


def configuration():
    names = [atom.split()[1] for block, n in BLOCKS for _ in range(n) for atom in MOLECULES[block]]
    rows = ["%5d%-5s%5s%5d%8.3f%8.3f%8.3f" % (k + 1, "RES", name, k + 1, 0.5 * (k % 4), 0.5 * (k // 4), 0.1 * (k % 2) + 1)
            for k, name in enumerate(names)]
    return "made\n%d\n" % len(names) + "\n".join(rows) + "\n5 5 5\n"


def mdp(changes=None, more=""):
    settings = {**MDP, **(changes or {})}
    return "".join(f"{key} = {value}\n" for key, value in settings.items() if value is not None) + more


def imported(text, *arguments, status=0):
    """What is said, the run file, and its text without comments."""
    write("v.mdp", text)
    done = run("import", "t.top", "c.gro", "--mdp=v.mdp", "-o", "v.h5", "--run=v.yaml", "--forcefield=vf.yaml", *arguments,
               status=status)
    if status:
        return done.stderr, None, None
    with open("v.yaml") as made, open("vf.yaml") as forcefield:
        source = made.read()
        plain = [row for row in (re.sub(" *#.*", "", row) for row in (source + forcefield.read()).split("\n")) if row]
    return done.stderr, source, plain


def spellings(checks):
    _, _, right = imported(mdp())
    mixed = str.maketrans("-aeo", "_AEO")
    for name, change in (("upper case", str.upper), ("underscores", lambda w: w.replace("-", "_")),
                         ("neither", lambda w: w.replace("-", "")), ("mixed", lambda w: w.translate(mixed))):
        _, _, made = imported(mdp({key: change(MDP[key]) for key in WORDS}))
        checks.true("words in " + name, made == right)
        keys = {change(key): value for key, value in MDP.items()}
        write("keys.mdp", "".join(f"\t{key}\t=\t{value}\t\r\n" for key, value in keys.items()))
        _, source, made = imported(open("keys.mdp").read())
        checks.true("keys in " + name, made == right and "?" not in source, source)
    for word in ("inf", "INF", "+Infinity"):
        checks.true(word, imported(mdp({"epsilon-rf": word}))[2] == right)
    _, source, _ = imported(mdp({"ref-p": "1\t1"}))
    checks.true("a tab is a blank", "# ref-p = 1 1\n" in source, source)
    swapped = mdp({"coulombtype": "reaction-field", "epsilon-r": "2.5", "epsilon-rf": "1"})
    said, _, _ = imported(swapped, status=2)
    checks.true("permittivities that GROMACS exchanges", f"v.mdp:{list(MDP).index('epsilon-rf') + 1}: epsilon-r = 2.5" in said, said)
    for change in {"coulombtype": "cut-off"}, {"epsilon-r": "1"}:
        imported(mdp({"coulombtype": "reaction-field", "epsilon-r": "2.5", "epsilon-rf": "1", **change}))
    wrong = {key: "c-shift" for key in WORDS}
    said, _, _ = imported(mdp(wrong), status=2)
    for line, key in enumerate(MDP, 1):
        if key in WORDS:
            checks.true(key + ": another word", f"v.mdp:{line}: {key} = c-shift" in said, said)


def keys(checks):
    _, _, right = imported(mdp())
    rows = [row.strip() for row in OFF.replace("\n", ";").split(";")]
    _, source, made = imported(mdp(more="\n".join(rows) + "\n"))
    checks.true("keys of what is off change nothing", made == right, made)
    listed = re.sub("[-_ ]", "", source.lower())
    old = {"verletbufferdrift": "verletbuffertolerance", "foreignlambda": "feplambdas",
           "xtcprecision": "compressedxprecision", "unconstrainedstart": "continuation"}
    for row in rows:
        key, value = (re.sub("[-_ ]", "", part.lower()) for part in row.split("="))
        runs = key in ("annealing", "freeenergy", "pull", "nwall")  # rows of the run file, where they are on
        checks.true(row + " is listed", f"#{old.get(key, key)}={value}" in listed or not value or runs)
    said, _, _ = imported(mdp(more="\n".join(ON) + "\n"), status=2)
    for k, row in enumerate(ON):
        checks.true(row + " is refused", f"v.mdp:{len(MDP) + 1 + k}: {row.lower().split(' = ')[0]} = " in said, said)
    for rows in "disre = ensemble\n", "disre = simple\ndisre-tau = 10\n", "disre = simple\ndisre-mixed = yes\n":
        said, _, _ = imported(mdp(more=rows), status=2)
        checks.true(rows, f"v.mdp:{len(MDP) + rows.count(chr(10))}: " in said, said)
    first = len(MDP) + 1
    strange = "stray words\n= 5\n====\nzzqx = 5\nGEN_vel = YES\nuser-int = 5\n"
    said, source, made = imported(mdp(more=strange))
    for k, words in enumerate(("no key = value", "no key = value", "no key = value", "has the key 'zzqx'", "'gen-vel' stands here for",
                               "has the key 'user-int'")):
        checks.true(f"a warning of {words}", re.search(f"v.mdp:{first + k}: .*{words}", said), said)
    checks.true("strange lines change nothing", made == right and "# zzqx = 5" in source, source)
    said, _, _ = imported(mdp(more="rvdw 1.2\nnstlst = 5\nGEN_vel = no\nRef_t: 300\n"), status=2)
    for k, words in enumerate(("expected rvdw = value", "unknown key 'nstlst'; did you mean 'nstlist'?",
                               "'gen-vel' stands here for the second time", "expected ref-t = value")):
        checks.true(words, f"v.mdp:{first + k}: {words}" in said, said)


def atoms_of(group):
    """The numbers of the atoms of a group of the run file."""
    found, number = set(), 1
    for name, n in BLOCKS:
        size = n * len(MOLECULES[name])
        if name in group.get("molecules", []):
            found |= set(range(number, number + size))
        number += size
    first, last = group.get("ids", (1, 0))
    return found | set(range(first, last + 1))


def thermostat(names, *arguments, status=0):
    n = len(names.split())
    said, source, _ = imported(mdp({"tc-grps": names, "tau-t": "1 " * n, "ref-t": "300 " * n}), *arguments, status=status)
    return said if status else {g["name"]: atoms_of(g["group"]) for g in yaml.safe_load(source)["thermostat"]["groups"]}


def groups(checks):
    for names in ("Protein DPPC W SOL NA ION Mg", "protein NON-protein", "Water non-Water", "Water_and_ions Other Protein",
                  "Ion Water Other Protein"):
        # a residue ION, seen before those of the group Ion, would be found first
        write("t.top", topology().replace(" ION ", " CLX ") if "Ion" in names else topology())
        for name, atoms in thermostat(names).items():
            wanted = DEFAULT.get(name) or next(a for known, a in DEFAULT.items() if known.lower() == name.lower())
            checks.true(f"{name} of {names}", atoms == set(wanted), atoms)
    write("t.top", topology())
    made = thermostat("PEP DPPC W TIP SODIUM CHLORIDE magnesium")
    checks.true("molecule types", made["TIP"] == {9, 10} and made["PEP"] == {1, 2} and made["magnesium"] == {15}, made)
    made = thermostat("Lipids Rest", "--group=lipids=DPPC,pep", "--group=Rest=W,WF,TIP,SODIUM,CHLORIDE,MAGNESIUM")
    checks.true("--group", made == {"Lipids": {1, 2, 3, 4, 5, 6}, "Rest": set(range(7, 16))}, made)
    made = thermostat("W Rest", "--group=W=W,WF,DPPC", "--group=Rest=PEP,TIP,SODIUM,CHLORIDE,MAGNESIUM")
    checks.true("--group holds before residues", made["W"] == {3, 4, 5, 6, 7, 8, 13, 14}, made)
    said = thermostat("Membrane Solvent", status=2)
    for words in ("what is 'Membrane'?", "--group=Membrane=MOLECULE", "--ndx=FILE", "gmx make_ndx"):
        checks.true("the message names " + words, words in said, said)
    for names, option, words in (("DPPC W", "--group=a=b", "--group: a=b: the system has no molecule type 'b'"),
                                 ("System", "--group=a=DPPC,XX", "no molecule type 'XX'"),
                                 ("System", "--group=DPPC", "expected NAME=MOLECULE"), ("DNA System", "--group=a=W", "'DNA'")):
        said = thermostat(names, option, status=2)
        checks.true(option + " " + words, words in said, said)


def fields(checks):
    for rows, wanted in (("electric-field-z = 0.05 0 0 0", {"z": 0.05}),
                         ("Electric_Field_x = -1e-2 0 3 0\nelectric-field-y = 2 0 0 -1", {"x": -0.01, "y": 2}),
                         ("E-z = 1 0.25 90\nE-x = 0", {"z": 0.25}), ("E_y = 1 -0.5 0", {"y": -0.5})):
        _, source, _ = imported(mdp(more=rows + "\n"))
        made = yaml.safe_load(source)["fields"]
        checks.true(rows, made == [{"form": "electric", **wanted}] and "# " + rows[0].lower() in source, made)
    run("run", "v.yaml", "--dry-run")
    for rows in ("electric-field-z = 0 0 0 0\nE-x = 0", "electric-field-x = 0 5 1 1"):
        checks.true(rows + " is none", "fields" not in yaml.safe_load(imported(mdp(more=rows + "\n"))[1]))
    _, source, _ = imported(mdp(more="electric-field-z = 0.05 7 3 0\nelectric-field-x = 0.1 0 10 2\nelectric-field-y = 0.2 0 0 0\n"))
    made = yaml.safe_load(source)["fields"]
    checks.true("in time", made == [{"form": "electric", "y": 0.2}, {"form": "electric", "x": 0.1, "t0": 10, "sigma": 2},
                                    {"form": "electric", "z": 0.05, "omega": 7}], made)
    run("run", "v.yaml", "--dry-run")
    for row, words in (("electric-field-z = 0.05 7e9 0 0", "omega of fields is from"),
                       ("electric-field-z = 0.05 0 1e30 2", "t0 of fields is from"), ("electric-field-y = 0.05", "E0 omega t0 sigma"),
                       ("electric-field-x = 2000 0 0 0", "from -1000 to 1000"), ("E-x = 2 0.1 0 0.2", "1 E0 phase"),
                       ("E-x = 2 0.1 0", "the first number must be 1"), ("electric-field-z = a 0 0 0", "is not a number")):
        said, _, _ = imported(mdp(more=row + "\n"), status=2)
        checks.true(row, f"v.mdp:{len(MDP) + 1}: " in said and words in said, said)


def walls(checks):
    """Two walls, with the box twice as high; what is refused; compressibilities of box edges."""
    two = "nwall = 2\npbc = xy\nwall-type = %s\nwall-atomtype = %s\nwall-density = %s\nwall-r-linpot = %s\n"
    apart = {"pcoupl": "no"}
    for words, wanted in ((("9-3", "P P", "5 5", "0.3"), [{"form": "wall_9_3", "planes": "both", "type": "P", "density": 5, "linear": 0.3}]),
                          (("10-4", "P M", "5 2", "-1"), [{"form": "wall_10_4", "planes": "low", "type": "P", "density": 5},
                                                          {"form": "wall_10_4", "planes": "high", "type": "M", "density": 2}]),
                          (("12-6", "M M", "-1 -1", "0.5"), [{"form": "wall_12_6", "planes": "both", "type": "M", "linear": 0.5}])):
        said, source, state = imported(mdp(apart, more=two % words))
        made = yaml.safe_load(source)["fields"]
        checks.true("walls " + words[0], made == [{"low": 0, "high": 0.5, **row} for row in wanted], made)
        checks.true("which is said", "walls at z = 0 and" in said, said)
    run("run", "v.yaml", "--dry-run")
    ok = two % ("9-3", "P M", "5 5", "-1")
    for more, words in ((ok.replace("nwall = 2", "nwall = 1"), "above a single wall the system is open"),
                        (ok.replace("nwall = 2", "nwall = 3"), "0 and 2 are possible"), (ok.replace("pbc = xy\n", ""), "needs pbc = xy"),
                        ("pbc = xy\n", "open along z"), ("pbc = no\n", "periodic along x, y and z"),
                        (ok.replace("9-3", "table"), "9-3, 10-4 and 12-6 are implemented"),
                        (ok.replace("P M", "T1"), "expected 2 atom types"), (ok.replace("P M", "T1 T99"), "no atom type 'T99'"),
                        (ok.replace("5 5", "5"), "expected 2 numbers"), (ok.replace("5 5", "5 -5"), "density of fields is from"),
                        (ok.replace("= -1", "= 20"), "linear of fields is from"), (ok.replace("= -1", "= x"), "expected a number")):
        said, _, _ = imported(mdp(apart, more=more), status=2)
        checks.true(more, "v.mdp:" in said and words in said, said)
    said, _, _ = imported(mdp(more=ok), status=2)
    checks.true("pressures between walls", "v.mdp:" in said and "volume between them" in said, said)
    for changes, coupling, edges in (
            ({"compressibility": "0 3e-4"}, "constant_area", 3e-4), ({"compressibility": "2e-4 0"}, "semi_isotropic", [2e-4, 2e-4, 0]),
            ({"compressibility": "2e-4 1e-4"}, "semi_isotropic", [2e-4, 2e-4, 1e-4]),
            ({"pcoupltype": "anisotropic", "compressibility": "0 3e-4 1e-4 0 0 0", "ref-p": "7 1 1 0 0 0"}, "anisotropic", [0, 3e-4, 1e-4]),
            ({"pcoupltype": "surface-tension", "compressibility": "3e-4 2e-4", "ref-p": "300 1"}, "surface_tension", [3e-4, 3e-4, 2e-4])):
        _, source, _ = imported(mdp(changes))
        made = yaml.safe_load(source)["barostat"]
        checks.true(f"{changes}", made["coupling"] == coupling and made["compressibility"] == edges and made["pressure"] == 1, made)
        run("run", "v.yaml", "--dry-run")
    for changes, words in (({"compressibility": "0 0"}, "all are 0"), ({"compressibility": "2 3e-4"}, "from 0 to 1"),
                           ({"pcoupltype": "surface-tension", "compressibility": "3e-4 0"}, "that of z must be above 0"),
                           ({"pcoupltype": "anisotropic", "compressibility": "0 3e-4 1e-4 0 0 0", "ref-p": "1 1 2 0 0 0"}, "must be equal here"),
                           ({"pcoupltype": "anisotropic", "compressibility": "1e-4 1e-4 1e-4 1e-5 0 0", "ref-p": "1 1 1 0 0 0"}, "not sheared")):
        said, _, _ = imported(mdp(changes), status=2)
        checks.true(f"{changes}", "v.mdp:" in said and words in said, said)


def motion(checks):
    """Groups whose motion is removed, and frozen ones."""
    dppc, water = {"molecules": ["DPPC"]}, {"molecules": ["W", "WF"]}
    for changes, wanted in (({"comm-grps": "DPPC W"}, [dppc, water]), ({"comm-grps": "W"}, [water]), ({"comm-grps": "system"}, None),
                            ({}, None), ({"comm-grps": "DPPC W", "comm-mode": "none"}, None),
                            ({"comm-grps": "DPPC W", "nstcomm": "0"}, None)):
        _, source, _ = imported(mdp(changes))
        got = yaml.safe_load(source)["run"].get("momentum_groups")
        checks.true(f"{changes}", got == (wanted and [{"group": group} for group in wanted]), got)
    for more, wanted in (("freezegrps = W\nfreezedim = Y Y Y", [(water, "xyz")]), ("freezegrps = DPPC W\nfreezedim = N N y yes N no", [(dppc, "z"), (water, "x")]),
                         ("freezegrps = W DPPC\nfreezedim = N N N N Y N", [(dppc, "y")]), ("freezedim = \nfreezegrps =", None),
                         ("freezegrps = few\nfreezedim = Y N Y", [({"ids": [[3, 4], [7, 7]]}, "xz")])):
        write("few.ndx", "[ few ]\n3 4 7\n[ System ]\n" + " ".join(map(str, range(1, 16))) + "\n")
        _, source, _ = imported(mdp(more=more + "\n"), *(["--ndx=few.ndx"] * ("few" in more)))
        got = yaml.safe_load(source).get("frozen")
        checks.true(more, got == (wanted and [{"group": group, "along": along} for group, along in wanted]), got)
    for more, words in (("comm-grps = DPPC non-Water", "several of the groups"), ("comm-grps = unknown", "what is 'unknown'"),
                        ("freezegrps = nobody\nfreezedim = Y Y Y", "what is 'nobody'"), ("freezegrps = W\nfreezedim = Y Y", "3 for each group"),
                        ("freezegrps = W\nfreezedim = Y Y maybe", "expected Y or N"), ("freezedim = Y Y Y", "3 for each group"),
                        ("comm-mode = angular", "neither rotations"), ("comm-mode = linear-acceleration-correction", "nor accelerations")):
        changes = {"comm-mode": None} if "comm-mode" in more else {}
        said, _, _ = imported(mdp(changes, more=more + "\n"), status=2)
        checks.true(more, words in said and "v.mdp:" in said, said)


def warnings(checks):
    restraint = "[ position_restraints ]\n1 1 %s 1000 1000\n"
    for name, extra, define, option, unused in (
            ("misspelled", f"#ifdef POSRES\n{restraint % 1000}#endif", "-DPOSRE", (), ["POSRE"]),
            ("in #ifdef", f"#ifdef POSRES\n{restraint % 1000}#endif", "-DPOSRES -DFLEXIBLE", (), ["FLEXIBLE"]),
            ("in #ifndef", f"#ifndef NOPE\n{restraint % 1000}#endif", "-DNOPE", (), []),
            ("as a value", restraint % "KX", "-DKX=500 -DKY=500", (), ["KY"]),
            ("where nothing is read", f"#ifdef NEVER\n#ifdef POSRES\n{restraint % 1000}#endif\n#endif", "-DPOSRES", (), ["POSRES"]),
            ("of the option", f"#ifdef POSRES\n{restraint % 1000}#endif\n#define ONE\n", None, ("-D", "POSRE", "-D", "POSRE"),
             ["POSRE"])):
        write("t.top", topology(extra=extra))
        said, _, _ = imported(mdp({"define": define}), *option)
        checks.true("macros " + name, re.findall("warning: t.top: .*the macro '(.*?)'", said) == unused, said)
    write("t.top", topology())
    for line, key in enumerate(MDP, 1):
        if key == "coulombtype":
            break
    for word in ("PME", "Ewald", "switch", "user", "Reaction-Field-zero", "PME-Switch"):
        said, _, _ = imported(mdp({key: word}), status=2)
        checks.true(word + " with charges", re.search(rf"v.mdp:{line}: {key} = {word} .*reaction-field .*cut-off", said) and
                    "t.top:" not in said and said.count("charge") == 1, said)
        checks.refused(word + ": without a configuration", f"v.mdp:{line}: {key}", "import", "t.top", "--mdp=v.mdp",
                       "--forcefield=alone.yaml")
    write("t.top", topology(charge=0))
    imported(mdp({key: "PME"}))
    write("t.top", topology())


def extremes(checks):
    """Numbers at the ends of what can be run, and beyond."""
    low = {"dt": "1e-9", "nsteps": "0", "nstcomm": "0", "ld-seed": "-1", "nstxout": "0", "nstenergy": "0",
           "epsilon-r": "1e-3", "epsilon-rf": "1e-300", "tau-t": "1e-6", "ref-t": "0", "nsttcouple": "1", "nstpcouple": "1",
           "tau-p": "1e-6", "compressibility": "1e-300 1e-300", "ref-p": "-1e6 -1e6", "gen-temp": "0", "gen-seed": "0"}
    most = str(2**63 - 1)
    high = {"dt": "1", "nsteps": most, "nstcomm": most, "ld-seed": most, "nstxout": most, "nstenergy": most, "epsilon-r": "1e9",
            "epsilon-rf": "1e9", "tau-t": "1e9", "ref-t": "1e6", "nsttcouple": "1000000", "nstpcouple": "1000000",
            "tau-p": "1e9", "compressibility": "1 1", "ref-p": "1e6 1e6", "gen-temp": "1e6", "gen-seed": most}
    for name, ends in (("low", low), ("high", high)):
        imported(mdp(ends, more="electric-field-x = %s 0 0 0\n" % {"low": "-1e3", "high": "1e3"}[name]))
        run("run", "v.yaml", "--dry-run", "-s", "output.prefix=x")
        checks.true(name + " ends can be run", True)
    beyond = [{"dt": "2", "nsteps": "-1", "nstcomm": "-1", "nstxout": "-1", "nstenergy": "-1", "epsilon-r": "0",
               "epsilon-rf": "-1", "tau-t": "1e12", "ref-t": "1e7", "nsttcouple": "1000001", "nstpcouple": "1e9", "tau-p": "1e12",
               "compressibility": "2 2", "ref-p": "1e7 1e7", "gen-temp": "1e7", "gen-seed": "-2"},
              {"dt": "1e-10", "nsteps": "1e19", "nstcomm": "x", "ld-seed": "1e30", "tau-t": "1e-7", "ref-t": "nan", "tau-p": "0",
               "compressibility": "0 0", "ref-p": "-1e300 -1e300", "gen-temp": "inf", "epsilon-r": "inf"}]
    places = list(MDP)
    for change in beyond:
        os.unlink("v.yaml") if os.path.exists("v.yaml") else None
        said, _, _ = imported(mdp(change), status=2)
        for key, value in change.items():
            checks.true(f"{key} = {value}", f"v.mdp:{places.index(key) + 1}: {key}" in said, said)
        checks.true("nothing is written", not os.path.exists("v.yaml"))
    several = {"tc-grps": "Protein non-Protein", "ref-t": "300 300", "tau-t": "1 1e10"}
    said, _, _ = imported(mdp(several), status=2)
    checks.true("of a group", f"v.mdp:{places.index('tau-t') + 1}: tau-t = 1e+10" in said, said)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write("t.top", topology())
        write("c.gro", configuration())
        for part in (spellings, keys, groups, fields, motion, walls, warnings, extremes):
            part(checks)
        os.chdir("/")
    checks.end()


main()
