"""The free energy along a coordinate from windows, runs with umbrellas at many places, or from hills of metadynamics.

    lamella-pmf PREFIX... [--coordinate=NAME] [--symmetric] [--zero=LOW:HIGH] [-o PREFIX]

A PREFIX stands for all runs PREFIX.*, such as PREFIX.w00.md, or for one run. Reads PREFIX.coordinates.csv, and the
effective input from the log or checkpoint. Writes PREFIX.pmf.csv (profile), PREFIX.pmf.json (all results), and
PREFIX.pmf.svg, which lamella-report shows too.
"""
import argparse
import json
import os
import sys

from . import packages

with packages.needed():
    import numpy as np

    from . import command, files, free_energy, hills, statistics, words
    from .windows import FEW, Moving, Window, missing, window_prefixes

NO_OVERLAP, POOR_OVERLAP = 0.003, 0.03  # of neighbours; the second is the advice of Klimovich et al.
INDEPENDENT = 50  # samples of a window, below which errors are doubtful
PARTS = (0.25, 0.5, 0.75)  # of the time, for convergence


def read_windows(names, coordinate, notes):
    """The windows that can be used, by their means; all that is wrong is said at once."""
    windows, wrong, seen = [], [], set()
    for name in names:
        try:
            prefixes = window_prefixes(name)
        except files.Error as why:
            wrong.append(why)
            continue
        for prefix in prefixes:
            try:
                if os.path.realpath(prefix) not in seen:
                    seen.add(os.path.realpath(prefix))
                    windows.append(Window(prefix))
            except (files.Error, OSError) as why:
                wrong.append(files.unusable(why) if isinstance(why, OSError) else why)
    end_with(wrong)
    coordinate = coordinate or choose_coordinate(windows)
    few = f"they have fewer than {FEW} samples"
    used, left = [], {"their bias moves": [], few: []}
    for window in windows:
        try:
            window.read(coordinate)
            if len(window.x) < FEW:
                left[few].append(window.said)
            else:
                used.append(window)
        except Moving:
            left["their bias moves"].append(window.name)
        except files.Error as why:
            wrong.append(why)
    end_with(wrong)
    out = "".join(f"; left out, because {why}: {listed(found)}" for why, found in left.items() if found)
    print(f"{len(used)} windows{out}", file=sys.stderr)
    if not used:
        end_with(["no window is left" + "".join(f"; {why}: {listed(f)}" for why, f in left.items() if f)])
    lacking = [found for name in names for found in missing(name, used)]
    if lacking:
        notes.append(f"no data yet of {listed(lacking)}: the profile is without them")
    return coordinate, sorted(used, key=lambda window: window.x.mean())


def listed(names, most=4):
    """Names in a sentence; of many, the first and the last."""
    return ", ".join(names) if len(names) <= most else f"{', '.join(names[:most - 1])}, ... {names[-1]} ({len(names)})"


def end_with(wrong):
    """Ends with messages "WHERE: what", if there are any; those that say the same share a line."""
    places = {}
    for text in dict.fromkeys(map(str, wrong)):
        where, colon, what = text.partition(": ")
        places.setdefault(colon + what, []).append(where)
    if wrong:
        found = files.Error("\n".join(where[0] + what + (f"; also {listed(where[1:])}" if where[1:] else "") for what, where in places.items()))
        found.status = min(getattr(why, "status", files.Error.status) for why in wrong)
        raise found


def choose_coordinate(windows):
    """The coordinate with biases that differ between the runs, or the only one."""
    texts = {}
    for window in windows:
        for bias in window.all_biases:
            texts.setdefault(bias.coordinate, set()).add(str(sorted(map(str, bias.text.items()))))
    names = [name for name, found in texts.items() if len(found) > 1] or list(texts)
    names = names or list(dict.fromkeys(name for window in windows for name in window.coordinates))
    if len(names) != 1:
        end_with([f"biases act on {', '.join(names)}: say --coordinate=NAME" if names
                  else "no run has a coordinate in its input"])
    return names[0]


