"""Energies, virial, forces and torques of two reference configurations against values that two
independent evaluators agree on (models.md 2.6), in both precisions and on 1 to 3 ranks."""
import os
import tempfile

from run_lamella import Checks, energy, need_data, run

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


def digits(value):
    """Half a unit of the last printed digit."""
    text = repr(value)
    return 0.5 * 10.0 ** -len(text.split(".")[1]) if "." in text else 0.5


def compare(checks, name, want, got, loose, tolerance):
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


def main():
    files = {"elba-dopc": DOPC, "elba-single-lipid": SINGLE}
    paths = {name: need_data(name + ".data") for name in files}
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        for name, want in files.items():
            state = os.path.join(folder, name + ".h5")
            run("import", paths[name], "--format=lammps-data", "--forcefield=elba", "-o", state)
            for precision in ("double", "mixed"):
                loose = precision == "mixed"
                tolerance = dict(energy=2e-6 if loose else 1e-8 if name == "elba-dopc" else 1e-7,
                                 pressure=1e-5 if loose else 1e-6, force=1e-5 if loose else 2e-7)
                table = os.path.join(folder, "forces.txt")
                first = None
                for ranks in (1, 2, 3):
                    got = energy(state, "--precision=" + precision, "--forces=" + table,
                                 "--backend=cpu", ranks=ranks)
                    text = (got, open(table).read())
                    first = first or text
                    checks.true(f"{name} {precision} same bits on {ranks} ranks", text == first)
                label = f"{name} {precision}"
                compare(checks, label, want, got, loose, tolerance)
                forces(checks, label, want, table, tolerance)
    checks.end()


main()
