"""How tools in Python end with wrong options, wrong columns, no data (status 2), numbers that are none (3), and files that are
missing, damaged, of another kind or cannot be written (4): a message that names the place, and no traceback."""
import contextlib
import importlib
import io
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import field_maps
import trial
from run_lamella import Checks, read, skip, write

source = os.path.join(os.environ["top_srcdir"], "tools")
sys.path.insert(0, os.path.join(source, "python"))
try:
    from lamella import command, figures, free_energy, picture, pmf_figure
    mains = {tool: importlib.import_module("lamella." + module).main for tool, module in
             (("pmf", "pmf"), ("report", "report"), ("picture", "picture"), ("coordinates_to_xvg", "xvg"),
              ("state_to_lammps", "lammps"), ("exchange", "exchange"))}
except ImportError as lacking:
    skip(str(lacking))

checks = Checks()
free_energy.DRAWS = 3
figures.views = lambda trajectory: None
pmf_figure.svg_file = lambda results: "<svg/>"
picture.plt.Figure.savefig = lambda figure, path, **how: open(path, "wb").close()
BIASED = {"coordinates": "[{name: d, kind: distance, of: {ids: [1, 20]}, from: {ids: [301, 320]}}]",
          "biases": "[{name: b, coordinate: d, kind: umbrella, k: 5, at: 2}]", "output.coordinates_every": 1,
          "output.frames_every": 20, "output.energies_every": 1, "run.steps": 40, "run.dt": 0.002, "thermostat.type": "langevin",
          "thermostat.temperature": 100}
ENDINGS = (".checkpoint.h5", ".h5md", ".psf", ".csv", ".coordinates.csv", ".log")
HILLS = "#! FIELDS time d sigma_d height biasf\n" + "".join(f"{k} {k % 7}.5 0.3 1.2 -1\n" for k in range(20))
EXCHANGES = "step,time_ps,replica_1,replica_2,chance_1_2\n" + "".join(f"{k},{k},1,2,{'0.5' if k % 2 else ''}\n" for k in range(20))


def ends(tool, *arguments):
    """Status and words of a tool in this process; a traceback is an exception."""
    said, status = io.StringIO(), 0
    sys.argv = [tool, *arguments]
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            command.run(mains[tool])
        except SystemExit as end:
            status = end.code
        except Exception as why:  # noqa: BLE001
            status = f"{type(why).__name__}: {why}"
    return status, said.getvalue()


def case(what, status, words, tool, *arguments):
    found, said = ends(tool, *arguments)
    checks.true(f"{tool} {' '.join(arguments)}: {what}: status {status}", found == status, found, said)
    if status:
        checks.true(f"{tool}: {what}: says {words}", all(word in said for word in [tool, *words]), said)


def restore():
    for name in os.listdir("."):
        shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)
    for name in os.listdir("../whole"):
        shutil.copy("../whole/" + name, name)


