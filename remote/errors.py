"""What can go wrong with hosts, files and the lab, each error naming the place and the remedy.

Drawn as the tree they form:

RemoteError
├── HostUnreachable        no SSH connection: wrong address, host down, key refused
│   ├── HostKeyRejected    the host shows another key than known_hosts pins, or none is pinned
│   └── HostGone           it does not answer now, and may do so in a while
│       └── ConnectionLost the connection broke while it was used
├── HostLeased             another controller uses the host
├── CommandFailed          a command ended with a status other than 0
├── CommandTimeout         a command did not end in time
├── TransferFailed         a file could not be copied
├── BadAnswer              a host answered what cannot be: too much, or no number
├── MissingTool            a program that a role needs is not on the host
├── ClockOffset            a host's clock differs so much that seconds cannot be compared
├── PortInUse              something else listens where a service should
├── AlwaysRejected         attempt after attempt comes to nothing for the same reason
└── GroupError             some hosts of a group failed; the others' results are kept
LabError                   the local lab could not be built, found or taken down
ConfigError                a data file (inventory, topology, section) is wrong

Whatever asks a host may raise a RemoteError, whatever builds or uses a lab a LabError, and whatever
reads a file of a user a ConfigError: docstrings name only other errors, and those that callers
tell apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from records.text.visible import shortened, visible

DISK_FULL = "No space left"
DISK_REMEDY = "The disk of the host may be full: free space there (`df -h`) and run again."


class RemoteError(Exception):
    """Base of all errors that concern a remote host; its text cannot steer a terminal."""

    def __init__(self, message: str) -> None:
        super().__init__(shortened(visible(message)))


class HostUnreachable(RemoteError):
    """No SSH connection to a host could be made."""

    happened = "cannot connect"

    def __init__(self, host: str, reason: str, remedy: str) -> None:
        self.host = host
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"{host}: {self.happened}: {reason.removesuffix('.')}. {remedy}")


class HostKeyRejected(HostUnreachable):
    """The host's key is not the pinned one; nothing was sent to it."""


class HostGone(HostUnreachable):
    """A host does not answer, or not yet: its link may be down, or it may be booting."""


class ConnectionLost(HostGone):
    """A connection broke; whether its last command was executed is unknown."""

    happened = "connection lost"


class HostLeased(RemoteError):
    """Another controller uses a host: the two would end each other's jobs."""

    def __init__(self, host: str, reason: str) -> None:
        self.host = host
        super().__init__(f"{host}: in use by another controller, {reason}")


class CommandFailed(RemoteError):
    """A command ended with a non-zero exit status."""

    def __init__(
        self, host: str, command: str, exit_status: int, stderr_tail: str, remedy: str = ""
    ) -> None:
        self.host = host
        self.command = command
        self.exit_status = exit_status
        self.stderr_tail = stderr_tail
        detail = stderr_tail.strip() or "no message on stderr"
        hint = f"\n  {remedy}" if remedy else ""
        super().__init__(f"{host}: `{command}` ended with status {exit_status}: {detail}{hint}")


class CommandTimeout(RemoteError):
    """A command ran longer than it was allowed to, or did not do in time what it should."""

    def __init__(self, host: str, command: str, timeout_s: float, did_not: str = "end") -> None:
        self.host = host
        self.command = command
        self.timeout_s = timeout_s
        super().__init__(
            f"{host}: `{command}` did not {did_not} within {timeout_s:g} s. "
            "The host may be overloaded or its link down: try `lab status`."
        )


class TransferFailed(RemoteError):
    """A file could not be copied to or from a host."""

    def __init__(self, host: str, path: str, reason: str, remedy: str = "") -> None:
        self.host = host
        self.path = path
        super().__init__(
            f"{host}: cannot copy {path}: {reason}." + (f" {remedy}" if remedy else "")
        )


class BadAnswer(RemoteError):
    """A host gave an impossible answer: it is broken, or hostile."""

    def __init__(self, host: str, asked: str, reason: str) -> None:
        self.host = host
        self.asked = asked
        super().__init__(
            f"{host}: its answer to `{asked}` cannot be: {reason}. Look at what it runs, and at "
            "what its user's shell writes when it starts."
        )


class MissingTool(RemoteError):
    """A program that a host needs is missing, too old, or not for its user."""

    def __init__(self, host: str, tool: str, remedy: str, state: str = "missing") -> None:
        self.host = host
        self.tool = tool
        self.remedy = remedy
        super().__init__(f"{host}: `{tool}` is {state}. {remedy}")


class ClockOffset(RemoteError):
    """The clock of a host is not that of the control host."""

    def __init__(self, host: str, offset_s: float) -> None:
        self.host = host
        self.offset_s = offset_s
        super().__init__(
            f"{host}: its clock is {offset_s:+.2f} s off: results of different hosts could not be "
            "put side by side. Synchronise it: `apt-get update && apt-get install -y chrony && "
            "chronyc makestep`."
        )


class PortInUse(RemoteError):
    """A service cannot start because its port is taken."""

    def __init__(self, host: str, port: int, owner: str) -> None:
        self.host = host
        self.port = port
        super().__init__(
            f"{host}: port {port} is in use by {owner or 'an unknown process'}. "
            f"End it (on the host: `ss -ltnp 'sport = :{port}'` shows it) and run again."
        )


class AlwaysRejected(RemoteError):
    """So many attempts in a row failed for one reason that the next would fail, too."""

    def __init__(self, attempts: int, run: str, reason: str) -> None:
        super().__init__(
            f"{attempts} attempts in a row came to nothing for the same reason, the last at {run}: "
            f"{reason}. Measuring ends here, and all that was accepted is kept. Mend that, and run "
            "again, with `--retry` to include what was given up."
        )


class GroupError(RemoteError):
    """At least one host of a group failed, or one of several jobs; `results` has all outcomes.

    Its text names all hosts that failed and holds the first few errors in full.
    """

    TOLD_IN_FULL = 5

    def __init__(self, results: Mapping[str, object]) -> None:
        self.results = dict(results)
        failed = {n: r for n, r in self.results.items() if isinstance(r, BaseException)}
        by_host = {name: str(getattr(error, "host", name)) for name, error in failed.items()}
        hosts = list(dict.fromkeys(by_host.values()))
        # Of several jobs on a host each has a result of its own: then it is jobs that are counted.
        what = "hosts failed" if hosts == list(failed) else f"jobs failed, on {', '.join(hosts)}"
        lines = [str(error) for error in list(failed.values())[: self.TOLD_IN_FULL]]
        if len(failed) > len(lines):
            others = dict.fromkeys(list(by_host.values())[len(lines) :])
            lines.append(f"and {len(failed) - len(lines)} more, of {', '.join(others)}")
        super().__init__("\n".join([f"{len(failed)} of {len(self.results)} {what}:", *lines]))


class LabError(Exception):
    """The local lab could not be built, used or taken down."""

    def __init__(self, message: str, remedy: str) -> None:
        self.remedy = remedy
        super().__init__(f"{message}. {remedy}")


class ConfigError(Exception):
    """A data file is wrong; nothing was done yet. It may be someone else's."""

    def __init__(self, path: Path | str, message: str) -> None:
        self.path = Path(path)
        super().__init__(shortened(visible(f"{path}: {message}")))
