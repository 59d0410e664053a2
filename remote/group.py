"""The hosts of one fleet together: the same verbs on many hosts, in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from remote.connection import Connection
from remote.errors import GroupError
from remote.inventory import Host, Inventory

T = TypeVar("T")


class Fleet:
    """The connections to all hosts of an inventory; opened on first use, closed together."""

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        self._connections = {h.name: Connection(h) for h in inventory.hosts}

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getitem__(self, host: Host | str) -> Connection:
        return self._connections[host if isinstance(host, str) else host.name]

    def close(self) -> None:
        """Close all connections."""
        for connection in self._connections.values():
            connection.close()

    def for_each(self, hosts: Iterable[Host], action: Callable[[Connection], T]) -> dict[str, T]:
        """Run `action` on the connection of each host at the same time.

        Returns
        -------
        The results by host name.

        Raises
        ------
        GroupError
            At least one host failed; it holds every host's result. One host alone raises its own
            error.
        """
        return in_parallel({h.name: partial(action, self[h]) for h in hosts})


def in_parallel(tasks: Mapping[str, Callable[[], T]]) -> dict[str, T]:
    """Run all `tasks` in threads and return their results by name.

    An interrupt returns at once; what still runs on hosts is then the caller's to stop.

    Raises
    ------
    GroupError
        Several tasks failed; results and exceptions of all are kept in it. If only one failed,
        its own exception is raised.
    """
    results: dict[str, T] = {}
    errors: dict[str, Exception] = {}
    executor = ThreadPoolExecutor(max_workers=max(1, len(tasks)))
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
