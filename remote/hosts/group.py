"""The hosts of one fleet together: the same verbs on many hosts, in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from remote.errors import GroupError, RemoteError
from remote.hosts.connection import Connection, Result
from remote.hosts.inventory import Host, Inventory
from remote.hosts.ssh.link import Link
from remote.hosts.ssh.patience import Patience
from remote.hosts.ssh.received import Received

T = TypeVar("T")

TRANSFERS_AT_ONCE = 8
"""Hosts that files are copied to or from at the same time: more fill memory, not the network."""


class Fleet:
    """The connections to all hosts of an inventory; opened on first use, closed together.

    `patiently` repeats an action until all hosts have answered (`Patience`).
    """

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        self.patiently = Patience()
        self._gateways: dict[Host, Link] = {}
        self._connections = {
            h.name: Connection(h, self._gateway(h.jump), self.patiently) for h in inventory.hosts
        }

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getitem__(self, host: Host | str) -> Connection:
        return self._connections[host if isinstance(host, str) else host.name]

    def close(self) -> None:
        """Close all connections, those of jump hosts last; nobody waits for a host any more."""
        self.patiently.end()
        for connection in self._connections.values():
            connection.close()
        for gateway in reversed(self._gateways.values()):
            gateway.close()

    def losses(self, hosts: Iterable[Host]) -> dict[str, int]:
        """Return how many connections of `hosts` broke so far, by host name."""
        return {host.name: self[host].losses for host in hosts}

    def for_each(
        self,
        hosts: Iterable[Host],
        action: Callable[[Connection], T],
        *,
        at_once: int | None = None,
    ) -> dict[str, T]:
        """Run `action` on each host's connection at the same time; return the results by host.

        GroupError holds every host's result if several hosts fail; one host alone raises its own
        error.

        Parameters
        ----------
        at_once : on so many hosts at a time at most; None for all.
        """
        return in_parallel({h.name: partial(action, self[h]) for h in hosts}, at_once=at_once)

    def try_each(
        self,
        action: Callable[[Connection], T],
        hosts: Iterable[Host] | None = None,
        *,
        at_once: int | None = None,
    ) -> dict[str, T | RemoteError]:
        """Run `action` as `for_each`, by default on all hosts; errors are among the results."""

        def attempt(connection: Connection) -> T | RemoteError:
            try:
                return action(connection)
            except RemoteError as exc:
                return exc

        chosen = self.inventory.hosts if hosts is None else hosts
        return self.for_each(chosen, attempt, at_once=at_once)

    def run(
        self, command: str, hosts: Iterable[Host] | None = None, *, timeout_s: float = 30.0
    ) -> dict[str, Result]:
        """Run `command` on each host at the same time; GroupError has all results and errors."""
        return _all_of(self.try_each(lambda c: c.run(command, timeout_s=timeout_s), hosts))

    def put(self, local: Path, remote: str, hosts: Iterable[Host] | None = None) -> None:
        """Copy a local file to the path `remote`, relative to the work directory, of each host."""

        def put(connection: Connection) -> None:
            connection.put(local, f"{connection.host.work_dir}/{remote}")

        _all_of(self.try_each(put, hosts, at_once=TRANSFERS_AT_ONCE))

    def get(self, remote: str, hosts: Iterable[Host] | None = None) -> dict[str, Received]:
        """Return the files below the folder `remote`, relative to the work directory, by host."""

        def get(connection: Connection) -> Received:
            return connection.get_tree(f"{connection.host.work_dir}/{remote}")

        return _all_of(self.try_each(get, hosts, at_once=TRANSFERS_AT_ONCE))

    def _gateway(self, jump: Host | None) -> Link | None:
        """Return the link to a jump host, of which there is one for all hosts behind it."""
        if jump is None:
            return None
        if jump not in self._gateways:
            before = self._gateway(jump.jump)
            self._gateways[jump] = Link(jump, before)
        return self._gateways[jump]


def _all_of(outcomes: Mapping[str, T | RemoteError]) -> dict[str, T]:
    if any(isinstance(outcome, RemoteError) for outcome in outcomes.values()):
        raise GroupError(outcomes)
    return {n: outcome for n, outcome in outcomes.items() if not isinstance(outcome, RemoteError)}


def in_parallel(
    tasks: Mapping[str, Callable[[], T]], *, at_once: int | None = None
) -> dict[str, T]:
    """Run all `tasks` in threads and return their results by name.

    An interrupt returns at once; what still runs on hosts is then the caller's to stop. If several
    tasks fail, GroupError keeps all results and errors; a single error is raised as it is.

    Parameters
    ----------
    at_once : tasks at a time at most; None for all, as tasks need that wait for each other.
    """
    results: dict[str, T] = {}
    errors: dict[str, Exception] = {}
    executor = ThreadPoolExecutor(max_workers=at_once or max(1, len(tasks)))
    try:
        futures = {name: executor.submit(task) for name, task in tasks.items()}
        for name, future in futures.items():
            try:
                results[name] = future.result()
            except Exception as exc:
                errors[name] = exc
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
    if len(errors) == 1:
        raise next(iter(errors.values()))
    if errors:
        raise GroupError({**results, **errors})
    return results
