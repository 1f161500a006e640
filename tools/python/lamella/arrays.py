"""Arrays that know their name and unit."""
import numpy as np

from . import files, packages


class Array(np.ndarray):
    """An array with `name` and `unit`. Slices and copies keep both. What is computed from it is an array of
    numpy without a unit, because only the one who computes knows that."""

    def __new__(cls, values, name="", unit="1"):
        made = np.asarray(values).view(cls)
        made.name, made.unit = name, unit
        return made

    def __array_finalize__(self, other):
        self.name, self.unit = getattr(other, "name", ""), getattr(other, "unit", "1")

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if out is not None:
            options["out"] = tuple(plain(one) for one in out)
        found = getattr(ufunc, method)(*(plain(one) for one in inputs), **options)
        return out[0] if out is not None and len(out) == 1 else found

    def __reduce__(self):
        return Array, (np.asarray(self), self.name, self.unit)

    def __repr__(self):
        return f"{self.name} ({self.unit}): {np.asarray(self)!r}"


def plain(value):
    return np.asarray(value) if isinstance(value, Array) else value


def dataframe(columns, units, index=None):
    """A pandas.DataFrame of {name: values}; attrs["units"] has the units by name. index: values and their name."""
    try:
        import pandas
    except ImportError:
        raise files.Error(packages.advice("pandas")) from None
    made = pandas.DataFrame({name: np.asarray(values) for name, values in columns.items()})
    if index is not None:
        made.index = pandas.Index(np.asarray(index[0]), name=index[1])
    made.attrs["units"] = dict(units)
    return made
