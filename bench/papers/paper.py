"""What the programs of this folder share: options, the machine, Markdown. Running lamella and reading its files is
bench/beads/common.py.

The program is $LAMELLA, else build/lamella of this tree, else lamella of PATH. Needs numpy and h5py."""
import argparse
import datetime
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "beads"))
import common  # noqa: E402

TOP = common.TOP


def parser(text, folder, parts=()):
    """Options that all programs have. parts: what --part may name."""
    p = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--backend", choices=("cpu", "cuda"), action="append",
                   help="which columns of this program to measure; may be given twice [cpu]")
    p.add_argument("--sizes", choices=("full", "small"), default="full", help="small: a quick trial of the script")
    p.add_argument("--repeat", type=int, default=1, help="runs of each kind; the fastest counts [%(default)s]")
    p.add_argument("-o", "--folder", default=folder, help="where files go [%(default)s]")
    if parts:
        p.add_argument("--part", choices=parts, action="append", help="may be given several times [all]")
    return p


def start(p):
    """The parsed options; works in the folder from here on."""
    a = p.parse_args()
    a.backend = a.backend or ["cpu"]
    if not shutil.which(common.program()):
        sys.exit(f"no program {common.program()}: set LAMELLA")
    os.environ["LAMELLA"] = os.path.abspath(shutil.which(common.program()))
    os.environ.update({**common.environment(), "OMP_NUM_THREADS": "1"})
    pathlib.Path(a.folder).mkdir(parents=True, exist_ok=True)
    os.chdir(a.folder)
    a.text = []
    return a


def show(a, *lines):
    """Prints lines of the report and keeps them."""
    a.text += lines
    print("\n".join(lines), flush=True)


def table(a, head, rows):
    show(a, common.table(head, rows), "")


def end(a, name):
    """NAME.md: everything shown."""
    pathlib.Path(name + ".md").write_text("\n".join(a.text) + "\n", encoding="utf-8")


def first(text, pattern, otherwise="?"):
    found = re.search(pattern, text, re.M)
    return found.group(1).strip() if found else otherwise


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL).stdout
    except OSError:
        return ""


def machine(a, lmp=""):
    """Lines that say what was measured on."""
    info = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    flags = first(info, r"^flags\s*:(.*)")
    vectors = next((v for v in ("avx512f", "avx2", "avx") if f" {v}" in flags), "sse2")
    lines = [f"- date: {datetime.date.today()}; processor: {first(info, 'model name.*: (.*)')}, {os.cpu_count()} "
             f"cores, {vectors}; load before: {os.getloadavg()[0]:.2f}",
             "- " + output(os.environ["LAMELLA"], "--version").splitlines()[0]]
    gpu = output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines()
    if gpu:
        lines.append(f"- GPU: {gpu[0]}")
    if lmp:
        lines.append("- LAMMPS: " + first(output(lmp, "-h"), r"(Large-scale.*)"))
    show(a, *lines, "")


def kept(name, measure):
    """What measure() returns; FOLDER/NAME.kept.json holds it, and is read and not measured again if it is there."""
    path = pathlib.Path(f"{name}.kept.json")
    if not path.exists():
        path.write_text(json.dumps(measure()), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


class Share:
    """The share of a processor that commands between with and its end got: below 1 where other programs run. 1 for
    commands of less than 5 s, whose start waits for other things."""

    def __enter__(self):
        self.begin, self.used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        return self

    def __exit__(self, *_):
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = used.ru_utime + used.ru_stime - self.used.ru_utime - self.used.ru_stime
        elapsed = time.monotonic() - self.begin
        self.value = min(1, seconds / elapsed) if elapsed > 5 else 1


def number(value, digits=3):
    """Digits that count, without an exponent; nothing for None."""
    if value is None:
        return ""
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text else text
