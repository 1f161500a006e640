"""The figures of a report: SVG for curves, PNG for views of the system."""
import base64
import io
import re

import numpy as np

from . import words
from .looks import COLOURS, GREY, INK, LOOKS, STYLE, palette
from .picture import Scene, draw_view, picture_box, plt
from .statistics import thinned

WINDOW = 25.0  # nm, the most of an edge in a view


def figure(wide, high):
    with plt.rc_context(STYLE):
        return plt.subplots(figsize=(wide, high))


def svg(made, salt):
    """The figure as text that can stand in a page; it refers to nothing outside of it."""
    out = io.StringIO()
    with plt.rc_context({**STYLE, "svg.hashsalt": salt}):
        made.savefig(out, format="svg",
                     metadata={key: None for key in ("Creator", "Date", "Format", "Type")})
    plt.close(made)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", out.getvalue())
    return text[text.index("<svg"):]


def over_time(title, time, curves, unit, start, target=None):
    """Curves {label: values} over time, what comes before `start` (ps) greyed out."""
    made, axes = figure(4.6, 2.35)
    with plt.rc_context(STYLE):
        scale, word = (1e-3, "ns") if time[-1] >= 2000 else (1, "ps")
        for (name, value), colour in zip(curves.items(), COLOURS):
            t, y = thinned(time * scale, value)
            axes.plot(t, y, color=colour, linewidth=0.9, label=name)
        if start is not None and start > time[0]:
            axes.axvspan(time[0] * scale, start * scale, color="#e9ecef", zorder=0, linewidth=0)
            axes.axvline(start * scale, color=GREY, linewidth=0.9, linestyle="--")
        if target is not None:
            axes.axhline(target, color=INK, linewidth=0.8, linestyle=":", label="set value")
        axes.set(title=title, xlabel=f"time ({word})", ylabel=words.unit(unit))
        if np.ptp(time) > 0:
            axes.set_xlim(time[0] * scale, time[-1] * scale)
        if len(curves) > 1 or target is not None:
            axes.legend(loc="lower right", bbox_to_anchor=(1.02, 0.98), ncol=3, columnspacing=1.2,
                        handlelength=1.4, borderaxespad=0)
    return svg(made, title)


def line_colours(lines):
    """Bead types have the colours of pictures if every curve but one is named after one."""
    types = [name.split()[-1] for name, *_ in lines]
    if len(lines) > 2 and sum(t in LOOKS for t in types) >= len(lines) - 1:
        looks = [LOOKS[t][1] if t in LOOKS else INK for t in types]
        if len(set(looks)) == len(looks):
            return looks
    return palette(len(lines))


def legend_below(axes, entries, longest):
    """A legend below the axes, in as many columns as its longest entry leaves."""
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncol=legend_columns(entries, longest),
                columnspacing=1.2, handlelength=1.4)


def legend_columns(entries, longest):
    return max(1, min(4, entries, int(4.4 / (0.06 * longest + 0.45))))


def curves(title, lines, x_label, unit, references=(), log=False):
    """lines: (label, x, y, error); each with a band of one standard error. references: (x, value,
    error) from the literature."""
    entries = len(lines) + bool(references)
    longest = max(len(name) for name in [*(line[0] for line in lines), "literature"])
    rows = -(-entries // legend_columns(entries, longest)) if entries > 1 else 0
    made, axes = figure(4.6, 3.0 + 0.2 * rows)
    with plt.rc_context(STYLE):
        for (name, x, y, error), colour in zip(lines, line_colours(lines)):
            axes.plot(x, y, color=colour, label=name, marker="o" if log else None, markersize=3,
                      linewidth=0.7 if log else 1.4)
            known = np.where(np.isfinite(error), error, 0)
            axes.fill_between(x, y - known, y + known, color=colour, alpha=0.22, linewidth=0)
        for k, (x, value, error) in enumerate(references):
            axes.errorbar(x, value, yerr=error, color=INK, marker="D", markersize=3.5, capsize=2,
                          linewidth=0.9, linestyle="none", label=None if k else "literature")
        if log:
            axes.set(xscale="log", yscale="log")
        elif lines and min(np.nanmin(line[2]) for line in lines) < 0:
            axes.axhline(0, color=GREY, linewidth=0.6, zorder=0)
        axes.set(title=title, xlabel=x_label, ylabel=words.unit(unit))
        if rows:
            legend_below(axes, entries, longest)
    return svg(made, title + x_label)


def sites(title, labels, values, errors, unit):
    """A value for each label."""
    made, axes = figure(max(4.6, 0.22 * len(labels)), 3.0)
    with plt.rc_context(STYLE):
        x = np.arange(len(labels))
        axes.axhline(0, color=GREY, linewidth=0.6, zorder=0)
        axes.errorbar(x, values, yerr=np.where(np.isfinite(errors), errors, 0), marker="o",
                      markersize=4, capsize=2, linestyle="none", linewidth=0.9, color=COLOURS[0])
        axes.set_xticks(x)
        axes.set_xticklabels(labels, rotation=60, ha="right", fontsize=7.5)
        axes.set(title=title, ylabel=words.unit(unit))
    return svg(made, title)


def png(made):
    out = io.BytesIO()
    made.savefig(out, format="png", dpi=150, metadata={"Software": None})
    plt.close(made)
    return base64.b64encode(out.getvalue()).decode()


def views(trajectory):
    """Side and top view of the last frame as (caption, PNG in base64, 1 if wide), and the legend as
    (label, colour)."""
    scene, frame, found = Scene(trajectory), trajectory[-1], []
    for across in ((0, 2), (0, 1)):
        (left, right), (low, high) = picture_box(scene, frame, across, WINDOW)
        wide = int(high - low < 0.5 * (right - left))
        made, axes = figure(10.6, 0.8 + 9.8 * (high - low) / (right - left)) if wide else figure(5.2, 4.8)
        with plt.rc_context(STYLE):
            draw_view(axes, scene, frame, across, WINDOW)
            caption = axes.get_title("left")
            axes.set_title("")
        found.append((caption, png(made), wide))
    return found, [(look.label, look.colour) for look in scene.looks.values()]
