"""A file PREFIX.observables.h5 of every kind of observable, with made-up numbers in the format that
the program writes (docs/reference/observables.md)."""
import h5py
import numpy as np

DICE = np.random.default_rng(7)
Z = (np.arange(160) + 0.5) / 160 * 6.6 - 3.3


def bump(at, wide, high):
    return high * (np.exp(-(((Z - at) / wide) ** 2)) + np.exp(-(((Z + at) / wide) ** 2)))


def noisy(values, size):
    return np.asarray(values) + DICE.normal(0, size, np.shape(values))


def observable(file, name, kind, every, interval):
    group = file.create_group(name)
    group.attrs.update({"kind": kind, "every": every, "from": 0, "samples": 100, "first_step": every,
                        "last_step": 100 * every, "interval": interval, "options": "bins: 160\n"})
    return group


def table(group, name, columns, axis=None, labels=("",)):
    """columns: {name: (unit, values, errors, times)}; axis: (name, unit, values)."""
    made = group.create_group(name)
    if axis:
        made["axis"] = np.asarray(axis[2], float)
        made["axis"].attrs.update({"name": axis[0], "unit": axis[1]})
    else:
        made["label"] = np.array([text.encode() for text in labels], "S32")
    for column, (unit, values, errors, times) in columns.items():
        values = np.asarray(values, float)
        for end, data in (("", values), ("_error", errors), ("_time", times)):
            made[column + end] = np.broadcast_to(np.asarray(data, float), values.shape)
            made[column + end].attrs["unit"] = "ps" if end == "_time" else unit


def scalar(unit, value, error=np.nan, time=np.nan):
    return unit, [value], [error], [time]


def membrane(file):
    table(observable(file, "membrane", "membrane", 100, 1.0), "membrane", {
        "area": scalar("nm2", 0.72412, 0.00613, 18.2),
        "volume_per_lipid": scalar("nm3", 1.32457, 0.00142, 6.1),
        "thickness": scalar("nm", 3.3214, 0.0178, 22.0),
        "thickness_upper": scalar("nm", 1.6622, 0.0101, 21.0),
        "thickness_lower": scalar("nm", 1.6592, 0.0098, 20.0),
        "area_compressibility": scalar("mN m-1", 251.3, 34.8),
        "bulk_modulus": scalar("bar", 17234.0, 1533.0)})


def profiles(file):
    axis = ("z", "nm", Z)
    water = 33.3 / (1 + np.exp(-(abs(Z) - 1.9) / 0.12))
    number = {"W_W": water, "DOPC_C": bump(1.72, 0.3, 2.9), "DOPC_P": bump(1.68, 0.28, 3.0),
              "DOPC_G": bump(1.4, 0.27, 2.9), "DOPC_E": bump(1.2, 0.3, 5.8),
              "DOPC_T": bump(0.55, 0.65, 12.0)}
    columns = {"number_" + k: ("nm-3", noisy(v, 0.05), 0.05 + 0.02 * v, 9.0) for k, v in number.items()}
    electrons = dict(zip(number, (10, 50, 47, 39, 30, 23.8)))
    total = sum(electrons[k] * v for k, v in number.items())
    columns["mass"] = ("amu nm-3", 1.7 * total, 4.0, 9.0)
    columns["charge"] = ("e nm-3", 0.7 * (number["DOPC_C"] - number["DOPC_P"]), 0.03, 9.0)
    columns["electrons"] = ("nm-3", noisy(total, 2), 3.0, 9.0)
    columns["electrons_W"] = ("nm-3", 10 * water, 1.0, 9.0)
    columns["electrons_DOPC"] = ("nm-3", total - 10 * water, 2.5, 9.0)
    table(observable(file, "density", "density", 100, 1.0), "density", columns, axis)
    psi = 0.33 / (1 + np.exp((abs(Z) - 1.1) / 0.12)) - bump(1.7, 0.2, 0.12)
    columns = {"charge": ("e nm-3", 0.1 * psi, 0.01, 5.0),
               "polarisation": ("e nm-2", np.gradient(psi, Z), 0.01, 5.0),
               "field": ("V nm-1", -np.gradient(psi, Z), 0.03, 5.0),
               "potential": ("V", psi, 0.02, 5.0)}
    for name, scale in (("E", 1.9), ("W", 0.4), ("G", -0.4), ("C", -0.9)):
        columns["potential_" + name] = ("V", noisy(scale * psi, 0.004), 0.02, 5.0)
    table(observable(file, "potential", "potential", 100, 1.0), "potential", columns, axis)


