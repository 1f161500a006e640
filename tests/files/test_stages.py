"""Stages of a run file: each is the run that its keys would be alone, on any number of ranks and over any jobs; and mistakes
in the list, or files that are no chain of its stages, change nothing and are said, with status 2."""
import os
import re
import shutil
import subprocess
import tempfile

import h5py
import numpy as np
import trial
from attack import contents
from run_lamella import LAMELLA, Checks, energy, run

checks = Checks()
holder = tempfile.TemporaryDirectory(prefix="test_stages.")
os.chdir(holder.name)
SCRIPTS = os.path.abspath(os.path.join(os.environ["top_srcdir"], "jobscripts"))
BASE = """input: start.h5
run: {dt: 0.004, momentum_every: 7}
neighbor: {skin: 0.15}
thermostat: {type: langevin, temperature: 180, tau: 0.5}
fields: [{form: restraint, kz: 1, z: 0.5, group: {ids: [1, 10]}}]
output: {prefix: x, frames_every: 10, energies_every: 5, checkpoint_every: 15}
"""
EM = "  - {name: em, minimise: {steps: 40, force: 5}}\n"
EQ = "  - name: eq\n    steps: 30\n    set: {run: {dt: 0.002}, thermostat: {temperature: 90}, fields: []}\n"
NPT = ("barostat: {type: crescale, coupling: isotropic, pressure: 80, every: 2}", "observe: [{rdf: {pairs: [[A, A]], every: 4}}]")
MD = "  - {name: md, steps: 40, set: {%s, %s}}\n" % NPT
ALL = EM + EQ + MD
NAMES = ("em", "eq", "md")


def write(stages=ALL, base=BASE, name="run.yaml"):
    with open(name, "w") as file:
        file.write(base + ("stages:\n" + stages if stages else ""))


def lamella(*more, status=0, ranks=1, name="run.yaml"):
    return run("run", name, *more, status=status, ranks=ranks).stderr


def begin(folder):
    """A folder of its own, with the start, to work in."""
    shutil.rmtree(os.path.join(holder.name, folder), ignore_errors=True)
    os.mkdir(os.path.join(holder.name, folder))
    os.chdir(os.path.join(holder.name, folder))
    shutil.copy("../start.h5", ".")
    write()


def same(what, folder, names=NAMES, prefix="x."):
    for name in names:
        wrong = trial.differences(f"../{folder}/x.{name}.checkpoint.h5", f"{prefix}{name}.checkpoint.h5")
        checks.true(f"{what}: the same state of {name}", not wrong, wrong)
        if name != "em":
            with open(f"../{folder}/x.{name}.csv") as one, open(f"{prefix}{name}.csv") as other:
                checks.true(f"{what}: the same energies of {name}", one.read() == other.read())


def steps_to_do():
    """By a dry run, as the job scripts read it, too."""
    said = lamella("--dry-run")
    found = re.findall(r"(\d+) steps to do", said)
    checks.true("a dry run says once what is to do", len(found) == 1 or "nothing to do" in said, said)
    steps = int(found[0]) if found else 0
    script = f"source '{SCRIPTS}/slurm_common.sh'; run_arguments=(run.yaml); launcher=(env); steps_to_do"
    read = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env={
        **os.environ, "PATH": os.path.dirname(os.path.abspath(shutil.which(LAMELLA))) + ":" + os.environ["PATH"]})
    checks.true("job scripts read it", read.stdout == f"{steps}\n", read)
    return steps


def refused(what, *words, more=(), status=2):
    """Ends with the status and these words, in a dry run too, and changes no file."""
    before = contents(".")
    for extra in ((), ("--dry-run",)):
        said = lamella(*more, *extra, status=status)
        checks.true(what + ": says why", all(word in said for word in words), words, said)
    checks.true(what + ": changes nothing", contents(".") == before, set(contents(".").items()) ^ set(before.items()))


