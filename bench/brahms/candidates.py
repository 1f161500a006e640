#!/usr/bin/env python3
"""candidates.py DIRECTORY: writes candidates of the force field brahms, one file each.
candidates.py --name NAME --head F --middle F --tail F [--out FILE]: writes one with factors of its own.

A candidate is forcefields/brahms.yaml with other rows for the Lennard-Jones term of water with lipid beads:
sigma is that of ELBA's water with the same bead, epsilon that of ELBA times a factor for head beads (C, P,
A), glycerol and ester (G, E) or tails (T). Everything else stays. Both files are read as text."""
import argparse
import pathlib
import re

FORCEFIELDS = pathlib.Path(__file__).resolve().parents[2] / "forcefields"

# sqrt(epsilon of SSD / epsilon of ELBA's water): the geometric mean with SSD's epsilon in place of ELBA's.
COMBINED = 0.5257

# name: (head, middle, tail), in the order in which to try them.
#
# ELBA's water holds together by its dipole and a deep Lennard-Jones well, SSD by its sticky term; both have
# about -40 kJ/mol per molecule in the liquid. What keeps water out of the tails is this cohesion against the
# Lennard-Jones attraction of the tails, of the order of -(32 pi / 9) rho epsilon sigma^3 = -17 kJ/mol for a
# factor of 1 and -9 for 0.53, before the work of making the cavity. What keeps the heads wet is charge-dipole,
# a tenth weaker than in ELBA (2.35 D against 2.6 D), and their attraction.
CANDIDATES = {
    # The rule for tails; heads, glycerol and ester as in ELBA, so that only the dipole changed for them.
    "wet": (1.0, 1.0, COMBINED),
    # The rule for every bead and no override: the fewest decisions. Heads may dry, areas shrink.
    "combined": (COMBINED, COMBINED, COMBINED),
    # ELBA's rows as they are: the tails attract water as much as ELBA's do. Water may enter them.
    "elba": (1.0, 1.0, 1.0),
    # Between the first two at glycerol and ester: less water below the heads, a smaller area than "wet".
    # This is the one of forcefields/brahms.yaml.
    "graded": (1.0, 0.75, COMBINED),
    # Heads stronger than ELBA's make up for the smaller dipole of the water: a larger area than "wet".
    "wetter": (1.25, 1.0, COMBINED),
}

GROUP = {"C": 0, "P": 0, "A": 0, "G": 1, "E": 1, "T": 2}
ROW = re.compile(r"^    - \[W, ([A-Z]), \{epsilon: ([0-9.]+), sigma: ([0-9.]+)\}\]$", re.M)
FACTORS = re.compile(r"^#   factors .*$", re.M)


def elba_rows():
    text = (FORCEFIELDS / "elba.yaml").read_text(encoding="utf-8")
    return {bead: (float(epsilon), sigma) for bead, epsilon, sigma in ROW.findall(text) if bead != "W"}


def candidate(name, factors):
    """Text of the force field with these three factors; name None leaves the name of the file."""
    rows = elba_rows()

    def replace(match):
        bead = match.group(1)
        if bead == "W":
            return match.group(0)
        epsilon, sigma = rows[bead]
        return f"    - [W, {bead}, {{epsilon: {epsilon * factors[GROUP[bead]]:.7g}, sigma: {sigma}}}]"

    text = (FORCEFIELDS / "brahms.yaml").read_text(encoding="utf-8")
    text, n = ROW.subn(replace, text)
    assert n == 1 + len(GROUP), "the rows of water in brahms.yaml"
    line = "#   factors       C, P, A: {:g}   G, E: {:g}   T: {:g}".format(*factors)
    text, n = FACTORS.subn(line, text)
    assert n == 1, "the line of factors in brahms.yaml"
    return re.sub(r"^name: .*$", f"name: {name}", text, flags=re.M) if name else text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("directory", nargs="?", help="where all candidates go, as brahms-NAME.yaml")
    parser.add_argument("--name", help="name of one candidate with the factors below")
    parser.add_argument("--head", type=float, default=1.0)
    parser.add_argument("--middle", type=float, default=0.75)
    parser.add_argument("--tail", type=float, default=COMBINED)
    parser.add_argument("--out", help="its file (default: NAME.yaml)")
    arguments = parser.parse_args()
    if arguments.name:
        text = candidate(arguments.name, (arguments.head, arguments.middle, arguments.tail))
        pathlib.Path(arguments.out or f"{arguments.name}.yaml").write_text(text, encoding="utf-8")
        return
    if not arguments.directory:
        parser.error("say where: a directory, or --name for one candidate")
    directory = pathlib.Path(arguments.directory)
    directory.mkdir(parents=True, exist_ok=True)
    for name, factors in CANDIDATES.items():
        path = directory / f"brahms-{name}.yaml"
        path.write_text(candidate(f"brahms-{name}", factors), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
