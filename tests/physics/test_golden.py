"""Energies, virial, forces and torques of fixed configurations against known values, in both
precisions and on 1 to 3 ranks. The bilayer of DOPC is made here; its values are those of oracle.py,
and `python3 test_golden.py print` computes them again. Where DATA has the two configurations of the
authors of the force field, they are tested as well, against values that two independent evaluators
agree on."""
import math
import os
import sys
import tempfile

from run_lamella import DATA, ELBA_DATA, Checks, energy, run, skip

try:
    import oracle
except ImportError as missing:
    skip(str(missing))

BILAYER = dict(
    n_beads=1152,
    terms=dict(lj=-6266.209281, qq=1160.41429, qd=102.0954895, dd=239.8509844, bond=499.1851558,
               angle=1595.780487, dipole_angle=1046.573267),
    virial_pressure=-134.248786, sum_force2=56040038.64, sum_torque2=81275.92435,
    virial=[1969.7386, -27.804341, 23.350575, -16.116628, -881.44901, -18.023946, 28.359808,
            -31.305229, -1491.036],
    forces={1: (-3.235107, -64.309678, -1.8242633), 3: (-32.82326, 17.056041, -174.009),
            10: (-19.948069, -20.625588, 36.171877), 1152: (-21.99632, 54.99811, 11.122136)},
    torques={3: (5.9659177, -9.7570792, -0.62814659), 4: (-7.7341674, 8.0029001, -0.32113881),
             1152: (-1.3982991, -3.6334631, -3.738413)})
DOPC = dict(
    n_beads=7040,
    terms=dict(lj=-94429.663327, qq=-4783.866593, qd=-5422.501522, dd=-140884.708624,
               bond=4841.578357, angle=2113.944172, dipole_angle=953.724504),
    virial_pressure=-1354.799161, sum_force2=724989943.29, sum_torque2=1505397.48874,
    virial=[-1254.80949, 70.09549, 47.06582, 96.01567, -1521.34805, 33.16271, 67.00217, 31.85104,
            -1288.23995],
    forces={1: (10.227895, -248.166762, -35.95311), 2: (-145.47616, 72.215538, -232.692227),
            3: (204.993726, 4.819748, 145.409403), 4: (78.831525, -217.158659, -10.279936)},
    torques={3: (-5.82456139, -4.59987067, 0.28020029), 4: (0.30533911, -1.68173363, 2.74196118)})
SINGLE = dict(
    n_beads=15,
    terms=dict(lj=482.938725, qq=0, qd=-9.197285, dd=2.017343, bond=370.913626, angle=29.561440,
               dipole_angle=21.304682),
    virial_pressure=273.123564, sum_force2=132339911.919, sum_torque2=41.450184,
    virial=None,
    forces={1: (21.1583, -18.9307, 7626.4895)}, torques={})

for values in DOPC, SINGLE:  # LAMMPS in units real has the constant 332.06371 kcal A/(mol e2)
    for name in "qq", "qd", "dd":
        values["terms"][name] *= oracle.COULOMB / (332.06371 * 4.184 / 10)

# Of the bilayer, in Angstrom: numbers of lipids of a leaflet along x and y and their distances; beads
# of water along x and y, and the heights of their layers; half the box.
LIPIDS, APART = (6, 4), (9.6, 7.0)
WATERS, LAYERS = (12, 6), (40.2, 44.5, 48.8)
HEIGHT = 51.0
CHAIN = 6  # an ester and its tails
DIAMETER = {1: 5.0, 2: 5.4, 3: 5.2, 4: 12.7, 5: 12.7, 6: 4.5}
MASS = {1: 40, 2: 90, 3: 90, 4: 62, 5: 62, 6: 42}
DIPOLE = {1: 0.54132, 4: 0.33312, 5: 0.4164}  # e A


def numbers(state=12345):
    """Numbers from -1 to 1, the same everywhere."""
    while True:
        state = (state * 1103515245 + 12345) % 2**31
        yield state / 2**30 - 1


