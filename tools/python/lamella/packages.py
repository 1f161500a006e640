"""What to install where a package of Python is missing: packages of Debian for Debian's own python, those
of pip for any other, which does not see Debian's."""
import contextlib
import importlib.util
import os
import sys

# module: its package in Debian and its name for pip. Those of tools and pictures first.
PACKAGES = {"numpy": ("python3-numpy", "numpy"), "h5py": ("python3-h5py", "h5py"),
            "yaml": ("python3-yaml", "PyYAML"), "matplotlib": ("python3-matplotlib", "matplotlib"),
            "jinja2": ("python3-jinja2", "jinja2"), "pandas": ("python3-pandas", "pandas"),
            "MDAnalysis": ("python3-mdanalysis", "MDAnalysis")}
OPTIONAL = ("MDAnalysis", "pandas")
DEBIAN = "/usr/bin/python3"


def commands(modules, prefix=sys.prefix, python=sys.executable, is_debian=os.path.exists("/etc/debian_version")):
    """The command that installs modules for a python; on Debian for others than its own also the way to
    run a tool with that one."""
    debian = "apt-get install " + " ".join(PACKAGES[m][0] for m in modules)
    if is_debian and prefix == "/usr":
        return debian
    pip = f"{python} -m pip install " + " ".join(PACKAGES[m][1] for m in modules)
    return f"{pip}\nor run the tool as {DEBIAN} TOOL ..., Debian's python; what it lacks: {debian}" if is_debian else pip


def advice(missing):
    """What is missing beside this module, for the python that runs, and how to get it."""
    lacking = [m for m in PACKAGES
               if m == missing or m not in OPTIONAL and importlib.util.find_spec(m) is None]
    return f"{sys.executable} has no {', '.join(lacking)}. Install with\n{commands(lacking)}"


@contextlib.contextmanager
def needed():
    """Imports inside it that fail end with advice."""
    try:
        yield
    except ImportError as missing:
        name = (missing.name or "").partition(".")[0]
        if name not in PACKAGES:
            raise
        raise ImportError(advice(name)) from None
