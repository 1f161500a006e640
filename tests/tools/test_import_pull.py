#!/usr/bin/env python3
"""lamella import of the pull code of GROMACS (pull-* of .mdp files): what each geometry, type and spelling becomes in the
run file, what is refused, and stages. tests/physics/test_pull_code.py compares forces with GROMACS."""
import os
import tempfile

from run_lamella import Checks, run, skip, write

try:
    import yaml
    import gromacs_files as gf
    import pull_files as pf
except ImportError as missing:
    skip(missing)

BASE = "integrator = md-vv\ndt = 0.01\nnsteps = 10\n" + "".join(
    "%s = %s\n" % row for row in (("rvdw", 1.1), ("rcoulomb", 1.1), ("epsilon-r", 15), ("ld-seed", 1)))
TWO = "pull = yes\npull-ngroups = 2\npull-group1-name = A\npull-group2-name = B\n"
ONE = TWO + "pull-coord1-groups = 1 2\npull-coord1-k = 10\n"
A, B, C, D = ({"ids": [pf.groups()[name][0], pf.groups()[name][-1]]} for name in "ABCD")
DISTANCE = {"name": "pull1", "kind": "distance", "of": B, "from": A}
UMBRELLA = {"name": "pull1", "coordinate": "pull1", "kind": "umbrella", "k": 10, "at": 0}
FOUR = TWO.replace("ngroups = 2", "ngroups = 4") + "pull-group3-name = C\npull-group4-name = D\npull-coord1-k = 10\n"


def plain(made):
    """A run file with selections in place of the names of groups."""
    named = made.get("groups", {})
    for coordinate in made.get("coordinates", []):
        for key in {"of", "from"} & set(coordinate):
            value = coordinate[key]
            coordinate[key] = [named.get(v, v) if isinstance(v, str) else v for v in value] if isinstance(value, list) else \
                named[value] if isinstance(value, str) else value
    return made


def imported(mdp, *arguments, status=0):
    """What is said, and the run file."""
    write("v.mdp", BASE + mdp)
    done = run("import", "topol.top", "conf.gro", "--mdp=v.mdp", "--ndx=i.ndx", "-o", "v.h5", "--run=v.yaml", *arguments, status=status)
    if done.returncode:
        return done.stderr, {}
    with open("v.yaml") as file:
        return done.stderr, plain(yaml.safe_load(file))


def becomes(checks, mdp, coordinate=None, bias=None):
    _, made = imported(mdp)
    if coordinate:
        checks.true(mdp, made["coordinates"] == [{**DISTANCE, **coordinate}], made["coordinates"])
    if bias:
        checks.true(mdp, made["biases"] == [{**UMBRELLA, **bias}], made["biases"])
    return made


def geometries(checks):
    four = {"of": [A, B, C, D]}
    becomes(checks, ONE, {}, {})
    for dim, along in (("Y Y N", "xy"), ("N Y Y", "yz"), ("yes no yes", "xz")):
        becomes(checks, ONE + "pull-coord1-dim = %s\n" % dim, {"along": along})
    becomes(checks, ONE + "pull-coord1-dim = N N Y\n", {"along": "z", "length": True})
    for vec, along in (("0 0 5", "z"), ("1 0 0", "x"), ("0 0 -2", [0, 0, -1]), ("3 0 4", [0.6, 0, 0.8])):
        becomes(checks, ONE + "pull-coord1-geometry = direction\npull-coord1-vec = %s\n" % vec, {"along": along})
    becomes(checks, ONE + "pull-coord1-geometry = direction-periodic\npull-coord1-vec = 0 1 0\npull-coord1-init = 4\n",
            {"along": "y", "periodic": False}, {"at": 4})
    for row, radius in (("", 1.5), ("pull-cylinder-r = 1.25\n", 1.25)):
        becomes(checks, ONE + "pull-coord1-geometry = cylinder\npull-coord1-vec = 0 0 1\n" + row,
                {"kind": "cylinder", "along": "z", "radius": radius})
    made = becomes(checks, FOUR + "pull-coord1-geometry = angle\npull-coord1-groups = 1 2 3 4\npull-coord1-init = 60\n", bias={"at": 60})
    checks.true("angle", made["coordinates"] == [{"name": "pull1", "kind": "angle", **four}], made)
    made = becomes(checks, FOUR + "pull-coord1-geometry = dihedral\npull-coord1-groups = 1 2 2 3 3 4\npull-coord1-init = -60\n",
                   bias={"at": -60})
    checks.true("dihedral", made["coordinates"] == [{"name": "pull1", "kind": "dihedral", "of": [A, B, B, C, C, D]}], made)
    made = becomes(checks, FOUR + "pull-coord1-geometry = direction-relative\npull-coord1-groups = 1 2 3 4\n", bias={})
    checks.true("relative", made["coordinates"] == [{"name": "pull1", "kind": "projection", **four}], made)
    made = becomes(checks, ONE + "pull-coord1-geometry = angle-axis\npull-coord1-vec = 0 2 0\n")
    checks.true("angle-axis", made["coordinates"] == [{"name": "pull1", "kind": "tilt", "of": [A, B], "axis": "y"}], made)
    origin = "pull-coord1-geometry = direction\npull-coord1-vec = 0 0 1\npull-coord1-groups = 0 2\npull-coord1-origin = 1 2 3.5\n"
    made = becomes(checks, TWO + origin)
    checks.true("origin", made["coordinates"] == [{**DISTANCE, "from": [1, 2, 3.5], "along": "z"}] and "biases" not in made, made)