def pressure(file):
    axis = ("z", "nm", Z)
    group = observable(file, "pressure", "pressure", 100, 1.0)
    shape = -bump(1.65, 0.2, 440) + bump(2.15, 0.2, 150) + bump(0.95, 0.3, 170) + bump(0, 0.3, 75)
    columns = {"normal": ("bar", noisy(1.0 + 0 * Z, 8), 12.0, 2.0),
               "lateral": ("bar", noisy(shape, 9), 14.0, 2.0),
               "lateral_harasima": ("bar", noisy(0.97 * shape, 9), 14.0, 2.0),
               "difference": ("bar", noisy(shape, 9), 15.0, 2.0)}
    for name in ("kinetic", "solvent_solvent", "solvent_lipid", "lipid_lipid", "bond", "angle",
                 "dipole_angle", "dihedral", "constraint", "site"):
        columns[name] = ("bar", noisy(DICE.normal() * shape, 12), 20.0, 2.0)
    table(group, "pressure", columns, axis)
    table(group, "tension", {"tension": scalar("mN m-1", -0.31, 0.52, 1.9),
                             "tension_irving_kirkwood": scalar("mN m-1", -0.29, 0.55),
                             "tension_harasima": scalar("mN m-1", -0.33, 0.55),
                             "tension_upper": scalar("mN m-1", 0.62, 0.71),
                             "tension_lower": scalar("mN m-1", -1.20, 0.73),
                             "moment_upper": scalar("pN", 6.1, 1.3),
                             "moment_lower": scalar("pN", 5.2, 1.2)})


def order(file):
    group = observable(file, "order", "order", 1000, 10.0)
    bonds = [(1, 2), (2, 3), (3, 4), (3, 10), (4, 5), (5, 6), (6, 7), (7, 8), (8, 9), (10, 11), (11, 12),
             (12, 13), (13, 14), (14, 15)]
    s = 0.5 * np.exp(-np.arange(14) / 6)
    table(group, "bonds", {"order": ("1", s, 0.01 + 0 * s, 15 + 0 * s)},
          labels=[f"DOPC:{i}-{j}" for i, j in bonds])
    table(group, "dipoles", {"order": ("1", [0.21, 0.33, 0.31], [0.012, 0.01, 0.011], [8, 9, 9])},
          labels=["DOPC:3", "DOPC:4", "DOPC:10"])
    table(group, "molecules", {"tail_order": ("1", [0.312], [0.008], [25]),
                               "tilt": ("degree", [24.13], [0.42], [28]),
                               "tilt_order": ("1", [0.7021], [0.0088], [28])}, labels=["DOPC"])


