"""Which hosts talk to each other in an experiment, and which of them are measured at once."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from records.manifest_entries import Links
from remote.hosts.inventory import Host

Pair = tuple[Host, Host]

MOST_ALONE = 32
"""Pairs that are measured one after the other; hosts may be one machine, whose CPUs they share."""
MOST_MEASURED = 128
"""Of more pairs than this a sample is measured."""


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


def rounds(pairs: Sequence[Pair], *, most: int = MOST_MEASURED) -> list[list[Pair]]:
    """Return the pairs in rounds, of which each may be measured at once: few come one by one.

    In a round of more no host is in two pairs. With more than `most` pairs there are rounds until
    so many are measured and every host is; those that are in the fewest so far come first.
    """
    if len(pairs) <= MOST_ALONE:
        return [[pair] for pair in pairs]
    found: list[list[Pair]] = []
    measured: Counter[Host] = Counter()
    left, hosts = list(pairs), {host for pair in pairs for host in pair}
    while left and (sum(map(len, found)) < most or len(measured) < len(hosts)):
        chosen: dict[Host, Pair] = {}
        for pair in sorted(left, key=lambda pair: measured[pair[0]] + measured[pair[1]]):
            if not chosen.keys() & set(pair):
                chosen |= dict.fromkeys(pair, pair)
        measured.update(list(chosen))
        found.append(list(dict.fromkeys(chosen.values())))
        taken = set(found[-1])
        left = [pair for pair in left if pair not in taken]
    return found


def count_links(pairs: Sequence[Pair], measured: Sequence[Sequence[Pair]]) -> Links:
    """Count all pairs, those measured in rounds, and those of the largest round."""
    return Links(
        pairs=len(pairs),
        measured=sum(map(len, measured)),
        at_once=max(map(len, measured), default=0),
    )