def types(checks):
    for rows, bias in (("type = umbrella; init = 1.5", {"at": 1.5}), ("start = yes", {"at": "start"}), ("rate = 0.01", {"rate": 0.01}),
                       ("start = yes; init = 0.5; rate = -1e-3", {"at": "start+0.5", "rate": -1e-3}),
                       ("start = yes; init = -0.5", {"at": "start-0.5"}), ("kB = 50", {})):
        becomes(checks, ONE + "".join("pull-coord1-%s\n" % row.strip() for row in rows.split(";")), bias=bias)
    for word, key in (("flat-bottom", "high"), ("flat-bottom-high", "low")):
        made = becomes(checks, ONE + "pull-coord1-type = %s\npull-coord1-init = 2\npull-coord1-rate = 0.1\n" % word)
        want = {"name": "pull1", "coordinate": "pull1", "kind": "flat_bottom", "k": 10, key: 2, "rate": 0.1}
        checks.true(word, made["biases"] == [want], made["biases"])
    made = becomes(checks, ONE + "pull-coord1-type = constant-force\npull-coord1-init = 2\npull-coord1-rate = 0.1\n")
    want = {"name": "pull1", "coordinate": "pull1", "kind": "constant_force", "force": -10}
    checks.true("constant-force", made["biases"] == [want], made["biases"])


def constraints(checks):
    rows = ONE + "pull-coord1-type = constraint\npull-coord1-init = 2\npull-coord1-rate = 0.1\n"
    made = becomes(checks, rows)
    want = {"name": "pull1", "coordinate": "pull1", "kind": "constraint", "at": 2, "rate": 0.1}
    checks.true("constraint", made["biases"] == [want], made)
    for geometry in "angle-axis", "cylinder":
        said, _ = imported(rows + "pull-coord1-geometry = %s\npull-coord1-vec = 0 0 1\n" % geometry, status=2)
        checks.true("constraint of " + geometry, "constraints are of geometry" in said, said)


def groups(checks):
    """Selections in the fewest words that are exact."""
    given = pf.groups()
    ids = {"odd": [1, 4, 14, 15], "Upper": list(given["Lipids"][1::6]), "Some": list(given["Lipids"][:24:3])}
    write("more.ndx", pf.index() + "".join("[ %s ]\n%s\n" % (name, " ".join(map(str, atoms))) for name, atoms in ids.items()))
    want = {"W": {"molecules": ["W"]}, "LIP": {"molecules": ["LIP"]}, "A": {"ids": [1, 6]}, "F": {"ids": [list(given["F"])[0]] * 2},
            "Heads": {"molecules": ["LIP"], "names": ["HEAD"]}, "odd": {"ids": [[1, 1], [4, 4], [14, 15]]},
            "Some": {"ids": [ids["Some"][0], ids["Some"][-1]], "names": ["HEAD"]}}
    names = [*want, "Upper"]
    rows = "pull = yes\npull-ngroups = %d\npull-ncoords = %d\n" % (len(names), len(names) - 1)
    for k, name in enumerate(names, 1):
        rows += "pull-group%d-name = %s\n" % (k, name) + "pull-coord%d-groups = 1 %d\n" % (k - 1, k) * (k > 1)
    write("v.mdp", BASE + rows)
    run("import", "topol.top", "conf.gro", "--mdp=v.mdp", "--ndx=more.ndx", "-o", "v.h5", "--run=v.yaml")
    with open("v.yaml") as file:
        found = plain(yaml.safe_load(file))["coordinates"]
    made = {names[0]: found[0]["from"], **{name: c["of"] for name, c in zip(names[1:], found)}}
    upper = made.pop("Upper")["ids"]
    checks.true("groups", made == want, made)
    checks.true("ranges", upper == [[k, k] for k in ids["Upper"]], upper)


