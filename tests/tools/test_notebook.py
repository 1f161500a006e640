#!/usr/bin/env python3
"""The notebooks of docs/notebooks run, in a kernel where nbclient is installed, else cell by cell in this process; they are stored
without outputs."""
import ast
import glob
import json
import os
import sys
import tempfile

from run_lamella import Checks, read, skip

SOURCE = os.environ["top_srcdir"]
MODULE = os.path.join(SOURCE, "tools", "python")
sys.path.insert(0, MODULE)
sys.dont_write_bytecode = True
try:
    import matplotlib
    import yaml  # noqa: F401
    import lamella  # noqa: F401
except ImportError as missing:
    skip(missing)
try:
    import nbclient
    import nbformat
except ImportError:
    nbclient = None

checks = Checks()
matplotlib.use("Agg")


def in_kernel(path):
    os.environ["PYTHONPATH"] = MODULE + os.pathsep + os.environ.get("PYTHONPATH", "")
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()


def here(cells):
    """Runs the cells in one namespace; an expression at the end of a cell is shown as a notebook would."""
    names = {"__name__": "__main__"}
    for code in cells:
        tree = ast.parse(code)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), names)
        if last:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            html = value._repr_html_() if hasattr(value, "_repr_html_") else ""
            checks.true(f"{code!r} is shown", repr(value) and (not html or html.startswith("<div><b>")), repr(value), html)
    return names


found = sorted(glob.glob(os.path.join(SOURCE, "docs", "notebooks", "*.ipynb")))
checks.true("there are notebooks", found)
for path in found:
    book = json.loads(read(path))
    codes = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    checks.true(f"{path} has no outputs", not any(cell["outputs"] or cell["execution_count"] for cell in codes))
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        if nbclient:
            in_kernel(path)
        else:
            names = here(["".join(cell["source"]) for cell in codes])
            checks.true("it went on", names["run"].state.step == 300 and len(names["run"].energies) == 61)
        os.chdir("/")
checks.end()