def chains():
    """One job on one rank; then the list grows, ranks change and jobs stop."""
    begin("one")
    checks.true("all steps are to do", steps_to_do() == 40 + 30 + 40, steps_to_do())
    lamella()
    checks.true("no lock stays", not [name for name in os.listdir(".") if name.endswith((".lock", ".tmp"))])
    before = contents(".")
    said = lamella()
    checks.true("nothing is to do then", said.count(": done") == 3 and "nothing to do" in said and steps_to_do() == 0, said)
    checks.true("and nothing is done", contents(".") == before)
    begin("grown")
    write(EM)
    lamella(ranks=2)
    write(EM + EQ)
    checks.true("em is done", steps_to_do() == 30, steps_to_do())
    said = lamella("--max-hours=1e-9", status=99)
    checks.true("the limit stops a stage", "stopped at step" in said, said)
    write()
    for ranks in (2, 1, 3):
        said = lamella("--max-hours=1e-9", ranks=ranks, status=99 if ranks > 1 else None)
    lamella(ranks=2)
    same("a list that grows, many jobs, other ranks", "one")


def oracles():
    """Each stage is the run of its keys alone; the minimum has the force that was asked for."""
    begin("alone")
    write(None, BASE.replace("prefix: x", "prefix: y.em") + "minimise: {steps: 40, force: 5}\n", "em.yaml")
    write(None, BASE.replace("start.h5", "../one/x.em.checkpoint.h5").replace("prefix: x", "prefix: y.eq")
          .replace("dt: 0.004", "dt: 0.002, steps: 30").replace("180", "90").replace("fields: [{", "#"), "eq.yaml")
    write(None, BASE.replace("start.h5", "../one/x.eq.checkpoint.h5").replace("prefix: x", "prefix: y.md")
          .replace("dt: 0.004", "dt: 0.004, steps: 40") + "\n".join(NPT), "md.yaml")
    for name in NAMES:
        lamella(name=name + ".yaml")
    same("runs by hand", "one", prefix="y.")
    checks.true("a minimisation is done once", "nothing to do" in lamella(name="em.yaml"))
    said = lamella("-s", "minimise.force=4", name="em.yaml", status=2)
    checks.true("nor another way", "minimise is done, with minimise.force: 5" in said, said)
    before, after = energy("start.h5"), energy("y.em.checkpoint.h5")
    checks.true("the energy is smaller", after["potential"] < before["potential"] - 1, before, after)
    run("energy", "y.em.checkpoint.h5", "--forces=f.txt")
    force = np.loadtxt("f.txt")[10:, 1:4]  # of beads that the field does not act on
    largest = float(re.search(r"largest force ([0-9.e+-]+)", run("info", "y.em.checkpoint.h5").stdout)[1])
    checks.true("the largest force", np.sqrt((force**2).sum(1)).max() < 1.001 * largest + 0.01, largest)
    with h5py.File("start.h5") as one, h5py.File("y.em.checkpoint.h5") as other:
        checks.true("momenta stay", (one["beads/momentum"][:] == other["beads/momentum"][:]).all())
    said = lamella("-s", "minimise.steps=0", name="em.yaml", status=2)
    checks.true("no steps go on from a minimised state", "minimised state" in said, said)
    said = lamella("-s", "output.prefix=../one/x.eq", "-s", "input=", name="em.yaml", status=2)
    checks.true("no minimisation goes on from steps", "state of a run of steps" in said, said)


