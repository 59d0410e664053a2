"""What links, delays and workers tell before anything is measured: rates, response times."""

from __future__ import annotations

import contextlib
from functools import partial

from analysis.statistics.loads.emulated import emulated_limits, rates_together
from analysis.statistics.loads.round_trips import RoundTrips, emulated_rtt_ms
from records.fleets import LOCAL_LAB
from records.settings import Settings
from remote.campaign.record import topology_of
from remote.errors import ConfigError
from remote.experiment.section import Config, Section
from remote.hosts.inventory import Inventory

FIRST_RATE_PER_S = 100.0
SHARE = 0.5  # of the bound; twice the first rate is the bound itself


def first_rate(section: Section, config: Config, inventory: Inventory | None) -> float:
    """Return the arrival rate that a search begins with, in undilated time.

    Half of what the links, delays and workers of the local lab let through, so that doubling it
    once meets a rate that none can keep up with; a low rate on hosts of which nothing is known.
    """
    bound = upper_bound(section.settings(config), inventory)
    return FIRST_RATE_PER_S if bound is None else SHARE * bound


def least_response_time_s(section: Section, config: Config, inventory: Inventory | None) -> float:
    """Return the shortest mean response time of a closed loop, N / X - Z of its bound, undilated.

    0 if it is not known.
    """
    settings = section.settings(config)
    if settings.is_open or settings.sending_rate_per_s:
        return 0.0
    with contextlib.suppress(ConfigError, ValueError):  # too few hosts, an unknown share of sets
        bound = upper_bound(settings, inventory)
        think_time_s = settings.think_time_s or 0.0
        return max(0.0, settings.num_clients / bound - think_time_s) if bound else 0.0
    return 0.0


def upper_bound(settings: Settings, inventory: Inventory | None) -> float | None:
    """Return the largest rate that the local lab lets through; None where that is not known.

    That of queues is not known: what databases take is not emulated.
    """
    if inventory is None or inventory.fleet != LOCAL_LAB or settings.uses_queues:
        return None
    counts = {
        "clients": settings.client_hosts,
        "middlewares": settings.num_middlewares,
        "servers": settings.num_servers,
    }
    roles = {role: inventory.take(role, count) for role, count in counts.items()}
    rates = {role: [host.rate_mbit_per_s for host in hosts] for role, hosts in roles.items()}
    round_trips: float | RoundTrips = inventory.rtt_ms or 0.0
    if any(host.own_rtt_ms is not None for hosts in roles.values() for host in hosts):
        round_trips = RoundTrips.between(
            {role: [host.name for host in hosts] for role, hosts in roles.items()},
            partial(emulated_rtt_ms, topology_of(inventory)),
            instances_per_client=settings.instances_per_client,
        )
    limits = emulated_limits(
        settings.to_dict(),
        settings.num_clients,
        rates_together(rates, settings.to_dict()),
        round_trips,
        think_time_s=settings.think_time_s or 0.0,
    )
    return limits[0].throughput if limits else None
