"""plots.py [TABLE.csv...]: draws TABLE.png from TABLE-summary.csv (bench/summary.py) for each table
that bench/gpu_*.sh measured; without arguments for the tables of docs/measured. One GPU: the rate
against the number of beads, beside the rates of docs/measured/peers.csv. Several GPUs: strong
scaling as speed-up and weak scaling as parallel efficiency against the number of GPUs. Needs
matplotlib."""
import argparse
import csv
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MEASURED = os.path.join(os.path.dirname(HERE), "docs", "measured")
RATE = "million_bead_steps_per_s"
LAMELLA = "#1f4e9c"
PEERS = {"LAMMPS GPU package": ("#d55e00", "s"), "LAMMPS KOKKOS": ("#007a5a", "^"), "GROMACS": ("#7b3294", "D")}
FAMILIES = {"elba": "ELBA, DOPC bilayer in water", "lj": "Lennard-Jones melt", "martini": "Martini, DPPC bilayer in water"}


def rows_of(path):
    with open(path) as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return [row for row in rows if row.get("rebuild") != "interval"]  # of earlier versions


def gpu_of(table):
    """The name of the GPUs, from the lines above a table."""
    with open(table) as file:
        found = re.search(r"^#\s+GPU 0: ([^,]*)", file.read(), re.M)
    return found.group(1) if found else "CPU"


def parts_of(system):
    """elba-7k, lj-2m-2.5: the family, and the cutoff where there are several."""
    parts = system.split("-")
    return parts[0], parts[2] if len(parts) > 2 else ""


def curve(axes, points, label, colour, marker, below=0):
    """A line through (beads, rate), with the rates beside it."""
    points = sorted(points)
    axes.plot(*zip(*points), color=colour, marker=marker, markersize=6, linewidth=1.5, label=label)
    for beads, rate in points:
        text = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
        axes.annotate(text, (beads, rate), xytext=(0, -7 if below else 7),
                      textcoords="offset points", ha="center", va="top" if below else "bottom",
                      fontsize=8, color=colour)


def peer_curves(axes, family, cutoff):
    path = os.path.join(MEASURED, "peers.csv")
    rows = rows_of(path) if os.path.exists(path) else []
    found = {}  # the best of the runs with different lists and numbers of ranks
    for row in rows:
        if parts_of(row["system"]) == (family, cutoff) and not row["program"].startswith("Lamella"):
            kind = row["program"], row["version"], row["precision"], row.get("note", "")
            best, beads = found.setdefault(kind, {}), int(row["beads"])
            best[beads] = max(float(row[RATE]), best.get(beads, 0))
    for (program, version, precision, note), best in found.items():
        points = list(best.items())
        label = f"{program} ({version}), {precision}" + (f"\n({note})" if note else "")
        curve(axes, points, label, *PEERS.get(program, ("#666666", "v")),
              below=note or program == "LAMMPS GPU package")


def log_ticks(axis, subs):
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
    axis.set_major_locator(LogLocator(10, subs))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axis.set_minor_formatter(NullFormatter())


def draw_rates(plt, lines, gpu):
    panels = list(dict.fromkeys(parts_of(line["system"]) for line in lines))
    figure, (row,) = plt.subplots(1, len(panels), sharey=True, squeeze=False,
                                  figsize=(2 + 4 * len(panels), 4.6), constrained_layout=True)
    for axes, (family, cutoff) in zip(row, panels):
        points = [(int(s["beads"]), float(s[RATE])) for s in lines
                  if parts_of(s["system"]) == (family, cutoff)]
        axes.set(xscale="log", yscale="log", xlabel="number of beads")
        axes.set_title(FAMILIES.get(family, family) +
                       (f", cutoff {cutoff} $\\sigma$" if cutoff else "" if len(panels) > 1 else f", NVE, one {gpu}"))
        curve(axes, points, f"Lamella, {lines[0]['precision']} precision", LAMELLA, "o")
        peer_curves(axes, family, cutoff)
        axes.margins(x=0.12, y=0.12)
        log_ticks(axes.xaxis, (1,) if max(points)[0] > 30 * min(points)[0] else (1, 2, 5))
        log_ticks(axes.yaxis, (1,))
        axes.grid(True, which="major", color="#dddddd", linewidth=0.8)
        axes.legend(fontsize=8, loc="lower right")
    row[0].set_ylim(bottom=0.6 * row[0].get_ylim()[0])
    row[0].set_ylabel("million bead-steps per second")
    if len(panels) > 1:
        figure.suptitle(("NVE; Martini NVT" if any(p[0] == "martini" for p in panels) else "NVE") + f", one {gpu}",
                        fontsize=11)
    return figure


