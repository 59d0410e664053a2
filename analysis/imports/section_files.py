"""The section files of an imported campaign: configuration tables then show what was measured."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import prod

from records.manifest import Manifest
from records.section import COUNTED
from records.settings import SETTINGS, Level

_OF_GENERATORS = ("instances_per_client", "threads_per_instance")


def section_text(manifests: Sequence[Manifest]) -> str:
    """Return the section file (TOML) that describes some runs of one section."""
    first = manifests[0]
    configs = [manifest.config for manifest in manifests]
    factors = {name: _levels(config[name] for config in configs if name in config)
               for name in first.config}  # fmt: skip
    constants = {
        name: level
        for name, level in first.settings.items()
        if name in SETTINGS
        and name not in factors
        and name != "middleware"  # there is no file of it
    }
    settings = [manifest.settings for manifest in manifests]
    by, follows = _follows(factors, configs, settings)
    lines = [
        f"title = {_toml(first.title)}",
        "",
        "[hosts]",
        f"clients = {len(first.roles.clients)}",
    ]
    lines += [f"{role} = {constants[name]}" for name, role in COUNTED.items() if name in constants]
    for table in ("generator", "middleware"):
        own = [n for n in constants if SETTINGS[n].table == table and n not in follows]
        if own and (table == "generator" or first.roles.middlewares):
            lines += ["", f"[{table}]", *(f"{n} = {_toml(constants[n])}" for n in own)]
    lines += _factors(factors, configs)
    if follows:
        lines += ["", f"[follows.{by}]"]
        for level in factors[by]:
            run = next(one for c, one in zip(configs, settings, strict=True) if c[by] == level)
            told = ", ".join(f"{name} = {_toml(run[name])}" for name in follows)
            lines.append(f"{json.dumps(str(level))} = {{ {told} }}")
    cut = first.durations
    repetitions = max(manifest.repetition for manifest in manifests)
    lines += ["", "[profiles.paper]", f"repetitions = {repetitions}"]
    lines += [f"stable_s = {max(1, cut.stable_s)}", f"warm_up_s = {cut.warm_up_s}"]
    return "\n".join([*lines, f"cool_down_s = {cut.cool_down_s}", ""])


def _factors(
    factors: Mapping[str, Sequence[Level]], configs: Sequence[Mapping[str, Level]]
) -> list[str]:
    """Return tables of factors: one, or one for each workload where not all levels meet."""
    measured = {tuple(config.items()) for config in configs}
    if len(measured) == prod(len(levels) for levels in factors.values()):
        return ["", "[factors]", *_lines(factors)]
    lines = []
    for workload in factors["workload"]:
        own = [config for config in configs if config["workload"] == workload]
        levels = {name: _levels(config[name] for config in own if name in config)
                  for name in own[0]}  # fmt: skip
        lines += ["", f"[parts.{workload}]", *_lines(levels)]
    return lines


def _follows(
    factors: Mapping[str, Sequence[Level]],
    configs: Sequence[Mapping[str, Level]],
    settings: Sequence[Mapping[str, Level]],
) -> tuple[str, list[str]]:
    """Return the factor that determines how many load generators there are, and their settings."""
    varying = [n for n in _OF_GENERATORS if len({one.get(n) for one in settings}) > 1]
    for by, levels in factors.items():
        pairs = {
            (config.get(by), *(one.get(n) for n in varying))
            for config, one in zip(configs, settings, strict=True)
        }
        if varying and len(pairs) == len(levels):
            return by, varying
    return "", []


def _levels(levels: Iterable[Level]) -> list[Level]:
    found = dict.fromkeys(levels)
    return sorted(found) if all(isinstance(one, int | float) for one in found) else list(found)


def _lines(factors: Mapping[str, Sequence[Level]]) -> list[str]:
    return [f"{n} = [{', '.join(map(_toml, levels))}]" for n, levels in factors.items()]


def _toml(level: Level) -> str:
    """Write a value; JSON's text, numbers, true and false are TOML's."""
    return json.dumps(level)
