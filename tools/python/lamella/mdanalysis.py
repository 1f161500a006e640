"""What atoms of MDAnalysis can have beyond its own attributes."""
import numpy as np
from MDAnalysis.core.topologyattrs import AtomAttr


class Electrons(AtomAttr):
    """Electrons of a bead: atoms.electrons."""

    attrname, singular, dtype = "electrons", "electron", np.float64
    per_object = "atom"


class Leaflets(AtomAttr):
    """1 upper, -1 lower, 0 neither: atoms.leaflets."""

    attrname, singular, dtype = "leaflets", "leaflet", np.int64
    per_object = "atom"


ATTRIBUTES = {"electrons": Electrons, "leaflet": Leaflets}
