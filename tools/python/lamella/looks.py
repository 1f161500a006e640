"""What the beads of a force field are called and which colours they have, in pictures and in figures of
a report."""
import collections
import colorsys
import re

COLOURS = ["#1f4e9c", "#c1121f", "#2a9d8f", "#ec7a08", "#7b2d8b", "#6c757d", "#8ec3e6", "#b08968",
           "#5b8c2a", "#e377c2", "#17a2c4", "#d4a017", "#5c3317", "#9b8cff", "#f4978e", "#26324a",
           "#a3b18a", "#ff006e", "#00c49a", "#94651a"]
GREY, INK = "#8a8f98", "#30343b"
# Of figures, for matplotlib.
STYLE = {
    "font.family": "sans-serif", "font.size": 9, "axes.titlesize": 10, "axes.labelsize": 9,
    "axes.edgecolor": GREY, "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.linewidth": 0.7, "axes.spines.top": False, "axes.spines.right": False,
    "xtick.major.width": 0.7, "ytick.major.width": 0.7, "legend.frameon": False,
    "legend.fontsize": 8, "svg.fonttype": "none", "figure.constrained_layout.use": True,
    "axes.formatter.useoffset": False, "axes.formatter.limits": (-4, 7), "axes.titlelocation": "left", "lines.linewidth": 1.4,
}
# What the beads of lipids and their water are drawn as: name, colour, and radius in nm, smaller than
# they are. Every other type gets a colour of the palette.
LOOKS = {
    "W": ("water", "#8ec3e6", 0.045),
    "C": ("choline (+)", "#1f4e9c", 0.14),
    "A": ("amine (+)", "#2a9d8f", 0.12),
    "P": ("phosphate (-)", "#ec7a08", 0.14),
    "G": ("glycerol (dipole)", "#b5179e", 0.12),
    "E": ("ester (dipole)", "#c1121f", 0.12),
    "T": ("tail", "#8a8d7c", 0.09),
}
MOST = 3  # bead names of a type in a legend


def palette(n, taken=()):
    """n different colours, none of `taken`."""
    free = [colour for colour in COLOURS if colour not in taken]
    for k in range(len(free), n):
        rgb = colorsys.hsv_to_rgb(0.618034 * k % 1, 0.45 + 0.5 * (k % 2), 0.9 - 0.2 * (k % 3))
        free.append("#" + "".join(f"{round(255 * part):02x}" for part in rgb))
    return free[:n]


def number(entry, key):
    return float(entry.get(key, 0))


def known_looks(forcefield):
    """The rows of LOOKS whose types are in this force field what the label says: other force fields use
    the same letters for something else. forcefield: None if unknown, which leaves all of them."""
    if forcefield is None:
        return dict(LOOKS)
    found = {}
    for name, entry in forcefield.data["types"].items():
        charge, dipole = number(entry, "charge"), number(entry, "dipole")
        as_said = {"W": True, "C": charge > 0, "A": charge > 0, "P": charge < 0, "G": dipole > 0,
                   "E": dipole > 0, "T": charge == 0 and dipole == 0 and "shape" not in entry}
        if as_said.get(name):
            found[name] = LOOKS[name]
    return {name: look for name, look in LOOKS.items() if name in found}


def of_several(beads, names, chosen):
    """The beads with these numbers in a few words: up to MOST names, the first and last of a row, or
    the name of their type."""
    distinct = list(dict.fromkeys(names[k] for k in chosen))
    if len(distinct) <= MOST:
        return ", ".join(distinct)
    in_a_row = chosen[-1] - chosen[0] + 1 == len(chosen) == len(distinct)
    return f"{distinct[0]} … {distinct[-1]}" if in_a_row else beads[chosen[0]]


def told_apart(words):
    """{type: text}, with the type behind every text that several have."""
    count = collections.Counter(words.values())
    return {name: text if count[text] == 1 else f"{text} ({name})" for name, text in words.items()}


class Names:
    """Bead names in place of types, where the force field has them. of_type: {type: text}, with the names
    of its beads in all molecules; species: {MOLECULE_TYPE: text}, as columns of density profiles are
    called."""

    def __init__(self, forcefield):
        self.of_type, self.species, self.beads = {}, {}, {}
        if forcefield is None:
            return
        everywhere = collections.defaultdict(list)
        for molecule, types in forcefield.molecules.items():
            names = forcefield.bead_names[molecule]
            rows = collections.defaultdict(list)
            for k, name in enumerate(types):
                rows[name].append(k)
            if names != types and len(set(names)) == len(names):
                self.beads[molecule] = names
            words = told_apart({t: of_several(types, names, chosen) for t, chosen in rows.items()})
            for name, text in words.items():
                alone = molecule == name or len(types) == 1 and names != types
                self.species[molecule if molecule == name else f"{molecule}_{name}"] = \
                    molecule if alone else f"{molecule} {text}"
                everywhere[name].append(text)
        self.of_type = told_apart({
            name: ", ".join(dict.fromkeys(texts)) if len(set(texts)) < MOST else name
            for name, texts in everywhere.items()})

    def type(self, name):
        return self.of_type.get(name, name)

    def pair(self, name):
        """Two types with _ between them, which may have it in their names."""
        for k, letter in enumerate(name):
            if letter == "_" and name[:k] in self.of_type and name[k + 1:] in self.of_type:
                return f"{self.type(name[:k])}–{self.type(name[k + 1:])}"
        return name

    def row(self, label):
        """MOL:i-j or MOL:i with the names of the beads."""
        found = re.fullmatch(r"(.*):(\d+)(?:-(\d+))?", label)
        names = self.beads.get(found.group(1)) if found else None
        if not names:
            return label
        return f"{found.group(1)} " + "–".join(names[int(k) - 1] for k in found.groups()[1:] if k)
