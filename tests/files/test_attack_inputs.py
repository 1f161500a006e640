"""Damaged files of every kind that the program reads: a documented status, a message that names the file or the key,
bounded time and memory, no crash, and nothing left over; single mistakes, after which nothing is followed that they left
unset. With a kind as argument only that one. LAMELLA_COUNT is the number of each kind; LAMELLA may be a build with
--enable-sanitize, as in test_long_sanitized.sh."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import attack
import attack_states
import hostile_files

a = attack.Attack("test_attack_inputs", 20266)
MEMORY = 700 << 20  # bytes; nothing here needs more than a third
SECONDS = 20  # of CPU
PIECES = ["[", "]", "{", "}", ": ", ",", "\n", "- ", "-1", "nan", "inf", "~", "1e999", "0x10", "#",
          "99999999999999999999", "&a ", "*a", "\"", "'", "\\0", "\xff", "\x01", "\x00", "\t", "? ",
          "---\n", "[]", "{}", "<<: ", "!!int ", "|\n", "0", "ä", "1e300", "-0.0", "2147483648", "%d",
          "4294967296", "9223372036854775807", "/", "../", "1e-300", " ", "yes", "A" * 5000, "-inf",
          "x", "\\\n", ";", "*", "#define X X\n", "#include \"parts.itp\"\n", "#endif\n", "1e-30", "3"]
WORDS = [0, 1, -1, 2, 3, 9, 127, 2**31 - 1, -2**31, 2**32 - 1, 10**9, 0x7ff00000, 0x7fc00000, 0x3ff00000]


def changed_number(token):
    """Another number, more often one that is near."""
    try:
        value = float(token)
        return a.random.choice([f"{value + 1:g}", f"{value - 1:g}", f"{value * 1.1:g}", f"{value / 2:g}", f"{-value:g}",
                                f"{value * 1e6:g}", f"{value + 0.5:g}", f"{value / 1e9:g}", "0", f"{value:.0f}e30"])
    except (ValueError, OverflowError):
        return token[:len(token) // 2]


def token_mutation(text):
    """One token of the text replaced, doubled, taken off, exchanged with another, or made equal to one of its kind."""
    tokens = re.findall(r"[\w.+-]+|\s+|[^\w\s]", text) or [" "]
    k, other = (a.random.randrange(len(tokens)) for _ in range(2))
    while tokens[k].isspace() and a.random.random() < 0.9:
        k = a.random.randrange(len(tokens))
    do = a.random.randrange(8)
    if do == 0:
        tokens[k] = a.random.choice(PIECES)
    elif do == 1:
        tokens[k] *= 2
    elif do == 2:
        del tokens[k]
    elif do == 3:
        tokens[k], tokens[other] = tokens[other], tokens[k]
    elif do < 6:
        tokens[k] = changed_number(tokens[k])
    else:
        tokens[k] = a.random.choice([t for t in tokens if t[0].isalpha() == tokens[k][0].isalpha()
                                     and t.isspace() == tokens[k].isspace()])
    return "".join(tokens)


def line_mutation(text):
    """A line taken off, doubled, put elsewhere or cut; or from there on the text from another line on."""
    lines = text.split("\n")
    k, other = (a.random.randrange(len(lines)) for _ in range(2))
    do = a.random.randrange(5)
    if do == 0:
        del lines[k]
    elif do == 1:
        lines.insert(other, lines[k])
    elif do == 2:
        lines[k], lines[other] = lines[other], lines[k]
    elif do == 3:
        lines[k] = lines[k][:a.random.randrange(len(lines[k]) + 1)]
    else:
        lines[k:] = lines[other:]
    return "\n".join(lines)


def byte_mutation(text):
    data = text.encode() or b" "
    at, span = a.random.randrange(len(data)), a.random.randrange(40)
    piece = a.random.choice(PIECES).encode("utf-8" if a.random.random() < 0.5 else "latin-1")
    do = a.random.randrange(4)
    if do == 0:
        data = data[:at] + piece + data[at:]
    elif do == 1:
        data = data[:at] + piece + data[at + span:]
    elif do == 2:
        data = data[:at] + bytes([data[at] ^ 1 << a.random.randrange(8)]) + data[at + 1:]
    else:
        data = data[:at]
    return data


def mutated(text):
    for _ in range(a.random.choice((1, 1, 1, 2, 3))):
        how = a.random.choice((token_mutation, token_mutation, token_mutation, line_mutation, byte_mutation))
        text = how(text)
        if isinstance(text, bytes):
            text = text.decode("latin-1")
    return text.encode("latin-1", "replace")


def word_mutation(data, big_endian):
    """Bytes in which a bit, a whole number or a stretch became another one, or which end early."""
    data = bytearray(data)
    for _ in range(a.random.choice((1, 1, 2, 5))):
        at, do = a.random.randrange(len(data)), a.random.randrange(10)
        if do < 2:
            data[at] ^= 1 << a.random.randrange(8)
        elif do < 8:
            size = a.random.choice((1, 2, 4, 4, 8))
            at = min(at, len(data) - 8) // size * size
            value = a.random.choice(WORDS) & (1 << 8 * size) - 1
            data[at:at + size] = value.to_bytes(size, "big" if big_endian else "little")
        elif do == 8:
            other, n = a.random.randrange(len(data)), a.random.randrange(200)
            data[at:at + n] = data[other:other + n]
        else:
            del data[max(at, 8):]
    return bytes(data)


def folder_of_texts(files):
    folder = tempfile.mkdtemp(dir=a.folder)
    os.link(os.path.join(made, hostile_files.STATE), os.path.join(folder, hostile_files.STATE))
    for name, text in files.items():
        attack.overwrite(os.path.join(folder, name), text.encode())
    return folder


def folder_of_copies(names):
    folder = tempfile.mkdtemp(dir=a.folder)
    for name in {*names, *hostile_files.BESIDE}:
        shutil.copy(os.path.join(made, name), os.path.join(folder, name))
    return folder


def case_text(kind):
    variants, name, calls = hostile_files.TEXTS[kind]
    files = a.random.choice(variants)
    folder = folder_of_texts(files)
    attack.overwrite(os.path.join(folder, name), mutated(files[name]))
    words = a.random.choice(calls)
    if kind == "run file":  # whatever it says, this is soon done
        words = [*words, "-s", "output.prefix=out", "-s", "run.steps=2"]
    return folder, kind, name, words, ""


def case_binary(kind):
    files, calls = hostile_files.BINARIES[kind]
    folder = folder_of_copies(files)
    good, bad = (os.path.join(of, files[0]) for of in (made, folder))
    what = "bytes"
    if files[0].endswith(".gro"):
        attack.overwrite(bad, mutated(attack.read(good, "r")))
    elif files[0].endswith(".trr") or a.random.random() < 0.4:
        attack.overwrite(bad, word_mutation(attack.read(good), files[0].endswith(".trr")))
    else:
        what = attack_states.make(a.random, good, bad)
    return folder, kind, files[0], a.random.choice(calls), what


def good_calls(kind):
    """A folder and words for every call of a kind with files that are whole."""
    if kind in hostile_files.TEXTS:
        variants, _, of_kind = hostile_files.TEXTS[kind]
        return [(folder_of_texts(files), words) for files in variants for words in of_kind]
    files, of_kind = hostile_files.BINARIES[kind]
    return [(folder_of_copies(files), words) for words in of_kind]


def names(folder, words, err):
    """A file that is there or that the call names, or a key of a run file."""
    if any(word in err for word in (*os.listdir(folder), *words[1:])):
        return True
    if re.search(r"cannot (read|write|open) '|No such file|there is no force field|force field \w+[:,]|has crossed the "
                 r"box|of memory are needed", err):
        return True
    return re.search(r"\b(run|thermostat|barostat|neighbor|parallel|output)\.[a-z_]+|input|forcefield|skin", err)


def judge(case, done):
    folder, kind, _, words, how = case
    what = f"{kind}: {' '.join(words[:2])} {how}"
    if done.status == -signal.SIGKILL and kind == "specification" and attack.SANITIZED:
        shutil.rmtree(folder)  # a number asks for a system that takes longer than the limit to make
        return
    good = a.judge(f"{what}: no crash", not done.crashed(), done)
    good &= a.judge(f"{what}: memory", attack.SANITIZED or done.memory < MEMORY, done.memory)
    if done.status:
        good &= a.judge(f"{what}: a message", "lamella: " in done.err, done)
        if done.status in (2, 4):
            good &= a.judge(f"{what}: names the file", names(folder, words, done.err), done)
    left = [one for one in os.listdir(folder) if one.endswith((".tmp", ".lock"))]
    good &= a.judge(f"{what}: nothing is left over", not left, left)
    a.count(f"{kind}: status {done.status}")
    keep = os.environ.get("LAMELLA_KEEP")
    if not good and keep:
        shutil.copytree(folder, os.path.join(keep, os.path.basename(folder)), dirs_exist_ok=True)
        print("kept:", os.path.basename(folder), kind, words, flush=True)
    shutil.rmtree(folder)


def make_good():
    folder = a.fresh("made")
    for name, text in {**hostile_files.MAKERS, **hostile_files.BESIDE}.items():
        a.write(os.path.join("made", name), text)
    for words in hostile_files.MADE:
        done = attack.lamella(folder, *words)
        if done.status:
            print("a good call fails:", words, done)
            sys.exit(1)
    return folder


def single_mistakes(calls):
    for text, old, new, says in hostile_files.MISTAKES:
        assert text.count(old) == 1, old
        folder = folder_of_texts({"ff.yaml": text.replace(old, new), "t.table": hostile_files.TABLE})
        done = calls.run(folder, "forcefield", "./ff.yaml")
        line = text[:text.index(old)].count("\n") + 1
        a.judge(f"{new}: no crash", not done.crashed(), done)
        a.judge(f"{new}: one mistake is said", done.status == 2 and f"ff.yaml:{line}: " in done.err and
                says in done.err and " mistakes" not in done.err, done)


made = make_good()
number = attack.count(30, 5000)
kinds = [*hostile_files.TEXTS, *hostile_files.BINARIES]
chosen = [kind for kind in kinds if kind in sys.argv] or kinds
with attack.Calls(SECONDS) as calls:
    single_mistakes(calls)
    for kind in chosen:
        for folder, words in good_calls(kind):
            done = calls.run(folder, *words)
            a.judge(f"{kind}, whole: {' '.join(words[:2])}", done.status == 0, done)
        prepare = case_text if kind in hostile_files.TEXTS else case_binary
        attack.in_batches(number, lambda k: prepare(kind), lambda case: calls.run(case[0], *case[3]), judge)
a.end()
