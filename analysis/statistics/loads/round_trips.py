"""Round trips that a lab emulates where its hosts are not equally far from each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

from analysis.units import ms_to_s
from records.manifest_entries import Topology

if TYPE_CHECKING:  # pandas is slow to import
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class RoundTrips:
    """What is emulated on the ways of a run's requests, undilated, in ms.

    Attributes
    ----------
    of_clients
        For each generator: the host that it talks to, and the round trip.
    of_middlewares
        Each middleware to its round trips to all servers; empty where clients talk to servers.
    """

    of_clients: Sequence[tuple[str, float]]
    of_middlewares: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @classmethod
    def alike(cls, rtt_ms: float, *, through_middleware: bool) -> RoundTrips:
        """Return those of hosts that are all as far from each other."""
        beyond = {"": (rtt_ms,)} if through_middleware else {}
        return cls(of_clients=(("", rtt_ms),), of_middlewares=beyond)

    @classmethod
    def between(
        cls,
        roles: Mapping[str, Sequence[str]],
        rtt_ms: Callable[[str, str], float],
        *,
        instances_per_client: int,
    ) -> RoundTrips:
        """Return those between the hosts of a run.

        Parameters
        ----------
        roles
            ``clients``, ``middlewares`` and ``servers`` to the names of the hosts.
        rtt_ms
            Gives the round trip between two hosts.
        instances_per_client
            Generators of a client host; all of them take the hosts that they talk to in turn.
        """
        middlewares, servers = roles.get("middlewares") or (), roles["servers"]
        targets = middlewares or servers
        sources = [client for client in roles["clients"] for _ in range(instances_per_client)]
        ways = [(source, targets[i % len(targets)]) for i, source in enumerate(sources)]
        return cls(
            of_clients=[(target, rtt_ms(source, target)) for source, target in ways],
            of_middlewares={m: [rtt_ms(m, server) for server in servers] for m in middlewares},
        )

    def waits_s(self, share_to_all: float) -> dict[str, float]:
        """Return how long each middleware waits for servers with a request, on average, in s.

        Parameters
        ----------
        share_to_all
            Share of the requests, 0..1, that wait for all servers; the others for one of them.
        """
        return {
            middleware: ms_to_s(share_to_all * max(trips) + (1 - share_to_all) * fmean(trips))
            for middleware, trips in self.of_middlewares.items()
        }

    def cycles_s(self, share_to_all: float) -> list[float]:
        """Return how long a request of each generator is under way, on average, in s."""
        waits_s = self.waits_s(share_to_all)
        return [ms_to_s(trip_ms) + waits_s.get(to, 0.0) for to, trip_ms in self.of_clients]


def round_trips_of(pings: pd.DataFrame) -> float | RoundTrips:
    """Return what was emulated between the hosts of a run: one number where it is all the same.

    The round trip is in ms, undilated; 0 where nothing is emulated.

    Parameters
    ----------
    pings
        `analysis.tables.frames.Tables.pings` of runs of one configuration; each client host pings
        all that it talks to, and so does each middleware.
    """
    if pings.empty:
        return 0.0
    known = pings.dropna(subset="emulated_round_trip_time_ms")
    emulated = known["emulated_round_trip_time_ms"].unique()
    if len(emulated) <= 1:
        return float(emulated[0]) if len(emulated) else 0.0
    beyond: dict[str, list[float]] = {}
    of_clients: list[tuple[str, float]] = []
    for way in known.drop_duplicates(["source", "target"]).to_dict("records"):
        trip_ms = float(way["emulated_round_trip_time_ms"])
        if way["source_role"] == "clients":
            of_clients.append((way["target"], trip_ms))
        elif way["source_role"] == "middlewares":
            beyond.setdefault(way["source"], []).append(trip_ms)
    return RoundTrips(of_clients=of_clients, of_middlewares=beyond)


def emulated_rtt_ms(topology: Topology, *ends: str) -> float:
    """Return the round trip that is emulated between two hosts, undilated; 0 without delay."""
    return float(topology.rtt_ms or 0.0) + farther_ms(topology, *ends)


def farther_ms(topology: Topology, *hosts: str) -> float:
    """By how much a round trip is longer for its ends having round trips of their own."""
    own, usual_ms = topology.own_rtt_ms, topology.rtt_ms or 0.0
    return float(sum(own[host] - usual_ms for host in hosts if host in own))