def lipid_beads(x, y, side):
    """Type and place of the beads of a DOPC; side: 1 for the upper leaflet, -1 for the lower."""
    beads = [(kind, x, y, side * z) for kind, z in ((2, 35.6), (3, 30.9), (4, 26.5))]
    for chain in (-1, 1):
        beads += [(5 if k == 0 else 6, x + chain * APART[0] / 4, y,
                   side * (22.9 - 4.05 * k))
                  for k in range(CHAIN)]
    return beads


def lipid_rows(first):
    """Bonds and angles of a DOPC whose first bead has this number: (type, beads)."""
    head, chains = [0, 1, 2], [list(range(3 + CHAIN * c, 3 + CHAIN * (c + 1))) for c in (0, 1)]
    bonds, angles = [(1, 0, 1), (2, 1, 2)], [(1, *head), (5, 2, 1, 1)]
    for chain in chains:
        path = head + chain
        bonds += [(3, 2, chain[0]), (4, *chain[:2])]
        bonds += [(5, *chain[k:k + 2]) for k in range(1, CHAIN - 1)]
        angles += [(2, *path[1:4]), (5, chain[0], chain[1], chain[1])]
        angles += [(4 if k == 4 else 3, *path[k:k + 3]) for k in range(2, len(path) - 2)]
    return [[(kind, *(first + b for b in beads)) for kind, *beads in rows]
            for rows in (bonds, angles)]


