"""Which systems tell what throughput follows: one more and one less of each rate and count."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from records.documents import parse, table_of
from records.sensitivity import (
    AS_IT_IS,
    CLIENTS,
    DELAY,
    DELAY_OF,
    LINK_OF,
    MACHINE_BY_DILATION,
    QUOTA_OF,
    WORKERS,
    case_name,
    factors_of,
)
from records.settings import RULES, Level
from remote.campaign.changes.whatif import changed_section
from remote.campaign.planning.search import RATE
from remote.errors import ConfigError
from remote.experiment.precision import Precision
from remote.experiment.rules import require_possible
from remote.experiment.section import Config, Section, level_text, slug
from remote.providers.local_lab.topology import Topology

GOAL, REPETITIONS, BUDGET_S = 0.02, (3, 10), 900.0  # where a section asks for no throughput
LARGEST_STEP = 1.0
_LINK_RATE, _ROUND_TRIP, _CPU_QUOTA = ("egress", "rate_mbit_per_s"), ("rtt_ms",), ("cpu_quota",)
Place = tuple[str, ...]
"""Where a number stands in a topology's file: ``("servers", "own", "s3", "rtt_ms")``."""
Levels = Mapping[str, Sequence[Level]]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One system that is measured.

    Parameters
    ----------
    parameter : a name that `analysis.lab.sensitivity.parameter_of` knows, or `AS_IT_IS`.
    factor : by which it is multiplied.
    section : of this configuration alone.
    topology : of the lab.
    """

    parameter: str
    factor: float
    section: Section
    topology: Topology

    @property
    def name(self) -> str:
        """What its campaign is called: ``server-link-rate-x1.2``."""
        return case_name(self.parameter, self.factor)

    def at(self, time_dilation: float | None) -> Case:
        """Return it at the k of the system as it is; None to choose that."""
        if time_dilation is None:
            return self
        factor = self.factor if self.parameter == MACHINE_BY_DILATION else 1.0
        section = replace(self.section, time_dilation=time_dilation * factor)
        return replace(self, section=section)


def config_of(section: Section, given: Levels) -> Config:
    """Return the one configuration of a section that levels of its factors choose.

    Any level is taken of a factor, but of a section in parts only those that a part has.
    ConfigError for a level that cannot be, or a factor of which several levels are left.
    """
    place = f"section {section.name}"
    _require_closed_loop(section)
    found: dict[str, Config] = {}
    for part in section.parts or (section.factors,):
        chosen = {name: given.get(name, levels) for name, levels in part.items()}
        has_levels = all(set(levels) <= set(part.get(n, ())) for n, levels in given.items())
        if set(given) <= set(part) and (has_levels or not section.parts):
            configs = itertools.product(*chosen.values())
            found |= {slug(c): c for c in (dict(zip(chosen, one, strict=True)) for one in configs)}
    if not found:
        levels = ", ".join(f"--{_option(n)} {level_text(v[0])}" for n, v in given.items())
        raise ConfigError(place, f"none of its parts has {levels}; see its file")
    if len(found) > 1:
        raise ConfigError(place, f"choose one level of each factor: {'; '.join(_open(found))}")
    (config,) = found.values()
    levels_of: Any = Annotated[dict[str, Any], table_of({name: RULES[name] for name in config})]
    try:
        parse(levels_of, config)
    except ValueError as exc:
        raise ConfigError(place, str(exc)) from exc
    return config


def plan_cases(
    base: Section, config: Config, topology: Topology, *, step: float
) -> tuple[Case, ...]:
    """Plan the systems that tell the elasticities of one configuration, as it is first.

    Rates are multiplied by 1 + `step` and divided by it, counts as nearly as whole numbers go.
    `topology` is that of the lab as it is.

    Raises
    ------
    ConfigError
        No closed loop, a step out of bounds, or a rate or count that the lab cannot have.
    """
    if not 0 < step <= LARGEST_STEP:
        raise ConfigError(
            "--step", f"a step must be > 0 and at most {LARGEST_STEP:g}, got {step:g}"
        )
    _require_closed_loop(base)
    settings = base.settings(config)
    as_it_is = _section(base, config, settings.clients_per_thread)
    cases = [Case(parameter=AS_IT_IS, factor=1.0, section=as_it_is, topology=topology)]
    for name, place in _rates(as_it_is, topology):
        for factor in factors_of(step):
            try:
                changed = changed_topology(topology, place, factor)
            except ValueError as exc:
                rule = f"{name} cannot be multiplied by {factor:.4g}: {exc}"
                raise ConfigError(f"--step {step:g}", rule) from exc
            cases.append(Case(parameter=name, factor=factor, section=as_it_is, topology=changed))
    counts = {CLIENTS: settings.clients_per_thread}
    if settings.num_middlewares and settings.workers:
        counts[WORKERS] = settings.workers
    for name, count in counts.items():
        for other in counts_of(count, step):
            change = {"workers": other} if name == WORKERS else {}
            clients = other if name == CLIENTS else settings.clients_per_thread
            section = _section(base, config, clients, change)
            factor = other / count
            cases.append(Case(parameter=name, factor=factor, section=section, topology=topology))
    return tuple(cases)


def factors_by_parameter(cases: Sequence[Case]) -> dict[str, tuple[float, ...]]:
    """Return parameter to its factors, of which 1 stands for the system as it is."""
    found: dict[str, list[float]] = {}
    for case in cases:
        if case.parameter != AS_IT_IS:
            found.setdefault(case.parameter, []).append(case.factor)
    return {name: tuple(f if len(f) > 1 else [1.0, *f]) for name, f in found.items()}


def counts_of(count: int, step: float) -> list[int]:
    """Return whole numbers >= 1 that differ from a count by a step, at least by 1, down and up."""
    less, more = (round(count * factor) for factor in factors_of(step))
    return [*([min(less, count - 1)] if count > 1 else []), max(more, count + 1)]


def changed_topology(topology: Topology, place: Place, factor: float) -> Topology:
    """Multiply a rate of a lab, or divide a round trip; ValueError if no topology can have it.

    An empty `place` is the machine's, which is changed by the time dilation alone.
    """
    fields = topology.to_dict()
    if place:
        *tables, name = place
        table = fields
        for part in tables:
            table = table[part]
        table[name] = table[name] / factor if name in _ROUND_TRIP else table[name] * factor
    return Topology.from_dict(fields)


def _require_closed_loop(section: Section) -> None:
    """Refuse what has no number of clients that stays the same whatever is changed."""
    is_open = RATE in section.factors or RATE in section.constants
    if section.kind != "load" or section.find or is_open:
        raise ConfigError(
            f"section {section.name}",
            "throughput follows the rates of a lab only in a closed loop: choose a section under "
            f"load without {RATE} that searches for nothing",
        )


def _rates(section: Section, topology: Topology) -> Iterator[tuple[str, Place]]:
    """Name the rates of a lab that a section's hosts have, and where they stand."""
    yield from _limits(section, topology, LINK_OF, _LINK_RATE)
    if topology.rtt_ms:
        yield DELAY, _ROUND_TRIP
    yield from _limits(section, topology, DELAY_OF, _ROUND_TRIP)
    yield from _limits(section, topology, QUOTA_OF, _CPU_QUOTA)
    yield MACHINE_BY_DILATION, ()


