"""State files as nobody should write them: wrong types, sizes, links, attributes and values, with
right checksums. One change or several to a good one, chosen at random."""
import math
import shutil

import h5py
import numpy as np

WILD = [0, 1, -1, 2, 127, 2**31 - 1, -2**31, 2**32, 2**40, 2**62, 2**63 - 1, -2**63, 10**9]
REAL = [float("nan"), float("inf"), float("-inf"), 0.0, -0.0, -1.0, 1e-310, 1e-30, 1e30, 1e300, 1e-9]


READ_MOST = 1 << 26  # bytes; what a change before this one made larger is never read


def claimed(item):
    """Bytes that a dataset says it has, whatever is in the file."""
    return math.prod(item.shape or (0,)) * item.dtype.itemsize


def _datasets(file):
    names = []
    file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset)
                    and claimed(item) <= READ_MOST else None)
    return names


def _replace(file, name, **how):
    old = dict(file[name].attrs)
    del file[name]
    item = file.create_dataset(name, **how)
    for key, value in old.items():
        item.attrs[key] = value


def _values(rng, file, name):
    """One entry, a stretch or all of it becomes another value of its type."""
    data = file[name][()]
    if isinstance(data, h5py.Empty):
        return _text(rng, file, name)
    if data.dtype.kind not in "iuf" or data.size == 0:
        return _text(rng, file, name)
    flat = data.reshape(-1)
    at, many = rng.randrange(flat.size), rng.choice((1, 1, 3, flat.size))
    if data.dtype.kind == "f":
        value = rng.choice(REAL)
    else:
        limits = np.iinfo(data.dtype)
        value = min(max(rng.choice(WILD), limits.min), limits.max)
    flat[at:at + many] = value
    file[name][...] = data
    return f"{name}[{at}:{at + many}] = {value}"


def _text(rng, file, name):
    data = file[name][()]
    raw = data if isinstance(data, bytes) else np.asarray(data).tobytes()
    if not raw:
        raw = b"x"
    at = rng.randrange(len(raw))
    raw = rng.choice((raw[:at], b"", raw[:at] + b"\0" + raw[at:], raw + raw, b"\xff" * 100,
                      raw[:at] + b": [" + raw[at:], b"A" * (1 << 20)))
    _replace(file, name, data=np.array([raw or b"\0"]))
    return f"{name}: other text of {len(raw)} bytes"


def _type(rng, file, name):
    data = np.asarray(file[name][()] if file[name].shape is not None else 0)  # None: a dataset without room
    kind = rng.choice(("i1", "i2", "<i4", "<i8", "<u4", "<u8", "<f4", "<f8", ">i4", ">f8", "S8",
                       "compound", "vlen", "enum", "opaque", "bool", "string", "reference"))
    shape = np.shape(data) or (1,)
    if kind == "compound":
        made = np.zeros(shape, [("a", "i4"), ("b", "f8")])
        _replace(file, name, data=made)
    elif kind in ("vlen", "string", "reference"):
        dtype = {"vlen": h5py.vlen_dtype(np.int32), "string": h5py.string_dtype(),
                 "reference": h5py.ref_dtype}[kind]
        _replace(file, name, shape=shape, dtype=dtype)
    elif kind == "enum":
        _replace(file, name, shape=shape, dtype=h5py.enum_dtype({"A": 0, "B": 1}, basetype="i4"))
    elif kind == "opaque":
        _replace(file, name, data=np.zeros(shape, "V4"))
    elif kind == "bool":
        _replace(file, name, data=np.zeros(shape, bool))
    else:
        made = np.zeros(shape, kind)
        if data.dtype.kind in "iuf" and kind[0] != "S":
            with np.errstate(all="ignore"):
                made = data.astype(kind)
        _replace(file, name, data=made)
    return f"{name}: type {kind}"