def write_bilayer(path):
    """A LAMMPS data file; beads stand off their places a little, dipoles anyhow."""
    random, beads, bonds, angles = numbers(), [], [], []
    box = [n * a for n, a in zip(LIPIDS, APART)]
    for side in (1, -1):
        for k in range(LIPIDS[0] * LIPIDS[1]):
            rows = lipid_rows(len(beads) + 1)
            bonds, angles = bonds + rows[0], angles + rows[1]
            beads += lipid_beads(APART[0] * (k // LIPIDS[1] + 0.5),
                                 APART[1] * (k % LIPIDS[1] + 0.5), side)
    for z in [side * z for side in (1, -1) for z in LAYERS]:
        for k in range(WATERS[0] * WATERS[1]):
            x, y = k // WATERS[1], k % WATERS[1]
            beads.append((1, (x + 0.5) * box[0] / WATERS[0], (y + 0.5) * box[1] / WATERS[1], z))
    with open(path, "w") as out:
        print("a bilayer\n\n%d atoms\n%d bonds\n%d angles\n6 atom types\n5 bond types\n5 angle types\n"
              % (len(beads), len(bonds), len(angles)), file=out)
        print("0 %g xlo xhi\n0 %g ylo yhi\n%g %g zlo zhi\n\nAtoms\n"
              % (*box, -HEIGHT, HEIGHT), file=out)
        for number, (kind, *place) in enumerate(beads, 1):
            place = [x + 0.4 * next(random) for x in place]
            axis = [next(random) for _ in range(3)]
            scale = DIPOLE.get(kind, 0) / math.hypot(*axis)
            density = MASS[kind] / (math.pi / 6 * DIAMETER[kind]**3)
            print(number, kind, *("%.6f" % x for x in place), 1,
                  {2: 0.7, 3: -0.7}.get(kind, 0), *("%.12f" % (scale * a) for a in axis),
                  DIAMETER[kind], "%.12f" % density, file=out)
        for name, rows in ("Bonds", bonds), ("Angles", angles):
            print("\n%s\n" % name, file=out)
            for number, row in enumerate(rows, 1):
                print(number, *row, file=out)


def imported(source, folder):
    state = os.path.join(folder, "golden.h5")
    run("import", source, *ELBA_DATA, "-o", state)
    return state


def print_values():
    """BILAYER of this file, from oracle.py."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "bilayer.data")
        write_bilayer(source)
        total = oracle.evaluate(imported(source, folder))
    terms = ", ".join("%s=%.10g" % item for item in total.energy.items())
    print("BILAYER = dict(\n    n_beads=%d,\n    terms=dict(%s)," % (len(total.force), terms))
    print("    virial_pressure=%.10g, sum_force2=%.10g, sum_torque2=%.10g,"
          % (total.pressure.trace() / 3, (total.force**2).sum(), (total.torque**2).sum()))
    print("    virial=[%s]," % ", ".join("%.8g" % x for x in total.pressure.ravel()))
    for name, rows in ("forces", total.force), ("torques", total.torque):
        beads = (1, 3, 10, len(rows)) if name == "forces" else (3, 4, len(rows))
        print("    %s={%s}%s" % (name, ", ".join(
            "%d: (%.8g, %.8g, %.8g)" % (k, *rows[k - 1]) for k in beads),
            "," if name == "forces" else ")"))


def digits(value):
    """Half a unit of the last printed digit."""
    text = repr(value)
    return 0.5 * 10.0 ** -len(text.split(".")[1]) if "." in text else 0.5


def compare(checks, name, want, got, tolerance):
    checks.true(name + " n_beads", got["n_beads"] == want["n_beads"])
    for term, value in want["terms"].items():
        checks.close(f"{name} {term}", got["terms"][term], value, tolerance["energy"], 0.5e-6)
    checks.close(name + " pressure", got["virial_pressure"], want["virial_pressure"],
                 tolerance["pressure"], 0.5e-6)
    for key in ("sum_force2", "sum_torque2"):
        checks.close(f"{name} {key}", got[key], want[key], 2 * tolerance["force"], digits(want[key]))
    if want["virial"]:
        for k, value in enumerate(want["virial"]):
            checks.close(f"{name} virial {k}", got["virial_tensor"][k], value, 0,
                         0.5e-5 + 1600 * tolerance["pressure"])
    checks.close(name + " potential", got["potential"], sum(got["terms"].values()), 1e-12)


def forces(checks, name, want, path, tolerance):
    rows = [[float(x) for x in line.split()] for line in open(path)]
    checks.true(name + " rows", len(rows) == want["n_beads"] and rows[0][0] == 1)
    largest = max(abs(x) for row in rows for x in row[1:4])
    torque = max(abs(x) for row in rows for x in row[4:7])
    for first, table, size in ((1, want["forces"], largest), (4, want["torques"], torque)):
        for bead, vector in table.items():
            for k in range(3):
                checks.close(f"{name} bead {bead} component {first + k}",
                             rows[bead - 1][first + k], vector[k], 0,
                             tolerance["force"] * size + digits(vector[k]))


def test(checks, name, want, source, folder):
    state = imported(source, folder)
    for precision in ("double", "mixed"):
        loose = precision == "mixed"
        tolerance = dict(energy=2e-6 if loose else 1e-7 if want is SINGLE else 1e-8,
                         pressure=1e-5 if loose else 1e-6, force=1e-5 if loose else 2e-7)
        table = os.path.join(folder, "forces.txt")
        first = None
        for ranks in (1, 2, 3):
            got = energy(state, "--precision=" + precision, "--forces=" + table, "--backend=cpu",
                         ranks=ranks)
            text = (got, open(table).read())
            first = first or text
            checks.true(f"{name} {precision} same bits on {ranks} ranks", text == first)
        compare(checks, f"{name} {precision}", want, got, tolerance)
        forces(checks, f"{name} {precision}", want, table, tolerance)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "bilayer.data")
        write_bilayer(source)
        test(checks, "bilayer", BILAYER, source, folder)
        for name, want in ("elba-dopc", DOPC), ("elba-single-lipid", SINGLE):
            source = os.path.join(DATA, name + ".data")
            if os.path.exists(source):
                test(checks, name, want, source, folder)
            else:
                print(source, "is not here: left out")
    checks.end()


if sys.argv[1:] == ["print"]:
    print_values()
else:
    main()
