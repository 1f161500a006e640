"""Exchange of replicas: acceptance and distributions of oscillators, of an ideal gas at constant pressure and of a bead in
umbrellas against the exact ones; conserved energy; the same bits on more ranks, in parts and from checkpoints of different
steps; stages; the table and its tool; mistakes."""
import math
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import trial
from run_lamella import Checks, read, run, write
from test_distributions import start

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tools", "python"))
import lamella  # noqa: E402
from lamella import windows  # noqa: E402
from lamella.exchange import write_lines  # noqa: E402

K_B, BAR = 0.00831446261815324, 16.605390671738  # kJ/mol/K; bar of 1 kJ/mol/nm3
TEMPERATURES = 300, 350, 410, 500
BEADS, GAS, PRESSURE, STIFF, PLACES = 20, 30, 20.0, 50.0, (0, 0.25, 0.5, 0.75)
SPRINGS = "[{form: restraint, kx: 100, ky: 200, kz: 300}]"
PULL = {"coordinates": "[{name: d, kind: distance, of: {ids: [3, 3]}, from: [5, 5, 5], along: x}]",
        "biases": "[{name: pull, kind: umbrella, coordinate: d, k: %g, at: [%s]}]" % (STIFF, ", ".join(map(str, PLACES)))}
RUN = {"input": "osc.h5", "run.dt": 0.004, "neighbor.skin": 0.3, "thermostat.type": "langevin", "thermostat.tau": 0.1,
       "exchange.every": 25, "velocities.temperature": 300, "fields": SPRINGS, "output.checkpoint_every": 0}
WARM = {"exchange.temperature": "[%s]" % ", ".join(map(str, TEMPERATURES))}
BOTH = {**RUN, **PULL, **WARM, "exchange.bias": "pull", "run.steps": 400, "thermostat.type": "bussi", "thermostat.every": 5,
        "output.energies_every": 25, "output.coordinates_every": 5, "output.frames_every": 50, "output.checkpoint_every": 100}


def distribution(checks, what, samples, x, weight, bins=8):
    """By chi-squared, in bins that the weights at the points x make equally likely."""
    law = np.concatenate([[0], np.cumsum((weight[1:] + weight[:-1]) / 2 * np.diff(x))])
    count = np.bincount(np.minimum((np.interp(samples, x, law / law[-1]) * bins).astype(int), bins - 1), minlength=bins)
    want = len(samples) / bins
    off = (((count - want)**2 / want).sum() - (bins - 1)) / (2 * (bins - 1))**0.5
    print(f"{what}: {len(samples)} samples, chi-squared {off:.2f} standard deviations from its mean")
    checks.true(what, abs(off) < 6 and want >= 12, off, count)


def replicas(folder, prefix, settings, *more, ranks=4, n=4, status=0):
    write(os.path.join(folder, "x.yaml"), "output: {energies_every: 0}\n")
    sets = [f"--set={key}={value}" for key, value in {**settings, "output.prefix": prefix}.items()]
    return run("run", "x.yaml", f"--replicas={n}", *sets, *more, ranks=ranks, cwd=folder, status=status, env={"OMP_NUM_THREADS": "1"}).stderr


def gamma_acceptance(shape, low, high):
    """Of states whose reduced energies, of scales low < high (K), have a gamma distribution: the mean of min(1, exp gain)."""
    x = (np.arange(2000) + 0.5) / 2000 * (shape + 12 * shape**0.5 + 40)
    law = np.exp((shape - 1) * np.log(x) - x - math.lgamma(shape))
    law /= law.sum()
    gain = (1 / low - 1 / high) * (low * x[:, None] - high * x[None, :])
    return law @ np.minimum(1, np.exp(np.minimum(gain, 0))) @ law


def acceptance(checks, what, exchange, expected):
    """The mean chance and the accepted attempts of each pair; attempts are nearly independent."""
    for k, want in enumerate(expected):
        chance, n = exchange.chance[:, k], exchange.tried[k]
        error = np.nanstd(chance) / n**0.5
        off = (np.nanmean(chance) - want) / error
        luck = (exchange.accepted[k] - np.nansum(chance)) / max(np.nansum(chance * (1 - chance)), 1)**0.5
        print(f"{what} {k + 1}: {n} attempts, chance {np.nanmean(chance):.4f}, exact {want:.4f}, {off:.1f} errors; "
              f"accepted {exchange.accepted[k]}, {luck:.1f} errors")
        checks.true(f"{what}: the acceptance of pair {k + 1}", n >= 100 and abs(off) < 6 and abs(luck) < 4.5, off, luck, n)


