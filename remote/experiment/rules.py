"""Which sections can be measured at all: what only shows when all of a section is known."""

from __future__ import annotations

import math
from pathlib import Path

from records.middleware import TOLD
from records.settings import OF_CACHES, OF_MIDDLEWARES, OF_QUEUES, QUEUE, Settings
from remote.errors import ConfigError
from remote.experiment.combinations import mistakes
from remote.experiment.queues import transactions
from remote.experiment.section import Config, Section, slug

EXPIRY_MARGIN_S = 600
MOST_CONFIGS = 2000


def require_possible(section: Section, path: Path) -> None:
    """Refuse a section of which a configuration cannot be measured as it stands.

    Raises
    ------
    ConfigError
        Names the file, the place or the configuration, and the rule.
    """
    if section.kind == "network":
        _require_possible_network(section, path)
    else:
        _require_possible_load(section, path)


def _require_possible_network(section: Section, path: Path) -> None:
    if "kind" not in section.factors:
        raise ConfigError(path, "factors.kind is missing: what is to be measured of the network")
    if sum(section.hosts.values()) < 2:
        raise ConfigError(path, "hosts must be at least 2: nothing else has a network")


def _require_possible_load(section: Section, path: Path) -> None:
    parts = section.parts or (section.factors,)
    count = sum(math.prod(map(len, part.values())) for part in parts)
    if count > MOST_CONFIGS:
        raise ConfigError(path, f"factors: {count} configurations are more than {MOST_CONFIGS}")
    configs = section.configs()
    workloads = {{**section.constants, **section.own(c)}.get("workload") for c in configs}
    for role in ("clients",) if workloads == {QUEUE} else ("clients", "servers"):
        if section.hosts[role] < 1:
            raise ConfigError(path, f"hosts.{role} must be at least 1 in a section under load")
    _require_distinct(configs, path)
    for factor in ("workload", "clients_per_thread"):
        if factor not in section.constants and not all(
            factor in section.own(config) for config in configs
        ):
            place = f"factors.{factor}"
            raise ConfigError(path, f"{place} is missing, and it is not in [generator] either")
    if section.time_dilation is None and section.precision is None:
        raise ConfigError(
            path,
            "time_dilation `auto` needs [precision]: runs of a fixed time are too short at a "
            "larger k than they were meant for",
        )
    if section.time_dilation is None and QUEUE in workloads:
        raise ConfigError(
            path,
            "time_dilation `auto` cannot tell databases from the machine under them: give a k",
        )
    if section.find is not None:
        _require_searchable(section, configs, path)
    _require_told(section, configs, path)
    settings = [section.settings(config) for config in configs]
    if not any(one.num_middlewares for one in settings):
        needless = [name for name in OF_MIDDLEWARES if name in section.constants]
        if needless:
            raise ConfigError(path, f"middleware.{needless[0]} is given without a middleware")
    for config, one in zip(configs, settings, strict=True):
        for mistake in mistakes(one, section.own(config)):
            raise ConfigError(path, f"{slug(config)}: {mistake}")
        _require_of_workload(section, config, one, path)
    _require_keys_to_last(section, settings, path)
    _require_possible_pauses(section, settings, path)
    for mistake in transactions.mistakes(section, settings):
        raise ConfigError(path, mistake)


def _require_of_workload(section: Section, config: Config, one: Settings, path: Path) -> None:
    """Refuse settings of queues where there are none, and settings of caches where there are."""
    others = OF_CACHES if one.uses_queues else OF_QUEUES
    given = {**section.constants, **section.own(config)}
    if needless := [name for name in others if name in given]:
        names = ", ".join(needless)
        raise ConfigError(path, f"{slug(config)}: {names}: workload {one.workload} has none of it")


def _require_told(section: Section, configs: list[Config], path: Path) -> None:
    """Refuse settings that none of the section's middlewares can be told, or that one lacks."""
    given = [{**section.constants, **section.own(config)} for config in configs]
    used = [
        (config, own, section.middleware(config))
        for config, own in zip(configs, given, strict=True)
        if own.get("num_middlewares", section.hosts["middlewares"])
    ]
    for name in TOLD if used else ():
        everywhere = name in section.constants or name in section.factors
        if everywhere and not any(middleware.takes(name) for _, _, middleware in used):
            names = ", ".join(dict.fromkeys(middleware.name for _, _, middleware in used))
            raise ConfigError(path, f"{name}: {names} cannot be told that; leave it out")
    for config, own, middleware in used:
        if middleware.takes("workers") and "workers" not in own:
            raise ConfigError(
                path, f"{slug(config)}: workers must be given, as a factor or in [middleware]"
            )


def _require_searchable(section: Section, configs: list[Config], path: Path) -> None:
    if section.precision is None:
        raise ConfigError(path, "find needs [precision]: how precisely the rate shall be known")
    if any("arrival_rate_per_s" in section.own(config) for config in configs) or (
        "arrival_rate_per_s" in section.constants
    ):
        raise ConfigError(path, "arrival_rate_per_s is what find searches for: leave it out")


def _require_distinct(configs: list[Config], path: Path) -> None:
    seen = set()
    for name in map(slug, configs):
        if name in seen:
            raise ConfigError(path, f"parts: {name} is measured by two of them")
        seen.add(name)


def _require_keys_to_last(section: Section, settings: list[Settings], path: Path) -> None:
    total_s = math.ceil(section.longest_s)
    needed_s = total_s + EXPIRY_MARGIN_S
    for one in settings:
        if one.reads and 0 < one.expires_after_s < needed_s:
            raise ConfigError(
                path,
                f"generator.expiry_range_s lets keys expire after {one.expires_after_s} s: runs of "
                f"{total_s} s need at least {needed_s} s, or 0-0 for keys that never expire",
            )


def _require_possible_pauses(section: Section, settings: list[Settings], path: Path) -> None:
    servers = min(one.num_servers for one in settings)
    if not section.pauses:
        return
    if section.durations is None:
        raise ConfigError(
            path,
            f"profiles.{section.profile}.pauses: a run with pauses needs stable_s, as their times "
            "are counted in its stable window; leave precision out",
        )
    stable_s = section.durations.stable_s
    timeout_s = min(
        (
            one.server_timeout_s
            for config, one in zip(section.configs(), settings, strict=True)
            if one.num_middlewares and section.middleware(config).takes("server_timeout_s")
        ),
        default=None,
    )
    free_from_s: dict[int, float] = {}
    for pause in sorted(section.pauses, key=lambda pause: pause.at_s):
        what = (
            f"profiles.{section.profile}.pauses: that of server {pause.server} "
            f"at {pause.at_s:g} s for {pause.for_s:g} s"
        )
        if pause.server > servers:
            raise ConfigError(path, f"{what}: the servers are 1 to {servers}")
        if pause.at_s + pause.for_s > stable_s:
            raise ConfigError(path, f"{what} ends after the {stable_s:g} s that are measured")
        if pause.at_s < free_from_s.get(pause.server, 0):
            raise ConfigError(path, f"{what} begins before the one before it has ended")
        if timeout_s is not None and pause.for_s >= timeout_s:
            raise ConfigError(
                path,
                f"{what} is too long: the middleware gives up after {timeout_s:g} s "
                "(middleware.server_timeout_s)",
            )
        free_from_s[pause.server] = pause.at_s + pause.for_s