def gpu_axis(axes, most):
    axes.set_xscale("log", base=2)
    gpus = [2**k for k in range(12) if 2**k <= most]
    axes.set_xticks(gpus, [str(n) for n in gpus])
    axes.set_xlabel("number of GPUs")
    axes.grid(True, which="major", color="#dddddd", linewidth=0.8)
    axes.margins(x=0.14)
    return gpus


def scaling_of(lines, kind):
    """(GPUs, speed-up over one GPU): of the same system, or of as many times the beads."""
    alone = [float(s[RATE]) for s in lines if s["ranks"] == "1"]
    rest = [(int(s["ranks"]), float(s[RATE])) for s in lines
            if s["system"] == kind and s["ranks"] != "1"]
    return [(1, 1.0)] + [(n, rate / alone[0]) for n, rate in sorted(rest)] if alone else []


def values_below(axes, points, form, colour):
    """The values of a curve below its points."""
    for n, value in points:
        axes.annotate(form.format(value), (n, value), xytext=(4, -8),
                      textcoords="offset points", ha="left", va="top", fontsize=8, color=colour)


def draw_scaling(plt, lines, gpu):
    from matplotlib.ticker import FuncFormatter, NullLocator
    most = max(int(line["ranks"]) for line in lines)
    beads = next(int(line["beads"]) for line in lines if line["ranks"] == "1")
    figure, (strong, weak) = plt.subplots(1, 2, figsize=(9, 4.2), constrained_layout=True)
    gpus = [gpu_axis(axes, most) for axes in (strong, weak)][0]
    strong.plot(gpus, gpus, "--", color="#666666", linewidth=1.2, label="ideal")
    weak.plot(gpus, [1] * len(gpus), "--", color="#666666", linewidth=1.2, label="ideal")
    speedup = scaling_of(lines, "strong")
    efficient = [(n, s / n) for n, s in scaling_of(lines, "weak")]
    for axes, points, form in (strong, speedup, "{:.2f}"), (weak, efficient, "{:.3f}"):
        if points:
            axes.plot(*zip(*points), color=LAMELLA, marker="o", markersize=5, label="Lamella")
            values_below(axes, points[1:], form, LAMELLA)
    strong.set(ylabel="speed-up over one GPU", title=f"Strong scaling, {beads:,} beads")
    strong.set_yscale("log", base=2)
    strong.set_yticks(gpus)
    strong.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    strong.yaxis.set_minor_locator(NullLocator())
    weak.set(ylim=(0, 1.15), ylabel="parallel efficiency",
             title=f"Weak scaling, {beads:,} beads a GPU")
    strong.legend(fontsize=8, loc="upper left")
    weak.legend(fontsize=8, loc="lower left")
    figure.suptitle(f"ELBA, NVE, {gpu}s of one host", fontsize=11)
    return figure


def draw(table):
    """TABLE.png beside TABLE.csv; 0 where matplotlib is not installed."""
    try:
        import matplotlib
    except ImportError:
        print("no plot: matplotlib is not installed")
        return 0
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    stem = os.path.splitext(table)[0]
    lines = rows_of(stem + "-summary.csv")
    several = any(int(line["ranks"]) > 1 for line in lines)
    lines = [line for line in lines if line["ensemble"] in ("nve", "nvt")]
    if several and not any(line["ranks"] == "1" for line in lines):
        print("no plot: there is no run on one GPU to compare with")
        return 0
    figure = (draw_scaling if several else draw_rates)(plt, lines, gpu_of(table))
    figure.savefig(stem + ".png", dpi=130, metadata={"Software": None})
    plt.close(figure)
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="*", metavar="TABLE.csv")
    found = glob.glob(os.path.join(MEASURED, "*-summary.csv"))
    tables = parser.parse_args().table or sorted(name.replace("-summary", "") for name in found)
    sys.exit(0 if all([draw(table) for table in tables]) else 1)


if __name__ == "__main__":
    main()
