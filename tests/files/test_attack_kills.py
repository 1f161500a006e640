"""Kills at random moments: one rank, all ranks or mpiexec get SIGKILL, and the same command goes on
with another number of ranks, until trajectory, energies and final state are those of one
uninterrupted run. The same with a run file of three stages, of which one minimises."""
import os
import signal
import subprocess
import time

import attack

KILLS = {"run": attack.count(8, 250), "stages": attack.count(4, 50)}
STAGES = """stages:
  - {name: hot, steps: 60, set: {barostat: {type: none}, thermostat: {temperature: 300}}}
  - {name: em, minimise: {steps: 80, force: 0.001}}
  - {name: md, steps: 90, set: {run: {dt: 0.003}}}
"""
PREFIXES = {"run": ["x"], "stages": ["x.hot", "x.em", "x.md"]}
CHAIN = 6  # kills before a run is left alone
STEPS, MARK = 240, "LAMELLA_ATTACK_JOB"
a = attack.Attack("test_attack_kills", 20261)


def processes(mark):
    """{process id: program name} of those that were started with this mark."""
    found, word = {}, f"{MARK}={mark}".encode()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if word in attack.read(f"/proc/{pid}/environ").split(b"\0"):
                state = attack.read(f"/proc/{pid}/stat").decode().rsplit(")", 1)[1].split()[0]
                if state != "Z":
                    found[int(pid)] = os.readlink(f"/proc/{pid}/exe").rsplit("/", 1)[-1]
        except OSError:
            pass  # it has ended
    return found


def ranks_of(jobs):
    program = os.path.basename(os.path.realpath(attack.LAMELLA))
    return [pid for pid, name in jobs.items() if name == program]


def wait_for_end(mark):
    """The processes that are left 80 s after a kill, since MPI_Finalize may take 60 (mpi/comm/ranks.c), or launchers 5 s after their last
    rank."""
    ends, alone = time.monotonic() + 80, time.monotonic() + 5
    left = processes(mark)
    while left and time.monotonic() < min(ends, alone):
        time.sleep(0.02)
        left = processes(mark)
        if ranks_of(left):
            alone = time.monotonic() + 5
    return left


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def strike(mark, how):
    """What was killed."""
    jobs = processes(mark)
    ranks = ranks_of(jobs)
    launchers = [pid for pid in jobs if pid not in ranks]
    if how == "mpiexec" and launchers:
        kill(launchers)
        return "mpiexec"
    if how == "one rank" and len(ranks) > 1:
        kill([a.random.choice(ranks)])
        return "one of several ranks"
    kill(ranks)
    return "all ranks" if ranks else "nothing"


def killed_job(kind, folder, number):
    """One job, killed at a random moment; what was killed, None where it ended before."""
    ranks, how = a.random.randint(1, 3), a.random.choice(("one rank", "all ranks", "mpiexec"))
    mark = f"{os.getpid()}.{number}"
    words = [attack.LAMELLA, "run", "run.yaml"]
    if ranks > 1 or how == "mpiexec":
        words = [*attack.MPIEXEC, "-n", str(ranks), *words]
    moment = a.random.uniform(0, longest[kind])
    with open(os.path.join(folder, "said"), "ab") as said:
        job = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=said,
                               stderr=said, env={**os.environ, MARK: mark}, start_new_session=True)
        try:
            status = job.wait(moment)
            a.count(f"jobs that ended before their kill with status {status}")
            a.judge(f"job {number} on {ranks} ranks: status 0", status == 0, status,
                    attack.read(os.path.join(folder, "said"), "r"))
            return None
        except subprocess.TimeoutExpired:
            victim = strike(mark, how)
            a.count(f"kills of {victim}, {kind}")
    left = wait_for_end(mark)
    a.judge(f"job {number}, {how} of {ranks} killed: no rank stays for 80 s",
            not ranks_of(left), left)
    if left:  # Open MPI's, where a rank was killed while it started
        a.count("launchers that stayed without ranks")
    kill(left)
    job.wait()
    return victim


def chain(kind, number, kills):
    """Kills, and then the run goes on to its end; the number of kills that were made."""
    folder, reference = a.fresh(f"chain{number}"), a.path("reference_" + kind)
    a.write(f"chain{number}/run.yaml", text[kind])
    made, victim, jobs = 0, "", 0
    while made < kills and victim is not None:
        victim = killed_job(kind, folder, f"{kind}.{number}.{jobs}")
        made += victim not in (None, "nothing")
        jobs += 1
    what = f"{kind} {number} after {made} kills"
    for ranks in (a.random.randint(1, 3), a.random.randint(1, 3)):
        done = attack.lamella(folder, "run", "run.yaml", ranks=ranks, limit=120)
        a.judge(f"{what}: goes on to the end on {ranks} ranks", done.status == 0, done)
    wrong = sum(attack.same_run(a, what, folder, reference, prefix, frames=prefix != "x.em")
                for prefix in PREFIXES[kind])
    kept = {name for name in os.listdir(folder) if ".damaged" in name}
    for name in kept:
        a.count("trajectories kept as damaged")
    for name in os.listdir(folder):
        if ".backup." in name:  # a job was killed before its first checkpoint
            kept.add(name)
            a.count("backups of jobs without a checkpoint")
    strange = {*os.listdir(folder)} - {*os.listdir(reference)} - kept - {"said"}
    a.judge(f"{what}: leaves nothing else", not strange, strange)
    for name in filter(lambda name: name.endswith((".h5", ".h5md", ".prev")), os.listdir(folder)):
        done = attack.lamella(folder, "info", name)
        a.judge(f"{what}: {name} is whole", done.status == 0, done)
    a.count("runs wrong at the end" if wrong else "runs equal at the end")
    if wrong:
        print(attack.read(os.path.join(folder, "said"), "r")[-3000:])
    return made


start = attack.build(a, "start", attack.MOLTEN)
text = {"run": attack.RUN.format(input=start, steps=STEPS, prefix="x", frames=4, energies=2, checkpoints=7)}
text["stages"] = text["run"] + STAGES
longest = {}
for kind, most in KILLS.items():
    a.write(f"reference_{kind}/run.yaml", text[kind])
    began = time.monotonic()
    one = attack.lamella(a.path("reference_" + kind), "run", "run.yaml", limit=200)
    longest[kind] = min(2.0, 0.9 * (time.monotonic() - began))
    a.judge("the uninterrupted run ends", one.status == 0, one)
    done, chains = 0, 0
    while done < most and chains <= 2 * most:
        done += chain(kind, chains, min(CHAIN, most - done))
        chains += 1
    a.judge("as many kills as asked for", done >= most, done)
a.end()