def temperatures(checks, folder):
    replicas(folder, "hot", {**RUN, **WARM, "run.steps": 28000, "output.energies_every": 100})
    exchange = lamella.Exchange(os.path.join(folder, "hot"))
    pairs = list(zip(TEMPERATURES, TEMPERATURES[1:]))
    acceptance(checks, "oscillators", exchange, [gamma_acceptance(1.5 * BEADS, *pair) for pair in pairs])
    checks.true("replicas go round", exchange.round_trips.min() > 5, exchange.round_trips)
    for rung, temperature in enumerate(TEMPERATURES, 1):
        lines = exchange.lines(rung)
        checks.true(f"each rung has one replica at each step, {rung}", (np.diff(lines["step"]) == 100).all() and len(set(lines["replica"])) == 4)
        x = np.linspace(0, 100, 4001)[1:] * K_B * temperature
        law = np.exp((1.5 * BEADS - 1) * np.log(x) - x / (K_B * temperature) - 1.5 * BEADS * math.log(K_B * temperature))
        for name in "potential", "kinetic":  # samples every 0.4 ps
            distribution(checks, f"{name} at {temperature} K", lines[name][3:], x, law)


def momenta(checks, folder):
    """The kinetic energy follows the temperature at once."""
    replicas(folder, "quick", {**RUN, **WARM, "run.steps": 100, "run.dt": 0.0005, "exchange.every": 10, "thermostat.type": "bussi",
                               "thermostat.tau": 1000, "output.energies_every": 1})
    exchange = lamella.Exchange(os.path.join(folder, "quick"))
    for k in range(1, 5):
        kinetic = lamella.Energies(exchange.name(k))["kinetic"]
        now = np.array(TEMPERATURES)[exchange.rung[:, k - 1] - 1]
        seen, want = kinetic[exchange.step[1:] + 1] / kinetic[exchange.step[1:]], now[1:] / now[:-1]
        checks.true(f"momenta of replica {k}", (abs(seen - want) < 0.06).all() and (want != 1).any(), seen, want)


