"""Which hosts talk to each other in an experiment."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from remote.hosts.inventory import Host

Pair = tuple[Host, Host]


def request_pairs(roles: Mapping[str, Sequence[Host]]) -> list[Pair]:
    """Return the pairs between which requests travel, each from who asks to who answers.

    Clients ask all middlewares and these all servers; without middlewares clients ask all servers.
    """
    clients, middlewares, servers = (
        roles.get(role, ()) for role in ("clients", "middlewares", "servers")
    )
    if not middlewares:
        return list(itertools.product(clients, servers))
    return [*itertools.product(clients, middlewares), *itertools.product(middlewares, servers)]


def reply_pairs(roles: Mapping[str, Sequence[Host]]) -> list[Pair]:
    """Return the pairs of `request_pairs` the other way round, as replies travel."""
    return [(target, source) for source, target in request_pairs(roles)]


def first_of_alike(pairs: Iterable[Pair]) -> list[Pair]:
    """Return the first of the pairs for each two roles and limit of the sender's link."""
    first: dict[tuple[str, str, float | None], Pair] = {}
    for sender, receiver in pairs:
        alike = (sender.role, receiver.role, sender.rate_mbit_per_s)
        first.setdefault(alike, (sender, receiver))
    return list(first.values())
