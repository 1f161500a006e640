"""Checks of an installed Lamella by ReFrame 4 (reframe -c packaging/reframe/lamella_checks.py -r), with `lamella` in PATH, or
of a module (-S modules=lamella). Needed in PATH: python3 with numpy and h5py. A site sets, for example:
  -S ranks=8 -S launcher="srun -n {ranks}" -S backend=cuda -S expected=0.1"""
import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import performance_function, run_after, run_before, sanity_function, variable

BOX = "{forcefield: elba, water: {count: 4000}, minimise: no}"
RUN = "{input: box.h5, run: {steps: 200, dt: 0.005, seed: 1}, thermostat: {type: langevin, temperature: 303, tau: 1.0}, output: {prefix: run}}"
# Two state files are equal when their datasets are; the history of jobs differs.
EQUAL = """python3 - one/run.checkpoint.h5 other/run.checkpoint.h5 <<'EOF'
import sys, h5py, numpy
one, other = ({}, {})
for name, found in zip(sys.argv[1:], (one, other)):
    with h5py.File(name) as file:
        file["beads"].visititems(lambda path, item: found.update({path: item[()]}) if isinstance(item, h5py.Dataset) else None)
assert one and one.keys() == other.keys(), (sorted(one), sorted(other))
differ = [path for path in one if numpy.asarray(one[path]).tobytes() != numpy.asarray(other[path]).tobytes()]
print("differ:" if differ else "same bits:", *(differ or sorted(one)))
EOF"""


class LamellaCheck(rfm.RunOnlyRegressionTest):
    """What all checks share: a box of water, and how ranks are started."""
    ranks = variable(int, value=2)         # of the parallel runs
    backend = variable(str, value="auto")  # auto, cpu, cuda
    launcher = variable(str, value="mpiexec -n {ranks}")  # or srun -n {ranks}
    expected = variable(str, value="")     # the version; empty: any
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    local = False
    maintainers = []
    tags = {"lamella"}

    @run_after("init")
    def set_program(self):
        self.executable = "true"

    def lamella_run(self, folder, ranks, options=""):
        """A command that runs RUN in a folder."""
        launcher = self.launcher.format(ranks=ranks) + " " if ranks > 1 else ""
        return (f"mkdir -p {folder} && cp box.h5 run.yaml {folder} && (cd {folder} && "
                f"{launcher}lamella run run.yaml -s parallel.backend={self.backend} {options} 2>&1)")

    def set_commands(self, *commands):
        self.prerun_cmds = [f"echo '{BOX}' > box.yaml", f"echo '{RUN}' > run.yaml",
                            "lamella build box.yaml -o box.h5", *commands]


@rfm.simple_test
class Version(LamellaCheck):
    descr = "the program starts and says its version"

    @run_before("run")
    def commands(self):
        self.prerun_cmds = ["lamella --version"]

    @sanity_function
    def check(self):
        return sn.assert_found(rf"^lamella {self.expected}", self.stdout)


@rfm.simple_test
class Bits(LamellaCheck):
    descr = "one rank and several give the same trajectory bit for bit"

    @run_before("run")
    def commands(self):
        self.num_tasks = self.ranks
        self.set_commands(self.lamella_run("one", 1), self.lamella_run("other", self.ranks), EQUAL)

    @sanity_function
    def check(self):
        return sn.all([sn.assert_found(r"^same bits:", self.stdout), sn.assert_not_found(r"^differ:", self.stdout)])


@rfm.simple_test
class Restart(LamellaCheck):
    descr = "a run in two jobs has the bits of a run in one, also on another number of ranks"

    @run_before("run")
    def commands(self):
        self.num_tasks = self.ranks
        self.set_commands(self.lamella_run("one", 1), self.lamella_run("other", self.ranks, "-s run.steps=90"),
                          self.lamella_run("other", 1), EQUAL)

    @sanity_function
    def check(self):
        return sn.all([sn.assert_found(r"^same bits:", self.stdout), sn.assert_not_found(r"^differ:", self.stdout)])


@rfm.simple_test
class Rate(LamellaCheck):
    descr = "million bead-steps per second of steps without output; a site gives its reference"
    tags = {"lamella", "performance"}

    @run_before("run")
    def commands(self):
        self.num_tasks = self.ranks
        self.set_commands(self.lamella_run("rate", self.ranks))

    @sanity_function
    def check(self):
        return sn.assert_found(r"^done: step 200 of 200", self.stdout)

    @performance_function("Mbead-steps/s")
    def rate(self):
        return sn.extractsingle(r"\(([0-9.]+) without output\)", self.stdout, 1, float)
