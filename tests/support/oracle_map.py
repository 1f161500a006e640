"""Electrostatic potentials of charges and dipoles by brute force: every point with every source, in
double, and Ewald sums for periodic Poisson. Closed forms of profiles. Shares nothing with the program.
Lengths nm, charges e, dipoles e nm, potentials kJ/mol/e."""
import math

import numpy as np

import oracle

COULOMB = 138.93545764  # kJ nm / (mol e2)
VOLT = 1 / 96.48533212  # V per kJ/mol/e
NEAREST = 1e-3  # smaller distances count as this
erfc = np.vectorize(math.erfc, otypes=[float])


class Sources:
    """Positions, charges, dipoles, and names of types."""

    def __init__(self, position, charge, dipole=None, names=None):
        self.position = np.asarray(position, float)
        self.charge = np.broadcast_to(np.asarray(charge, float), len(self.position))
        self.dipole = np.zeros_like(self.position) if dipole is None else np.asarray(dipole, float)
        self.names = names

    def only(self, *types):
        chosen = np.isin(self.names, types)
        return Sources(self.position[chosen], self.charge[chosen], self.dipole[chosen],
                       self.names[chosen])


def of_state(path):
    """Sources and box of a state file."""
    state = oracle.State(path)
    position = state.word / 2.0**32 * state.box
    return Sources(position, state.charge, state.dipole, np.array(state.names)[state.type]), state.box


def of_frame(group, frame, names):
    """Sources and box of a frame of a trajectory's particle group."""
    box = group["box/edges/value"][frame].diagonal().astype(float)
    dipole = group["dipole/value"][frame] if "dipole" in group else None
    return Sources(group["position/value"][frame], group["charge"][:], dipole,
                   np.array(names)[group["species"][:]]), box


# ---------------------------------------------------------------- sums over pairs
# For each method the factors a, b of V = C [q a + (p.d) b], d = point - source, and bounds of their
# slopes, for r below the cutoff (x = r/cutoff).

def direct(r, _):
    return 1 / r, 1 / r**3


def cut(r, cutoff):
    x2 = (r / cutoff)**2
    inside = x2 < 1
    return inside * (1 - x2)**2 / r, inside * (1 - x2) * (1 + 3 * x2) / r**3


def shifted_force(r, cutoff):
    """A charge with a charge, and with a dipole, by the shifted force of Orsi and Essex."""
    x = r / cutoff
    inside = x < 1
    return inside * (1 - x)**2 / r, inside * (1 - 3 * x**2 + 2 * x**3) / r**3


METHODS = {"direct": direct, "cutoff": cut, "force_field": shifted_force}


class Result:
    """value; size: sum of the absolute values of C q/r and C p/r^2 of the sources inside the cutoff,
    of which rounding errors are a part; slope: a bound of the change of value when sources move
    by 1 nm."""

    def __init__(self, points):
        self.value, self.size, self.slope = (np.zeros(len(points)) for _ in range(3))


