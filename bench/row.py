"""row.py PERFORMANCE.json SYSTEM ENSEMBLE: the CSV line of a timed run (bench/common.sh), by
the time without reports, frames and checkpoints."""
import argparse
import csv
import json
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("performance", "system", "ensemble"):
        parser.add_argument(name)
    a = parser.parse_args()
    with open(a.performance) as file:
        r = json.load(file)
    rate = r["without_output"]
    phases = [r["phases_s"][name]["mean"] * 1e3 / r["steps"]
              for name in ("move", "force", "halo", "build", "couple", "other")]
    row = [a.system, r["beads"], r["backend"], r["transport"], r["ranks"], r["precision"], a.ensemble,
           r["steps"], r["skin_nm"], rate, f"{1e-3 * r['beads'] / rate:.5g}",
           r["steps_per_build"], r["imbalance"], r["bytes_per_bead"],
           *(f"{ms:.4g}" for ms in phases)]
    csv.writer(sys.stdout, lineterminator="\n").writerow(row)


if __name__ == "__main__":
    main()