def pressure(checks, folder):
    """The volume of an ideal gas: P V / kT has a gamma distribution of shape n + 1, without energies."""
    fractions = (np.arange(GAS)[:, None] // [1, 3, 9] % 3 + 0.5) / 3 * 10
    start(folder, "gas", {"GAS": GAS}, fractions)
    ratio = 1.35
    settings = {**RUN, "input": "gas.h5", "fields": "[]", "run.steps": 20000, "barostat.type": "crescale", "barostat.coupling": "isotropic",
                "barostat.pressure": PRESSURE, "barostat.compressibility": 1 / PRESSURE, "barostat.tau": 0.2, "barostat.every": 5,
                "exchange.every": 40, "exchange.temperature": "{from: 300, to: %g}" % (300 * ratio), "output.energies_every": 40}
    replicas(folder, "gas", settings, n=2, ranks=2)
    exchange = lamella.Exchange(os.path.join(folder, "gas"))
    acceptance(checks, "gas", exchange, [gamma_acceptance(GAS + 1, 300, 300 * ratio)])
    for rung, temperature in (1, 300), (2, 300 * ratio):
        volume = exchange.lines(rung)["volume_nm3"][20:]
        want = (GAS + 1) * K_B * temperature * BAR / PRESSURE
        error = volume.std() / (len(volume) / 8)**0.5
        print(f"gas at {temperature:g} K: volume {volume.mean():.2f}, exact {want:.2f}, error {error:.2f}")
        checks.true(f"gas at {temperature:g} K: the mean volume", abs(volume.mean() - want) < 5 * error, volume.mean(), want, error)


def umbrellas(checks, folder):
    replicas(folder, "pull", {**RUN, **PULL, "fields": "[{form: restraint, ky: 100, kz: 100}]", "run.steps": 28000, "exchange.bias": "[pull]",
                              "thermostat.temperature": 300, "output.coordinates_every": 100})
    exchange, kt = lamella.Exchange(os.path.join(folder, "pull")), K_B * 300
    write_lines(exchange, ".coordinates.csv")
    acceptance(checks, "umbrellas", exchange, [math.erfc((STIFF * (b - a)**2 / kt)**0.5 / 2) for a, b in zip(PLACES, PLACES[1:])])
    for rung, place in enumerate(PLACES, 1):
        lines = exchange.lines(rung, ".coordinates.csv")
        checks.true(f"the place is that of rung {rung}", (lines["pull_place"] == place).all())
        x = place + np.linspace(-2, 2, 4001)
        window = windows.Window(os.path.join(folder, f"pull.rung-{rung}")).read("d")
        checks.true(f"window {rung} of lamella-pmf", window.umbrella == (place, STIFF) and window.temperature == 300 and len(window.x) == 281)
        distribution(checks, f"umbrella {rung}", lines["d_nm"][3:], x, np.exp(-STIFF * (x - place)**2 / 2 / kt))


def kicks(checks, folder):
    """The second half kick of a step with an exchange is of the umbrella before, the first half kick that follows of the one after."""
    replicas(folder, "kick", {**RUN, **PULL, "fields": "[{form: restraint, ky: 100, kz: 100}]", "run.steps": 120, "exchange.every": 10,
                              "exchange.bias": "pull", "thermostat.type": "bussi", "thermostat.tau": 1e7, "output.coordinates_every": 1})
    exchange, swaps = lamella.Exchange(os.path.join(folder, "kick")), 0
    for k in range(1, 5):
        x = lamella.Energies(exchange.name(k) + ".coordinates.csv")["d_nm"]
        place = np.array(PLACES)[exchange.rung[:, k - 1] - 1]
        at, mean = exchange.step[1:], (place[1:] + place[:-1]) / 2
        seen, want = (x[at + 1] - 2 * x[at] + x[at - 1]) / 0.004**2, -STIFF * (x[at] - mean)
        checks.true(f"kicks of replica {k}", (abs(seen - want) < 0.02 * STIFF * 0.25).all(), seen, want)
        swaps += (place[1:] != place[:-1]).sum()
    checks.true("umbrellas were exchanged", swaps > 5, swaps)


def same(checks, folder, a, b, what):
    for k in range(1, 5):
        one, two = (os.path.join(folder, name, f"replica-{k}", "x") for name in (a, b))
        wrong = trial.differences(one + ".checkpoint.h5", two + ".checkpoint.h5")
        wrong += [end for end in (".csv", ".coordinates.csv") if read(one + end) != read(two + end)]
        checks.true(f"{what}: replica {k}", not wrong, wrong)
    tables = [read(os.path.join(folder, name, "x.exchange.csv")) for name in (a, b)]
    checks.true(f"{what}: the table", tables[0] == tables[1], *tables)


def bits(checks, folder):
    """More ranks; parts that end at an exchange and between two; checkpoints of different steps, as a kill leaves them."""
    for name in "one", "two", "parts", "torn", "early":
        os.mkdir(os.path.join(folder, name))
    said = replicas(folder, "one/x", {**BOTH, "run.verify": 300})
    checks.true("the last lines", "exchange of rungs 1 and 2 (300 and 350 K): " in said and "round trips between rungs 1 and 4" in said, said)
    replicas(folder, "two/x", BOTH, ranks=8)
    same(checks, folder, "one", "two", "on two ranks each")
    said = replicas(folder, "parts/x", BOTH, "--max-hours=1e-9", status=99)
    checks.true("a limit of time stops all at one step", "stopped at step 100 of 400" in said, said)
    replicas(folder, "parts/x", {**BOTH, "run.steps": 225})
    replicas(folder, "parts/x", {**BOTH, "output.checkpoint_every": 0, "output.checkpoint_minutes": 1e-6})
    same(checks, folder, "one", "parts", "in parts")
    replicas(folder, "torn/x", {**BOTH, "run.steps": 200})
    shutil.copytree(os.path.join(folder, "torn", "replica-3"), os.path.join(folder, "replica"))
    replicas(folder, "torn/x", {**BOTH, "run.steps": 300})
    shutil.rmtree(os.path.join(folder, "torn", "replica-3"))
    os.rename(os.path.join(folder, "replica"), os.path.join(folder, "torn", "replica-3"))
    said = replicas(folder, "torn/x", BOTH)
    checks.true("all go on from the last common step", "is of step 300, and another replica at step 200" in said, said)
    same(checks, folder, "one", "torn", "from the last common step")
    replicas(folder, "early/x", {**BOTH, "run.steps": 100})
    shutil.rmtree(os.path.join(folder, "early", "replica-3"))  # and the others have their first checkpoint
    for k in 1, 2, 4:
        state = os.path.join(folder, "early", f"replica-{k}", "x.checkpoint.h5")
        os.rename(state + ".prev", state)
    replicas(folder, "early/x", BOTH)
    same(checks, folder, "one", "early", "from the start, which one replica had not written")
    said = replicas(folder, "early/x", {**BOTH, "run.steps": 430}, "--restart=early/replica-2/x.checkpoint.h5")
    checks.true("all go on from a named state", "done: step 430" in said, said)
    exchange = lamella.Exchange(os.path.join(folder, "one", "x"))
    checks.true("replicas were exchanged", exchange.accepted.min() > 0, exchange.accepted)
    for k in range(1, 5):
        lines = lamella.Energies(exchange.name(k))
        drift = np.ptp(lines["conserved"])
        print(f"replica {k}: conserved energy within {drift:.3f} kJ/mol, total {np.ptp(lines['total']):.0f}")
        checks.true(f"replica {k}: conserved energy", drift < 1 < 0.02 * np.ptp(lines["total"]), drift)
    frames = [(replica, frame.step) for replica, frame in exchange.frames(2)]
    want = [(k, step) for step in range(0, 401, 50) for k in range(1, 5) if exchange.rungs(k, np.array([step]))[0] == 2]
    checks.true("frames by rung", frames == want, frames, want)
    tool = [sys.executable, os.path.join(os.environ["top_srcdir"], "tools", "exchange.py"), "one/x", "--sort"]
    out = subprocess.run(tool, cwd=folder, capture_output=True, text=True).stdout
    checks.true("the tool", f"rungs 1 and 2: {exchange.accepted[0]} of {exchange.tried[0]} accepted" in out and "one/x.rung-4.coordinates.csv" in out, out)
    sorted_lines = lamella.Energies(os.path.join(folder, "one", "x.rung-3.csv"))
    checks.true("lines by rung", (sorted_lines["potential"] == exchange.lines(3)["potential"]).all() and len(sorted_lines) == 17)
    os.rename(os.path.join(folder, "torn/replica-1"), os.path.join(folder, "torn/aside"))
    said = replicas(folder, "torn/x", {**BOTH, "run.steps": 500}, status=2)
    checks.true("a replica without files: refused", "the replica that is furthest behind has no checkpoint" in said, said)
    shutil.rmtree(os.path.join(folder, "torn/replica-1"))
    os.rename(os.path.join(folder, "torn/replica-2"), os.path.join(folder, "torn/replica-1"))
    os.rename(os.path.join(folder, "torn/aside"), os.path.join(folder, "torn/replica-2"))
    said = replicas(folder, "torn/x", {**BOTH, "run.steps": 500}, status=2)
    checks.true("folders in other places: refused", "is that of replica" in said, said)


def stages(checks, folder):
    """A stage goes on with the rungs of the one before it; each counts its attempts. A replica that is behind in a stage without
    exchange, as after a kill, does it while the others wait."""
    settings = {**RUN, **WARM}
    chain = "--set=stages=[{name: a, minimise: {steps: 5}}, {name: warm, steps: 20, set: {exchange: {every: 0}}}, {name: b, steps: 160}, {name: c, steps: 40}]"
    replicas(folder, "chain", settings, chain, "--dry-run")
    for prefix in "late", "chain":
        os.mkdir(os.path.join(folder, prefix))
    replicas(folder, "chain/x", settings, chain)
    b, c = (lamella.Exchange(os.path.join(folder, f"chain/x.{name}")) for name in "bc")
    checks.true("stages keep the rungs", (b.rung[-1] == c.rung[0]).all() and b.accepted.sum() > 0 and len(c.step) == 2, b.rung, c.rung)
    replicas(folder, "late/x", settings, chain.split(", {name: b,")[0] + "]")
    for name in os.listdir(os.path.join(folder, "late/replica-3")):
        if ".warm." in name:
            os.remove(os.path.join(folder, "late/replica-3", name))
    replicas(folder, "late/x", settings, chain, "--max-hours=1e-9", status=99)
    replicas(folder, "late/x", settings, chain)
    for k in range(1, 5):
        wrong = trial.differences(*(os.path.join(folder, name, f"replica-{k}/x.c.checkpoint.h5") for name in ("chain", "late")))
        checks.true(f"stages with a replica that is late: replica {k}", not wrong, wrong)


def mistakes(checks, folder):
    few = {**RUN, "run.steps": 50}
    two = {**few, "exchange.temperature": "[300, 310]"}
    pull = {**few, **PULL, "biases": "[{name: pull, kind: umbrella, coordinate: d, k: 50, at: [0, 0.5]}]", "exchange.bias": "pull"}
    bias = "{name: %s, kind: %s, coordinate: d, %s}"
    cases = [
        ({**few, "exchange.temperature": "[300, 310, 320]"}, ": 3 temperatures, and there are 2 replicas"),
        ({**few, "exchange.temperature": "[310, 300]"}, "300 K does not come after 310 K"),
        ({**few, "exchange.temperature": "{from: 0, to: 300}"}, "from: 0 is not more than 0"),
        (few, "exchange.every: nothing is exchanged"),
        ({**two, "thermostat.type": "berendsen", "barostat.type": "crescale"}, "give thermostat.type: bussi or langevin"),
        ({**two, "barostat.type": "berendsen"}, "barostat.type: berendsen has no known ensemble"),
        ({**two, "barostat.type": "crescale", "exchange.every": 25}, "25 steps, is to be a multiple of barostat.every, 10"),
        ({**two, "plumed": "p.dat"}, "PLUMED couples replicas by itself"),
        ({**two, "thermostat.groups": "[{name: all, group: {molecules: [OSC]}, temperature: 300}]"}, "groups:1: [1].temperature: all groups have"),
        ({**pull, "thermostat.groups": "[{name: all, group: {molecules: [OSC]}, temperature: 310}]"}, "replicas are exchanged at one temperature"),
        ({**pull, "exchange.bias": "push"}, "there is no bias 'push'"),
        ({**pull, "biases": "[%s]" % (bias % ("pull", "umbrella", "k: 50, at: 0"))}, "bias 'pull' is the same in all replicas"),
        ({**pull, "biases": "[%s]" % (bias % ("pull", "umbrella", "k: 50, at: [0, 1, 2]"))}, "at: 3 numbers, and there are 2 replicas"),
        ({**pull, **WARM, "exchange.temperature": "[300, 310]", "exchange.bias": "[]"}, "name it in exchange.bias"),
        ({**two, **PULL, "biases": "[%s]" % (bias % ("h", "metadynamics", "height: 1, width: 0.1, every: 10, grid: [-1, 1]"))}, "hills of their own"),
        ({**pull, "biases": "[%s, %s]" % (bias % ("pull", "umbrella", "k: 50, at: [0, 1]"), bias % ("c", "constraint", "at: 0.1"))}, "kind constraint"),
    ]
    for settings, words in cases:
        said = replicas(folder, "bad", settings, "--dry-run", n=2, ranks=2, status=2)
        checks.true(f"refused: {words}", words in said, said)
    write(os.path.join(folder, "line.yaml"), "input: osc.h5\nthermostat: {type: bussi}\nexchange:\n  every: 10\n  temperature: [300]\n")
    said = run("run", "line.yaml", "--replicas=2", ranks=2, cwd=folder, status=2).stderr
    checks.true("mistakes have lines", "line.yaml:5: exchange.temperature: 1 temperatures" in said, said)
    said = run("run", "line.yaml", cwd=folder, status=2).stderr
    checks.true("without --replicas: refused", "line.yaml:5: exchange.temperature: replicas exchange in a job of 2" in said, said)
    write(os.path.join(folder, "list.yaml"), "input: osc.h5\ncoordinates: %(coordinates)s\nbiases: %(biases)s\n" % PULL)
    said = run("run", "list.yaml", cwd=folder, status=2).stderr
    checks.true("a list of numbers without replicas: refused", "list.yaml:3: biases[1].at: a list of numbers has one of each replica" in said, said)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="test_exchange.") as folder:
        random = np.random.default_rng(1)
        start(folder, "osc", {"OSC": BEADS}, 5 + random.normal(size=(BEADS, 3)) * 0.1)
        for part in temperatures, momenta, pressure, umbrellas, kicks, bits, stages, mistakes:
            part(checks, folder)
    checks.end()


if __name__ == "__main__":
    main()
