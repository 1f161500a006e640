"""A run on one HTML page: what ran, energies and box over time, observables, views, performance.

    lamella-report FOLDER|PREFIX[.STAGE] [-o FILE.html]

Reads what is there of PREFIX.checkpoint.h5, .csv, .h5md with .psf, .observables.h5, .log and
.performance.json; the page says what is missing. Of a FOLDER with several runs it takes the one that
was written last, of a PREFIX with stages the stage that was. The page needs no other file and no network.
"""
import argparse
import datetime
import functools
import os
import sys

from . import packages

with packages.needed():
    import jinja2
    import numpy as np

    from . import command, figures, files, looks, pmf_figure, statistics, tables, words
    from .results import Run, find_prefixes

# Series of the energies file: title, columns with their names, key of the set value.
SERIES = [("potential energy", {"potential": "potential"}, None),
          ("temperature", {"temperature_K": "temperature"}, "thermostat.temperature"),
          ("pressure", {"pressure_bar": "pressure"}, "barostat.pressure"),
          ("area per lipid", {"area_per_lipid_nm2": "area per lipid"}, None),
          ("edges of the box", {"lx_nm": "x", "ly_nm": "y", "lz_nm": "z"}, None),
          ("tilt of the box", {"xy_nm": "xy", "xz_nm": "xz", "yz_nm": "yz"}, None)]
AVERAGES = [("potential", "potential energy"), ("temperature_K", "temperature"),
            ("temperature_translation_K", "temperature of translation"),
            ("temperature_rotation_K", "temperature of rotation"), ("pressure_bar", "pressure"),
            ("area_per_lipid_nm2", "area per lipid"), ("lx_nm", "edge x"), ("ly_nm", "edge y"),
            ("lz_nm", "edge z"), ("volume_nm3", "volume")]
PHASES = {"move": "kicks, drift, rotation", "force": "forces", "halo": "halo exchange",
          "wait": "the host waits for its GPU", "build": "neighbour lists, migration, sorting",
          "couple": "thermostat, barostat, global sums", "observe": "observables",
          "output": "reports, frames, checkpoints", "other": "everything else"}
SLOW = ("potential", "area_per_lipid_nm2", "lz_nm")  # their latest t0 ends the equilibration
FEW = 20  # independent samples; with fewer an average is called uncertain


def get(tree, key, default=None):
    """The value at section.key of nested dicts."""
    for part in key.split("."):
        tree = tree.get(part) if isinstance(tree, dict) else None
    return default if tree is None else tree


def set_value(run, key):
    """What a thermostat or barostat is set to; None where there is none."""
    if not key or get(run.input, key.split(".")[0] + ".type", "none") == "none":
        return None
    try:
        return float(get(run.input, key))
    except (TypeError, ValueError):
        return None


class Equilibration:
    """Averages of the columns of the energies file from t0 on: t0 (ps) of each, and the latest of the
    slow ones."""

    def __init__(self, energies):
        self.energies, self.found = energies, {}
        for column, _ in AVERAGES:
            if column in energies and np.ptp(energies[column]) > 0:
                summary = statistics.summary(energies[column])
                if summary:
                    self.found[column] = summary
        starts = [self.found[c].start for c in SLOW if c in self.found]
        self.start = max(starts, default=0)
        self.time = energies.time[self.start]
        self.long = self.time - energies.time[0] > 0.5 * (energies.time[-1] - energies.time[0])

    def averages(self):
        """Rows of the table of averages, all over the same samples."""
        time = self.energies.time
        interval = (time[-1] - time[0]) / max(len(time) - 1, 1)
        for column, name in AVERAGES:
            if column not in self.found:
                continue
            s = statistics.summary(self.energies[column], self.start)
            if s:
                yield {"name": name, "value": words.number(s.mean, s.error), "column": column,
                       "unit": words.unit(self.energies.units[column]),
                       "time": words.time(s.time * interval, 2) if s.time > 1
                       else "< " + words.time(interval), "effective": f"{s.effective:.0f}",
                       "start": words.time(time[self.found[column].start])}

    def notes(self):
        energies = self.energies
        if self.long:
            yield ("The run has hardly reached equilibrium: its averages are uncertain, and it should be "
                   "longer.")
        elif any(statistics.summary(energies[c], self.start) is None
                 or statistics.summary(energies[c], self.start).effective < FEW
                 for c in SLOW if c in self.found):
            yield (f"After equilibration, energy, area or height of the box have fewer than {FEW} "
                   "independent samples: averages and their errors are uncertain.")