def _shape(rng, file, name):
    item = file[name]
    dtype, shape = item.dtype, item.shape
    do = rng.choice(("more", "fewer", "none", "scalar", "flat", "deep", "huge", "wide", "empty"))
    first = shape[0] if shape else 1
    rest = shape[1:]
    new = {"more": (first + 1, *rest), "fewer": (max(first - 1, 0), *rest), "none": (0, *rest),
           "scalar": (), "flat": (int(np.prod(shape)),), "deep": (*shape, 1),
           "wide": (first, 7)}.get(do)
    if do == "huge":
        rows = rng.choice((1 << 31, 1 << 40, 1 << 60))
        _replace(file, name, shape=(rows, *rest), dtype=dtype,
                 chunks=(1 << 16, *[max(r, 1) for r in rest]))
        return f"{name}: {rows} rows"
    if do == "empty":
        _replace(file, name, data=h5py.Empty(dtype if dtype.kind in "iuf" else "i4"))
    else:
        _replace(file, name, data=np.resize(item[()], new) if new != () else
                 np.zeros((), dtype))
    return f"{name}: shape {do}"


def _structure(rng, file, name):
    do = rng.choice(("gone", "group", "soft", "dangling", "external", "cycle", "other", "gone group",
                     "virtual", "outside", "filled", "packed", "named type"))
    other = rng.choice(_datasets(file))
    data = file[name][()]
    shape, dtype = np.shape(data) or (1,), np.asarray(data).dtype
    if do == "gone group":
        del file[name.split("/")[0]]
        return f"{name}: {do}"
    del file[name]
    if do == "group":
        file.create_group(name)
    elif do in ("soft", "dangling"):
        file[name] = h5py.SoftLink("/" + (other if do == "soft" else "nowhere"))
    elif do == "external":
        file[name] = h5py.ExternalLink(rng.choice(("../start.h5", "nowhere.h5", "/dev/zero")), name)
    elif do == "cycle":
        file[name] = file["/"]
    elif do == "other" and other != name:
        file[name] = file[other]
    elif do == "virtual":
        layout = h5py.VirtualLayout(shape=shape, dtype=dtype)
        layout[...] = h5py.VirtualSource("nowhere.h5", name, shape=shape)
        file.create_virtual_dataset(name, layout)
    elif do == "outside":
        file.create_dataset(name, shape=shape, dtype=dtype,
                            external=[("/dev/zero", 0, h5py.h5f.UNLIMITED)])
    elif do == "filled":
        file.create_dataset(name, shape=shape, dtype=dtype,
                            fillvalue=1 if dtype.kind in "iuf" else None)
    elif do == "packed" and data.dtype.kind in "iuf":
        file.create_dataset(name, data=np.atleast_1d(data), compression="gzip", shuffle=True,
                            chunks=True)
    elif do == "named type":
        file[name] = np.dtype("f8")
    return f"{name}: {do} ({other})"


def _attribute(rng, file, name):
    key = rng.choice(list(file.attrs) + ["format_version", "complete", "format"])
    do = rng.choice(("gone", "int", "text", "array", "real", "huge", "vlen"))
    if do == "gone":
        file.attrs.pop(key, None)
    else:
        file.attrs[key] = {"int": np.int64(rng.choice(WILD)), "text": "x" * rng.choice((0, 3, 9999)),
                           "array": np.arange(100), "real": np.nan, "huge": np.int32(2**31 - 1),
                           "vlen": np.bytes_(b"lamella\0state")}[do]
    return f"attribute {key}: {do}"


def make(rng, good, path):
    """Copies a good state file and breaks it; what was done."""
    shutil.copy(good, path)
    done = []
    with h5py.File(path, "r+") as file:
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            names = _datasets(file)
            change = rng.choice((_values, _values, _values, _type, _shape, _structure, _attribute))
            if names or change is _attribute:
                try:
                    done.append(change(rng, file, rng.choice(names) if names else ""))
                except (OSError, RuntimeError, TypeError, ValueError) as error:
                    done.append(f"not done: {error}")  # of what the change before left
    return "; ".join(done)