def _limits(
    section: Section, topology: Topology, title: str, place: Place
) -> Iterator[tuple[str, Place]]:
    """Name the limits of one kind: of each role for hosts without their own, then those hosts'."""
    field = place[0]
    for role, table in topology.tables.items():
        hosts = list(table.hosts)[: section.hosts.get(role, 0)]
        own = [host for host in hosts if getattr(table.owned(host), field) is not None]
        if len(own) < len(hosts) and getattr(table, field, None) is not None:
            yield title.format(role.removesuffix("s")), (role, *place)
        yield from ((title.format(host), (role, "own", host, *place)) for host in own)


def _section(
    base: Section, config: Config, clients_per_thread: int, change: Mapping[str, int] | None = None
) -> Section:
    """Make the section of one configuration, measured until its throughput is known."""
    settings = base.settings(config)
    num_clients = settings.num_clients // settings.clients_per_thread * clients_per_thread
    asked = base.precision
    goal = asked.goals.get("throughput", GOAL) if asked else GOAL
    section = replace(
        changed_section(base, config, num_clients, change or {}),
        title=f"Sensitivity: {base.title}",
        durations=None,
        precision=Precision(
            goals={"throughput": goal},
            repetitions=asked.repetitions if asked else REPETITIONS,
            budget_s=asked.budget_s if asked else BUDGET_S,
        ),
    )
    require_possible(section, Path(f"section {base.name}"))
    return section


def _open(configs: Mapping[str, Config]) -> Iterator[str]:
    """Tell the factors of which several levels are left, and those levels."""
    names = dict.fromkeys(name for config in configs.values() for name in config)
    for name in names:
        levels = dict.fromkeys(level_text(c[name]) for c in configs.values() if name in c)
        if len(levels) > 1 or not all(name in config for config in configs.values()):
            yield f"--{_option(name)} {', '.join(levels)}"


def _option(factor: str) -> str:
    return factor.replace("_", "-")
