"""Is the machine's own time small beside what links and delays take? A check."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from analysis.statistics.loads.emulated import (
    LARGEST_LOSS,
    Limit,
    can_reach_limit,
    emulated_limits,
    rates_together,
)
from analysis.statistics.loads.round_trips import RoundTrips, emulated_rtt_ms
from records.fleets import LOCAL_LAB
from records.manifest import Manifest
from records.verdict import ADVISORY, Check
from remote.experiment.checks.check import outcome

LATENCY = "machine_latency_small"
SHARE = 0.02
"""What the machine may take of a cycle where the time dilation is chosen for each configuration."""


def latency_checks(manifest: Manifest, results: Mapping[str, float]) -> Iterator[Check]:
    """Compare a run's throughput with what the lab's links, delays and workers alone let through.

    What is missing is CPU time, the latency of the machine's own at every hop, or waiting in front
    of links. Below 5 % no time dilation can change the result by more than that. Runs in which
    servers stood still, or whose requests come at a rate of their own, have no such limit, nor have
    pipelines through a middleware (`can_reach_limit`), hosts with a quota of CPU time or an
    emulated processor, nor a network whose links are not known. What databases do takes the
    machine's time and is no loss.
    """
    limit, throughput = _limit(manifest), results["client_throughput_ops_per_s"]
    if limit and throughput > 0:
        yield _check(limit, throughput, manifest.topology.time_dilation)


def machine_share(manifest: Manifest, results: Mapping[str, float]) -> float | None:
    """Return what the machine took of a response time at most, 0 to 1; None where nothing tells.

    Jobs that are always as many cycle in N / X (Jain 1991, section 33.5): the share of the cycle
    that is missing is that by which throughput falls short of its limit. Clients do not think in
    any of it.
    """
    try:
        limit = _limit(manifest)
    except ValueError:  # what share of the requests are sets is not known
        return None
    throughput = results.get("client_throughput_ops_per_s", 0.0)
    if not limit or throughput <= 0:
        return None
    cycle_s = manifest.num_clients / throughput
    response_s = cycle_s - (manifest.think_time_s or 0.0)
    return min(1.0, limit.loss(throughput) * (cycle_s / response_s)) if response_s > 0 else None


def _limit(manifest: Manifest) -> Limit | None:
    """Return the smallest bound that is emulated; None where none is known to be the smallest."""
    settings = manifest.all_settings
    paced = settings.is_open or settings.sending_rate_per_s
    closed = not paced and not manifest.pauses and not settings.uses_queues
    topology = manifest.topology
    known = manifest.fleet == LOCAL_LAB and topology.rates_mbit_per_s
    if not known or not closed or topology.cpu_quotas or topology.processors:
        return None
    if not can_reach_limit(_settings(manifest)):
        return None
    limits = emulated_limits(
        _settings(manifest),
        manifest.num_clients,
        rates_by_role(manifest),
        _round_trips(manifest),
        think_time_s=manifest.think_time_s or 0.0,
    )
    return limits[0] if limits else None


def rates_by_role(manifest: Manifest) -> dict[str, float]:
    """Return what all hosts of each role can send together, undilated; limits must be known."""
    rates = manifest.topology.rates_mbit_per_s
    of_hosts = {
        role: [rates.get(host) for host in hosts] for role, hosts in manifest.roles.by_name.items()
    }
    return rates_together(of_hosts, _settings(manifest))


def _round_trips(manifest: Manifest) -> float | RoundTrips:
    """Return what is emulated between the hosts of a run, in ms."""
    topology = manifest.topology
    if not topology.own_rtt_ms:
        return float(topology.rtt_ms or 0.0)
    return RoundTrips.between(
        manifest.roles.by_name,
        partial(emulated_rtt_ms, topology),
        instances_per_client=manifest.instances_per_client,
    )


def _settings(manifest: Manifest) -> dict[str, Any]:
    counts = {f"num_{role}": len(hosts) for role, hosts in manifest.roles.by_name.items()}
    return {"value_bytes": manifest.value_bytes, **manifest.settings, **counts}


def _check(limit: Limit, throughput: float, time_dilation: float) -> Check:
    loss = limit.loss(throughput)
    detail = (
        f"{throughput:.0f} op/s of the {limit.throughput:.0f} that the {limit.name} let through, "
        f"undilated, {loss:.1%} less (at most {LARGEST_LOSS:.0%})"
    )
    if loss > LARGEST_LOSS:
        k = math.ceil(limit.needed_dilation(throughput, time_dilation))
        detail += f": {_cause(limit, throughput)}; measure with a time dilation of at least {k}"
    return outcome(
        name=LATENCY,
        passed=loss <= LARGEST_LOSS,
        detail=detail,
        severity=ADVISORY,
    )


def _cause(limit: Limit, throughput: float) -> str:
    if limit.is_link:
        return "the machine took them, or waiting in front of links before they are full"
    return (
        f"{limit.latency_ms(throughput):.2f} ms of {limit.cycle_ms(throughput):.2f} ms are the "
        "machine's, or waiting in front of links"
    )