def common_temperature(windows, given):
    """K; the same in all windows."""
    found = {}
    for window in windows:
        found.setdefault(window.temperature, []).append(window.name)
    if given:
        return given
    if None in found:
        end_with([f"no constant temperature in the input of {listed(found[None])}: say --temperature=K"])
    if len(found) > 1:
        end_with(["windows have different temperatures: " + "; ".join(
            f"{t:g} K: {listed(names)}" for t, names in found.items())])
    return next(iter(found))


def check_other_biases(windows):
    for window in windows:
        if window.others != windows[0].others:
            end_with([f"{windows[0].name} and {window.name} have different biases on other coordinates: these must be "
                      "the same in all windows"])


def equilibrate(windows, first):
    """Sets start, used (samples from there on) and g, their statistical inefficiency."""
    for window in windows:
        start = int(np.searchsorted(window.time, first)) if first is not None else None
        summary = statistics.summary(window.x, start) if start is None or start + FEW <= len(window.x) else None
        if summary is None:
            end_with([f"{window.said}: its {len(window.x)} lines end at {window.time[-1]:g} ps; --from={first:g} leaves "
                      "too few of them"])
        window.start, window.g = summary.start, 2 * summary.time + 1
        window.used = window.x[window.start:]
        window.interval = (window.time[-1] - window.time[0]) / max(len(window.time) - 1, 1)


def limits(windows, asked, symmetric):
    """The range of the profile: that of two standard deviations around the means, or a turn."""
    low = min(w.used.mean() - 2 * w.used.std() for w in windows)
    high = max(w.used.mean() + 2 * w.used.std() for w in windows)
    if symmetric:
        low, high = 0.0, max(-low, high)
    if windows[0].period:
        low, high = -windows[0].period / 2, windows[0].period / 2
    low, high = asked or (low, high)
    if symmetric and low < 0:
        end_with([f"--range={low:g}:{high:g}: a symmetric profile begins at 0 or above"])
    if not high > low:
        end_with([f"the range of the profile is empty: {low:g} to {high:g} {windows[0].unit}"])
    return low, high


def default_bins(windows, low, high):
    width = 0.5 * np.median([w.used.std() for w in windows])
    return int(np.clip(np.ceil((high - low) / max(width, 1e-12)), 20, 200))


def check_overlap(windows, overlap, unit, notes):
    """Ends where windows are not connected; notes on neighbours with little overlap."""
    both = np.minimum(overlap, overlap.T)
    groups = np.arange(len(windows))
    for i, j in zip(*np.nonzero(both > NO_OVERLAP)):
        groups[groups == groups[j]] = groups[i]
    wrong = []
    for a, b, i in zip(windows, windows[1:], range(len(windows))):
        if groups[i] != groups[i + 1]:
            reach = (np.quantile(a.used, 0.99), np.quantile(b.used, 0.01))
            wrong.append(f"{a.said} and {b.said} do not overlap: 99 % of the samples of the one are below {reach[0]:.4g} "
                         f"{unit}, of the other above {reach[1]:.4g} {unit}. Add windows between them, or make the "
                         "umbrellas weaker")
        elif both[i, i + 1] < POOR_OVERLAP and max(both[i, i + 1:]) < POOR_OVERLAP:
            notes.append(f"{a.said} and {b.said} overlap by {both[i, i + 1]:.3f} only ({POOR_OVERLAP} is advised): errors "
                         "are uncertain there")
    end_with(wrong)


