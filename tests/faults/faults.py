#!/usr/bin/env python3
"""faults.py [options] [NAME...]: plants the faults of faults.yaml one at a time, each in a copy of the tree, and
says which of the tests named there catch it, and after how many seconds. A test that fails, or does not end in
time, catches. Each copy is built once; for a fault, make builds again what depends on the changed file.

Exit status 1: a fault that no test has caught and that has no line `uncaught` with the reason. Options for the
copies' configure and environment are those of ./check (LAMELLA_CONFIGURE); without CUDA unless they say otherwise."""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import time

import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]
LEFT_OUT = shutil.ignore_patterns(".git", "build", "build-clang", "quickstart-out", "dev", "__pycache__")
COLUMNS = ["fault", "file", "caught_by", "seconds", "passed", "skipped", "what"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="faults, or folders that they lie in; without any: all")
    parser.add_argument("--list", default=pathlib.Path(__file__).with_name("faults.yaml"), type=pathlib.Path)
    parser.add_argument("--tree", default=TOP, type=pathlib.Path, help="the sources [those of this script]")
    parser.add_argument("--jobs", default=os.cpu_count(), type=int, help="copies that work side by side")
    parser.add_argument("--all", action="store_true", help="every test of a fault, not only up to the one that catches")
    parser.add_argument("--check", action="store_true", help="only see whether the texts of the list are there")
    parser.add_argument("--limit", default=200, type=int, help="seconds for a test [200]")
    parser.add_argument("--csv", default="faults.csv", help="the results [faults.csv]")
    parser.add_argument("--scratch", default=None, help="folder for the copies [a temporary one]")
    return parser.parse_args()


def test_paths(tree):
    """{base name: path from the tree}, of test programs without .c."""
    found = {"test_pair_float": None}
    for path in sorted(tree.glob("tests/**/test_*")):
        if path.suffix in (".c", ".py", ".sh"):
            name = path.stem if path.suffix == ".c" else path.name
            found[name] = str(path.with_name(name).relative_to(tree))
    found["test_pair_float"] = found["test_pair"] + "_float"
    return found


def mistakes(faults, tree):
    """What is wrong with the list itself."""
    tests, seen = test_paths(tree), set()
    for fault in faults:
        path = tree / fault["file"]
        times = path.read_text().count(fault["from"]) if path.exists() else 0
        if times != 1:
            yield f"{fault['name']}: its text stands {times} times in {fault['file']}"
        if fault["name"] in seen:
            yield f"{fault['name']}: twice in the list"
        seen.add(fault["name"])
        yield from (f"{fault['name']}: there is no test {name}" for name in fault["tests"] if name not in tests)


