"""Motion of molecules and axes for the oracle of observables: mean-square displacements and
correlations of axes, from arrays of all frames."""
import numpy as np


def lags_of(samples):
    """(lag, step between time origins) in samples, up to the longest."""
    found, level = [(lag, 1) for lag in range(1, 16)], 1
    while 8 << level < samples:
        found += [(k << level, 1 << level) for k in range(8, 16)]
        level += 1
    return [pair for pair in found if pair[0] < samples]


def over_origins(series, value):
    """Mean of value(later, earlier) over time origins, for each lag."""
    return np.array([np.mean([value(series[k + lag], series[k])
                              for k in range(0, len(series) - lag, step)], axis=0)
                     for lag, step in lags_of(len(series))])


def slope(x, y, from_, to):
    """Of the least-squares line through the points with from_ <= x <= to."""
    fit = (x >= from_ * (1 - 1e-12)) & (x <= to * (1 + 1e-12))
    if fit.sum() < 2:
        return np.nan
    x, y = x[fit] - x[fit].mean(), y[fit]
    return (x * y).sum() / (x * x).sum()


def groups(frame, name, head):
    """Molecules of a kind whose common motion is removed together, at the first frame."""
    if frame.members[name].shape[1] == 1:
        return [np.ones(len(frame.members[name]), bool)]
    upper = frame.heads(name, head)[2]
    return [upper, ~upper]


def squares(later, earlier):
    """Mean squares of displacements along the axes: of fractions, times the mean of both boxes."""
    (b, box_b), (a, box_a) = later, earlier
    return ((b - a)**2).mean(axis=0) * ((box_a + box_b) / 2)**2


def msd(frames, run, molecules=None, fit_from=None, fit_to=None, head=("P",)):
    first = frames[0]
    names = molecules or list(first.lipids()) or list(first.members)
    lag = np.array([k for k, _ in lags_of(len(frames))]) * run["interval"]
    fit_from = 0.1 * lag[-1] if fit_from is None else fit_from
    fit_to = 0.5 * lag[-1] if fit_to is None else fit_to
    found, rates = {}, []
    for name in names:
        place = np.array([frame.centres(name) / frame.box for frame in frames])
        for group in groups(first, name, head):
            if group.any():  # equal molecules: the centre of mass is the mean
                place[:, group] -= place[:, group].mean(axis=1, keepdims=True)
        series = list(zip(place, [frame.box for frame in frames]))
        square = over_origins(series, squares)
        lateral, space = square[:, :2].sum(axis=1), square.sum(axis=1)
        found["msd_" + name] = {"rows": lag, "lateral": lateral, "normal": square[:, 2],
                                "space": space}
        rates.append([slope(lag, lateral, fit_from, fit_to) / 4,
                      slope(lag, space, fit_from, fit_to) / 6])
    rates = np.array(rates) * 1e6  # nm2/us
    found["diffusion"] = {"rows": names, "lateral": rates[:, 0], "space": rates[:, 1]}
    return found


def relaxation(lag, c):
    """Integral of a correlation from lag 0 up to the first value under 0.05 or to the end."""
    lag, c = np.r_[0, lag], np.r_[1, c]
    below = np.flatnonzero(c < 0.05)
    last = below[0] + 1 if len(below) else len(c)
    return np.trapz(c[:last], lag[:last])


def rotation(frames, run, types=None):
    first = frames[0]
    if types is None:
        turns = (first.moment != 0) | (first.inertia() > 0).any(axis=1)
        types = [first.names[k] for k in sorted(set(first.type[turns]))]
    lag = np.array([k for k, _ in lags_of(len(frames))]) * run["interval"]
    found, times = {}, []
    for name in types:
        rows = np.flatnonzero(first.type == first.names.index(name))
        u = np.array([frame.axis[rows] for frame in frames])
        c1 = over_origins(u, lambda b, a: (a * b).sum(axis=1).mean())
        c2 = over_origins(u, lambda b, a: (1.5 * (a * b).sum(axis=1)**2 - 0.5).mean())
        found["rotation_" + name] = {"rows": lag, "first": c1, "second": c2}
        times.append([relaxation(lag, c1), relaxation(lag, c2)])
    times = np.array(times)
    found["relaxation"] = {"rows": types, "time_first": times[:, 0], "time_second": times[:, 1]}
    return found
