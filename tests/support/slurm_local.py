"""A Slurm of its own for a test: munged, slurmctld and one slurmd a virtual node, on this machine,
with a key, configuration and ports of its own. The daemons are children of the test and end with
it, also when it is killed."""
import contextlib
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from run_lamella import skip

PR_SET_PDEATHSIG = 1
PROGRAMS = "munged slurmctld slurmd sbatch scontrol squeue srun scancel sinfo".split()
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random")  # pretend GPUs: any devices do
ENDED = ("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY",
         "TIMEOUT")

# cred_expire is also how long a requeued job waits: 120 s where nothing is said, 5 s at least.
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={top}/munge.sock,cred_expire={requeue_wait}
SlurmctldPort={controller_port}
StateSaveLocation={top}/state
SlurmdSpoolDir={top}/spool/%n
SlurmctldPidFile={top}/slurmctld.pid
SlurmdPidFile={top}/slurmd-%n.pid
SlurmctldLogFile={top}/slurmctld.log
SlurmdLogFile={top}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=batch_sched_delay=1,sched_interval=5,bf_interval=5
SlurmdParameters=config_overrides
SlurmdTimeout=20
SlurmctldTimeout=20
ReturnToService=2
MinJobAge=900
GresTypes=gpu
TmpFS={top}/tmp/%n
{settings}
PartitionName=all Nodes={names} Default=YES MaxTime=INFINITE OverSubscribe=NO State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def end_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def environment(pid):
    """Of a process, as {name: value}; empty where it is gone or somebody else's."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        pairs = file.read().decode(errors="replace").split("\0")
        return dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    return {}


class LocalSlurm:
    """with LocalSlurm(nodes=2) as slurm: slurm.command("sinfo"). settings: lines of slurm.conf."""

    ended = ENDED

    def __init__(self, nodes=1, cpus=4, gpus=2, settings="MpiDefault=pmix", requeue_wait=5):
        missing = [name for name in PROGRAMS if not self.find(name)]
        if missing:
            skip("no Slurm here (Debian: slurm-wlm munge): " + " ".join(missing))
        if os.getuid() != 0:
            skip("daemons of Slurm are started by root only")
        self.top = tempfile.mkdtemp(prefix="slurm.")
        os.chmod(self.top, 0o755)
        self.nodes = [f"n{k + 1}" for k in range(nodes)]
        self.daemons = {}
        self.environment = {**os.environ, "SLURM_CONF": os.path.join(self.top, "slurm.conf")}
        for name in list(self.environment):  # perhaps this test is a job of another Slurm
            if name.startswith(("SLURM_", "SBATCH_", "SRUN_")) and name != "SLURM_CONF":
                del self.environment[name]
        if nodes > 1:  # the nodes share one /dev/shm: no shared memory between ranks
            self.environment.update(OMPI_MCA_pml="ob1", OMPI_MCA_btl="self,tcp")
        self.configure(cpus, gpus, settings, requeue_wait)

    @staticmethod
    def find(name):
        return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")

    def configure(self, cpus, gpus, settings, requeue_wait):
        host = socket.gethostname().split(".")[0]
        controller_port, *ports = free_ports(1 + len(self.nodes))
        for name in ("state", *(f"spool/{node}" for node in self.nodes)):
            os.makedirs(os.path.join(self.top, name))
        with open(os.path.join(self.top, "key"), "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(os.urandom(1024))
        lines = [settings]
        generic = []
        for node, port in zip(self.nodes, ports):
            lines.append(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
                         f"CPUs={cpus} RealMemory=1000 Gres=gpu:{gpus} State=UNKNOWN")
            generic += [f"NodeName={node} Name=gpu File={file}\n" for file in DEVICES[:gpus]]
        with open(self.environment["SLURM_CONF"], "w") as file:
            file.write(CONFIGURATION.format(
                host=host, user="root", top=self.top, controller_port=controller_port,
                requeue_wait=requeue_wait, names=",".join(self.nodes), settings="\n".join(lines)))
        with open(os.path.join(self.top, "gres.conf"), "w") as file:
            file.writelines(generic)

    def start(self, name, *command, node=""):
        with open(os.path.join(self.top, name + ".out"), "ab") as log:
            self.daemons[name] = subprocess.Popen(
                [self.find(command[0]), *command[1:]], stdout=log, stderr=log,
                env={**self.environment, "SLURMD_NODENAME": node},
                stdin=subprocess.DEVNULL, start_new_session=True,
                preexec_fn=end_with_parent)

    def start_node(self, node):
        """What it left in its /tmp is gone, as after a reboot."""
        temporary = os.path.join(self.top, "tmp", node)
        shutil.rmtree(temporary, ignore_errors=True)
        os.makedirs(temporary)
        self.start("slurmd-" + node, "slurmd", "-D", "-N", node, node=node)

    def __enter__(self):
        path = os.path.join
        self.start("munged", "munged", "--foreground", "--force", "--key-file",
                   path(self.top, "key"), "--socket", path(self.top, "munge.sock"), "--pid-file",
                   path(self.top, "munged.pid"), "--log-file", path(self.top, "munged.log"),
                   "--seed-file", path(self.top, "seed"))
        self.wait_for(lambda: os.path.exists(path(self.top, "munge.sock")), 20)
        self.start("slurmctld", "slurmctld", "-D")
        for node in self.nodes:
            self.start_node(node)
        idle = ["idle"] * len(self.nodes)
        if not self.wait_for(lambda: self.command("sinfo", "-hN", "-o", "%T").split() == idle, 60):
            self.show_logs()
            self.__exit__()
            raise RuntimeError("the Slurm of this test does not start")
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Exception):
            self.command("scancel", "-u", "root")
            self.wait_for(lambda: not self.command("squeue", "-h"), 10)
        for name in sorted(self.daemons, key="munged".__eq__):
            self.daemons[name].terminate()
        for daemon in self.daemons.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(timeout=10)
        for pid in self.processes():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for daemon in self.daemons.values():
            daemon.wait()
        shutil.rmtree(self.top, ignore_errors=True)

    def processes(self, node=None):
        """Daemons, steps and jobs of this Slurm, or those of one node; never the test itself."""
        found = []
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            known = environment(pid)
            if known.get("SLURM_CONF") == self.environment["SLURM_CONF"] and pid != os.getpid():
                if node is None or known.get("SLURMD_NODENAME") == node:
                    found.append(pid)
        return found

    def kill_node(self, node):
        """What a power cut does to a node: its daemon, steps and ranks are gone without a word."""
        daemon = self.daemons["slurmd-" + node]
        for pid in [daemon.pid, *self.processes(node)]:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        daemon.wait()

    def command(self, *words, cwd=None, check=True, environment=None):
        done = subprocess.run(words, env={**self.environment, **(environment or {})}, cwd=cwd,
                              capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL)
        if check and done.returncode != 0:
            return ""
        return done.stdout if check else done

    def job(self, number):
        """What scontrol says of a job, as {field: value}."""
        words = self.command("scontrol", "-o", "show", "job", str(number)).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def state(self, number):
        return self.job(number).get("JobState", "")

    def wait_for(self, condition, seconds):
        end = time.time() + seconds
        while time.time() < end:
            if condition():
                return True
            time.sleep(0.2)
        return bool(condition())

    def wait_state(self, number, *states, seconds=400):
        """The fields of the job once it is in one of the states, or at the end of the time."""
        self.wait_for(lambda: self.state(number) in (states or ENDED), seconds)
        return self.job(number)

    def show_logs(self):
        for name in sorted(os.listdir(self.top)):
            if name.startswith("slurm") and name.endswith(".log"):
                with open(os.path.join(self.top, name), errors="replace") as file:
                    print(f"== {name}\n{file.read()[-2000:]}")
