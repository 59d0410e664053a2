r"""What a lab's links, delays and workers let through if its machine took no time.

Whatever the machine adds, CPU time and the latency of its own at every hop, can only lower
throughput. So none of these bounds can be exceeded, at whatever time dilation, and a run that
comes within 5 % of the smallest one cannot gain more than that by a larger one.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.statistics.loads.message_sizes import message_bytes
from analysis.statistics.loads.round_trips import RoundTrips
from analysis.units import BITS_PER_BYTE, BITS_PER_MBIT, MS_PER_S

LARGEST_LOSS = 0.05
USUAL_KEY_BYTES = 12  # memtier-NNNN


@dataclass(frozen=True, kw_only=True)
class Limit:
    """One bound on throughput, undilated.

    Attributes
    ----------
    name
        What lets no more through.
    throughput
        Requests/s.
    jobs
        How many requests are in the cycle that it bounds: those of all clients, or of all workers.
    is_link
        Whether it is a link, which lets no more through however many requests there are.
    """

    name: str
    throughput: float
    jobs: int
    is_link: bool = False

    def loss(self, throughput: float) -> float:
        """Share of the limit, 0..1, by which a measured throughput falls short of it."""
        return max(0.0, 1 - throughput / self.throughput)

    def latency_ms(self, throughput: float) -> float:
        """By how much the cycle of one job is longer than the limit alone makes it."""
        return MS_PER_S * max(0.0, self.jobs / throughput - self.jobs / self.throughput)

    def cycle_ms(self, throughput: float) -> float:
        """How long the cycle of one job takes."""
        return MS_PER_S * self.jobs / throughput

    def needed_dilation(self, throughput: float, time_dilation: float) -> float:
        r"""Time dilation at which the loss falls to 5 %.

        .. math:: k' = k \left(\frac{X_0}{X} - 1\right) \frac{1 - 0.05}{0.05}

        if the machine needs as much time of the clock as it did at k, which is then k'/k times
        less in undilated time.
        """
        excess = max(0.0, self.throughput / throughput - 1)
        return time_dilation * excess * (1 - LARGEST_LOSS) / LARGEST_LOSS


def emulated_limits(
    settings: Mapping[str, Any],
    num_clients: int,
    rates_mbit_per_s: Mapping[str, float],
    round_trip_time_ms: float | RoundTrips,
    *,
    think_time_s: float = 0.0,
    set_share: float | None = None,
) -> list[Limit]:
    r"""List the asymptotic bounds of a closed system that only its emulated parts set.

    A link that needs :math:`D` for a request lets through :math:`1 / D`; N clients whose requests
    make v round trips, N / (v rtt + Z); W workers that wait for each request, W / rtt. The bucket
    of a link is full at small loads, so that the time on a link is no part of a round trip. Where
    hosts are not equally far, clients and workers have cycles of their own, whose rates add up.

    The smallest comes first; there is none where nothing is emulated.

    Parameters
    ----------
    settings
        Of the run, by the names of the tidy tables: `workload`, `value_bytes`, `num_middlewares`,
        `num_servers`, `workers`, ...; without `workers`, as of foreign middlewares that take none,
        they set no bound.
    num_clients
        N, the requests under way at most: connections times `pipeline`.
    rates_mbit_per_s
        Role (``clients``, ...) to what all its hosts can send together (`rates_together`),
        undilated; a role whose links have no limit is missing.
    round_trip_time_ms
        What is emulated between any two hosts, undilated, 0 without delay; or all of a run.
    think_time_s
        Z.
    set_share
        Share of sets among the requests, 0..1; by default that of the workload, which ``mixed``
        does not tell.

    References
    ----------
    Jain 1991, section 33.6.
    """
    through_middleware = bool(settings.get("num_middlewares"))
    trips = round_trip_time_ms
    if not isinstance(trips, RoundTrips):
        trips = RoundTrips.alike(trips, through_middleware=through_middleware)
    share = _set_share(settings) if set_share is None else set_share
    to_all = 0.0
    if through_middleware and _copies(settings) == int(settings["num_servers"]):
        to_all = share
    sent = _sent_bytes(settings, through_middleware, share)
    limits = [
        Limit(
            name=f"{role}' links",
            throughput=rate * BITS_PER_MBIT / (sent[role] * BITS_PER_BYTE),
            jobs=num_clients,
            is_link=True,
        )
        for role, rate in rates_mbit_per_s.items()
        if sent.get(role) and 0 < rate < math.inf
    ]
    rate = _rate(cycle_s + think_time_s for cycle_s in trips.cycles_s(to_all))
    if rate < math.inf:
        name = f"round trips of {num_clients} clients"
        limits.append(Limit(name=name, throughput=num_clients * rate, jobs=num_clients))
    rate = _rate(trips.waits_s(to_all).values())
    each = settings.get("workers") or math.nan
    if rate < math.inf and not math.isnan(each) and settings.get("dispatch") != "pipelined":
        workers = int(settings["num_middlewares"]) * int(each)
        name = f"round trips of {workers} workers"
        limits.append(Limit(name=name, throughput=workers * rate, jobs=workers))
    return sorted(limits, key=lambda limit: limit.throughput)


def can_reach_limit(settings: Mapping[str, Any]) -> bool:
    """Tell whether a run without the machine's time comes close to the smallest of its limits.

    Not with a pipeline through a middleware: of a connection it has at most `depth` requests under
    way, and reads no more of it before all that it has read is answered. So fewer than N requests
    are in the system, and the limits remain bounds that no throughput comes near.
    """
    return not settings.get("num_middlewares") or not (settings.get("pipeline") or 1) > 1


def rates_together(
    rates_mbit_per_s: Mapping[str, Sequence[float | None]], settings: Mapping[str, Any]
) -> dict[str, float]:
    """Return what all hosts of each role can send together.

    Behind a middleware that gives each server as much to do, the slowest server is what counts;
    all others have connections of their own, and the fast do not wait for the slow.

    A role of which some host has no limit is left out.

    Parameters
    ----------
    rates_mbit_per_s
        Role to the limit of each of its hosts in a run; None or NaN without one.
    """
    limited = {
        role: [float(rate) for rate in rates if rate is not None and rate > 0]
        for role, rates in rates_mbit_per_s.items()
    }
    together = {
        role: math.fsum(rates)
        for role, rates in limited.items()
        if rates and len(rates) == len(rates_mbit_per_s[role])
    }
    if "servers" in together and _spreads_evenly(settings):
        together["servers"] = len(limited["servers"]) * min(limited["servers"])
    return together


def _spreads_evenly(settings: Mapping[str, Any]) -> bool:
    """Whether a middleware gives each server as much to do."""
    in_turn = (_given(settings, "routing") or "round-robin") == "round-robin"
    return bool(settings.get("num_middlewares")) and in_turn


def _rate(cycles_s: Iterable[float]) -> float:
    """Return the mean rate of jobs that go round in cycles; infinite where one takes no time."""
    rates = [1 / cycle_s if cycle_s > 0 else math.inf for cycle_s in cycles_s]
    return math.fsum(rates) / len(rates) if rates else math.inf


def _sent_bytes(
    settings: Mapping[str, Any], through_middleware: bool, share: float
) -> dict[str, float]:
    """Bytes on the wire that all hosts of a role together send for one request, on average."""
    sizes = {"value_bytes": int(settings["value_bytes"])}
    sizes["key_bytes"] = int(_given(settings, "key_bytes") or USUAL_KEY_BYTES)
    keys = int(_given(settings, "multi_get_keys") or 1)
    copies = _copies(settings) if through_middleware else 1
    of_set = message_bytes("set", **sizes)
    of_get = message_bytes("get", **sizes, keys=keys)

    def mean(of_sets: float, of_gets: float) -> float:
        return share * of_sets + (1 - share) * of_gets

    request = mean(of_set["request_bytes"], of_get["request_bytes"])
    passed_on = mean(copies * of_set["request_bytes"], of_get["request_bytes"])
    reply = mean(of_set["reply_bytes"], of_get["reply_bytes"])
    return {
        "clients": request,
        "middlewares": reply + passed_on if through_middleware else 0.0,
        "servers": mean(copies * of_set["reply_bytes"], of_get["reply_bytes"]),
    }


def _set_share(settings: Mapping[str, Any]) -> float:
    workload = settings["workload"]
    shares = {"set": 1.0, "get": 0.0, "multi-get": 0.5}  # multi-get: one set, then one get
    if workload in shares:
        return shares[workload]
    ratio = _given(settings, "ratio")
    if ratio is None:
        raise ValueError(f"the share of sets must be known for workload {workload!r}")
    sets, gets = (int(part) for part in str(ratio).split(":"))
    return sets / (sets + gets)


def _copies(settings: Mapping[str, Any]) -> int:
    """On how many servers a set ends."""
    replicas = _given(settings, "replicas")
    if settings.get("routing") != "consistent-hash" or replicas in (None, "all"):
        return int(settings["num_servers"])
    return int(replicas)


def _given(settings: Mapping[str, Any], name: str) -> Any:
    """Return a setting, None where it is missing or, in a table, not a number."""
    value = settings.get(name)
    return None if isinstance(value, float) and math.isnan(value) else value
