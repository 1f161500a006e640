"""summary.py TABLE.csv...: writes TABLE-summary.csv, the medians of the runs of a table that
bench/gpu_*.sh measured, with parallel efficiencies and the targets that were set for one GPU; and
TABLE.png (plots.py) where matplotlib is installed."""
import argparse
import csv
import os
import statistics
import sys

import plots

# Targets in million bead-steps/s of one GPU: minimum, goal.
BARS = {"elba-7k": (105, 245), "elba-113k": (500, 1100), "elba-1m": (700, 1500),
        "lj-131k-2.5": (1200, 3000), "lj-131k-4.5": (500, 1200),
        "lj-2m-2.5": (2000, 4500), "lj-2m-4.5": (700, 1600)}
KIND = ("system", "beads", "ranks", "transport", "precision", "ensemble")
RATE = "million_bead_steps_per_s"


def kinds(path):
    """The runs of each kind, in the order of the file."""
    with open(path) as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        found = {}
        for row in rows:
            if row.get("rebuild") == "interval":  # in tables of earlier versions
                continue
            found.setdefault(tuple(row[name] for name in KIND), []).append(row)
    return found


def middle(runs, name):
    return statistics.median(float(run[name]) for run in runs)


def summarise(found):
    lines, alone = [], {}
    for kind, runs in found.items():
        line = dict(zip(KIND, kind))
        rates = sorted(float(run[RATE]) for run in runs)
        mode = line["precision"], line["ensemble"]
        ranks, rate = int(line["ranks"]), statistics.median(rates)
        if ranks == 1:
            alone[mode] = rate
        bar, goal = BARS.get(line["system"], ("", "")) if ranks == 1 else ("", "")
        known = ranks > 1 and mode in alone
        line.update({"runs": len(runs), RATE: rate, "least": rates[0], "most": rates[-1],
                     "first_bar": bar, "goal": goal,
                     "efficiency": f"{rate / ranks / alone[mode]:.3f}" if known else ""})
        for name in ("ms_per_step", "steps_per_build", "bytes_per_bead", "ms_move", "ms_force",
                     "ms_halo", "ms_build", "ms_couple", "ms_other"):
            line[name] = f"{middle(runs, name):.4g}"
        lines.append(line)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="+", metavar="TABLE.csv")
    for path in parser.parse_args().table:
        stem = os.path.splitext(path)[0]
        lines = summarise(kinds(path))
        if not lines:
            sys.exit(f"{path}: no runs")
        with open(stem + "-summary.csv", "w", newline="") as out:
            writer = csv.DictWriter(out, lines[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)
        plots.draw(path)


if __name__ == "__main__":
    main()