LISTS = [  # stages, words of the message
    ("  - {steps: 5}\n", "run.yaml:8", "'name' is missing"),
    ("  - {name: em, minimise: {steps: 5}}\n  - {name: em, steps: 5}\n", "run.yaml:9: stages[2].name", "two stages"),
    ("  - {name: em, stepps: 5}\n", "did you mean 'steps'"),
    ("  - {name: em, set: {run: {dtt: 1}}}\n", "run.yaml:8: stages[1].set.run", "'dtt'", "did you mean 'dt'"),
    ("  - {name: em, set: {thermostats: {tau: 1}}}\n", "did you mean 'thermostat'"),
    ("  - {name: em, set: {}}\n", "it sets nothing"),
    ("  - {name: em, set: }\n", "stages[1].set: a value is missing"),
    ("  - {name: em, set: [1]}\n", "this is a list"),
    ("  - {name: checkpoint, steps: 1}\n", "'.checkpoint'"),
    ("  - {name: h5md.2, steps: 1}\n", "'.h5md'"),
    ("  - {name: a/b, steps: 1}\n", "no name of a stage"),
    ("  - {name: .., steps: 1}\n", "no name of a stage"),
    ("  - {name: \"a b\", steps: 1}\n", "no name of a stage"),
    ("  - {name: %s, steps: 1}\n" % ("n" * 65), "no name of a stage"),
    ("  - {name: [a], steps: 1}\n", "this is a list"),
    ("  - {name: eq, steps: 1}\n  - {name: eq.2, steps: 1}\n", "files of the same names"),
    ("  - {name: eq, steps: many}\n", "'many' is not a whole number"),
    ("  - {name: eq, steps: -1}\n", "stages[1].steps: -1 is less than 0"),
    ("  - {name: eq, steps: 5, set: {run: {steps: 6}}}\n", "leave one out"),
    ("  - {name: eq, steps: 5, minimise: {steps: 6}}\n", "leave out 'steps'"),
    ("  - {name: em, minimise: {force: 6}}\n", "how many steps"),
    ("  - {name: em, minimise: yes}\n", "this is a single value"),
    ("  - {name: em, minimise: {steps: 5, forces: 1}}\n", "did you mean 'force'"),
    ("  - {name: em, minimise: {steps: 5, displacement: 0}}\n", "displacement"),
    ("  - {name: eq, set: {output: {prefix: z}}}\n", "the same in all stages"),
    ("  - {name: eq, set: {input: z.h5, restart: never, stages: [], parallel: {axis: y}}}\n", "set.input", "set.restart",
     "set.stages", "set.parallel"),
    ("  - {name: eq, set: {run: {max_hours: 1, replica: 2}}}\n", "set.run.max_hours", "set.run.replica"),
    ("  - eq\n", "this is a single value"),
    ("  {em: 5}\n", "this is a mapping"),
    # What fits no system, in a later stage.
    (EM + "  - {name: md, set: {fields: [{form: force, x: 1, group: {types: [Q]}}]}}\n", "stage md", "run.yaml:9: stages",
     "no bead type 'Q'"),
    (EM + "  - {name: md, set: {fields: [{form: force, x: 1, group: {ids: [5, 9999]}}]}}\n", "9999 is more than"),
    (EM + "  - {name: md, set: {thermostat: {groups: [{name: a, group: {ids: [1, 5]}}]}}}\n", "stage md", "is in no group"),
    (EM + "  - {name: md, set: {observe: [rdff]}}\n", "stage md", "did you mean 'rdf'"),
    (EM + "  - {name: md, set: {output: {frames_select: LIPID}}}\n", "stage md", "LIPID"),
    (EM + "  - {name: md, set: {forcefield: elbo}}\n", "stage md", "elbo"),
    (EM + "  - {name: md, set: {membrane: {lipids: [DOPC]}}}\n", "stage md", "DOPC"),
    (EM + "  - {name: md, set: {barostat: {type: berendsen, surface_tension: 5}}}\n", "stage md", "surface_tension"),
]


def wrong_lists():
    begin("lists")
    for stages, *words in LISTS:
        write(stages)
        refused(stages.strip()[-70:], *words)
    write()
    refused("an override without effect", "run.steps: each stage has a value of its own", more=("-s", "run.steps=50"))
    write(EM, BASE + "minimise: {steps: 5}\n")
    refused("minimise outside of the list", "outside of the list")
    write(EM, BASE.replace("input: start.h5", "input: x.em.checkpoint.h5"))
    refused("an input that is there no more", "x.em.checkpoint.h5", status=4)
    shutil.copy("start.h5", "x.md.checkpoint.h5")
    write(EM + MD, BASE.replace("input: start.h5", "input: x.md.checkpoint.h5"))
    refused("an input that a stage would replace", "which is read, would be replaced")


def begin_with(folder, change):
    """A chain that stopped in the middle of md, with one file changed."""
    shutil.rmtree(os.path.join(holder.name, folder), ignore_errors=True)
    shutil.copytree(os.path.join(holder.name, "one"), os.path.join(holder.name, folder))
    os.chdir(os.path.join(holder.name, folder))
    os.replace("x.md.checkpoint.h5.prev", "x.md.checkpoint.h5")
    change()