class Zero:
    """Where the profile is zero: the mean over bins from low to high, or the least bin."""

    def __init__(self, text, x):
        self.least, width = text == "min", x[1] - x[0]
        far = abs(x) >= abs(x).max() - 0.1 * (x[-1] - x[0])
        if text and not self.least:
            low, high = number_range(text, "--zero", single=True)
            far = (x >= low - width / 2) & (x <= high + width / 2)
            if not far.any():
                end_with([f"--zero={text} lies outside of the profile, {x[0]:.4g} to {x[-1]:.4g}"])
        self.bins = far
        self.range = [float(x[far][0]), float(x[far][-1])]

    def shift(self, profile):
        finite = profile[self.bins][np.isfinite(profile[self.bins])]
        level = np.min(profile) if self.least else np.mean(finite) if len(finite) else np.nan
        return profile - level


def number_range(text, name, single=False):
    """LOW:HIGH, or one number."""
    parts = text.split(":")
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) == 1 and single:
        numbers *= 2
    if len(numbers) != 2 or not np.isfinite(numbers).all() or numbers[0] > numbers[1]:
        end_with([f"{name}={text}: expected LOW:HIGH" + ", one number or min" * single])
    return numbers


def diffusions(windows, notes):
    """Sets the diffusion coefficient of windows with an umbrella."""
    coarse = []
    for window in windows:
        window.d = free_energy.diffusion(window.used, window.interval) if window.umbrella else None
        if window.d and window.d.time < 2 * window.interval:
            coarse.append(window.said)
    if coarse:
        notes.append(f"diffusion is underestimated where the coordinate relaxes within two samples: {listed(coarse)}. "
                     "Write it more often (output.coordinates_every)")


def permeability(windows, samples, profile, draws, symmetric, notes):
    """(cm/s, error) from the profile in kT with zero in water; None where it has no meaning."""
    entry = windows[0].coordinates.get(windows[0].coordinate, {})
    known = [w for w in windows if w.d and w.d.value > 0]
    if entry.get("along") not in ("x", "y", "z") or entry.get("length") == "yes" or len(known) < 2:
        return None
    if not np.isfinite(profile).all():
        notes.append("no permeability, because bins of the profile have no samples")
        return None
    if not symmetric and samples.low > -0.5 * (samples.low + samples.bins * samples.width):
        notes.append("no permeability: the profile covers one side of the middle; --symmetric takes the other as its mirror "
                     "image")
        return None
    at = np.array([abs(w.used.mean()) if symmetric else w.used.mean() for w in known])
    order, dice = np.argsort(at), np.random.default_rng(2)
    value = np.array([w.d.value for w in known])[order]
    relative = np.array([w.d.error / w.d.value for w in known])[order]
    sides = 2 if symmetric else 1

    def of(f, d):
        return free_energy.CM_PER_S / (sides * free_energy.resistance(samples.x, samples.width, f, at[order], d))

    spread = [of(f, value * np.exp(relative * dice.normal(size=len(value)))) for f in draws if np.isfinite(f).all()]
    return of(profile, value), float(np.std(spread, ddof=1)) if len(spread) > 10 else np.nan


def check_convergence(x, unit, halves, error, notes):
    """The halves of the time against their errors, each sqrt(2) of that of the whole."""
    with np.errstate(invalid="ignore", divide="ignore"):
        off = abs(halves[0] - halves[1])
        score = np.where(np.isfinite(off), off / (2 * error), 0)
    worst = int(np.nanargmax(np.nan_to_num(score, posinf=0)))
    if score[worst] > 4:
        notes.append(f"the profiles of the first and second half of the time differ by {off[worst]:.2g} kJ/mol at "
                     f"{x[worst]:.3g} {unit}, {score[worst]:.1f} times the error of their difference: windows near there "
                     "have not converged")


