"""Numbers with errors, units and names as people write them."""
import math
import re

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
UNITS = {"1": "", "degree": "°", "us": "µs"}
# Names of columns, in the order in which they are shown. TABLE.COLUMN goes before COLUMN.
NAMES = {
    "area": "area per lipid", "volume_per_lipid": "volume per lipid",
    "thickness": "thickness, head to head",
    "thickness_upper": "thickness of the upper monolayer",
    "thickness_lower": "thickness of the lower monolayer",
    "area_compressibility": "area compressibility modulus", "bulk_modulus": "bulk modulus",
    "tension": "tension of a monolayer, global virial",
    "tension_irving_kirkwood": "tension of a monolayer, Irving-Kirkwood profile",
    "tension_harasima": "tension of a monolayer, Harasima profile",
    "moment_upper": "first moment, upper monolayer", "moment_lower": "first moment, lower monolayer",
    "normal": "normal", "lateral_harasima": "lateral, Harasima",
    "bonds.order": "order parameter of bonds", "dipoles.order": "order parameter of dipoles and ellipsoids",
    "tail_order": "order parameter of tails", "tilt": "tilt", "tilt_order": "order parameter of tilt",
    "diffusion.lateral": "lateral diffusion coefficient",
    "diffusion.space": "diffusion coefficient in space", "space": "in space",
    "time_first": "relaxation time, first order", "time_second": "relaxation time, second order",
    "rigidity": "bending rigidity", "rigidity_kT": "bending rigidity in kT",
    "all.translation": "temperature of translation", "all.rotation": "temperature of rotation",
    "all.all": "temperature", "translation": "translation", "rotation": "rotation",
    "centre": "centre of mass", "leaflets.upper": "in the upper monolayer",
    "leaflets.lower": "in the lower monolayer", "flips": "flip-flops", "flip_rate": "rate of flip-flops",
    "profile.thickness": "thickness", "fraction": "fraction of contacts", "expected": "fraction if mixed at random",
}
TITLES = {
    "membrane": "Membrane", "density": "Density profiles", "potential": "Electrostatic potential",
    "pressure": "Pressure profile and tension", "order": "Order and tilt", "undulation": "Undulations",
    "rdf": "Radial distribution functions", "msd": "Diffusion", "rotation": "Rotation of dipoles",
    "temperature": "Temperatures", "leaflets": "Leaflets and neighbours", "coordinates": "Coordinates",
}
ORDER = list(NAMES)


def unit(text):
    """nm-3 as nm⁻³."""
    if text in UNITS:
        return UNITS[text]
    parts = [re.fullmatch(r"(.*?)([-+]?\d+)", part) for part in text.split()]
    words = []
    for part, word in zip(parts, text.split()):
        base, power = (part.group(1), part.group(2).lstrip("+")) if part else (word, "")
        words.append(UNITS.get(base, base) + power.translate(SUPERSCRIPT))
    return " ".join(words)


def label(name, its_unit):
    return f"{name} ({unit(its_unit)})" if unit(its_unit) else name


def name(column, table=""):
    return NAMES.get(f"{table}.{column}", NAMES.get(column, column.replace("_", " ")))


def rank(column, table=""):
    """Place of a column in the order of NAMES; others come last, as they stand in the file."""
    for key in (f"{table}.{column}", column):
        if key in NAMES:
            return ORDER.index(key)
    return len(ORDER)


def plain(value, digits=4):
    """A few digits, without an exponent where it reads well."""
    if not math.isfinite(value):
        return "–"
    text = f"{value:.{digits}g}"
    if 10**digits <= abs(value) < 1e4:
        text = str(int(round(value, digits - len(str(int(abs(value)))))))
    if "e" in text:
        mantissa, power = text.split("e")
        text = f"{mantissa} × 10{str(int(power)).translate(SUPERSCRIPT)}"
    return text.replace("-", "−")


def number(value, error=None):
    """0.724(6): the error in units of the last digit, with two digits where it begins with 1."""
    if error is None or not math.isfinite(error) or not error > 0 or not math.isfinite(value):
        return plain(value)
    power = math.floor(math.log10(max(abs(value), error)))
    scaled = power < -3 or power > 6
    if scaled:
        value, error = value / 10.0**power, error / 10.0**power
    places = -math.floor(math.log10(error))
    if error * 10.0**places >= 9.5:
        places -= 1
    if error * 10.0**places < 1.95:
        places += 1
    shown = round(error * 10.0**places)
    if places < 0:
        shown *= 10**-places
    text = f"{round(value, places):.{max(places, 0)}f}({shown})".replace("-", "−")
    return f"{text} × 10{str(power).translate(SUPERSCRIPT)}" if scaled else text


def time(ps, digits=4):
    """A time in ps, ns or µs."""
    if not math.isfinite(ps):
        return "–"
    for size, word in ((1e6, "µs"), (1e3, "ns")):
        if ps >= size:
            return f"{plain(ps / size, digits)} {word}"
    return f"{plain(ps, digits)} ps"


def whole(value):
    """An integer in groups of three digits."""
    return f"{int(value):,}".replace(",", "\u202f")