def pairs_and_motion(file):
    r = (np.arange(150) + 0.5) / 100
    group = observable(file, "rdf_heads", "rdf", 1000, 10.0)
    for name, sigma in (("W_W", 0.31), ("P_P", 0.6)):
        g = (1 - np.exp(-((r / sigma) ** 8))) * (1 + 1.8 * np.exp(-(((r - 1.05 * sigma) / 0.06) ** 2)))
        table(group, name, {"g": ("1", noisy(g, 0.01), 0.02, 5.0),
                            "coordination": ("1", np.cumsum(g * r**2), 0.1, 5.0)}, ("r", "nm", r))
    lag = 10.0 * 2 ** np.arange(0, 8, 0.5)
    group = observable(file, "msd", "msd", 1000, 10.0)
    for name, d in (("DOPC", 5.2e-5), ("W", 3e-3)):
        table(group, "msd_" + name, {
            "lateral": ("nm2", 4 * d * lag + 0.05, 0.2 * d * lag, np.nan),
            "normal": ("nm2", 0.02 * lag**0.2, 0.001, np.nan),
            "space": ("nm2", 6 * d * lag, 0.3 * d * lag, np.nan)}, ("lag", "ps", lag))
    table(group, "diffusion", {"lateral": ("nm2 us-1", [51.3, 2987.0], [4.4, 120.0], [np.nan] * 2),
                               "space": ("nm2 us-1", [np.nan, 3011.0], [np.nan, 98.0], [np.nan] * 2)},
          labels=["DOPC", "W"])
    group = observable(file, "rotation", "rotation", 1000, 10.0)
    for name, tau in (("W", 6.0), ("G", 140.0)):
        c = np.exp(-np.r_[0, lag] / tau)
        table(group, "rotation_" + name, {"first": ("1", c, 0.01, np.nan),
                                          "second": ("1", c**3, 0.01, np.nan)},
              ("lag", "ps", np.r_[0, lag]))
    table(group, "relaxation", {"time_first": ("ps", [6.02, 141.0], [0.11, 9.2], [np.nan] * 2),
                                "time_second": ("ps", [2.01, 47.0], [0.05, 3.3], [np.nan] * 2)},
          labels=["W", "G"])


def the_rest(file):
    group = observable(file, "undulation", "undulation", 1000, 10.0)
    q = 0.93 * np.sqrt([1, 2, 4, 5, 8, 9, 10, 13, 16])
    h = 0.052 / q**4 + 0.003 / q**2
    table(group, "spectrum", {"height": ("nm4", h, 0.1 * h, 30.0),
                              "thickness": ("nm4", 0.2 * h, 0.02 * h, 30.0)}, ("q", "nm-1", q))
    table(group, "bending", {"rigidity": scalar("kJ mol-1", 47.9, 6.6),
                             "rigidity_kT": scalar("1", 19.0, 2.6)})
    group = observable(file, "temperature", "temperature", 100, 1.0)
    table(group, "types", {"translation": ("K", noisy([303] * 6, 0.3), [0.3] * 6, [1.1] * 6),
                           "rotation": ("K", [302.8, np.nan, np.nan, 303.2, 302.9, np.nan],
                                        [0.3, np.nan, np.nan, 0.9, 0.7, np.nan], [1.1] * 6)},
          labels=list("WCPGET"))
    table(group, "all", {"translation": scalar("K", 303.02, 0.11, 0.9),
                         "rotation": scalar("K", 302.94, 0.14, 0.9), "all": scalar("K", 302.99, 0.1, 0.9)})
    group = observable(file, "leaflets", "leaflets", 1000, 10.0)
    table(group, "leaflets", {"upper": ("1", [64], [0], [np.nan]), "lower": ("1", [64], [0], [np.nan]),
                              "flips": ("1", [0], [np.nan], [np.nan]),
                              "flip_rate": ("us-1", [0], [np.nan], [np.nan])}, labels=["DOPC"])
    table(group, "contacts", {"fraction": ("1", [1.0], [0], [np.nan]),
                              "expected": ("1", [1.0], [0], [np.nan])}, labels=["DOPC_DOPC"])


def write(prefix, parts=(membrane, profiles, pressure, order, pairs_and_motion, the_rest)):
    path = prefix + ".observables.h5"
    with h5py.File(path, "w") as file:
        file.attrs.update({"format": "lamella observables", "format_version": 1,
                           "program": "lamella 0.1"})
        for part in parts:
            part(file)
    return path