class Copy:
    """A copy of the tree with a build folder."""

    def __init__(self, folder, limit):
        self.folder, self.build = folder, folder / "build"
        self.tests = test_paths(folder)
        self.environment = {**os.environ, "TEST_TIMEOUT": str(limit), "MAKEFLAGS": ""}

    @classmethod
    def of_tree(cls, folder, tree, limit):
        shutil.copytree(tree, folder, ignore=LEFT_OUT, symlinks=True)
        copy = cls(folder, limit)
        copy.build.mkdir()
        if not (folder / "configure").exists():
            copy.must("autoreconf", "-fi", cwd=folder)
        copy.must("../configure", *(os.environ.get("LAMELLA_CONFIGURE") or "--without-cuda").split())
        jobs = f"-j{os.cpu_count()}"
        copy.must("make", jobs)
        copy.must("make", jobs, "check", "TESTS=")
        return copy

    def again(self, folder):
        """One more, with what was built here: only the Makefile and a link know where they are."""
        shutil.copytree(self.folder, folder, symlinks=True)
        made, link = folder / "build" / "Makefile", folder / "build" / "python"
        made.write_text(made.read_text().replace(str(self.folder), str(folder)))
        if link.is_symlink():
            link.unlink()
            link.symlink_to(folder / "tools" / "python")
        return Copy(folder, int(self.environment["TEST_TIMEOUT"]))

    def run(self, *words, cwd=None):
        return subprocess.run(words, cwd=cwd or self.build, env=self.environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)

    def must(self, *words, cwd=None):
        done = self.run(*words, cwd=cwd)
        if done.returncode:
            raise SystemExit(f"{' '.join(words)} in {cwd or self.build}:\n{(done.stdout + done.stderr)[-3000:]}")

    def programs_of(self, path):
        """The test programs that a script starts. They may be those of the fault before."""
        text = (self.folder / path).read_text() if path.endswith((".py", ".sh")) else ""
        return [other for name, other in self.tests.items() if name == pathlib.Path(other).name and f'"{name}"' in text]

    def test(self, name):
        """PASS, FAIL, SKIP or ERROR."""
        path = self.tests[name]
        programs = self.programs_of(path)
        if programs:
            self.must("make", *programs)
        record = self.build / (path.removesuffix(".py").removesuffix(".sh") + ".trs")
        record.unlink(missing_ok=True)
        self.run("make", "check", "check_PROGRAMS=", "TESTS=" + path)
        if not record.exists():
            return "ERROR"
        return record.read_text().split(":test-result: ")[1].split()[0]

    def plant(self, fault, every):
        """The row of a fault."""
        path = self.folder / fault["file"]
        sound = path.read_text()
        path.write_text(sound.replace(fault["from"], fault["to"]))
        row = {"fault": fault["name"], "file": fault["file"], "what": fault["what"], "caught_by": "", "seconds": ""}
        ended = {"PASS": [], "SKIP": [], "FAIL": []}
        made = self.run("make")
        if made.returncode:
            row["caught_by"] = "does not compile: " + " ".join(made.stderr.split())[-300:]
        else:
            begin = time.monotonic()
            for name in fault["tests"]:
                ended.setdefault(self.test(name), []).append(name)
                if ended["FAIL"] and not row["seconds"]:
                    row["seconds"] = f"{time.monotonic() - begin:.1f}"
                if ended["FAIL"] and not every:
                    break
            row["caught_by"] = " ".join(ended["FAIL"] + ended.get("ERROR", []))
        row["passed"], row["skipped"] = " ".join(ended["PASS"]), " ".join(ended["SKIP"])
        path.write_text(sound)
        return row


def sound_tests(copies, faults):
    """Names of tests that fail without any fault: they prove nothing here."""
    names = sorted({name for fault in faults for name in fault["tests"]})
    failing = set()

    def one(name):
        copy = copies.get()
        if copy.test(name) == "FAIL":
            failing.add(name)
        copies.put(copy)

    with concurrent.futures.ThreadPoolExecutor(copies.qsize()) as pool:
        list(pool.map(one, names))
    return failing


def campaign(options, faults, scratch):
    copies = queue.Queue()
    first = Copy.of_tree(scratch / "copy0", options.tree, options.limit)
    for k in range(1, options.jobs):
        copies.put(first.again(scratch / f"copy{k}"))
    copies.put(first)
    failing = sound_tests(copies, faults)
    print("fail without a fault:", " ".join(sorted(failing)) or "none", flush=True)
    rows = []

    def one(fault):
        copy = copies.get()
        row = copy.plant({**fault, "tests": [t for t in fault["tests"] if t not in failing]}, options.all)
        copies.put(copy)
        rows.append(row)
        print(f"{row['fault']:32s} {row['caught_by'] or 'NOT CAUGHT'} ({row['seconds']} s)", flush=True)
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, COLUMNS)
            table.writeheader()
            table.writerows(sorted(rows, key=lambda row: row["fault"]))

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, faults))
    return rows


def main():
    options = arguments()
    every = yaml.safe_load(options.list.read_text())
    faults = [f for f in every if not options.names or f["name"] in options.names or
              any(f["file"].startswith(name + "/") for name in options.names)]
    wrong = list(mistakes(faults, options.tree))
    print("\n".join(wrong + [f"{len(faults)} faults, {len(wrong)} mistakes in their list"]))
    if wrong or not faults or options.check:
        return 1 if wrong or not faults else 0
    options.jobs = min(options.jobs, len(faults))
    with tempfile.TemporaryDirectory(prefix="faults.", dir=options.scratch) as scratch:
        os.chmod(scratch, 0o755)  # tests run the program as another user too
        rows = campaign(options, faults, pathlib.Path(scratch))
    excused = {fault["name"] for fault in faults if "uncaught" in fault}
    broken = [row["fault"] for row in rows if row["caught_by"].startswith("does not compile")]
    missed = [row["fault"] for row in rows if not row["caught_by"]]
    print(f"{len(rows)} planted, {len(rows) - len(missed) - len(broken)} caught; do not compile: {broken}; "
          f"not caught: {missed}")
    return 1 if broken or set(missed) - excused else 0


if __name__ == "__main__":
    sys.exit(main())
