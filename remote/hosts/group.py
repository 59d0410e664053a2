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

    Attributes
    ----------
    patiently : does what may be done again until all hosts have answered (`Patience`).
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
        """Run `action` on the connection of each host at the same time.

        Parameters
        ----------
        at_once : on so many hosts at a time at most; None for all.

        Returns
        -------
        The results by host name.

        Raises
        ------
        GroupError
            At least one host failed; it holds every host's result. One host alone raises its own
            error.
        """
        return in_parallel({h.name: partial(action, self[h]) for h in hosts}, at_once=at_once)

    def try_each(
        self,
        action: Callable[[Connection], T],
        hosts: Iterable[Host] | None = None,
        *,
        at_once: int | None = None,
    ) -> dict[str, T | RemoteError]:
        """Run `action` on each host at the same time, by default on all of the inventory.

        As `for_each`, but errors are among the results.

        Returns
        -------
        By host name what `action` returned there, or the error with which it failed there.
        """

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
        """Run `command` on each host at the same time; see `Connection.run`.

        Raises
        ------
        GroupError
            It failed on a host; ``results`` has every host's result or error. So for all verbs.
        """
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
    """Return the results if there is no error among them."""
    if any(isinstance(outcome, RemoteError) for outcome in outcomes.values()):
        raise GroupError(outcomes)
    return {n: outcome for n, outcome in outcomes.items() if not isinstance(outcome, RemoteError)}


def in_parallel(
    tasks: Mapping[str, Callable[[], T]], *, at_once: int | None = None
) -> dict[str, T]:
    """Run all `tasks` in threads and return their results by name.

    An interrupt returns at once; what still runs on hosts is then the caller's to stop.

    Parameters
    ----------
    at_once : so many at a time at most; None for all, as tasks need that wait for each other.

    Raises
    ------
    GroupError
        Several tasks failed; results and exceptions of all are kept in it. If only one failed,
        its own exception is raised.
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
