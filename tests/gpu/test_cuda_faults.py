"""Bad situations: no GPU in sight, transports that cannot work, a rank that dies, memory that
others hold. A clear message, the status, an end of all ranks in time. What needs a GPU says where
it was skipped."""
import contextlib
import ctypes
import os
import signal
import subprocess
import tempfile
import time

import trial
from run_lamella import LAMELLA, MPIEXEC, Checks, read, run

SOON = 60  # seconds: an end after this is taken for a hang
MELT = """{forcefield: lj, temperature: 173,
           lattice: {type: fcc, cells: [80, 80, 80], density: 0.8442}}"""
EMPTY = "empty.yaml"  # a run file without keys, in the folder
LEFT = 3 << 29  # bytes that others leave of a GPU: less than this melt and the context take


def has_gpu():
    return "backend cuda: works here" in run("--version").stdout


def no_gpu_visible(checks, folder, state):
    hidden = {"CUDA_VISIBLE_DEVICES": ""}
    settings = {"input": state, "run.steps": 2}
    for ranks in 1, 2:
        said = trial.simulate(folder, "hidden", {**settings, "parallel.backend": "cuda"},
                              ranks=ranks, status=2, env=hidden, timeout=SOON)
        checks.true("no GPU, and one is asked for", "cuda cannot work here: " in said, said)
        said = trial.simulate(folder, "hidden", settings, ranks=ranks, env=hidden, timeout=SOON)
        checks.true("no GPU: the CPU does it", "backend cpu, " in said, said)
        if "backend cuda" in run("--version").stdout:
            checks.true("and says why", "backend cuda is not used: " in said, said)


def wrong_transport(checks, folder, state, backend):
    """Each is asked for; it works, or all ranks end with the reason."""
    for name in "self", "ipc", "ipc+nccl", "ipc+staged", "nccl", "staged", "pigeons":
        for ranks in 1, 2:
            done = run("run", EMPTY, "--restart=never", f"--set=input={state}",
                       "--set=run.steps=2", f"--set=parallel.backend={backend}",
                       f"--set=parallel.transport={name}", ranks=ranks, status=None, cwd=folder,
                       timeout=SOON)
            worked, said = f"transport {name}, " in done.stderr, done.stderr
            why = f"parallel.transport: {name} cannot be used: "
            what = f"{name} on {ranks} ranks, {backend}"
            checks.true(what + " works or says why once", worked + said.count(why) == 1, said)
            checks.true(what + ": status", done.returncode == (0 if worked else 2), done.returncode)
            wanted = {"self": ranks == 1, "staged": ranks > 1, "pigeons": False}
            device = worked if backend == "cuda" else False  # of those that carry GPU memory
            checks.true(what + " works where it can", worked == wanted.get(name, device), said)


def descendants(pid):
    """Numbers and command names of the processes that a process has started."""
    parents = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            name, rest = read(f"/proc/{entry}/stat").split("(", 1)[1].rsplit(")", 1)
            parents[int(entry)] = (int(rest.split()[1]), name)
    found, new = {}, {pid}
    while new:
        new = {child for child, (parent, _) in parents.items() if parent in new} - set(found)
        found.update((child, parents[child][1]) for child in new)
    return found


def alive(pid):
    """A process that has ended and nobody has waited for does not count."""
    try:
        return read(f"/proc/{pid}/stat").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition, seconds=SOON):
    end = time.time() + seconds
    while not condition() and time.time() < end:
        time.sleep(0.1)
    return condition()


def used_memory():
    """MiB in use on all GPUs."""
    query = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    return sum(map(int, subprocess.run(query, capture_output=True, text=True).stdout.split()))


def dying_rank(checks, folder, state, settings):
    """Killed in mid-run, it takes the others with it, and the run continues from its checkpoint."""
    what = "a rank dies: " + " ".join(settings.values())
    settings = {"input": state, "run.steps": 100000000, "output.energies_every": 10,
                "output.prefix": "dying", **settings}
    command = [*MPIEXEC, "-n", "4", LAMELLA, "run", EMPTY, "--restart=never",
               *(f"--set={key}={value}" for key, value in settings.items())]
    csv = os.path.join(folder, "dying.csv")
    before = used_memory() if settings["parallel.backend"] == "cuda" else None
    with contextlib.suppress(FileNotFoundError):
        os.remove(csv)
    with open(os.path.join(folder, "dying.out"), "w+") as log:
        job = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log,
                               stdin=subprocess.DEVNULL)
        wait_for(lambda: os.path.exists(csv) and len(open(csv).readlines()) > 3)
        ranks = [pid for pid, name in descendants(job.pid).items() if name == "lamella"]
        checks.true(what + ": four run", len(ranks) == 4, ranks)
        os.kill(max(ranks), signal.SIGKILL)
        try:
            checks.true(what + ": status", job.wait(timeout=SOON) != 0, job.returncode)
        except subprocess.TimeoutExpired:
            checks.true(what + ": an end", False)
            job.kill()
        gone = wait_for(lambda: not any(map(alive, ranks)))
        log.seek(0)
        said = log.read()
        checks.true(what + ": all are gone", gone, [pid for pid in ranks if alive(pid)])
        checks.true(what + ": it is said", "signal 9" in said.lower(), said[-2000:])
    if before is not None:
        freed = wait_for(lambda: used_memory() <= before + 64, 20)
        checks.true(what + ": memory of the GPUs is free", freed, before, used_memory())
    trial.simulate(folder, "dying", {**settings, "run.steps": 20}, ranks=2, restart="auto")


@contextlib.contextmanager
def others_hold(left):
    """All memory of the first GPU but so many bytes is taken."""
    cuda = ctypes.CDLL("libcuda.so.1")
    context, held = ctypes.c_void_p(), ctypes.c_uint64()
    free, total = ctypes.c_size_t(), ctypes.c_size_t()

    def call(name, *arguments):
        status = getattr(cuda, name)(*arguments)
        assert status == 0, (name, status)

    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    call("cuMemAlloc_v2", ctypes.byref(held), ctypes.c_size_t(free.value - left))
    yield
    call("cuMemFree_v2", held)


def no_memory(checks, folder):
    state = trial.build(folder, "melt", MELT)
    with others_hold(LEFT):
        for ranks in 1, 2:
            said = run("energy", state, "--backend=cuda", ranks=ranks, status=2, timeout=SOON,
                       env={"CUDA_VISIBLE_DEVICES": "0"}).stderr
            checks.true("memory: how much is needed", "bytes each, and this GPU" in said, said)
            checks.true("memory: how many would do", "use about " in said, said)
    run("energy", state, "--backend=cuda", timeout=SOON)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        state = trial.membrane(folder)
        with open(os.path.join(folder, EMPTY), "w"):
            pass
        no_gpu_visible(checks, folder, state)
        wrong_transport(checks, folder, state, "cpu")
        dying_rank(checks, folder, state, {"parallel.backend": "cpu"})
        if has_gpu():
            wrong_transport(checks, folder, state, "cuda")
            for name in "auto", "staged":
                dying_rank(checks, folder, state,
                           {"parallel.backend": "cuda", "parallel.transport": name})
            no_memory(checks, folder)
        else:
            print("skipped without a GPU: transports, dying ranks and memory of GPUs")
    checks.end()


if __name__ == "__main__":
    main()
