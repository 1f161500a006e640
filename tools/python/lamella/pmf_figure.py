"""The figure of a profile of free energy, its windows, their overlap and diffusion, and the section of a report, from
the results of lamella-pmf."""
import json

import numpy as np

from . import files, words
from .figures import GREY, INK, STYLE, svg
from .looks import COLOURS
from .picture import plt


def read(path):
    """The results in PREFIX.pmf.json; unknown numbers are NaN."""
    try:
        found = json.loads(files.read_text(path))
        found["profile"] = {key: np.array(values, float) for key, values in found["profile"].items()}
        found["histograms"], found["overlap"] = np.array(found["histograms"], float), np.array(found["overlap"], float)
        found["windows"], found["coordinate"], found["unit"], found["notes"]
    except (ValueError, KeyError, TypeError, AttributeError) as why:
        raise files.Unusable(f"{path}: not the results of lamella-pmf: {why}") from None
    return found


def column(results, key):
    return np.array([window[key] for window in results["windows"]], float)


def profile(axes, results, label):
    found = results["profile"]
    x, f, error = found["x"], found["free_energy"], np.nan_to_num(found["error"])
    f = np.where(np.isfinite(f), f, np.nan)
    for k, (key, values) in enumerate([(key, values) for key, values in found.items() if key.startswith("first_")]):
        axes.plot(x, np.where(np.isfinite(values), values, np.nan), color=GREY, linewidth=0.7, alpha=0.4 + 0.2 * k,
                  label=f"first {key.split('_')[1]} % of the time")
    axes.fill_between(x, f - error, f + error, color=COLOURS[0], alpha=0.3, linewidth=0)
    axes.plot(x, f, color=COLOURS[0], label="all, with a standard error")
    axes.axhline(0, color=GREY, linewidth=0.6, zorder=0)
    axes.set(title="free energy", xlabel=label, ylabel=words.unit("kJ mol-1"))
    axes.legend()


def histograms(axes, results, label):
    x = results["profile"]["x"]
    for k, counts in enumerate(results["histograms"]):
        axes.plot(x, counts / max(counts.sum(), 1), color=COLOURS[k % len(COLOURS)], linewidth=0.8)
    axes.set(title="samples of the windows", xlabel=label, ylabel="part in a bin")


def overlap(axes, results, _):
    n = len(results["overlap"])
    axes.imshow(results["overlap"], cmap="Blues", vmin=0, vmax=max(0.5, np.nanmax(results["overlap"])), origin="lower",
                extent=(0.5, n + 0.5, 0.5, n + 0.5))
    axes.set(title="overlap of the windows", xlabel="window", ylabel="window")
    if n <= 12:
        for i, row in enumerate(results["overlap"]):
            for j, value in enumerate(row):
                if value >= 0.005:
                    axes.text(j + 1, i + 1, f"{value:.2f}"[1:], ha="center", va="center", fontsize=6.5, color=INK)


def diffusion(axes, results, label):
    d, error = 1e6 * column(results, "diffusion"), 1e6 * column(results, "diffusion_error")
    axes.errorbar(column(results, "mean"), d, yerr=np.nan_to_num(error), marker="o", markersize=3, capsize=2, linewidth=0.9,
                  color=COLOURS[1])
    axes.set(title="diffusion coefficient", xlabel=label, ylabel=words.unit(results["diffusion_unit"].replace("ps-1", "us-1")))
    axes.set_ylim(bottom=0)


def figure(results):
    """The figure as text that can stand in a page."""
    label = words.label(results["coordinate"], results["unit"])
    panels = [profile, histograms, overlap]
    if np.isfinite(column(results, "diffusion")).any():
        panels.append(diffusion)
    with plt.rc_context(STYLE):
        made, axes = plt.subplots(2, 2, figsize=(9.4, 6.8))
        for panel, place in zip(panels, axes.flat):
            panel(place, results, label)
        for place in axes.flat[len(panels):]:
            place.set_axis_off()
    return svg(made, "pmf")


def svg_file(results):
    """The figure as a file of its own."""
    return figure(results).replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg" '
                                   'xmlns:xlink="http://www.w3.org/1999/xlink"', 1)


def row(name, value, error, unit):
    return {"name": name, "value": words.number(value, error), "unit": unit}


def section(results):
    """What a report says: figure, sentence, rows of numbers, a table of the windows, notes."""
    found, unit = results["profile"], words.unit(results["unit"])
    zero, f = results["zero"], np.where(np.isfinite(found["free_energy"]), found["free_energy"], np.nan)
    where = "at its least value" if zero == "min" else f"from {zero[0]:.4g} to {zero[1]:.4g} {unit} on average"
    rows = [row(f"{word} value, at {found['x'][k]:.4g} {unit}", f[k], found["error"][k], words.unit("kJ mol-1"))
            for word, k in (("least", np.nanargmin(f)), ("largest", np.nanargmax(f)))]
    if results["permeability_cm_per_s"]:
        rows.append(row("permeability", results["permeability_cm_per_s"], results["permeability_error"] or np.nan,
                        words.unit("cm s-1")))
    return {"coordinate": results["coordinate"], "figure": figure(results), "rows": rows, "notes": results["notes"],
            "sentence": f"By MBAR from {len(results['windows'])} windows at {results['temperature_K']:g} K"
                        + ", symmetric about 0" * bool(results["symmetric"]) + f"; zero {where}. Errors are standard errors "
                        "of a block bootstrap.",
            "windows": {"name": "window", "head": [f"place ({unit})", f"mean ({unit})", "independent samples", "relaxation",
                                                   "free energy (kJ/mol)", f"diffusion ({words.unit(results['diffusion_unit'])})"],
                        "rows": [window_row(window) for window in results["windows"]]}}


def window_row(window):
    numbers = {key: np.nan if value is None else value for key, value in window.items()}
    return window["name"], [words.plain(numbers["place"]), words.plain(numbers["mean"]), f"{numbers['independent']:.0f}",
                            words.time(numbers["relaxation_ps"], 2), words.plain(numbers["free_energy"]),
                            words.number(numbers["diffusion"], numbers["diffusion_error"])]