def spellings(checks):
    """Keys of GROMACS 4, 5.0 and others."""
    old = "pull = %s\npull_geometry = distance\npull_dim = N Y Y\npull_start = yes\npull_ngroups = 1\npull_group0 = A\npull_group1 = B\n" \
          "pull_init1 = 0.25\npull_rate1 = 0.01\npull_k1 = 10\npull_pbcatom0 = 2\n"
    becomes(checks, old % "umbrella", {"along": "yz"}, {"at": "start+0.25", "rate": 0.01})
    made = becomes(checks, old.replace("pull_start = yes\n", "") % "constant_force")
    checks.true("constant_force", made["biases"][0]["force"] == -10, made)
    made = becomes(checks, old.replace("pull_group0 = A\n", "").replace("distance", "direction").replace("N Y Y", "Y Y Y") % "umbrella" +
                   "pull_vec1 = 0 0 1\n")
    checks.true("no group 0", made["coordinates"][0]["from"] == [0, 0, 0], made)
    two = (old % "umbrella").replace("ngroups = 1", "ngroups = 2") + "pull_group2 = C\npull_k2 = 20\n"
    _, made = imported(two)
    checks.true("two groups", [(c["of"], c["from"]) for c in made["coordinates"]] == [(B, A), (C, A)] and
                [b["k"] for b in made["biases"]] == [10, 20], made)
    five = "pull = umbrella\npull-geometry = direction\npull-dim = N N Y\npull-start = yes\npull-ngroups = 2\npull-ncoords = 1\n" \
           "pull-group1-name = A\npull-group2-name = B\npull-coord1-groups = 1 2\npull-coord1-vec = 0 0 1\npull-coord1-k = 10\n" \
           "pull-print-reference = yes\n"
    becomes(checks, five, {"along": "z"}, {"at": "start"})
    mixed = ONE.replace("-", "_").upper().replace("NAME = A", "name = A").replace("NAME = B", "name = B")
    becomes(checks, mixed + "Pull_Coord1_Geometry = Distance\npullcoord1type = Umbrella\n", {}, {})
    for x, f, every in (("", "", 50), ("0", "0", 0), ("100", "0", 100), ("600", "400", 200), ("", "1000", 50)):
        rows = "".join("pull-nst%sout = %s\n" % pair for pair in (("x", x), ("f", f)))
        made = becomes(checks, ONE + rows)
        checks.true("every " + rows, made["output"]["coordinates_every"] == every, made["output"])
    _, made = imported(ONE.replace("pull = yes", "pull = no") + "pull-coord1-type = x\npull-coord7-k = a\n")
    checks.true("pull = no", not {"groups", "coordinates", "biases"} & set(made), made)


WRONG = (  # keys of a coordinate, and the words of the message about the last
    ("geometry = transformation", "expressions"),
    ("geometry = radius", "expected distance"), ("type = external-potential", "other modules"), ("type = springs", "expected umbrella"),
    ("dim = Y Y", "three times"), ("dim = Y N 3", "yes or no"), ("dim = N N N", "all directions"),
    ("geometry = angle-axis; vec = 0 0 1; dim = N N Y", "three directions"), ("vec = 1 2", "three numbers"), ("vec = a b c", "not a number"),
    ("dim = Y Y N; geometry = direction; vec = 0 0 1", "z is not 0"), ("geometry = direction; vec = 0 0 0", "not 0 0 0"),
    ("origin = 1 1 1", "first group is 0"), ("start = perhaps", "yes or no"), ("init = far", "expected a number"), ("init = -1", "not negative"),
    ("geometry = angle-axis; vec = 1 0 0; init = 181", "0 to 180"), ("rate = 1e99", "expected a number"), ("k = -1", "expected a number"),
    ("type = constant-force; k = x", "expected a number"), ("groups = 1 1", "twice"), ("groups = 1 3", "no group"), ("groups = 1", "1 numbers"),
    ("groups = 1 0", "only the first"), ("groups = x y", "no group"), ("groups = 1 2 3", "3 numbers"), ("groups = -1 2", "no group"),
    ("geometry = angle; groups = 0 1 2 1", "must be a group"), ("geometry = angle; groups = 1 2", "2 numbers"))
