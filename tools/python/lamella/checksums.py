"""Checksums of the frames of a trajectory, as io/checksum.c and io/h5md/check.c compute them."""
import numpy as np

COLUMNS = ("position", "image", "velocity", "dipole", "orientation", "clock", "guard", "quaternion",
           "force", "observables")
CLOCK, GUARD, OBSERVED = (COLUMNS.index(name) for name in ("clock", "guard", "observables"))
FACTOR, STRIDE, HALF = (np.uint64(word) for word in (0xd6e8feb86659fd93, 0x9e3779b97f4a7c15, 32))
PIECE = 1 << 18  # rows at a time


def mix(sums, words):
    with np.errstate(over="ignore"):  # modulo 2^64
        sums = (sums ^ np.asarray(words, np.uint64)) * FACTOR
    return sums ^ sums >> HALF


def update(sums, words):
    """sums: [n]; words: [n][words] of 8 bytes."""
    for column in words.T:
        sums = mix(sums, column)
    return mix(sums, 8 * words.shape[1])


def words_of(rows):
    """[n][words] of [n][numbers]; the last word is filled with zeros."""
    data = np.ascontiguousarray(rows).reshape(len(rows), -1).view(np.uint8)
    full = np.zeros((len(data), -(-data.shape[1] // 8) * 8), np.uint8)
    full[:, :data.shape[1]] = data
    return full.view(np.uint64)


def of_rows(column, rows):
    """The checksum of rows [n][numbers] in a column."""
    key, total = np.uint64(column + 1), np.uint64(0)
    with np.errstate(over="ignore"):
        for first in range(0, len(rows), PIECE):
            words = words_of(rows[first:first + PIECE])
            sums = key + np.arange(first + 1, first + len(words) + 1, dtype=np.uint64) * STRIDE
            for word in words.T:
                sums = mix(sums, word)
            total += mix(sums, key).sum(dtype=np.uint64)
    return total


def agree(table, steps, times, edges):
    """For each frame: do its step, time, edges [3][3] and checksums agree? table: [n][columns]."""
    n = len(steps)
    sums = update(np.full(n, CLOCK + 1, np.uint64), np.arange(n, dtype=np.uint64)[:, None])
    for part in (steps, times, edges):
        sums = update(sums, words_of(part))
    guards = update(np.arange(n, dtype=np.uint64), table[:, :GUARD])
    if table.shape[1] > GUARD + 1:
        guards = update(guards, table[:, GUARD + 1:])
    return (sums == table[:, CLOCK]) & (guards == table[:, GUARD])