def potential(points, sources, method, cutoff=1.2, box=None, batch=60_000):
    """Sums over all sources; box: nearest images."""
    points = np.asarray(points, float)
    result = Result(points)
    step = max(1, batch // max(len(sources.position), 1))
    for first in range(0, len(points), step):
        part = slice(first, first + step)
        d = points[part, None] - sources.position[None]
        if box is not None:
            d -= box * np.rint(d / box)
        r = np.maximum(np.sqrt((d * d).sum(2)), NEAREST)
        a, b = METHODS[method](r, cutoff)
        charge = sources.charge * a
        dipole = (d * sources.dipole).sum(2) * b
        moment = np.sqrt((sources.dipole**2).sum(1))
        result.value[part] = COULOMB * (charge + dipole).sum(1)
        reach = r < (np.inf if method == "direct" else cutoff)
        result.size[part] = COULOMB * (reach * (abs(sources.charge) / r + moment / r**2)).sum(1)
        result.slope[part] = COULOMB * (reach * (3 * abs(sources.charge) / r**2 + 6 * moment / r**3)).sum(1)
    return result


# ---------------------------------------------------------------- periodic Poisson

def far(points, sources, box, distance):
    """Points so far from all sources."""
    d = points[:, None] - sources.position[None]
    d -= box * np.rint(d / box)
    return (d * d).sum(2).min(1) > distance**2


def ewald(points, sources, box, accuracy=1e-10, batch=60_000):
    """The periodic potential without surface term, with zero mean, of sources without net charge."""
    box = np.asarray(box, float)
    width = np.sqrt(-np.log(accuracy))
    alpha = 2 * width / box.min()
    reach = np.ceil(2 * alpha * width * box / (2 * np.pi)).astype(int)
    grid = np.stack(np.meshgrid(*(np.arange(-n, n + 1) for n in reach), indexing="ij"), -1)
    k = grid.reshape(-1, 3) * (2 * np.pi / box)
    k2 = (k * k).sum(1)
    chosen = (k2 > 0) & (k2 < (2 * alpha * width)**2)
    k, k2 = k[chosen], k2[chosen]
    phase = np.exp(-1j * sources.position @ k.T)
    structure = (phase * (sources.charge[:, None] - 1j * (sources.dipole @ k.T))).sum(0)
    structure *= np.exp(-k2 / (4 * alpha**2)) / k2 * 4 * np.pi * COULOMB / box.prod()
    value = np.empty(len(points))
    step = max(1, batch // max(len(k), len(sources.position)))
    for first in range(0, len(points), step):
        part = slice(first, first + step)
        d = points[part, None] - sources.position[None]
        d -= box * np.rint(d / box)
        r = np.sqrt((d * d).sum(2))
        a = erfc(alpha * r) / r
        b = a / r**2 + 2 * alpha / np.sqrt(np.pi) * np.exp(-(alpha * r)**2) / r**2
        value[part] = COULOMB * (sources.charge * a + (d * sources.dipole).sum(2) * b).sum(1)
        value[part] += (np.exp(1j * (points[part] @ k.T)) @ structure).real
    return value


def smooth_profile(z, sources, box, sigma):
    """periodic_profile with each source spread to a Gaussian of standard deviation sigma, as a
    Fourier series."""
    k = 2 * np.pi / box[2] * np.arange(1, int(7 / sigma * box[2] / (2 * np.pi)) + 2)
    phase = np.exp(-1j * np.outer(k, sources.position[:, 2]))
    terms = (phase * (sources.charge - 1j * np.outer(k, sources.dipole[:, 2]))).sum(1)
    terms *= np.exp(-(k * sigma)**2 / 2) / k**2
    return 8 * np.pi * COULOMB / box.prod() * (np.exp(1j * np.outer(z, k)) @ terms).real


def periodic_profile(z, sources, box):
    """Mean over x and y of the periodic potential, at planes z, by the one-dimensional Poisson
    equation: sheets of charge in a neutralising background, and of dipoles."""
    u = np.mod((z[:, None] - sources.position[None, :, 2]) / box[2], 1)
    charge = box[2] / 2 * (u * u - u + 1 / 6) * sources.charge
    dipole = -(u - 0.5) * sources.dipole[:, 2]
    return 4 * np.pi * COULOMB / (box[0] * box[1]) * (charge + dipole).sum(1)


def profile_rest(z, profile, axis, observed, edge, sigma):
    """What is left between a periodic profile along z, of Gaussians of standard deviation sigma, and
    that of the observable `potential` in fine bins, relative to the profile: the observable is
    centred, is 0 at its lower end, and has the field of the net dipole, so that shift, constant and
    slope are fitted."""
    k = 2 * np.pi * np.fft.rfftfreq(len(axis), axis[1] - axis[0])

    def smooth(values):
        return np.fft.irfft(np.fft.rfft(values) * np.exp(-(k * sigma)**2 / 2), len(values))

    free = np.stack([np.ones(len(axis)), smooth(axis)], 1)
    rest = []
    for shift in edge / 2 + np.arange(-0.1, 0.1, 0.001):
        there = np.interp(np.mod(axis + shift, edge), np.r_[z, edge], np.r_[profile, profile[0]])
        off = there - smooth(observed)
        rest.append(np.std(off - free @ np.linalg.lstsq(free, off, rcond=None)[0]) / np.std(there))
    return min(rest)


def cutoff_profile(z, sources, box, cutoff):
    """Mean over x and y of the potential of method cutoff of charges, periodic: the sheets of charge
    q/area, each times K(u) = 2 pi C times the integral over the plane at distance u of (1 - x^2)^2 / r
    rho d rho = r d r, from r = u to the cutoff: r - 2 r^3/(3 c^2) + r^5/(5 c^4) between them."""
    u = z[:, None] - sources.position[None, :, 2]
    u = np.minimum(abs(u - box[2] * np.rint(u / box[2])) / cutoff, 1)
    kernel = 2 * np.pi * COULOMB * cutoff * (8 / 15 - (u - 2 * u**3 / 3 + u**5 / 5))
    return (kernel * sources.charge).sum(1) / (box[0] * box[1])


# ---------------------------------------------------------------- arrangements with known potentials

def ring(n, radius, total):
    """n charges on a circle in the plane z = 0."""
    angle = 2 * np.pi * np.arange(n) / n
    x = radius * np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
    return Sources(x, total / n)


def sphere(n):
    """n nearly even directions (a Fibonacci spiral)."""
    z = 1 - (2 * np.arange(n) + 1) / n
    angle = np.pi * (3 - np.sqrt(5)) * np.arange(n)
    rho = np.sqrt(1 - z * z)
    return np.stack([rho * np.cos(angle), rho * np.sin(angle), z], 1)


def shell(n, radius, total):
    return Sources(radius * sphere(n), total / n)


def water_box(edge, seed=1):
    """Three-site water (TIP3P) at 0.0966 atoms per cubic angstrom in a cube: molecules near points of
    a cubic lattice, turned at random. Positions nm."""
    random = np.random.default_rng(seed)
    molecules = round(32.2 * edge**3)
    cells = math.ceil(molecules**(1 / 3))
    middle = np.stack(np.meshgrid(*3 * [np.arange(cells)], indexing="ij"), -1).reshape(-1, 3) + 0.5
    middle = middle[np.sort(random.choice(len(middle), molecules, replace=False))] * (edge / cells)
    middle += random.uniform(-0.02, 0.02, middle.shape)
    angle = np.radians(104.52 / 2)
    arm = 0.09572 * np.array([[np.sin(angle), 0, np.cos(angle)], [-np.sin(angle), 0, np.cos(angle)]])
    turn, _ = np.linalg.qr(random.normal(size=(len(middle), 3, 3)))
    position = np.stack([middle, *(middle + turn @ a for a in arm)], 1).reshape(-1, 3)
    return Sources(np.clip(position, 0, edge), np.tile([-0.834, 0.417, 0.417], len(middle)))