def harms(path):
    """(what, how to do it) of a file."""
    def of_bytes(data):
        def harm():
            with open(path, "wb") as file:
                file.write(data)
        return harm

    def folder():
        os.remove(path)
        os.mkdir(path)

    with open(path, "rb") as file:
        whole = file.read()
    yield "missing", lambda: os.remove(path)
    yield "a folder", folder
    yield "empty", of_bytes(b"")
    yield "of zeros", of_bytes(bytes(300))
    yield "of other bytes", of_bytes(bytes(range(256)) * 9)
    yield "cut short", of_bytes(whole[:len(whole) // 3])
    if not path.endswith(".h5md"):
        yield "a trajectory", of_bytes(read_bytes("../whole/r.h5md"))


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


USES = [  # tool, arguments, the file that is harmed, harms after which it still works
    ("picture", ["r"], "r.h5md", ()), ("picture", ["r"], "r.psf", ()), ("picture", ["map.dx"], "map.dx", ()),
    ("pmf", ["r", "--zero=min"], "r.coordinates.csv", ("cut short",)), ("pmf", ["h"], "h.hills", ()),
    ("coordinates_to_xvg", ["r"], "r.coordinates.csv", ("cut short",)), ("exchange", ["x"], "x.exchange.csv", ("cut short",)),
    ("state_to_lammps", ["elba.h5", "o.data", "o.in"], "elba.h5", ()),
    *(("report", ["r"], "r" + ending, "all") for ending in ENDINGS)]


def files_harmed():
    for tool, arguments, path, works in USES:
        restore()
        case("the whole file", 0, [], tool, *arguments)
        for what, harm in list(harms(path)):
            restore()
            harm()
            status = 0 if works == "all" or what in works else 4
            case(f"{path} is {what}", status, [path if status else ""], tool, *arguments)


def of_the_log(tool, *arguments):
    """Without a log the checkpoint has the input; without both nothing has."""
    restore()
    os.remove("r.log")
    case("no log", 0, [], tool, *arguments)
    os.remove("r.checkpoint.h5")
    case("no log and no checkpoint", 4, ["r: neither "], tool, *arguments)


def asked_wrongly():
    restore()
    case("no such option", 2, ["--frob"], "pmf", "r", "--frob")
    for option in ("--range=3:1", "--range=x", "--zero=99", "--bins=1", "--temperature=-3", "--from=1e9"):
        case("a wrong option", 2, [option.partition("=")[0]], "pmf", "r", option)
    case("no such column", 2, ["r.coordinates.csv: no column", "'z'", "d_nm"], "pmf", "r", "--coordinate=z")
    case("no overlap of ranges", 2, ["no sample in the range"], "pmf", "r", "--range=1e6:2e6")
    for option in ("--last=0", "--output=x.nothing", "--axis=w"):
        case("a wrong option", 2, [option.partition("=")[0]], "picture", "r", option)
    case("outside of a map", 2, ["map.dx", "outside"], "picture", "map.dx", "--at=99")
    for tool in ("pmf", "report", "picture", "coordinates_to_xvg"):
        case("no such run", 4, ["nothing"], tool, "nothing")
    case("an empty folder", 4, ["no run in this folder"], "report", tempfile.mkdtemp(dir="."))
    case("a system that LAMMPS has no equal for", 2, ["no equal"], "state_to_lammps", "r.checkpoint.h5", "o.data", "o.in")
    write("r.coordinates.csv", read("r.coordinates.csv").replace("d_nm", "e_nm"))
    case("columns of another run", 2, ["r.coordinates.csv: no column d_"], "coordinates_to_xvg", "r")
    case("columns of another run", 2, ["r.coordinates.csv: no column", "'d'"], "pmf", "r")


def escapes():
    """What a terminal would execute is shown, whatever the file has: in messages, and in notes of what is left out."""
    restore()
    write("r.coordinates.csv", read("r.coordinates.csv").replace("d_nm", "\x1b[31mred\u009b\x07_nm"))
    status, said = ends("pmf", "r", "--coordinate=z")
    checks.true("pmf: names of columns", status == 2 and r"\x1b[31mred\xc2\x9b\x07" in said
                and all(c.isprintable() or c == "\n" for c in said), status, said)
    shutil.copy("r.checkpoint.h5", "\x1b[2J.checkpoint.h5")
    status, said = ends("report", ".")
    checks.true("report: names of files", status == 0 and r"\x1b[2J" in said and "\x1b" not in said, status, said)


def no_data():
    for name, tool, words in (("r.coordinates.csv", "coordinates_to_xvg", "no lines yet"), ("r.coordinates.csv", "pmf", "fewer than 10"),
                              ("h.hills", "pmf", "no hills yet")):
        restore()
        write(name, read(name).partition("\n")[0] + "\n")
        case("no data", 2, [words], tool, name[0])


def no_numbers():
    restore()
    rows = read("r.coordinates.csv").splitlines()
    for column in (1, 2):
        words = rows[5].split(",")
        words[column] = "nan"
        write("r.coordinates.csv", "\n".join([*rows[:5], ",".join(words), *rows[6:]]) + "\n")
        case("a number that is none", 3, ["r.coordinates.csv:6: ", "nan"], "pmf", "r")
    write("h.hills", HILLS.replace(" 1.2 ", " inf ", 1))
    case("a hill that is none", 3, ["h.hills: hill 1"], "pmf", "h")


def not_written():
    restore()
    for tool, *arguments in (("pmf", "r", "--zero=min", "-o", "no/x"), ("report", "r", "-o", "no/x.html"), ("picture", "r", "-o", "no/x.png"),
                             ("picture", "map.dx", "-o", "no/x.png"), ("pmf", "h", "-o", "no/x"),
                             ("state_to_lammps", "elba.h5", "no/x", "o.in")):
        case("no folder for the result", 4, ["no/x", "No such file"], tool, *arguments)
    os.mkdir("r.pullf.xvg")
    case("a folder in place of the result", 4, ["r.pullf.xvg", "directory"], "coordinates_to_xvg", "r")


def as_programs():
    restore()
    for tool in mains:
        arguments = ["nothing.h5", "a", "b"] if tool == "state_to_lammps" else ["nothing"]
        done = subprocess.run([sys.executable, os.path.join(source, tool + ".py"), *arguments], capture_output=True, text=True)
        checks.true(f"{tool} as a program", done.returncode == 4 and "nothing" in done.stderr and "Traceback" not in done.stderr, done)
    reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    reader.wait()
    done = subprocess.run([sys.executable, os.path.join(source, "pmf.py"), "h"], stdout=reader.stdin, stderr=subprocess.PIPE, text=True)
    checks.true("standard output that nobody reads", done.returncode == 4 and "standard output" in done.stderr and
                "Traceback" not in done.stderr, done)


def main():
    with tempfile.TemporaryDirectory(prefix="test_tools_status.") as folder:
        start = trial.liquid(folder, "start", (8, 8, 8), 0.7, 1.0, 20)
        trial.simulate(folder, "r", {"input": start, **BIASED})
        for name in ("whole", "work"):
            os.mkdir(os.path.join(folder, name))
        for ending in ENDINGS:
            shutil.copy(os.path.join(folder, "r" + ending), os.path.join(folder, "whole"))
        shutil.copy(trial.membrane(folder, copies=1), os.path.join(folder, "whole", "elba.h5"))
        field_maps.write_dx(os.path.join(folder, "whole", "map.dx"), np.cos(np.arange(60.0)).reshape(5, 4, 3), (0, 0, 0), (1, 1, 1))
        write(os.path.join(folder, "whole", "h.hills"), HILLS)
        write(os.path.join(folder, "whole", "x.exchange.csv"), EXCHANGES)
        os.chdir(os.path.join(folder, "work"))
        files_harmed()
        of_the_log("pmf", "r", "--zero=min")
        of_the_log("coordinates_to_xvg", "r")
        asked_wrongly()
        escapes()
        no_data()
        no_numbers()
        not_written()
        as_programs()
        os.chdir("/")
    checks.end()


main()