def analyse(windows, coordinate, options, notes):
    """All results as what JSON can hold, but for numbers that are unknown (NaN)."""
    kt = free_energy.BOLTZMANN * common_temperature(windows, options.temperature)
    check_other_biases(windows)
    equilibrate(windows, options.start)
    unit = windows[0].unit
    low, high = limits(windows, options.range and number_range(options.range, "--range"), options.symmetric)
    turn = windows[0].period
    values = [low + (w.used - low) % turn if turn else w.used for w in windows]
    samples = free_energy.Samples(values, [lambda x, w=w: w.energy(x) / kt for w in windows],
                                  [w.g for w in windows], low, high, options.bins or default_bins(windows, low, high),
                                  options.symmetric)
    outside = [w.said for w, n in zip(windows, samples.counts().sum(1)) if n == 0]
    if outside:
        end_with([f"no sample in the range {low:g} to {high:g} {unit}: {listed(outside)}"])
    whole = free_energy.Solution(samples, samples.counts())
    overlap = whole.overlap()
    check_overlap(windows, overlap, unit, notes)
    zero = Zero(options.zero, samples.x)
    profile = zero.shift(whole.profile)
    if not np.isfinite(profile).any():
        end_with([f"no sample where the profile is to be zero, {zero.range[0]:.4g} to {zero.range[1]:.4g}; give --zero or --range"])
    draws = np.array([zero.shift(f) for f in free_energy.bootstrap(samples, whole)])
    error = free_energy.spread(draws)
    of_parts = [zero.shift(free_energy.Solution(samples, samples.part(0, part), whole.f).profile) for part in PARTS]
    second = zero.shift(free_energy.Solution(samples, samples.part(0.5, 1), whole.f).profile)
    check_convergence(samples.x, unit, (kt * of_parts[1], kt * second), kt * error, notes)
    few = [w.said for w in windows if len(w.used) / w.g < INDEPENDENT]
    if few:
        notes.append(f"fewer than {INDEPENDENT} independent samples in {listed(few)}: errors are uncertain")
    if not np.isfinite(profile).all():
        empty = samples.x[~np.isfinite(profile)]
        notes.append(f"bins without samples: {len(empty)}, from {empty[0]:.4g} to {empty[-1]:.4g} {unit}")
    diffusions(windows, notes)
    through = permeability(windows, samples, profile, draws, options.symmetric, notes)
    return {
        "coordinate": coordinate, "unit": unit, "diffusion_unit": f"{unit}2 ps-1" if unit != "1" else "ps-1",
        "temperature_K": kt / free_energy.BOLTZMANN, "symmetric": options.symmetric, "zero": "min" if zero.least else zero.range,
        "permeability_cm_per_s": through and through[0], "permeability_error": through and through[1],
        "profile": {"x": samples.x, "free_energy": kt * profile, "error": kt * error, "samples": binned(samples),
                    **{f"first_{100 * part:.0f}_percent": kt * f for part, f in zip(PARTS, of_parts)},
                    "last_50_percent": kt * second},
        "windows": [described(w, kt * f) for w, f in zip(windows, whole.f)], "overlap": overlap,
        "histograms": samples.counts().reshape(len(windows), samples.bins, -1).sum(2), "notes": notes}


def binned(samples):
    return samples.counts().sum(0).reshape(samples.bins, -1).sum(1)


def described(window, f):
    place, k = window.umbrella or (np.nan, np.nan)
    d = window.d
    return {"name": window.name, "place": place, "force_constant": k, "mean": window.used.mean(),
            "deviation": window.used.std(), "from_ps": window.time[window.start], "to_ps": window.time[-1],
            "samples": len(window.used), "independent": len(window.used) / window.g,
            "relaxation_ps": d.time if d else 0.5 * window.g * window.interval, "free_energy": f,
            "diffusion": d.value if d else np.nan, "diffusion_error": d.error if d else np.nan}