REFUSED = (  # files, and the words of the message about the last row
    (ONE + "pull-coord0-k = 5", "count from 1"), (ONE + "pull-group0-name = A", "count from 1"), (ONE + "pull-coord300-k = 5", "pull-ncoords is 1"),
    (ONE + "pull-coord1-geometry = direction\npull-coord1-vec = 1e300 0 0", "more than"),
    (ONE.replace("groups = 1 2", "groups = 0 2") + "pull-coord1-origin = 1e300 0 0", "more than"), (ONE + "pull-coord1-init = 1e10", "expected a number"),
    ("electric-field-x = 1 0 0 0\nE-x = 1 2 3", "given too"), ("nwall = -2", "0 and 2 are possible"),
    (ONE + "tinit = 100\npull-coord1-rate = 1", "tinit"), (ONE + "pull-nstxout = -5", "expected an integer"),
    ("pull = umbrella\npull_group1 = B\npull_k1 = 1\npull_vec1 = 0 0 1\npull_geometry = cylinder", "other weights"),
    (ONE + "pull-group1-weights = 1 2", "6 atoms"), (ONE + "pull-group1-weights = 1 1 1 1 1 2", "differ"),
    (ONE + "pull-group1-pbcatom = -1", "cosine"), (ONE + "pull-group1-pbcatom = 1000", "expected an integer"),
    (ONE + "pull-group3-name = C", "pull-ngroups is 2"), (ONE + "pull-coord2-k = 5", "pull-ncoords is 1"),
    (ONE + "pull-ncoords = 0", "expected an integer"), (ONE + "pull-ngroup = 5", "did you mean 'pull-ngroups'"),
    (ONE + "pull-coord1-ini = 5", "did you mean 'pull-coord1-init'"),
    (ONE.replace("pull-group2-name = B\n", "") + "pull-group2-name = nobody", "what is 'nobody'"), ("pull = maybe", "pull = maybe"),
    (ONE + "free-energy = yes\npull-coord1-kB = 20", "kB"))


def refused(checks):
    lines, rows, wanted = BASE.count("\n"), (TWO + "pull-ncoords = %d\n" % len(WRONG)).rstrip().split("\n"), []
    for k, (keys, words) in enumerate(WRONG, 1):
        given = ["groups = 1 2"] * ("groups" not in keys) + keys.split(";")
        rows += ["pull-coord%d-%s" % (k, row.strip()) for row in given]
        wanted.append((lines + len(rows), keys, words))
    said, _ = imported("\n".join(rows) + "\n", status=2)
    for line, keys, words in wanted:
        checks.true(keys, any("v.mdp:%d: " % line in row and words in row for row in said.split("\n")), said)
    checks.true("%d mistakes" % len(WRONG), said.startswith("lamella: %d mistakes" % len(WRONG)), said)
    for rows, words in REFUSED:
        said, _ = imported(rows + "\n", status=2)
        line = lines + rows.count("\n") + 1
        checks.true(rows, any("v.mdp:%d: " % line in row and words in row for row in said.split("\n")), said)
    said, _ = imported(ONE.replace("pull-group2-name = B\n", ""), status=2)
    checks.true("no name", "pull-group2-name is missing" in said, said)


def stages(checks):
    """Each stage has its own biases."""
    write("pull.mdp", BASE + ONE + "pull-coord1-start = yes\npull-coord1-rate = 0.1\n")
    write("hold.mdp", BASE + ONE + "pull-coord1-start = yes\n")
    write("free.mdp", BASE)
    write("em.mdp", BASE.replace("md-vv", "steep") + ONE)
    run("import", "topol.top", "conf.gro", "--mdp=em.mdp", "--mdp=pull.mdp", "--mdp=hold.mdp", "--mdp=free.mdp", "--ndx=i.ndx", "-o", "v.h5", "--run=v.yaml")
    with open("v.yaml") as file:
        made = [stage["set"] for stage in yaml.safe_load(file)["stages"]]
    run("run", "v.yaml", "--dry-run")
    rates = [stage.get("biases", [{}])[0].get("rate") for stage in made]
    places = [stage.get("biases", [{}])[0].get("at") for stage in made]
    checks.true("stages", rates == [None, 0.1, None, None] and places == [0, "start", "start", None], made)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write("topol.top", pf.topology())
        write("conf.gro", gf.gro(pf.BOX, pf.atoms(), digits=3))
        write("i.ndx", pf.index())
        for part in geometries, types, constraints, groups, spellings, refused, stages:
            part(checks)
        os.chdir("/")
    checks.end()


main()
