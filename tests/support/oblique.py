"""States in oblique boxes that are the same matter as one in a rectangular box. If that one was replicated 2 x 2 x 1,
half of its vectors a and b are periods: c moved by them, and b by half of a, give boxes of the same periodic system, as
long as the copies stay equal (no noise of single beads)."""
import shutil

import h5py
import numpy as np


def convert(source, path, halves):
    """Writes the state in the box {ax, by, cz} with bx = i ax / 2, cx = j ax / 2 and cy = k by / 2, halves (i, j, k).
    Exact but for the last two bits: coordinates are integers of 2^-64 of the box, as Python has them. The path."""
    shutil.copy(source, path)
    bx, cx, cy = halves
    with h5py.File(path, "r+") as file:
        box = file["system/box"][...]
        tilt = np.array([bx * box[0], cx * box[0], cy * box[1]]) / 2
        for group, value in ("system", tilt), ("neighbor_list", 0 * tilt):
            made = file[group].create_dataset("tilt", data=value)
            for name, text in file[group + "/box"].attrs.items():
                made.attrs[name] = text
        file.attrs.modify("format_version", np.int32(3))
        file["neighbor_list/step"][...] = -1
        beads = file["beads"]
        image, residual = (beads[name][:].astype(object) for name in ("image", "residual"))
        word = beads["position"][:].view(np.uint32).astype(object)
        x, y, z = (image * 2**64 + word * 2**32 + residual).T
        y = y + y - cy * z
        x = (4 * x - bx * y - 2 * cx * z) // 4
        whole = np.stack([x, y // 2, z], axis=1)
        beads["image"][...] = (whole // 2**64).astype(np.int32)
        beads["position"][...] = (whole // 2**32 % 2**32).astype(np.uint32).view(np.int32)
        beads["residual"][...] = (whole % 2**32).astype(np.uint32)
    return path