def wrong_chains():
    """Files that were removed or are of another run, and lists that were changed between jobs."""
    def without(name):
        return lambda: [os.remove(f"x.{name}.checkpoint.h5{end}") for end in ("", ".prev")
                        if os.path.exists(f"x.{name}.checkpoint.h5{end}")]

    begin_with("removed", without("em"))
    refused("em was removed", "stage em has no checkpoint", "eq", "--restart=never")
    begin_with("removed", without("eq"))
    refused("eq was removed", "stage eq has no checkpoint", "md")
    begin_with("removed", lambda: os.remove("x.eq.checkpoint.h5"))
    refused("the last checkpoint of eq was removed", "stage eq has not come to its last step")
    begin_with("another", lambda: shutil.copy("x.eq.checkpoint.h5", "x.em.checkpoint.h5"))
    refused("another kind of state", "state of a run of steps")
    begin_with("another", lambda: shutil.copy("../melt.h5", "x.em.checkpoint.h5"))
    refused("a state of no run", "state of a run of steps")
    begin_with("another", lambda: (write("  - {name: em, minimise: {steps: 3}}\n"), lamella("--restart=never"), write()))
    refused("em was run anew", "stage em is done, with minimise.steps: 3")
    begin_with("another", lambda: (lamella("-s", "output.prefix=z", "-s", "run.seed=3", "-s", "input=x.eq.checkpoint.h5"),
                                   shutil.copy("z.eq.checkpoint.h5", "x.eq.checkpoint.h5")))
    refused("eq of another chain", "did not begin from the state of 'x.em.checkpoint.h5'")
    for what, old, new, *words in [
            ("another time step", "dt: 0.002", "dt: 0.003", "stage eq is done, with run.dt: 0.002", "0.003"),
            ("another force", "force: 5", "force: 6", "stage em is done, with minimise.force: 5"),
            ("more steps of a stage before", "steps: 30", "steps: 31", "stage eq has not come to its last step"),
            ("fewer steps of a stage before", "steps: 30", "steps: 29", "stage eq is at step 30"),
            ("another name", "name: eq", "name: nvt", "stage nvt has no checkpoint"),
            ("no em", EM, "", "which holds another state"),
            ("no eq", EQ, "", "'x.md.checkpoint.h5' did not begin from the state of 'x.em.checkpoint.h5'"),
            ("another order", EM + EQ, EQ + EM, "x.eq.checkpoint.h5"),
            ("a stage between", MD, "  - {name: new, steps: 5}\n" + MD, "stage new has no checkpoint"),
            ("steps in place of em", EM, "  - {name: em, steps: 5}\n", "stage em has not come to its last step"),
            ("another force field", "neighbor:", "forcefield: ../field_other.yaml\nneighbor:", "with another force field"),
            ("another start", "start.h5", "../melt.h5", "which holds another state")]:
        begin_with("edited", lambda: None)
        write(ALL.replace(old, new), BASE.replace(old, new))
        refused(what, *words)
    begin_with("edited", lambda: write(ALL.replace("pressure: 80", "pressure: 70")))
    checks.true("a stage that goes on may have other keys", "changed since the job before: barostat.pressure" in lamella())


def anew():
    """never moves all files to backups, a named state those of later stages."""
    begin_with("anew", lambda: None)
    old = {name: contents(".")[name] for name in ("x.em.checkpoint.h5", "x.eq.csv", "x.md.h5md")}
    lamella("--restart=never", ranks=2)
    same("anew", "one")
    kept = [contents(f"x.{name.split('.')[1]}.backup.1").get(name) for name in old]
    checks.true("the old files are kept", kept == list(old.values()), kept)
    begin_with("named", lambda: None)
    shutil.move("x.eq.checkpoint.h5.prev", "state.h5")
    shutil.rmtree("../moved", ignore_errors=True)
    os.mkdir("../moved")
    for name in "start.h5", "state.h5", "run.yaml":
        shutil.copy(name, "../moved")
    lamella("--restart=state.h5")
    same("from a state of eq", "one", ("md",))
    checks.true("md was begun anew", os.path.exists("x.md.backup.1"))
    checks.true("em was not", not os.path.exists("x.em.backup.1"))
    os.chdir("../moved")
    lamella("--restart=state.h5")
    same("from a state of eq alone", "one", ("md",))
    os.chdir("../named")
    write(EM + MD)
    refused("a state of no stage", "the state of no stage", more=("--restart=state.h5",))


