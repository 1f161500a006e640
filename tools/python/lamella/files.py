"""Opening files: names that belong to a prefix, kinds of HDF5 files, texts and units in them."""
import os
from collections.abc import Mapping

import h5py
import numpy as np

from . import packages


class Error(Exception):
    """What was asked for cannot be: the message says where, what, and what to do. status: the exit status of a tool that it ends."""

    status = 2


class Numeric(Error):
    """A number that is none."""

    status = 3


class Unusable(Error):
    """A file is missing, damaged, or not what it should be, or it cannot be written."""

    status = 4


class Missing(Error, KeyError):
    """A name that a file does not have."""

    __str__ = Exception.__str__


class MissingItem(Unusable, Missing):
    """A dataset or an attribute that a file lacks."""


def unusable(why, path=None):
    """The error for an OSError."""
    return Unusable(": ".join(str(part) for part in (path or why.filename, why.strerror or why) if part))


class Named(Mapping):
    """A mapping from `names` to what `made` gives; what: a name is of, as "column"; where: a file, and
    what in it has names."""

    names, what, where = (), "", ""

    def __getitem__(self, name):
        if name not in self.names:
            raise Missing(f"{self.where} no {self.what} '{name}'; there are " + ", ".join(self.names))
        return self.made(name)

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self.names)


def find(name, ending):
    """The path of a file that is given by its own name or by the prefix of its run."""
    name = os.fspath(name)
    if name.endswith(ending) or (os.path.isfile(name) and not os.path.isfile(name + ending)):
        path = name
    else:
        path = name + ending
    if not os.path.exists(path):
        raise Unusable(f"{path}: there is no such file; give the name of one, or the prefix of a run (output.prefix)")
    return path


def read_text(path):
    """A file as text; bytes that are no UTF-8 are replaced."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as why:
        raise unusable(why, path) from None


def write_text(path, text):
    """Writes a file; one that is there is replaced when all is written."""
    try:
        with open(path + ".tmp", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".tmp", path)
    except OSError as why:
        raise unusable(why, path) from None


def open_h5(path):
    """An HDF5 file, open for reading."""
    try:
        return h5py.File(path, "r")
    except OSError as why:
        if os.path.isfile(path) and not h5py.is_hdf5(path):
            raise Unusable(f"{path}: not an HDF5 file, or one that is being written or damaged"
                           ) from None
        raise Unusable(f"{path}: cannot be opened: {why}") from None


def text_of(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def attribute(item, name, default=""):
    """An attribute as text."""
    return text_of(item.attrs[name]) if name in item.attrs else default


def integer(item, name):
    """A whole number; the program writes some without a sign."""
    if name not in item.attrs:
        raise MissingItem(f"{item.file.filename}: {item.name} has no attribute '{name}'")
    try:
        return int(np.ravel(item.attrs[name]).astype(np.int64)[0])
    except (IndexError, TypeError, ValueError):
        raise Unusable(f"{item.file.filename}: the attribute '{name}' of {item.name} is no number"
                       ) from None


def check_format(file, kind, newest):
    """Refuses an HDF5 file of another kind, or of a format that is newer than this module."""
    found = attribute(file, "format")
    if found != kind:
        said = f"it is a '{found}'" if found else "it is an H5MD trajectory" * ("h5md" in file)
        raise Unusable(f"{file.filename}: not a file of the kind '{kind}'" + (said and f": {said}"))
    version = integer(file, "format_version")
    if version > newest:
        raise Unusable(f"{file.filename}: format {version}, written by {attribute(file, 'program')}; "
                       f"this module reads formats up to {newest}: use that of the newer program")
    return version


def item(file, name):
    """A dataset or group; an error if it is not there."""
    if name not in file:
        raise MissingItem(f"{file.file.filename}: '{name}' is missing: the file is damaged, or of another "
                          "version")
    return file[name]


def text(file, name, default=None):
    """A dataset that holds one text."""
    if default is not None and name not in file:
        return default
    return text_of(item(file, name)[0])


def lipids(text, path):
    """Names of the lipids in the section membrane of a run file; None for an empty text."""
    found = yaml_of(text, path) if text else None
    return list(found.get("lipids", [])) if isinstance(found, dict) else None


def yaml_of(text, path):
    """YAML as Python objects, with every scalar as text."""
    try:
        import yaml
    except ImportError:
        raise Error(packages.advice("yaml")) from None
    try:
        return yaml.load(text, getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except yaml.YAMLError as why:
        raise Unusable(f"{path}: {why}") from None
