"""Routing and replication: who gets how much, what copies cost, what a middleware costs."""

from collections.abc import Sequence
from hashlib import md5

import numpy as np
import pandas as pd

from analysis.statistics.intervals import aggregate
from analysis.tables.frames import SETTINGS

VIRTUAL_NODES = 200  # of each server on the middleware's ring
_CIRCLE = 2**32


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


def request_shares(servers: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Share of the requests that each server was sent in the stable window, over repetitions.

    Parameters
    ----------
    servers
        `analysis.tables.frames.Tables.servers`.
    by
        What makes a system, such as ``["replicas"]``.

    Returns
    -------
    pandas.DataFrame
        `by`, `server`, `share_mean`, `share_sd`, `share_ci_low`, `share_ci_high`,
        `share_repetitions`, and `requests` (of all repetitions).
    """
    stable = servers[servers["stable"]]
    setting = [name for name in ("section", "workload", "num_clients", *SETTINGS) if name in stable]
    run = list(dict.fromkeys([*by, *setting, "repetition"]))
    sums = stable.groupby([*run, "server"], dropna=False)["throughput_ops_per_s"].sum()
    runs = sums.rename("requests").reset_index()
    total = runs.groupby(run, dropna=False)["requests"].transform("sum")
    runs["share"] = runs["requests"] / total
    table = aggregate(runs, [*by, "server"], ["share"])
    requests = runs.groupby([*by, "server"], dropna=False)["requests"].sum().reset_index()
    return table.merge(requests, on=[*by, "server"])


def replicated_throughput(
    write_fraction: float, replicas: Sequence[int], num_servers: int, server_rate: float
) -> pd.DataFrame:
    r"""Bound the throughput of servers that are the limit, by the number of copies of a set.

    A get asks one server, a set all R that hold the key:

    .. math:: X(R) \le \frac{m \mu}{1 - f + f R}

    Parameters
    ----------
    write_fraction
        Sets among the requests, f in 0..1.
    replicas
        Copies of every key, R = 1..m.
    num_servers
        m >= 1.
    server_rate
        Requests/s that one server answers, > 0.

    Returns
    -------
    pandas.DataFrame
        `replicas`, `requests_per_request` (that servers get for one of a client),
        `throughput_ops_per_s` (bound), `cost` (fraction of the throughput of one copy that is
        lost).

    Raises
    ------
    ValueError
        An argument out of its domain.
    """
    if not 0 <= write_fraction <= 1:
        raise ValueError(f"write_fraction must be in [0, 1], got {write_fraction}")
    copies = np.asarray(replicas, dtype=float)
    if not np.all((copies >= 1) & (copies <= num_servers)):
        raise ValueError(f"replicas must be 1 to {num_servers}, got {list(replicas)}")
    if not server_rate > 0:
        raise ValueError(f"server_rate must be > 0, got {server_rate}")
    visits = 1 - write_fraction + write_fraction * copies
    return pd.DataFrame(
        {
            "replicas": copies.astype(int),
            "requests_per_request": visits,
            "throughput_ops_per_s": num_servers * server_rate / visits,
            "cost": 1 - 1 / visits,
        }
    )


def overhead(direct: pd.DataFrame, through: pd.DataFrame) -> pd.DataFrame:
    """Tell what a middleware costs, as Khalil does: with it less without it.

    Parameters
    ----------
    direct, through
        Rows of `analysis.sections.summary.cells`, one without and one or more with a middleware.

    Returns
    -------
    pandas.DataFrame
        One row for each row of `through` and measure: the settings that `through` has, `measure`,
        `without_middleware`, `with_middleware`, `overhead`, `relative_overhead` (of what it is
        without), and `significant` (the 95 % confidence intervals do not overlap; missing without
        repetitions).

    Raises
    ------
    ValueError
        Not one row without middleware, or none with it.
    """
    if len(direct) != 1 or through.empty:
        raise ValueError(
            f"one row without and at least one with a middleware are needed, got {len(direct)} "
            f"and {len(through)}"
        )
    base = direct.iloc[0]
    known = [name for name in SETTINGS if name in through]
    rows = []
    for _, cell in through.iterrows():
        for measure in ("client_throughput_ops_per_s", "client_response_time_ms"):
            before, after = base[f"{measure}_mean"], cell[f"{measure}_mean"]
            apart = (
                cell[f"{measure}_ci_low"] > base[f"{measure}_ci_high"]
                or cell[f"{measure}_ci_high"] < base[f"{measure}_ci_low"]
            )
            judged = pd.notna(cell[f"{measure}_ci_low"]) and pd.notna(base[f"{measure}_ci_low"])
            rows.append(
                {
                    **{name: cell[name] for name in known},
                    "measure": measure,
                    "without_middleware": before,
                    "with_middleware": after,
                    "overhead": after - before,
                    "relative_overhead": after / before - 1,
                    "significant": bool(apart) if judged else pd.NA,
                }
            )
    return pd.DataFrame(rows).astype({"significant": "boolean"})
