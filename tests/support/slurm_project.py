"""What the tests of the job scripts share: a folder with a small melt, submitting, comparing."""
import os
import re
import shutil

import trial
from run_lamella import LAMELLA, read, run

SCRIPTS = os.environ.get("JOBSCRIPTS", os.path.join(os.environ["top_srcdir"], "jobscripts"))
MELT = "{forcefield: lj, seed: 1, temperature: 173, lattice: {type: fcc, cells: [12, 10, 10], " \
       "density: 0.8442}}"
RUN = """input: melt.h5
run: {steps: %d, dt: 0.004, seed: 7}
thermostat: {type: langevin, temperature: 173, tau: 1.0}
output: {prefix: %s, energies_every: 10, frames_every: 200, checkpoint_every: 500}
"""
FILE = "run it.yaml"
EVERY = 10  # steps: energies
MANY = 200000  # steps: more than the first part does


class Project:
    """A folder of a user, with a run file that job scripts are given."""

    def __init__(self, slurm, folder, prefix="melt"):
        self.slurm, self.folder, self.prefix = slurm, folder, prefix
        os.makedirs(folder)
        trial.build(folder, "melt", MELT)

    def write(self, steps):
        new = self.path(FILE + ".new")  # a part may be reading
        with open(new, "w") as file:
            file.write(RUN % (steps, self.prefix))
        os.replace(new, self.path(FILE))

    def path(self, name):
        return os.path.join(self.folder, name)

    def submit(self, script, *options, ranks=2, arguments=(), check=True,
               bin=os.path.dirname(LAMELLA)):
        """Runs the script outside Slurm, as a user does; the job's number."""
        done = self.slurm.command(
            os.path.join(SCRIPTS, script), f"--ntasks-per-node={ranks}", "--cpus-per-task=1",
            "--gpus-per-node=2", "--output=job.out", *options, FILE, "-s", "parallel.backend=cpu",
            *arguments, cwd=self.folder, check=False,
            environment={"LAMELLA_BIN": bin})
        number = re.match(r"job (\d+) ", done.stdout)
        if check and not number:
            raise RuntimeError(done.stdout + done.stderr)
        return number[1] if number else done

    def said(self, name="job.out"):
        try:
            return read(self.path(name))
        except FileNotFoundError:
            return ""

    def step(self, prefix=None):
        """Of the last line of the energies."""
        try:
            return int(read(self.path((prefix or self.prefix) + ".csv")).splitlines()[-1].split(",")[0])
        except (FileNotFoundError, IndexError, ValueError):
            return 0

    def wait_step(self, step, seconds=300):
        return self.slurm.wait_for(lambda: self.step() >= step, seconds)

    def saved(self):
        """The step of the checkpoint."""
        said = run("info", self.path(self.prefix + ".checkpoint.h5")).stdout
        return int(re.search(r"^ *step +(\d+)", said, re.M)[1])

    def reference(self, steps, prefix=None, *arguments):
        """One uninterrupted run of so many steps, outside Slurm, in a folder of its own."""
        other = self.folder + ".reference"
        shutil.rmtree(other, ignore_errors=True)
        os.makedirs(os.path.dirname(os.path.join(other, prefix or self.prefix)), exist_ok=True)
        shutil.copy(self.path("melt.h5"), other)
        with open(os.path.join(other, FILE), "w") as file:
            file.write(RUN % (steps, prefix or self.prefix))
        run("run", FILE, "-s", "parallel.backend=cpu", *arguments, ranks=2, cwd=other)
        return other

    def compare(self, checks, what, steps, prefix=None, *arguments):
        """Final state, trajectory and energies are those of one uninterrupted run."""
        prefix = prefix or self.prefix
        other = self.reference(steps, prefix, *arguments)
        for end in ".checkpoint.h5", ".h5md":
            first, second = (os.path.join(top, prefix + end) for top in (self.folder, other))
            checks.true(f"{what}: {prefix}{end} is there", os.path.exists(first))
            if os.path.exists(first):
                found = trial.differences(first, second)
                checks.true(f"{what}: {prefix}{end} is that of one run", not found, found)
        with open(self.path(prefix + ".csv")) as a, open(os.path.join(other, prefix + ".csv")) as b:
            checks.true(f"{what}: the same energies", a.read() == b.read())

    def dependant(self, number, kind="afterok"):
        """A job that needs the whole run: writes the step that it finds."""
        return self.slurm.command(
            "sbatch", "--parsable", f"--dependency={kind}:{number}", "--ntasks=1",
            "--output=dependant.out", f"--wrap=tail -n 1 '{self.prefix}.csv'",
            cwd=self.folder).strip()
