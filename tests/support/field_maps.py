"""Maps of a potential for tests of external fields: written as OpenDX and HDF5 files, and evaluated by cubic B-splines that go
through their values, by dense matrices."""
import h5py
import numpy as np


def write_dx(path, values, origin, spacing):
    """values: [x][y][z]; origin and spacing in nm."""
    n = values.shape
    with open(path, "w") as file:
        file.write("# a map\nobject 1 class gridpositions counts %d %d %d\norigin %r %r %r\n" % (*n, *(10 * float(x) for x in origin)))
        for k in range(3):
            file.write("delta %r %r %r\n" % tuple(10 * float(spacing[k]) * (j == k) for j in range(3)))
        file.write("object 2 class gridconnections counts %d %d %d\n" % n)
        file.write("object 3 class array type double rank 0 items %d data follows\n" % values.size)
        flat = ["%r" % float(v) for v in values.ravel()]
        for k in range(0, len(flat), 3):
            file.write(" ".join(flat[k:k + 3]) + "\n")
        file.write('attribute "dep" string "positions"\nobject "regular" class field\n')


def write_map(path, values, origin, spacing, box):
    """As lamella map writes it. values: [x][y][z]."""
    with h5py.File(path, "w") as file:
        file["potential"] = np.transpose(values)
        for name, value in (("format_version", np.int32(1)), ("complete", np.int32(1)), ("cutoff", 0.0), ("relative_permittivity", 1.0),
                            ("frames", np.int64(1)), ("first_step", np.int64(0)), ("last_step", np.int64(0)), ("first_time", 0.0),
                            ("last_time", 0.0), ("origin", np.array(origin, float)), ("spacing", np.array(spacing, float)), ("box", np.array(box, float))):
            file.attrs[name] = value
        for name, text in (("format", "lamella map"), ("method", "full"), ("boundary", "periodic"), ("sum", "plain"),
                           ("precision", "double"), ("types", "all")):
            file.attrs[name] = np.bytes_(text)


def read(path):
    """Values [x][y][z], origin and spacing, nm."""
    if path.endswith(".h5"):
        with h5py.File(path) as file:
            return np.transpose(file["potential"][:]), file.attrs["origin"], file.attrs["spacing"]
    with open(path) as file:
        lines = [line.split() for line in file if line[0] != "#"]
    n, origin = [int(word) for word in lines[0][-3:]], np.array(lines[1][1:], float) / 10
    spacing = np.array([lines[2 + k][1 + k] for k in range(3)], float) / 10
    numbers = [float(word) for row in lines[7:] for word in row if row[0] not in ("attribute", "object")]
    return np.reshape(numbers, n), origin, spacing


def basis(t, slope):
    """The cubic B-spline and its derivatives, by its pieces."""
    a = np.abs(t)
    inner, outer = a < 1, (a >= 1) & (a < 2)
    pieces = ((2 / 3 - a**2 + a**3 / 2, (2 - a)**3 / 6), (-2 * a + 1.5 * a**2, -(2 - a)**2 / 2), (3 * a - 2, 2 - a))[slope]
    value = np.where(inner, pieces[0], np.where(outer, pieces[1], 0))
    return value * np.sign(t) if slope == 1 else value


def splines(path, place, box, filled):
    """Potential, gradient and second derivatives (by nm) at fractions of the box, [n][3]. filled: edges that it fills."""
    values, origin, spacing = read(path)
    weight = []
    for k, n in enumerate(values.shape):
        fills = "xyz"[k] in filled
        h = box[k] / n if fills else spacing[k]
        first = origin[k] * (h / spacing[k])
        points = np.arange(n)
        u = (place[:, k] * box[k] - first) / h  # in points
        turn = box[k] / h
        images = range(-3, 4)
        far = [[basis(u[:, None] - points + turn * i, slope) / h**slope for i in images] for slope in range(3)]
        weight.append([np.sum(each, 0) for each in far])
        through = sum(basis(points[:, None] - points + turn * i, 0) for i in (images if fills else [0]))
        values = np.moveaxis(np.tensordot(np.linalg.inv(through), values, (1, k)), 0, k)
    def at(*slopes):
        return np.einsum("ni,nj,nk,ijk->n", *(weight[k][slopes[k]] for k in range(3)), values, optimize=True)
    unit = np.eye(3, dtype=int)
    gradient = np.stack([at(*unit[k]) for k in range(3)], 1)
    second = np.stack([np.stack([at(*(unit[j] + unit[k])) for k in range(3)], 1) for j in range(3)], 1)
    return at(0, 0, 0), gradient, second
