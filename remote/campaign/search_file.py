"""The section file of a search that is asked for in one line."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from records.objective import Objective
from records.settings import Level
from remote.campaign.planning.search import GOAL, RATE, RATES
from remote.errors import ConfigError
from remote.experiment.section import Section, level_text

Levels = Mapping[str, Sequence[Level]]
GOAL_OF_LIMITED = 0.1  # half width; how long runs last follows from it
REPETITIONS = (3, 10)
BUDGET_S = 300.0  # of a rate


def parse_levels(words: Sequence[str], factors: Iterable[str]) -> dict[str, list[Level]]:
    """Read ``--workers 64 --workload get --workload set``.

    ConfigError for a name that is not among `factors` (with underscores), or lacks its level.
    """
    known = sorted(set(factors) - {RATE})
    given: dict[str, list[Level]] = {}
    left = list(words)
    while left:
        option, equals, level = left.pop(0).partition("=")
        name = option.removeprefix("--").replace("-", "_")
        if not option.startswith("--") or name not in known:
            options = ", ".join(f"--{factor.replace('_', '-')}" for factor in known)
            raise ConfigError(option, f"no factor of the section; its factors are {options}")
        if not equals:
            if not left:
                raise ConfigError(option, "a level is missing")
            level = left.pop(0)
        given.setdefault(name, []).append(_level(level))
    return given


def search_document(base: Section, parts: Sequence[str], find: Objective, given: Levels) -> Any:
    """Return the section file of a search, as TOML has it.

    Of factors that are not given it has the largest `clients_per_thread`, and all levels of others.
    `base` is the section that it is based on, `parts` the names of its parts.
    """
    whole = [_chosen(part, given) for part in base.parts or (base.factors,)]
    document: dict[str, Any] = {
        "title": f"{find.text()}: {base.title}",
        "base": base.name,
        "find": find.text(),
        "precision": _precision(base, find),
    }
    if parts:
        document["parts"] = dict(zip(parts, whole, strict=True))
    else:
        document["factors"] = whole[0]
    return document


def name_of(base: str, find: Objective, given: Levels) -> str:
    """Return the name of the section: ``find-3.1-p99-5-ms-workers-64``."""
    levels = [text for name in sorted(given) for text in (name, *map(level_text, given[name]))]
    limit = f"{find.quantity} {find.limit_ms:g} ms"
    return re.sub(r"[^A-Za-z0-9.]+", "-", " ".join(["find", base, limit, *levels]))


def as_toml(document: Mapping[str, Any], place: str = "") -> str:
    """Write a document whose values are texts, numbers, truths, lists of them, and tables."""
    lines, tables = [], []
    for name, value in document.items():
        if isinstance(value, Mapping):
            where = f"{place}{json.dumps(name) if not name.isidentifier() else name}"
            tables.append(f"\n[{where}]\n{as_toml(value, f'{where}.')}")
        else:
            lines.append(f"{name} = {json.dumps(value, ensure_ascii=False)}\n")
    return "".join(lines + tables)


def _chosen(factors: Levels, given: Levels) -> dict[str, list[Level]]:
    """Return the factors of a configuration that is searched: without a rate."""
    chosen = {name: list(levels) for name, levels in factors.items() if name != RATE}
    if "clients_per_thread" in chosen:
        chosen["clients_per_thread"] = [max(map(int, chosen["clients_per_thread"]))]
    return chosen | {name: list(given[name]) for name in chosen if name in given}


def _precision(base: Section, find: Objective) -> dict[str, Any]:
    """Return what runs are measured for; a search may take as long as a dozen configurations."""
    asked = base.precision
    return {
        "throughput": GOAL,
        find.quantity: GOAL_OF_LIMITED,
        "repetitions": list(asked.repetitions if asked else REPETITIONS),
        "budget_s": RATES * (asked.budget_s if asked else BUDGET_S),
    }


def _level(text: str) -> Level:
    """Read a level as section files have it; what is no other value is a text."""
    try:
        value = tomllib.loads(f"level = {text}")["level"]
    except tomllib.TOMLDecodeError:
        return text
    return value if isinstance(value, str | int | float | bool) else text
