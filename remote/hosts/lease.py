"""One controller at a time uses a host: it has the host's lease, and renews it while it measures.

The lease is a small file in the host's working directory (lease.sh). Whoever has not renewed it for
`FREE_AFTER_S` has lost it, and a controller of this machine that has ended has lost it at once.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shlex
import socket
import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from remote.errors import HostLeased, RemoteError
from remote.hosts.connection import Connection
from remote.hosts.group import Fleet
from remote.hosts.host import Host
from remote.hosts.ssh.patience import PATIENCE_S

FREE_AFTER_S = round(PATIENCE_S) + 300
"""Who does not hear of a host for so long has ended, as it was patient for less."""
RENEW_S = 60.0
FILE = "lease"
_SCRIPT = Path(__file__).with_name("lease.sh")
_TIMEOUT_S = 20.0
_LATEST_S = 1 << 33  # in epoch seconds; in the year 2242
_in_use: set[str] = set()  # tokens of this process


@dataclass(frozen=True, kw_only=True)
class Holder:
    """Who has the lease of a host, as the host tells; times in epoch seconds of its clock."""

    now_s: int
    renewed_s: int
    since_s: int
    token: str
    name: str

    @classmethod
    def parse(cls, text: str) -> Holder | None:
        """Read what lease.sh prints.

        The input is ``1795000060 1795000048 1795000000 TOKEN laptop, process 4711, campaign x``.
        None where nobody else has the lease; ValueError if the line is invalid.
        """
        if not text.strip():
            return None
        *times, token, name = text.split(maxsplit=4)
        now_s, renewed_s, since_s = map(int, times)
        if not all(0 <= time_s < _LATEST_S for time_s in (now_s, renewed_s, since_s)):
            raise ValueError(text)
        return cls(
            now_s=now_s, renewed_s=renewed_s, since_s=since_s, token=token, name=name.strip()
        )

    def refusal(self, host: Host) -> HostLeased:
        """Return the error for who wants the host, too."""
        began = datetime.now(UTC) - timedelta(seconds=self.now_s - self.since_s)
        return HostLeased(
            host.name,
            f"{self.name}, since {began:%Y-%m-%d %H:%M} UTC; it was heard of "
            f"{self.now_s - self.renewed_s} s ago. Wait until it is done, or end it there. If it "
            f"is gone the host is free when nothing was heard of it for {FREE_AFTER_S} s, or at "
            f"once if you remove {host.work_dir}/{FILE} there.",
        )


class Leases:
    """The leases that a controller has on hosts of `fleet`; others are shown the `purpose`."""

    def __init__(self, fleet: Fleet, purpose: str) -> None:
        self.fleet = fleet
        self._token = own_token()
        _in_use.add(self._token)
        self._name = f"{socket.gethostname()}, process {os.getpid()}, {purpose}"
        self._taken: set[Host] = set()
        self._spare: set[str] = set()
        self._lost: RemoteError | None = None

    def take(self, host: Host) -> None:
        """Take the lease of a host; HostLeased if another controller has it."""
        connection = self.fleet[host]
        connection.open()
        self._taken.add(host)  # it may be ours though no answer comes
        holder = self._ask(connection, "take")
        if holder is not None and has_ended(holder.token):
            holder = self._ask(connection, "take", ended=holder.token)
        if holder is not None:
            self._taken.remove(host)
            raise holder.refusal(host)

    def take_free(self, hosts: Collection[Host]) -> list[Host]:
        """Take the leases of those `hosts` that answer and are free; return these hosts."""
        self._spare |= {host.name for host in hosts}
        outcomes = self.fleet.try_each(lambda connection: self.take(connection.host), hosts)
        return [host for host in hosts if outcomes[host.name] is None]

    def require(self, *, now: bool = False) -> None:
        """Raise HostLeased if another controller has taken a host; `now` asks the hosts first."""
        if now:
            self.renew_all()
        if self._lost is not None:
            raise self._lost

    @contextlib.contextmanager
    def renewed(self) -> Iterator[None]:
        """Renew all that were taken now and then, in a thread, until the block ends."""
        ending = threading.Event()

        def renew() -> None:
            while not ending.wait(RENEW_S):
                self.renew_all()

        thread = threading.Thread(target=renew, name="leases", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ending.set()  # what is being renewed may go on: what was returned is not renewed

    def renew_all(self) -> list[Host]:
        """Renew all that were taken; return the hosts that answered and are still ours."""

        def renew(connection: Connection) -> bool:
            holder = self._ask(connection, "renew")
            if holder is not None and connection.host.name not in self._spare:
                self._lost = holder.refusal(connection.host)
            return holder is None

        hosts = list(self._taken)
        outcomes = self.fleet.try_each(renew, hosts)
        return [host for host in hosts if outcomes[host.name] is True]

    def give_back(self) -> None:
        """Return all; one that a silent host keeps is void in this process, and elsewhere later."""
        _in_use.discard(self._token)
        self.fleet.try_each(lambda c: self._ask(c, "return"), list(self._taken))

    def _ask(self, connection: Connection, verb: str, *, ended: str = "") -> Holder | None:
        folder = connection.host.work_dir
        words = [verb, folder, str(FREE_AFTER_S), self._token, self._name, ended]
        result = connection.run(
            shlex.join(["sh", "-s", "--", *words]),
            stdin=_SCRIPT.read_text(),
            shown=f"lease.sh {verb} {folder}",
            timeout_s=_TIMEOUT_S,
            idempotent=True,
        )
        return result.read(Holder.parse)


@contextlib.contextmanager
def leased(fleet: Fleet, hosts: Sequence[Host], purpose: str) -> Iterator[Leases]:
    """Have the leases of `hosts` inside the block; HostLeased or GroupError if others have any.

    The first host is asked before all others, so that of two controllers that want the same hosts
    at the same time one gets them.
    """
    leases = Leases(fleet, purpose)
    try:
        for group in (hosts[:1], hosts[1:]):
            fleet.for_each(group, lambda connection: leases.take(connection.host))
        with leases.renewed():
            yield leases
    finally:
        leases.give_back()


def own_token() -> str:
    """Return a word that names a use of this process for all time: machine, process, use."""
    return f"{_machine()}.{os.getpid()}.{secrets.token_hex(4)}"


def has_ended(token: str) -> bool:
    """Whether a token is of a process of this machine that has ended, or of a past use."""
    found = re.fullmatch(r"(.+)\.([0-9]{1,9})\.[0-9a-f]+", token)
    if found is None or found[1] != _machine():
        return False
    if int(found[2]) == os.getpid():
        return token not in _in_use
    return not Path("/proc", found[2]).exists()


def _machine() -> str:
    """Return what names this machine since it was booted, and whose numbers its processes have."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}-{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:  # no Linux: nobody else will have this name
        return secrets.token_hex(8)
