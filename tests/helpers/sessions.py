"""Sessions and fleets that follow a script instead of touching a host."""

from contextlib import contextmanager

from remote.errors import HostGone

GOOD_JOB = {
    "host": "c1",
    "name": "iperf3",
    "command": "iperf3",
    "exit_status": 0,
    "started_at_s": 0,
}
BAD_JOB = {**GOOD_JOB, "exit_status": 1}


class ScriptedSession:
    """Ends each run with the next of the given jobs; an exception is raised instead.

    What can be called is, and returns the job.
    """

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
        if callable(outcome):
            outcome = outcome()
        collected.manifest.jobs = [outcome]


class ScriptedFleet:
    """Hosts by name that answer everything, but for those in `gone` until they are `back`.

    Their connections broke as often as they are in `lost`.
    """

    def __init__(self, gone=(), back=()):
        self.gone, self.back = set(gone), set(back)
        self.lost = []

    def for_each(self, hosts, action, *, at_once=None):
        return {host: action(ScriptedConnection(host, host in self.gone)) for host in hosts}

    def losses(self, hosts):
        return {host: self.lost.count(host) for host in hosts}

    def patiently(self, action, *, on_silence):
        """Let hosts that are gone be back when they are missed for the first time, if they may."""
        try:
            return action()
        except HostGone as exc:
            on_silence(str(exc))
            self.gone -= self.back
            return action()


class ScriptedConnection:
    def __init__(self, name, is_gone):
        self.host = self
        self.name = name
        self.work_dir = "/work"
        self.is_gone = is_gone

    def run(self, command, **_):
        if self.is_gone:
            raise HostGone(self.name, "no answer", "Check the link.")
        self.stdout = ""
        return self
