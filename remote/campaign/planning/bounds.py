"""What links, delays and workers tell before anything is measured: rates, response times."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from analysis.lab.emulated import emulated_limits
from remote.errors import ConfigError
from remote.experiment.section import Config, Section
from remote.experiment.settings import Settings
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
    """Return the shortest mean response time of a closed loop, N / X of its bound; 0 if unknown.

    In undilated time.
    """
    settings = section.settings(config)
    if settings.is_open:
        return 0.0
    with contextlib.suppress(ConfigError, ValueError):  # too few hosts, an unknown share of sets
        bound = upper_bound(settings, inventory)
        return settings.num_clients / bound if bound else 0.0
    return 0.0


def upper_bound(settings: Settings, inventory: Inventory | None) -> float | None:
    """Return the largest rate that the local lab lets through; None where that is not known."""
    if inventory is None or inventory.fleet != LOCAL_LAB:
        return None
    limits = emulated_limits(
        settings.to_dict(),
        settings.num_clients,
        _rates(settings, inventory),
        inventory.rtt_ms or 0.0,
    )
    return limits[0].throughput if limits else None


def _rates(settings: Settings, inventory: Inventory) -> Mapping[str, float]:
    """Return what all hosts of each role can send together; without roles whose links are free."""
    counts = {
        "clients": settings.client_hosts,
        "middlewares": settings.num_middlewares,
        "servers": settings.num_servers,
    }
    rates: dict[str, float] = {}
    for role, count in counts.items():
        links = [host.rate_mbit_per_s for host in inventory.take(role, count)]
        known = [rate for rate in links if rate]
        if known and len(known) == len(links):
            rates[role] = sum(known)
    return rates
