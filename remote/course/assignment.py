"""A system to be found out: drawn from a seed, with one limit planted and the others out of reach.

Three clients, one middleware and three servers answer gets. One of the middleware's link, all
servers' links, one server's link and the workers lets through what the system sustains; each of
the others lets through at least `ROOM` times as much, so that half as much again of the limit is
still the limit, and half as much again of anything else changes little. All servers have limits
of their own: which of them is slow shows in no name.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from records.sensitivity import AS_IT_IS
from remote.campaign.changes.cases import Case, changed_topology
from remote.campaign.changes.whatif import changed_section
from remote.experiment.section import Section
from remote.providers.local_lab.topology import DEFAULT_TOPOLOGY, Topology

MIDDLEWARE_LINK, SERVER_LINKS, WORKERS, DELAY = (
    "middleware link",
    "server links",
    "workers",
    "delay",
)
SERVERS = ("s1", "s2", "s3")
SINGLE_LINKS = tuple(f"{server} link" for server in SERVERS)
RESOURCES = (MIDDLEWARE_LINK, SERVER_LINKS, *SINGLE_LINKS, WORKERS)
CHANGES = (*RESOURCES, DELAY)
FACTOR = 1.5
"""Half as much again of each resource; the delay is divided by it."""

CLIENTS_PER_THREAD = (1, 4, 12, 24)
_CAPACITY_OPS_PER_S = (700.0, 1200.0)  # what two cores carry without time dilation, half again too
_WORKERS = (20, 24, 28)  # enough for any link, by themselves: their number tells nothing
ROOM, _MOST_ROOM = 2.5, 3.2
_REPLY_MBIT = 0.034  # of a value of 4 KiB, with headers
_RATE = ("egress", "rate_mbit_per_s")


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """A system with hidden limits.

    Attributes
    ----------
    limit : the one of `RESOURCES` that was planted. Submissions are marked by measurement, not by
        this name.
    topology : of the lab, with hidden rates and delays.
    """

    seed: int
    limit: str
    workers: int
    topology: Topology

    @property
    def name(self) -> str:
        """What its section and its topology are called."""
        return name_of(self.seed)

    @property
    def document(self) -> dict[str, Any]:
        """The section file that is measured, as a student gets it."""
        return {
            "title": f"Assignment {self.seed}: what limits it?",
            "time_dilation": 1,
            "hosts": {"clients": 3, "middlewares": 1, "servers": len(SERVERS)},
            "generator": {
                "instances_per_client": 1,
                "threads_per_instance": 2,
                "value_bytes": 4096,
                "key_count": 10000,
                "expiry_range_s": "9999-10000",
            },
            "factors": {
                "workload": ["get"],
                "clients_per_thread": list(CLIENTS_PER_THREAD),
                "workers": [self.workers],
            },
            "precision": {"throughput": 0.03, "repetitions": [3, 8], "budget_s": 300},
        }


def name_of(seed: int) -> str:
    """Return the name of an assignment."""
    return f"assignment-{seed}"


def draw(seed: int) -> Assignment:
    """Draw a system from a seed >= 0; the same seed gives the same one."""
    rng = random.Random(f"middleware-lab assignment {seed}")
    limit = rng.choice((MIDDLEWARE_LINK, SERVER_LINKS, rng.choice(SINGLE_LINKS), WORKERS))
    capacity, workers = rng.uniform(*_CAPACITY_OPS_PER_S), rng.choice(_WORKERS)

    def lets_through(*limited_by: str) -> float:
        room = rng.uniform(ROOM, _MOST_ROOM)
        return capacity * (1.0 if limit in limited_by else room)

    of_servers = lets_through(SERVER_LINKS)
    each = {server: of_servers / len(SERVERS) for server in SERVERS}
    if limit in SINGLE_LINKS:
        each[limit.removesuffix(" link")] = capacity / len(SERVERS)
    rates = {server: rate * _REPLY_MBIT for server, rate in each.items()}
    held_s = workers / lets_through(WORKERS)  # of a worker, where it does not wait behind others
    replied_s = sum(1 / rate for rate in each.values()) / len(SERVERS)
    topology = _topology(
        name_of(seed),
        middleware_mbit_per_s=lets_through(MIDDLEWARE_LINK) * _REPLY_MBIT,
        server_mbit_per_s=rates,
        rtt_ms=1000 * (held_s - replied_s),
    )
    return Assignment(seed=seed, limit=limit, workers=workers, topology=topology)


def plan_changes(section: Section, topology: Topology) -> tuple[Case, ...]:
    """Plan what submissions are marked by: the system at its largest load, then `CHANGES`."""
    config = max(section.configs(), key=lambda config: int(config["clients_per_thread"]))
    settings = section.settings(config)

    def case(parameter: str, factor: float) -> Case:
        workers = int(config["workers"]) * (factor if parameter == WORKERS else 1)
        changed = changed_section(
            section, config, settings.num_clients, {"workers": round(workers)}
        )
        return Case(
            parameter=parameter,
            factor=factor,
            section=replace(changed, title=section.title),
            topology=_enlarged(topology, parameter, factor),
        )

    return (case(AS_IT_IS, 1.0), *(case(change, FACTOR) for change in CHANGES))


def _enlarged(topology: Topology, parameter: str, factor: float) -> Topology:
    places: dict[str, list[tuple[str, ...]]] = {
        MIDDLEWARE_LINK: [("middlewares", *_RATE)],
        SERVER_LINKS: [("servers", "own", server, *_RATE) for server in SERVERS],
        **{f"{server} link": [("servers", "own", server, *_RATE)] for server in SERVERS},
        DELAY: [("rtt_ms",)],
    }
    for place in places.get(parameter, []):
        topology = changed_topology(topology, place, factor)
    return topology


def _topology(
    name: str,
    *,
    middleware_mbit_per_s: float,
    server_mbit_per_s: Mapping[str, float],
    rtt_ms: float,
) -> Topology:
    fields = Topology.named(DEFAULT_TOPOLOGY).to_dict()
    servers = fields["servers"]
    own = {
        server: {"egress": servers["egress"] | {"rate_mbit_per_s": _rounded(rate)}}
        for server, rate in server_mbit_per_s.items()
    }
    egress = fields["middlewares"]["egress"] | {"rate_mbit_per_s": _rounded(middleware_mbit_per_s)}
    return Topology.from_dict(
        fields
        | {
            "name": name,
            "is_hidden": True,
            "rtt_ms": _rounded(rtt_ms),
            "middlewares": fields["middlewares"] | {"egress": egress},
            "servers": servers | {"own": own},
        }
    )


def _rounded(value: float) -> float:
    """Round to three digits, which is closer than anybody measures."""
    return round(value, 2 - math.floor(math.log10(value)))