def plain(value):
    """For JSON: lists in place of arrays, null in place of what is not finite."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(entry) for entry in value]
    if isinstance(value, (float, np.floating)):
        return float(f"{value:.9g}") if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value


def table(results):
    """The text of PREFIX.pmf.csv; energies in kJ/mol."""
    profile, unit = results["profile"], results["unit"]
    head = results["coordinate"] + (f"_{unit}" if unit != "1" else "")
    rows = zip(*profile.values())
    return "\n".join([",".join([head, *list(profile)[1:]]), *(",".join(f"{v:.6g}" for v in row) for row in rows)]) + "\n"


def draw(path, results):
    """The figure, where matplotlib is installed."""
    try:
        from . import pmf_figure
    except ImportError as why:
        command.say(f"no figure: {why}", file=sys.stderr)
        return
    files.write_text(path, '<?xml version="1.0" encoding="utf-8"?>\n' + pmf_figure.svg_file(results))
    print(path)


def say(results):
    """The numbers that one looks for first."""
    profile, unit = results["profile"], words.unit(results["unit"])
    for name, k in (("lowest", np.nanargmin(profile["free_energy"])), ("highest", np.nanargmax(np.where(
            np.isfinite(profile["free_energy"]), profile["free_energy"], -np.inf)))):
        print(f"{name}: {words.number(profile['free_energy'][k], profile['error'][k])} kJ/mol at {profile['x'][k]:.4g} {unit}")
    if results["permeability_cm_per_s"]:
        print(f"permeability: {words.number(results['permeability_cm_per_s'], results['permeability_error'])} cm/s")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("prefixes", metavar="PREFIX", nargs="+", help="windows PREFIX.*, one window, or a run with metadynamics")
    parser.add_argument("--coordinate", metavar="NAME", help="coordinate of the profile [the one with biases]")
    parser.add_argument("--symmetric", action="store_true", help="the system is symmetric about 0 of the coordinate")
    parser.add_argument("--zero", metavar="LOW:HIGH", help="where the profile is zero on average: a range, one number or "
                        "min [the bins farthest from 0, a tenth of the range]")
    parser.add_argument("--range", metavar="LOW:HIGH", help="of the profile [two standard deviations around the windows]")
    parser.add_argument("--bins", type=int, help="number of bins [half a standard deviation of the windows wide]")
    parser.add_argument("--from", dest="start", metavar="PS", type=float, help="use samples from this time on [after "
                        "equilibration, found in each window]")
    parser.add_argument("--temperature", metavar="K", type=float, help="[that of the thermostat]")
    parser.add_argument("-o", "--output", metavar="PREFIX", help="of the results [the first PREFIX]")
    options = parser.parse_args()
    if options.bins is not None and not 2 <= options.bins <= 2000:
        parser.error(f"--bins={options.bins}: expected 2 to 2000")
    if options.temperature is not None and not 0 < options.temperature < 1e6:
        parser.error(f"--temperature={options.temperature:g}: expected a temperature in K above 0")
    return options


def of_hills(options):
    """The free energy of a run with metadynamics, along all of its coordinates."""
    if len(options.prefixes) > 1:
        end_with([f"{options.prefixes[0]} has hills of metadynamics: give it alone"])
    given = {"--coordinate": options.coordinate, "--symmetric": options.symmetric, "--zero": options.zero,
             "--from": options.start is not None, "--temperature": options.temperature}
    end_with([f"{name} is of windows, and {options.prefixes[0]} has hills of metadynamics: leave it out"
              for name, value in given.items() if value])
    limits = options.range and [number_range(options.range, "--range")]
    text = hills.table(options.prefixes[0] + ".hills", limits, options.bins)
    path = (options.output or options.prefixes[0]) + ".pmf.csv"
    files.write_text(path, text)
    print(path)


def main():
    options, notes = parse(), []
    if any(map(hills.path_of, options.prefixes)):
        return of_hills(options)
    coordinate, windows = read_windows(options.prefixes, options.coordinate, notes)
    results = analyse(windows, coordinate, options, notes)
    output = options.output or options.prefixes[0]
    for note in notes:
        command.say("note: " + note, file=sys.stderr)
    say(results)
    files.write_text(output + ".pmf.csv", table(results))
    files.write_text(output + ".pmf.json", json.dumps(plain(results), indent=1) + "\n")
    print(f"{output}.pmf.csv\n{output}.pmf.json")
    draw(output + ".pmf.svg", results)
