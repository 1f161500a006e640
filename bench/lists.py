"""lists.py [--output=FILE.png] [FOLDER]: draws what gpu_lists.sh measured (lists-NAME.csv in FOLDER
[docs/measured]): box edge, temperature and pressure against time, with exact lists and with lists of
a fixed interval. Needs matplotlib.
lists.py --means RUN.csv: prints the columns it draws of the CSV file of a run, means of 5 ps."""
import argparse
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MEASURED = os.path.join(os.path.dirname(HERE), "docs", "measured")
COLUMNS = ["time_ps", "temperature_K", "pressure_bar", "pxx_bar", "pyy_bar", "pzz_bar", "lx_nm",
           "lz_nm", "missed_pairs"]
WINDOW = 5  # ps
RUNS = {"exact": ("exact lists", "#1f4e9c"), "20": ("every 20 steps", "#d55e00"),
        "40": ("every 40 steps", "#9c4f8a")}


def rows_of(path):
    with open(path) as file:
        return [{key: float(row[key]) for key in COLUMNS}
                for row in csv.DictReader(line for line in file if not line.startswith("#"))]


def print_means(path):
    """Means of the lines within each window; of the missed pairs, the last number."""
    windows = {}
    for row in rows_of(path)[1:]:
        windows.setdefault(int((row["time_ps"] - 1e-6) // WINDOW), []).append(row)
    print(",".join(COLUMNS))
    for rows in windows.values():
        mean = {key: sum(row[key] for row in rows) / len(rows) for key in COLUMNS}
        mean["missed_pairs"] = rows[-1]["missed_pairs"]
        print(",".join(f"{mean[key]:.10g}" for key in COLUMNS))


def draw(folder, output):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, panels = plt.subplots(1, 3, figsize=(12, 3.6), constrained_layout=True)
    for name, (label, colour) in RUNS.items():
        rows = rows_of(os.path.join(folder, f"lists-{name}.csv"))
        time = [row["time_ps"] / 1000 for row in rows]
        for axes, column in zip(panels, ("lx_nm", "temperature_K", "pressure_bar")):
            axes.plot(time, [row[column] for row in rows], color=colour, linewidth=1.2, label=label)
    for axes, title in zip(panels, ("box edge in plane, nm", "temperature, K", "pressure, bar")):
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("time, ns")
        axes.grid(alpha=0.3)
    panels[2].set_ylim(-30, 30)
    panels[0].legend(frameon=False)
    figure.savefig(output, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=MEASURED)
    parser.add_argument("--means", metavar="RUN.csv")
    parser.add_argument("--output", default=None)
    args = parser.parse_args()
    if args.means:
        print_means(args.means)
    else:
        draw(args.folder, args.output or os.path.join(args.folder, "lists.png"))
    return 0


sys.exit(main())
