"""Sessions and fleets that follow a script instead of touching a host."""

from contextlib import contextmanager

from remote.errors import HostUnreachable

GOOD_JOB = {"host": "c1", "name": "iperf3", "exit_status": 0}
BAD_JOB = {"host": "c1", "name": "iperf3", "exit_status": 1}


class ScriptedSession:
    """Ends each run with the next of the given jobs; an exception is raised instead."""

    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)
        self.opened = 0

    @contextmanager
    def open(self):
        self.opened += 1
        yield self

    def measure(self, run, collected):
        collected.files["c1/ping-s1.txt"] = b"rtt"
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, BaseException):
            raise outcome
        collected.manifest["jobs"] = [outcome]


class ScriptedFleet:
    """Hosts by name that answer everything, but for those in `gone`."""

    def __init__(self, gone=()):
        self.gone = set(gone)

    def for_each(self, hosts, action, *, at_once=None):
        return {host: action(ScriptedConnection(host, host in self.gone)) for host in hosts}


class ScriptedConnection:
    def __init__(self, name, is_gone):
        self.host = self
        self.name = name
        self.work_dir = "/work"
        self.is_gone = is_gone

    def run(self, command, **_):
        if self.is_gone:
            raise HostUnreachable(self.name, "no answer", "Check the link.")
        self.stdout = ""
        return self
