"""Whole runs on GPUs: energies of the CPU, and the same bits on any number of ranks (which may share a
GPU), stopped and continued, with any transport. Skipped where there is no GPU."""
import tempfile

import trial
from run_lamella import Checks, energy, run, skip

STEPS = 400
ENSEMBLES = {
    "nve": {},
    "langevin": {"thermostat.type": "langevin"},
    "npt": {"thermostat.type": "bussi", "barostat.type": "crescale",
            "barostat.coupling": "semi_isotropic", "barostat.every": 5},
}


def simulate(folder, prefix, state, settings, **how):
    settings = {"input": state, "parallel.backend": "cuda", "parallel.balance_every": 3,
                "output.energies_every": 20, **settings}
    return trial.simulate(folder, prefix, settings, **how)


def energies_agree(checks, state):
    for precision, allowed in ("double", 1e-12), ("mixed", 1e-6):
        cpu = energy(state, "--backend=cpu", "--precision=" + precision)
        gpu = energy(state, "--backend=cuda", "--precision=" + precision)
        scale = max(abs(value) for value in cpu["terms"].values())
        for term, value in cpu["terms"].items():
            checks.close(f"{term} {precision}", gpu["terms"][term], value, absolute=allowed * scale)
        for name in "sum_force2", "sum_torque2":
            checks.close(f"{name} {precision}", gpu[name], cpu[name], relative=10 * allowed)


def same(checks, folder, first, second, what):
    found = trial.differences(trial.checkpoint(folder, first), trial.checkpoint(folder, second))
    checks.true(what, not found, found)


def ranks_agree(checks, folder, state, name, settings):
    simulate(folder, "one", state, settings)
    for ranks in 2, 3:
        simulate(folder, "more", state, settings, ranks=ranks)
        same(checks, folder, "one", "more", f"{name} on {ranks} ranks")
    simulate(folder, "split", state, {**settings, "run.steps": STEPS // 2 + 3})
    simulate(folder, "split", state, settings, restart="auto", ranks=2)
    same(checks, folder, "one", "split", f"{name} in two jobs")


def transports_agree(checks, folder, state):
    """One that cannot work here says why."""
    settings = {"run.steps": STEPS // 2, "thermostat.type": "langevin"}
    simulate(folder, "one", state, settings)
    for ranks in 2, 4:
        for name in "ipc", "cuda_aware", "staged":
            prefix = f"{name}_{ranks}"
            said = simulate(folder, prefix, state, {**settings, "parallel.transport": name},
                            ranks=ranks, status=None)
            why = [line for line in said.splitlines() if name + " cannot be used: " in line]
            if why and name != "staged":
                print(f"skipped on {ranks} ranks:", *why)
                continue
            checks.true(f"{prefix} runs with it", f"transport {name}," in said, said)
            same(checks, folder, "one", prefix, f"{name} on {ranks} ranks")


def launches_agree(checks, folder, state):
    """Steps begun one by one and several at once; hosts that run ahead of their GPUs, and that do
    not, with several ranks."""
    bussi = {"thermostat.type": "bussi", "thermostat.every": 15}
    for name, ensemble in {**ENSEMBLES, "bussi": bussi}.items():
        settings = {"run.steps": STEPS // 2 + 7, "output.energies_every": 40, **ensemble}
        simulate(folder, "plain", state, {**settings, "parallel.graph": "no"})
        simulate(folder, "graph", state, {**settings, "parallel.graph": "yes"})
        same(checks, folder, "plain", "graph", f"{name} as graphs")
        for transport in "auto", "staged":
            simulate(folder, "more", state, {**settings, "parallel.transport": transport}, ranks=3)
            same(checks, folder, "plain", "more", f"{name} on 3 ranks with transport {transport}")


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        state = trial.build(folder, "start", trial.MEMBRANE)
        probe = run("energy", state, "--backend=cuda", status=None)
        if probe.returncode:
            skip("no GPU: " + probe.stderr.strip())
        state = trial.membrane(folder)
        energies_agree(checks, state)
        transports_agree(checks, folder, state)
        launches_agree(checks, folder, state)
        for k, (name, ensemble) in enumerate(ENSEMBLES.items()):
            settings = {"run.steps": STEPS, **ensemble}
            if k % 2:
                settings["neighbor.rebuild"] = "interval"
            if k == 2:
                settings["run.precision"] = "double"
            ranks_agree(checks, folder, state, name, settings)
    checks.end()


if __name__ == "__main__":
    main()
