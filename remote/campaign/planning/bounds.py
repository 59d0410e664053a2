"""What links, delays and workers tell before anything is measured: rates, response times."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from functools import partial

from analysis.lab.emulated import emulated_limits, rates_together
from analysis.lab.round_trips import RoundTrips
from analysis.tables.network import emulated_rtt_ms
from records.settings import Settings
from remote.campaign.record import topology_of
from remote.errors import ConfigError
from remote.experiment.section import Config, Section
from remote.hosts.host import Host
from remote.hosts.inventory import LOCAL_LAB, Inventory

FIRST_RATE_PER_S = 100.0
SHARE = 0.5  # of the bound; twice the first rate is the bound itself


def first_rate(section: Section, config: Config, inventory: Inventory | None) -> float:
    """Return the arrival rate that a search begins with, in undilated time.

    Half of what the links, delays and workers of the local lab let through, so that doubling it
    once meets a rate that none can keep up with; a low rate on hosts of which nothing is known.

    Parameters
    ----------
    config : of the section, with or without an arrival rate.
    """
    bound = upper_bound(section.settings(config), inventory)
    return FIRST_RATE_PER_S if bound is None else SHARE * bound


def least_response_time_s(section: Section, config: Config, inventory: Inventory | None) -> float:
    """Return the shortest mean response time of a closed loop, N / X - Z of its bound.

    In undilated time; 0 if it is not known.
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

    Of queues it is not: what databases take is not emulated.
    """
    if inventory is None or inventory.fleet != LOCAL_LAB or settings.uses_queues:
        return None
    roles = _roles(settings, inventory)
    rates = {role: [host.rate_mbit_per_s for host in hosts] for role, hosts in roles.items()}
    limits = emulated_limits(
        settings.to_dict(),
        settings.num_clients,
        rates_together(rates, settings.to_dict()),
        _round_trips(settings, inventory, roles),
        think_time_s=settings.think_time_s or 0.0,
    )
    return limits[0].throughput if limits else None


def _roles(settings: Settings, inventory: Inventory) -> Mapping[str, Sequence[Host]]:
    """Return the hosts of each role that a configuration has."""
    counts = {
        "clients": settings.client_hosts,
        "middlewares": settings.num_middlewares,
        "servers": settings.num_servers,
    }
    return {role: inventory.take(role, count) for role, count in counts.items()}


def _round_trips(
    settings: Settings, inventory: Inventory, roles: Mapping[str, Sequence[Host]]
) -> float | RoundTrips:
    """Return what is emulated between the hosts of a configuration, in ms."""
    if all(host.own_rtt_ms is None for hosts in roles.values() for host in hosts):
        return inventory.rtt_ms or 0.0
    return RoundTrips.between(
        {role: [host.name for host in hosts] for role, hosts in roles.items()},
        partial(emulated_rtt_ms, topology_of(inventory)),
        instances_per_client=settings.instances_per_client,
    )
