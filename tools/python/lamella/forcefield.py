"""The force field that stands in state files and trajectories, as the text of its YAML file."""
from .files import Unusable, yaml_of


class ForceField:
    """text: the whole file. data: the same as dicts and lists whose scalars are texts."""

    def __init__(self, text, path):
        self.text, self.path = text, path
        self.data = yaml_of(text, path)
        if not isinstance(self.data, dict) or not isinstance(self.data.get("types"), dict):
            raise Unusable(f"{path}: its force field has no types")

    @property
    def name(self):
        return self.data.get("name", "")

    @property
    def version(self):
        return self.data.get("version", "")

    @property
    def source(self):
        return self.data.get("source", "")

    @property
    def types(self):
        """Names of the bead types, in the order of their numbers."""
        return list(self.data["types"])

    @property
    def molecules(self):
        """Names of the molecules, in the order of their numbers, and the types of their beads."""
        found = self.data.get("molecules") or {}
        return {name: list(entry["beads"]) for name, entry in found.items()}

    @property
    def bead_names(self):
        """Names of the molecules, in the order of their numbers, and the names of their beads: where
        the force field gives none, those of their types."""
        found = self.data.get("molecules") or {}
        return {name: list(entry.get("names") or entry["beads"]) for name, entry in found.items()}

    @property
    def references(self):
        """Values from the literature: dicts with the keys observable, table, column, row, value,
        error (None: not given), unit, system and source."""
        found = []
        for entry in self.data.get("reference") or []:
            known = {"row": "", "system": "", "source": "", "unit": "", **entry}
            known["value"] = float(entry["value"])
            known["error"] = float(entry["error"]) if "error" in entry else None
            found.append(known)
        return found