def status(run):
    """A word for the head of the page, its kind, and a sentence."""
    if not run.jobs:
        return "unknown", "plain", "There is no log."
    job = run.jobs[-1]
    if job.status is None:
        if run.running:
            return "running", "warn", "The run goes on, or was killed: its lock is there."
        return "no end", "bad", "The last job wrote no last message: it was killed."
    if job.status == 0:
        return "finished", "good", ""
    kind = "warn" if job.status == 99 else "bad"
    return job.said, kind, "" if job.status == 99 else f"The last job ended: {job.last}"


def rows_of_run(run):
    """What ran, as rows of name and text."""
    state, job, field = run.state, run.jobs[-1] if run.jobs else None, run.forcefield
    inputs, how = run.input, run.performance or {}
    if run.molecules:
        yield "system", ", ".join(f"{words.whole(n)} {m}" for m, n in run.molecules.items())
    beads = state.n if state else run.trajectory.n if run.trajectory else how.get("beads")
    if beads:
        yield "beads", words.whole(beads)
    if field:
        yield "force field", f"{field.name} {field.version}" + (field.source and f", {field.source}")
    if state:
        steps = get(inputs, "run.steps")
        at = f"{words.time(state.time)}, {words.whole(state.step)}"
        at += f" of {words.whole(steps)} steps" if steps else " steps"
        yield "simulated", at
        tilt = state.vectors[[1, 2, 2], [0, 0, 1]]
        yield "box", (" × ".join(f"{edge:.4f}" for edge in state.box)
                      + (", xy, xz, yz: " + ", ".join(f"{t:.4f}" for t in tilt) if tilt.any() else "")
                      + " nm at the last step")
    if get(inputs, "run.dt"):
        yield "time step", f"{1e3 * float(get(inputs, 'run.dt')):g} fs"
    for kind, keys in (("thermostat", (("temperature", "K"), ("tau", "ps"))),
                       ("barostat", (("coupling", ""), ("pressure", "bar"), ("tau", "ps")))):
        if get(inputs, kind + ".type"):
            told = [get(inputs, f"{kind}.type")]
            if told[0] != "none":
                told += [f"{key.replace('tau', 'time constant')} {get(inputs, f'{kind}.{key}', '?')} "
                         f"{unit}".strip() for key, unit in keys]
            yield kind, ", ".join(told)
    if state and state.input:
        yield "began from", state.input
    if state:
        yield "seed", str(int(state["system/seed"][0]))
    if job:
        yield "program", f"lamella {job.version} ({job.git})"
        yield "machine", "; ".join(job.places)
        yield "libraries", ", ".join(f"{k} {v}" for k, v in job.libraries.items())
        yield "command", job.command
    elif state:
        yield "program", f"{state.program} ({state.git}), {state.kernel}"
    if how:
        yield "precision", how.get("precision", "?")


def job_rows(run):
    for k, job in enumerate(run.jobs, 1):
        yield {"number": k, "began": job.began, "ended": job.ended, "said": job.said,
               "first_step": "" if job.first_step is None else words.whole(job.first_step),
               "where": "; ".join(job.places), "program": f"{job.version} ({job.git})",
               "command": job.command}


def together(curves):
    """Curves that are the same in one, as both edges of a box that keeps its shape."""
    found = {}
    for name, values in curves.items():
        same = next((other for other in found if np.array_equal(found[other], values)), None)
        if same:
            found = {f"{same} and {name}" if other == same else other: v for other, v in found.items()}
        else:
            found[name] = values
    return found


def series(run, equilibration):
    energies = run.energies
    for title, columns, key in SERIES:
        shown = {name: energies[c] for c, name in columns.items()
                 if c in energies and np.isfinite(energies[c]).all()}
        if not shown:
            continue
        shown = together(shown)
        unit = energies.units[next(iter(columns))]
        start = None if equilibration is None else equilibration.time
        yield figures.over_time(title, energies.time, shown, unit, start, set_value(run, key))