def settings():
    """-s of one stage is the key in the list, also for a last stage that is done; what is none is refused."""
    begin("settings")
    write(ALL.replace("steps: 30", "steps: 20").replace("temperature: 90", "temperature: 80"))
    given = [word for key in ("eq.steps=30", "eq.thermostat.temperature=90") for word in ("-s", "stages." + key)]
    lamella(*given)
    same("keys of a stage by -s", "one")
    longer = *given, "-s", "stages.md.run.steps=55"
    checks.true("a stage that is done goes on", "15 steps to do" in lamella(*longer, "--dry-run"))
    lamella(*longer)
    begin("longer")
    write(ALL.replace("steps: 40, set", "steps: 55, set"))
    lamella()
    same("a longer last stage", "settings")
    refused("a stage before the last", "stage eq has not come to its last step", more=("-s", "stages.eq.steps=31"))
    for setting, *words in [
            ("eqq.steps=5", "stages.eqq.steps=5", "no such stage", "did you mean 'eq'"), ("eq=5", "no such stage"),
            ("eq.run.stepps=5", "stages.eq.run.stepps", "did you mean 'run.steps'"), ("eq.steps", "stages.eq.run.steps: ", "section.key=value"),
            ("eq.steps=few", "stages.eq.run.steps", "'few'"), ("em.steps=9", "stages.em.steps", "this stage minimises"),
            ("em.run.dt=0.1", "this stage minimises"), ("em.minimise.steps=0", "this stage minimises"),
            ("eq.minimise.steps=5", "this stage is a run"), ("eq.output.prefix=z", "the same in all stages"),
            ("eq.input=z", "the same in all stages"), ("eq.parallel.axis=y", "the same in all stages")]:
        refused(setting, *words, more=("-s", "stages." + setting))
    write(None)
    refused("without a list", "stages.md.steps=5", "no list of stages", more=("-s", "stages.md.steps=5"))
    said = run("energy", "start.h5", "-s", "stages.md.steps=5", status=2).stderr
    checks.true("of no run file", "no such key" in said, said)


def replicas():
    begin("replicas")
    write(EM + MD)
    said = lamella("--replicas=2", "--dry-run", ranks=2)
    checks.true("replicas: steps to do", "80 steps to do (2 of 2 replicas)" in said, said)
    lamella("--replicas=2", ranks=2)
    for name, alike in ("em", True), ("md", False):
        differ = "beads/position" in trial.differences(*(f"replica-{k}/x.{name}.checkpoint.h5" for k in (1, 2)))
        checks.true(f"replicas: {name}", differ != alike)
    write(EM)
    said = lamella("--replicas=2", ranks=2, status=2)
    checks.true("replicas of a minimum are refused", "nothing in this run is random" in said, said)


def tools():
    begin_with("tools", lambda: None)
    said = run("analyze", "x.md.h5md", "run.yaml").stderr
    checks.true("analyze takes the keys of the stage", "x.md.analysis" in said and
                os.path.exists("x.md.analysis.rdf.A-A.csv") or [n for n in os.listdir(".") if "analysis.rdf" in n], said)
    said = run("analyze", "x.md.h5md", "run.yaml", "-s", "stages.md.observe=[msd]", "-o", "by").stderr
    checks.true("and those that -s gives it", [n for n in os.listdir(".") if n.startswith("by.msd")], os.listdir("."), said)
    said = run("analyze", "x.prod.h5md", "run.yaml", ranks=2, status=4).stderr
    checks.true("analyze lists trajectories", "there is no such file; trajectories beside it: x.eq.h5md, x.md.h5md" in said, said)
    checks.true("or none", "there is no such file\n" in run("analyze", "no/x.h5md", status=4).stderr)
    said = run("info", "x.em.checkpoint.h5").stdout
    checks.true("info tells a minimised state", "minimised     by at most 40 steps" in said, said)


shutil.copy(trial.liquid(holder.name, "melt", (5, 4, 4), 0.8442, 120, 100), "start.h5")
with h5py.File("start.h5", "r+") as file:  # as built: of no run
    for name in ("run/text", "run/input", "run/history"):
        if name in file:
            del file[name]
trial.field(holder.name, "other", "lj.yaml", ("cutoff: [0-9.]+", "cutoff: 2.4"))
chains()
oracles()
wrong_lists()
wrong_chains()
anew()
settings()
replicas()
tools()
checks.end()
