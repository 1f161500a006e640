"""What PREFIX.log says about the jobs of a run."""
import re

from .files import read_text

STATUS = {0: "finished", 2: "wrong input", 3: "numerical failure", 4: "input or output failed",
          5: "a rank or its host was lost", 99: "stopped early, ready to go on"}
LINE = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)  (.*)")
BEGIN = re.compile(r"(starting from|going on from) '")
STAGE = re.compile(r"stage \S+, \d+ of \d+")  # before BEGIN, in a run with stages
HEAD = re.compile(r"lamella (\S+) \(([^)]*)\), compiler (.*), MPI (.*), HDF5 (.*), CUDA (.*)$")
STEP = re.compile(r"[ ,]step (\d+)[, ]")


class Job:
    """began, ended: times as text. status: exit status, None if it wrote no last line. version, git,
    libraries, command, places (hosts and devices), input (YAML), first_step, warnings and last: the
    last message."""

    def __init__(self, began):
        self.began = self.ended = began
        self.status = self.first_step = None
        self.begins = False  # BEGIN was read
        self.version = self.git = self.command = self.input = self.last = ""
        self.libraries, self.places, self.warnings = {}, [], []

    def read(self, time, message):
        self.ended = time
        head = HEAD.match(message)
        if head:
            self.version, self.git = head.group(1), head.group(2)
            self.libraries = dict(zip(("compiler", "MPI", "HDF5", "CUDA"), head.groups()[2:]))
        elif message.startswith("command: "):
            self.command = message[9:]
        elif re.match(r"ranks \d+ to \d+: ", message):
            first, last, place = re.match(r"ranks (\d+) to (\d+): (.*)", message).groups()
            self.places.append(f"rank {first}: {place}" if first == last
                               else f"ranks {first} to {last}: {place}")
        elif message.startswith("the job ends with status "):
            self.status = int(message.split()[-1])
        else:
            if BEGIN.match(message):
                self.begins = True
                found = STEP.search(message)
                self.first_step = int(found.group(1)) if found else None
            if message.startswith("lamella: warning: "):
                self.warnings.append(message[18:])
            if message.strip():
                self.last = message

    @property
    def said(self):
        if self.status is None:
            return "no last message: it is running, or was killed"
        return STATUS.get(self.status, f"status {self.status}")


def read_log(path):
    """The jobs of a log, in their order."""
    jobs, open_input = [], False
    for line in read_text(path).splitlines():
        found = LINE.match(line)
        if not found:
            if jobs and open_input:
                jobs[-1].input += line.strip("\n")[22:] + "\n"
            continue
        time, message = found.groups()
        open_input = message == "effective input:"
        next_one = BEGIN.match(message) or STAGE.match(message)
        if not jobs or jobs[-1].status is not None or next_one and jobs[-1].begins:
            jobs.append(Job(time))
        if not open_input:
            jobs[-1].read(time, message)
    return jobs
