"""Who gets how much: shares of servers on a ring of hashes, measured and as the ring has them."""

from collections.abc import Mapping, Sequence
from hashlib import md5

import numpy as np
import pandas as pd

from analysis.chapters.routing_and_replication.replication import (
    of_ring,
    request_counts,
    write_fraction,
)
from analysis.laws.routing import request_shares
from analysis.tables.frames import Tables
from analysis.text.formatting import Format

VIRTUAL_NODES = 200  # of each server on the middleware's ring
SHARE_FORMATS: dict[str, Format] = {
    "Share (%)": ".2f",
    "SD (%)": ".2f",
    "Ring (%)": ".2f",
    "Difference (points)": "+.2f",
    "SD of chance (points)": ".2f",
}
_CIRCLE = 2**32


def shares_table(
    tables: Tables, addresses: Mapping[str, str], keys: Sequence[str], workers: int
) -> pd.DataFrame:
    r"""Put the share of each server beside what the ring gives for the keys that are asked for.

    Parameters
    ----------
    tables
        From `with_systems`.
    addresses
        Server to its address as the middleware knows it, in the middleware's order.
    keys
        All keys of the load, asked for at random.
    workers
        Of a middleware.

    Returns
    -------
    pandas.DataFrame
        Of `request_shares` by `replicas`, with `expected`, `difference` (measured less expected)
        and `chance`, the standard deviation :math:`\sqrt{s (1 - s) / n}` that n random keys leave;
        all fractions.
    """
    rings, counts = of_ring(tables.servers), of_ring(request_counts(tables))
    shares = request_shares(rings[rings["workers"] == workers], ["replicas"])
    sets = write_fraction(counts[counts["workers"] == workers])
    parts = []
    for copies in sorted(shares["replicas"].unique()):
        rows = shares[shares["replicas"] == copies]
        expected = expected_shares(
            list(addresses.values()), keys, replicas=int(copies), write_fraction=sets
        )
        parts.append(rows.assign(expected=rows["server"].map(addresses).map(expected)))
    table: pd.DataFrame = pd.concat(parts, ignore_index=True)
    asked = table.groupby("replicas")["requests"].transform("sum")
    table["difference"] = table["share_mean"] - table["expected"]
    table["chance"] = np.sqrt(table["expected"] * (1 - table["expected"]) / asked)
    return table


def shown_shares(shares: pd.DataFrame) -> pd.DataFrame:
    """Name the columns of `shares_table` for a table, in percent and percentage points."""
    columns = ["share_mean", "share_sd", "expected", "difference", "chance"]
    percent = (shares[columns] * 100).set_axis(list(SHARE_FORMATS), axis="columns")
    return shares[["replicas", "server"]].join(percent)


def ring_shares(
    servers: Sequence[str], *, keys: Sequence[str] | None = None, virtual_nodes: int = VIRTUAL_NODES
) -> pd.Series:
    """Share of the keys that each server owns on the middleware's consistent-hash ring.

    Parameters
    ----------
    servers
        As the middleware is given them, ``198.18.0.31:11211``: a server stands where the first 32
        bits of the MD5 of ``<server>-<number>`` are.
    keys
        The keys that are asked for; without them shares are those of the circle, which many
        keys come to.
    virtual_nodes
        Places of each server, at least 1.

    Returns
    -------
    pandas.Series
        Fraction by server, in the order given.

    Raises
    ------
    ValueError
        No server, one twice, no key, or `virtual_nodes` below 1.

    References
    ----------
    Karger et al. 1997, doi:10.1145/258533.258660; Khalil 2016, section 1.
    """
    if not servers or len(set(servers)) < len(servers):
        raise ValueError(f"servers must be different ones, at least one, got {list(servers)}")
    if virtual_nodes < 1:
        raise ValueError(f"virtual_nodes must be >= 1, got {virtual_nodes}")
    places, owners = _ring(servers, virtual_nodes)
    if keys is None:
        arcs = np.diff(places, prepend=places[-1] - _CIRCLE)  # a key goes to the next place
        owned = np.bincount(owners, weights=arcs, minlength=len(servers))
    else:
        if not len(keys):
            raise ValueError("keys must hold at least one key, got none")
        at = np.searchsorted(places, [_place(key) for key in keys]) % len(places)
        owned = np.bincount(owners[at], minlength=len(servers))
    return pd.Series(owned / owned.sum(), index=list(servers), name="share")


def expected_shares(
    servers: Sequence[str], keys: Sequence[str], *, replicas: int, write_fraction: float
) -> pd.Series:
    r"""Share of the requests that the ring sends to each server.

    A get goes to the first server of its key, a set to the first R different ones. With the share
    :math:`p_i` of the keys that server i is first for, and :math:`q_i` of those that it holds,

    .. math:: s_i = \frac{(1 - f) p_i + f q_i}{1 - f + f R}

    Parameters
    ----------
    servers, keys
        As for `ring_shares`; every key is asked for equally often.
    replicas
        R = 1..number of servers.
    write_fraction
        Sets among the requests, f in 0..1.

    Returns
    -------
    pandas.Series
        Fraction by server, in the order given.

    Raises
    ------
    ValueError
        An argument out of its domain.
    """
    if not 1 <= replicas <= len(servers):
        raise ValueError(f"replicas must be 1 to {len(servers)}, got {replicas}")
    if not 0 <= write_fraction <= 1:
        raise ValueError(f"write_fraction must be in [0, 1], got {write_fraction}")
    first = ring_shares(servers, keys=keys).to_numpy()
    places, owners = _ring(servers, VIRTUAL_NODES)
    held = np.zeros(len(servers))
    for at in np.searchsorted(places, [_place(key) for key in keys]):
        behind = np.roll(owners, -(at % len(owners)))
        held[list(dict.fromkeys(behind.tolist()))[:replicas]] += 1
    requests = (1 - write_fraction) * first + write_fraction * held / len(keys)
    return pd.Series(requests / requests.sum(), index=list(servers), name="share")


def _ring(servers: Sequence[str], virtual_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Places on the ring, rising, and whose they are, by number."""
    nodes = sorted(
        (_place(f"{server}-{number}"), owner)
        for owner, server in enumerate(servers)
        for number in range(virtual_nodes)
    )
    places, owners = (np.array(column) for column in zip(*nodes, strict=True))
    return places, owners


def _place(text: str) -> int:
    return int.from_bytes(md5(text.encode(), usedforsecurity=False).digest()[:4], "big")