def phases(how):
    """Shares of the time of the last job, the largest first."""
    times = how.get("phases_s") or {}
    total = sum(entry["mean"] for entry in times.values()) or 1
    found = [{"name": name, "text": PHASES.get(name, ""), "share": 100 * entry["mean"] / total, "mean": words.plain(entry["mean"]),
              "min": words.plain(entry["min"]), "max": words.plain(entry["max"])}
             for name, entry in times.items()]
    found.sort(key=lambda phase: -phase["share"])
    for phase, colour in zip(found, figures.palette(len(found))):
        phase["colour"] = colour
    return found


def speed_rows(how):
    for key, name, unit in (("ns_per_day", "speed", "ns/day"), ("ms_per_step", "time of a step", "ms"),
                            ("million_bead_steps_per_s", "rate", "million bead-steps/s"),
                            ("without_output", "rate without output", "million bead-steps/s"),
                            ("seconds", "duration of the last job", "s"),
                            ("steps", "steps of the last job", ""), ("ranks", "ranks", ""),
                            ("backend", "backend", ""), ("transport", "transport", ""),
                            ("steps_per_build", "steps of a neighbour list", ""),
                            ("imbalance", "load imbalance", "%"),
                            ("bytes_per_bead", "memory of a bead", "bytes")):
        if key in how:
            value = how[key] * (100 if key == "imbalance" else 1) if not isinstance(how[key], str) \
                else how[key]
            text = value if isinstance(value, str) else words.whole(value) if isinstance(value, int) \
                else words.plain(value)
            yield {"name": name, "value": text, "unit": unit}


def late_observables(run, equilibration):
    """A note about observables that were sampled before the end of equilibration."""
    if not run.observables or equilibration.start == 0 or equilibration.long:
        return
    step = int(run.energies.step[equilibration.start])
    early = [name for name, entry in run.observables.items()
             if entry.samples > 0 and entry.first_step < step]
    if early:
        yield (f"Samples of {', '.join(early)} begin before the end of equilibration (step "
               f"{words.whole(step)}): their averages contain it. Set `from: {step}` in the run file "
               "to leave it out.")


def not_flat(run):
    """A note about observables without numbers, because the lipids are no flat bilayer."""
    names = [name for name, entry in (run.observables or {}).items()
             if entry.samples > 0 and entry.flat is not None and entry.flat < 1]
    if names:
        yield (f"{', '.join(names)} have no numbers: in some samples the lipids were no flat bilayer across the "
               "box with normal z (the log says why).")


def tiles(run, equilibration, observables):
    """The few numbers of the head of the page."""
    if run.state:
        yield "simulated", words.time(run.state.time), ""
    averages = {row["column"]: row for row in (equilibration.averages() if equilibration else ())}
    numbers = [row for section in observables if section["kind"] == "membrane"
               for row in section["rows"]]
    named = {row["name"]: row for row in numbers}
    if words.name("area") in named:
        row = named[words.name("area")]
        yield "area per lipid", row["value"], row["unit"]
    elif "area_per_lipid_nm2" in averages:
        row = averages["area_per_lipid_nm2"]
        yield "area per lipid", row["value"], row["unit"]
    if words.name("thickness") in named:
        row = named[words.name("thickness")]
        yield "thickness", row["value"], row["unit"]
    for column in ("temperature_K", "pressure_bar"):
        if column in averages:
            yield averages[column]["name"], averages[column]["value"], averages[column]["unit"]
    if run.performance and "ns_per_day" in run.performance:
        yield "speed", words.plain(run.performance["ns_per_day"]), "ns/day"


def attempt(run, what, made):
    """The result of a part of the page; a part that fails is missing, and the page says why."""
    try:
        return made()
    except Exception as why:  # a damaged file must not take the rest of the page with it
        run.missing.append((what, f"{type(why).__name__}: {why}"))
        return None


def observable_sections(run, references, names):
    for name in tables.in_order(run.observables) if run.observables else ():
        found = attempt(run, f"the observable {name}",
                        lambda: tables.section(run.observables[name], references, names))
        if found:
            yield found


def free_energy_section(run):
    """The results of lamella-pmf for the windows that the run belongs to: in PREFIX.pmf.json, where the prefix of the
    run is PREFIX or begins with `PREFIX.`; None where there are none."""
    folder, name = os.path.split(run.prefix)
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        path = os.path.join(folder, ".".join(parts[:n]) + ".pmf.json")
        if os.path.exists(path):
            return pmf_figure.section(pmf_figure.read(path))
    return None


