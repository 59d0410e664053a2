"""Changes of the system that a model has predicted, measured on the local lab."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from remote.campaign import NO_FLEET, Campaign
from remote.errors import ConfigError
from remote.experiment.section import Config, Section
from remote.providers.fleets import LOCAL
from remote.providers.local_lab.namespaces import LocalLab
from remote.providers.local_lab.topology import Topology

AS_IT_IS = "as it is"  # as `analysis.models.what_if` calls it
_SETTINGS = {"workers": "workers", "middlewares": "num_middlewares", "servers": "num_servers"}
_RATES = {
    "client_link_rate": "clients",
    "middleware_link_rate": "middlewares",
    "server_link_rate": "servers",
}
_FOLLOWS = ("servers_per_request",)  # what the middleware does by itself
Fields = Mapping[str, float]
Measure = Callable[[str, Section, Topology], Path | None]


def changed_section(base: Section, config: Config, num_clients: int, change: Fields) -> Section:
    """Make the section of one configuration that a change of the model leads to.

    Parameters
    ----------
    config : the configuration of `base` that the model was built for.
    num_clients : all virtual clients together; as many of them share a connection as its pipeline
        has requests under way.
    change : fields of `analysis.models.System` to other values.

    Raises
    ------
    ConfigError
        A field cannot be changed on the lab, or the clients cannot be spread evenly.
    """
    known = (*_SETTINGS, *_RATES, *_FOLLOWS, "network_delay")
    foreign = sorted(set(change) - set(known))
    if foreign:
        raise ConfigError(
            f"what-if {', '.join(foreign)}", f"only the model can change it, the lab: {known}"
        )
    settings = base.settings(config)
    changed: dict[str, Any] = {
        _SETTINGS[field]: int(value) for field, value in change.items() if field in _SETTINGS
    }
    wanted = replace(settings, **changed)
    targets = wanted.num_middlewares or wanted.num_servers
    threads = settings.instances_per_client * settings.threads_per_instance  # of a client host
    instances = max(math.ceil(targets / settings.client_hosts), settings.instances_per_client)
    if changed.keys() & {"num_middlewares", "num_servers"}:
        instances = targets
    own_threads = max(threads // instances, 1)
    places = settings.client_hosts * instances * own_threads * settings.pipeline
    if num_clients % places:
        raise ConfigError(
            f"what-if with {num_clients} clients",
            f"choose a multiple of {places}, the threads of all generators times the pipeline",
        )
    wanted = replace(
        wanted,
        clients_per_thread=num_clients // places,
        instances_per_client=instances,
        threads_per_instance=own_threads,
    )
    level = wanted.to_dict()
    varied = dict.fromkeys([*config, *changed, "clients_per_thread"])
    of_hosts = ("client_hosts", "num_middlewares", "num_servers", "num_databases")
    is_told = base.middleware(config).takes
    return replace(
        base,
        title=f"What if: {base.title}",
        factors={name: (level[name],) for name in varied if name in level},
        constants={
            name: value
            for name, value in level.items()
            if name not in (*varied, *of_hosts) and is_told(name)
        },
        hosts={
            "clients": wanted.client_hosts,
            "middlewares": wanted.num_middlewares,
            "servers": 0 if wanted.uses_queues else wanted.num_servers,
            **({"databases": wanted.num_databases} if wanted.uses_databases else {}),
        },
        extra={},
        follows={},
        parts=(),
        pauses=(),
    )


def changed_topology(topology: Topology, change: Fields) -> Topology:
    """Change link rates (given in bit/s) and the network's delay (one way, in s) of a topology.

    ConfigError for another rate of a link without a limit, or a limit taken away.
    """
    changed = topology.to_dict()
    for field, role in _RATES.items():
        rate = change.get(field)
        if rate is None or role not in changed:
            continue
        if "egress" not in changed[role] or not math.isfinite(rate):
            raise ConfigError(f"what-if {field}", f"the {role} keep the limit that they have")
        changed[role]["egress"]["rate_mbit_per_s"] = rate / 1e6
    if "network_delay" in change:
        changed["rtt_ms"] = 2000 * change["network_delay"]
    return Topology.from_dict(changed)


def measure_cases(
    changes: Mapping[str, Fields],
    num_clients: int,
    *,
    base: Section,
    config: Config,
    topology: Topology,
    measure: Measure,
) -> dict[str, Path | None]:
    """Measure the system as it is and each change of it; none, if the lab cannot make one of them.

    Parameters
    ----------
    changes, num_clients : as for `analysis.models.what_if`.
    base, config, topology : what the system was measured with.
    measure : measures a case, such as `measure_on_rebuilt_lab`; returns None where it did not.

    Returns
    -------
    Case to the folder of its campaign; None where there is none.
    """
    planned = {
        case: (
            changed_section(base, config, num_clients, change),
            changed_topology(topology, change),
        )
        for case, change in {AS_IT_IS: {}, **changes}.items()
    }
    return {case: measure(case, *plan) for case, plan in planned.items()}


def measure_on_rebuilt_lab(folder: Path, *, profile: str = "smoke", fleet: str = LOCAL) -> Measure:
    """Return what measures a case on the local lab, each in a campaign of its own in `folder`.

    The lab is built anew where a case needs another one; if it was up, one of topology `azure` is
    up again after it. What is measured already is not measured again; on any other fleet than the
    lab, nothing is.
    """

    def measure(case: str, section: Section, changed: Topology) -> Path | None:
        name = re.sub(r"[^A-Za-z0-9]+", "-", case).strip("-")
        if fleet != LOCAL and not (folder / name).is_dir():
            return None
        own = Campaign.open(
            name, profile=profile, fleet=LOCAL if fleet == LOCAL else NO_FLEET, data_dir=folder
        )
        own = replace(own, plans={section.name: section})
        if fleet == LOCAL and own.missing(section.name):
            was_up = LocalLab().is_running()
            LocalLab().down()
            try:
                LocalLab(changed).up()
                own.measure(section.name)
            finally:
                LocalLab().down()
                if was_up:
                    LocalLab().up()
        return own.path

    return measure
