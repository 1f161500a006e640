"""Plots for scripts and notebooks, by matplotlib with the backend that is chosen there."""
import numpy as np

from . import files, packages, words
from .looks import COLOURS, STYLE


def pyplot():
    try:
        import matplotlib.pyplot
    except ImportError:
        raise files.Error(packages.advice("matplotlib")) from None
    return matplotlib.pyplot


def axes_of(axes, title, x_label, y_label):
    """The axes that are given, or those of a new figure, with labels."""
    if axes is None:
        with pyplot().rc_context(STYLE):
            axes = pyplot().subplots(figsize=(5, 3.2))[1]
    axes.set(title=title, xlabel=x_label, ylabel=y_label)
    return axes


def label(names, unit):
    return words.label(names[0] if len(names) == 1 else "", unit).strip()


def one_unit(names, units, where):
    """The unit that columns share; an error if they do not."""
    found = list(dict.fromkeys(units[name] for name in names))
    if len(found) != 1:
        raise files.Error(f"{where}: columns of one plot have one unit, but these have {', '.join(found)}: plot them one by one")
    return found[0]


def band(axes, x, y, error, label, colour):
    """A curve with a band of one standard error to each side."""
    axes.plot(x, y, color=colour, label=label)
    known = np.where(np.isfinite(error), error, 0)
    axes.fill_between(x, y - known, y + known, color=colour, alpha=0.25, linewidth=0)


def curves(axes, lines):
    """lines: (label, x, y, error)."""
    for k, (label, x, y, error) in enumerate(lines):
        band(axes, x, y, error, label, COLOURS[k % len(COLOURS)])
    return legend(axes, len(lines))


def sites(axes, labels, lines):
    """lines: (label, values, errors), with a value for each of the labels."""
    x = np.arange(len(labels))
    for k, (label, values, errors) in enumerate(lines):
        axes.errorbar(x, values, yerr=np.where(np.isfinite(errors), errors, 0), marker="o", markersize=4, capsize=2,
                      linestyle="none", color=COLOURS[k % len(COLOURS)], label=label)
    axes.set_xticks(x)
    axes.set_xticklabels(labels, rotation=60 if len(labels) > 3 else 0, ha="right" if len(labels) > 3 else "center")
    return legend(axes, len(lines))


def series(axes, lines):
    """lines: (label, time, values, summary or None): values over time, and their mean with a band of one standard error
    where it was taken."""
    for k, (label, time, values, found) in enumerate(lines):
        colour = COLOURS[k % len(COLOURS)]
        axes.plot(time, values, color=colour, alpha=0.55 if found else 1, linewidth=0.8, label=label)
        if found:
            used = np.array([found[0], time[-1]])
            band(axes, used, np.full(2, found[1]), found[2], f"mean {words.number(found[1], found[2])}", colour)
    return legend(axes, 2 * len(lines))


def legend(axes, entries):
    if entries > 1:
        axes.legend(fontsize=8, frameon=False)
    return axes