def context(run):
    """What the template shows."""
    equilibration = attempt(run, "averages", lambda: Equilibration(run.energies)) \
        if run.energies else None
    references = attempt(run, "values from the literature",
                         lambda: tables.References(run.forcefield, run.molecules, run.lipids)) \
        or tables.References(None, {})
    names = attempt(run, "names of beads", lambda: looks.Names(run.forcefield)) or looks.Names(None)
    observables = list(observable_sections(run, references, names))
    views = attempt(run, "views", lambda: figures.views(run.trajectory)) if run.trajectory else None
    how = run.performance or {}
    word, kind, sentence = status(run)
    notes = [sentence] if sentence else []
    notes += attempt(run, "notes", lambda: list(not_flat(run))) or []
    if equilibration:
        notes += attempt(run, "notes", lambda: [*equilibration.notes(),
                                                *late_observables(run, equilibration)]) or []
    found = {
        "title": os.path.basename(run.prefix), "status": word, "status_kind": kind, "notes": notes,
        "facts": attempt(run, "what ran", lambda: [f for f in rows_of_run(run) if f[1]]),
        "jobs": list(job_rows(run)), "warnings": [w for job in run.jobs for w in job.warnings][-20:],
        "history": run.state.history if run.state else [],
        "input": run.jobs[-1].input if run.jobs else run.state.run_text if run.state else "",
        "tiles": attempt(run, "the numbers of the head",
                         lambda: list(tiles(run, equilibration, observables))),
        "series": attempt(run, "energies over time",
                          lambda: list(series(run, equilibration))) if run.energies else [],
        "averages": list(equilibration.averages()) if equilibration else [],
        "start": words.time(equilibration.time) if equilibration else "",
        "long": bool(equilibration and equilibration.long),
        "samples": words.whole(len(run.energies) - equilibration.start) if equilibration else "",
        "observables": observables, "views": views,
        "free_energy": attempt(run, "the profile of free energy", lambda: free_energy_section(run)),
        "speed": attempt(run, "speed", lambda: list(speed_rows(how))),
        "phases": attempt(run, "phases", lambda: phases(how)),
        "memory": [(n, words.whole(b)) for n, b in (how.get("memory") or {}).items()],
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "missing": run.missing,
    }
    return found


@functools.cache
def template():
    folder = jinja2.FileSystemLoader(os.path.dirname(os.path.abspath(__file__)))
    page = jinja2.Environment(loader=folder, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return page.get_template("report.html.j2")


def render(run):
    return template().render(context(run))


def choose(name):
    """The prefix that a FOLDER or PREFIX means."""
    if not os.path.isdir(name):
        for ending in (".checkpoint.h5", ".observables.h5", ".h5md", ".csv", ".log", ".yaml"):
            if name.endswith(ending):
                name = name[:-len(ending)]
        if Run.any_file(name):
            return name
        for prefix in find_prefixes(os.path.dirname(name) or "."):  # of stages, the last first
            if os.path.basename(prefix).startswith(os.path.basename(name) + ".") and \
                    os.path.exists(prefix + ".checkpoint.h5"):
                return prefix
        there = ", ".join(sorted(map(os.path.basename, find_prefixes(os.path.dirname(name) or "."))))
        raise files.Unusable(f"{name}: there is no folder and no run with this prefix" + f"; prefixes there: {there}" * bool(there))
    prefixes = find_prefixes(name)
    if not prefixes:
        raise files.Unusable(f"{name}: there is no run in this folder")
    if len(prefixes) > 1:
        others = ", ".join(os.path.basename(p) for p in prefixes[1:])
        command.say(f"{name}: several runs; the report is on {os.path.basename(prefixes[0])}, which was "
                    f"written last. The others are {others}", file=sys.stderr)
    return prefixes[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", metavar="FOLDER|PREFIX", help="folder of a run, or its output.prefix")
    parser.add_argument("-o", "--output", help="page [PREFIX.report.html]")
    arguments = parser.parse_args()
    prefix = choose(arguments.run)
    output = arguments.output or prefix + ".report.html"
    files.write_text(output, render(Run(prefix)))
    print(output)
