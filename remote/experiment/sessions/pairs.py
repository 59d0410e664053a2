"""Which hosts talk to each other in an experiment."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from remote.hosts.inventory import Host

Pair = tuple[Host, Host]


def request_pairs(roles: Mapping[str, Sequence[Host]]) -> list[Pair]:
    """Return the pairs between which requests travel, each from who asks to who answers.

    Clients ask all middlewares and these all servers and databases; without middlewares clients ask
    them.
    """
    clients, middlewares = roles.get("clients", ()), roles.get("middlewares", ())
    behind = [*roles.get("servers", ()), *roles.get("databases", ())]
    if not middlewares:
        return list(itertools.product(clients, behind))
    return [*itertools.product(clients, middlewares), *itertools.product(middlewares, behind)]


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
