"""Measuring one run again from nothing but its manifest, and comparing the numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from records.documents import Document, Positive, Seconds, WholeSeconds, one_of, parse, told
from records.manifest import Manifest
from records.middleware import require_plain
from records.section import (
    PROFILES,
    SECTION_NAME,
    AnySettings,
    Dilated,
    PauseTable,
    Planned,
    Stable,
    is_section_name,
)
from remote.errors import ConfigError
from remote.experiment.lengths import Durations
from remote.experiment.rules import require_possible
from remote.experiment.section import Pause, Section

NEEDED = ("plan", "settings", "config", "topology", "durations", "results")
COMPARED = ("client_throughput_ops_per_s", "client_response_time_ms")


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A number of the manifest beside the same number measured again, all in undilated time."""

    name: str
    original: float
    again: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """Mean of what was measured again over the original."""
        return sum(self.again) / len(self.again) / self.original


def plan_of(manifest: Manifest, path: Path, *, repetitions: int) -> Section:
    """Return the section with the one configuration that `manifest` is about.

    Raises
    ------
    ConfigError
        The manifest is not one of a run under load, or does not hold the plan of its section and
        results to compare with.
    """
    lacking = [name for name in NEEDED if name not in manifest.model_fields_set]
    if lacking:
        raise ConfigError(
            path,
            f"holds no {' and no '.join(lacking)}: only a run under load that its checks went over "
            "can be measured again and compared",
        )
    try:
        whole = parse(Section, manifest.plan)
        _require_plain(whole, manifest)
        plan = dataclasses.replace(
            whole,
            factors={name: (level,) for name, level in manifest.config.items()},
            extra={},
            parts=(),
            pauses=_pauses(manifest, whole),
            durations=_as_long(manifest, repetitions, whole.heat_s),
            precision=None,
            find=None,
            time_dilation=manifest.topology.time_dilation,
        )
        require_possible(plan, path)
    except ValueError as exc:
        raise ConfigError(path, f"the plan of its section is damaged: {exc}") from exc
    except (KeyError, TypeError, AttributeError) as exc:
        raise ConfigError(path, f"the plan of its section is damaged: {exc!r}") from exc
    return plan


def _require_plain(whole: Section, manifest: Manifest) -> None:
    """Hold what someone else's manifest says to the rules of section files: it names folders.

    Raises
    ------
    ValueError
        Tells all that is wrong; each mistake begins with its place.
    """
    plan = {name: getattr(whole, name) for name in ("name", "profile", "kind")}
    plan |= {name: dict(getattr(whole, name)) for name in ("hosts", "constants", "follows")}
    plan |= {"pauses": [dataclasses.asdict(pause) for pause in whole.pauses]}
    results = {name: manifest.results[name] for name in COMPARED if name in manifest.results}
    parse(
        _Asked,
        {
            "config": manifest.config,
            "time_dilation": manifest.topology.time_dilation,
            "plan": {**plan, "heat_s": whole.heat_s},
            "durations": dict(manifest.durations),
            "results": results,
        },
    )
    for name, middleware in whole.middlewares.items():
        try:
            require_plain(name, middleware)
        except ValueError as exc:
            raise ValueError(f"plan.middlewares.{name}: {exc}") from exc


class _Plan(Planned):
    name: Annotated[str, told(SECTION_NAME, is_section_name)]
    profile: Annotated[str, one_of(*PROFILES)]
    kind: Annotated[str, one_of("load")]
    pauses: list[PauseTable]
    heat_s: WholeSeconds


class _Lengths(Document):
    """How long the run was, in seconds of the clock."""

    stable_s: Stable
    warm_up_s: Seconds
    cool_down_s: Seconds


class _Asked(Document):
    """What must be true of a manifest before anything that it asks for is done."""

    config: AnySettings
    time_dilation: Dilated
    plan: _Plan
    durations: _Lengths
    results: dict[str, Positive]


def _as_long(manifest: Manifest, repetitions: int, heat_s: int) -> Durations:
    """Return durations that make runs as long as the one of a manifest, and as long undilated."""
    k = manifest.topology.time_dilation
    of_clock = dict(manifest.durations)
    of_clock["warm_up_s"] -= heat_s
    if of_clock["warm_up_s"] < 0:
        raise ValueError(f"durations.warm_up_s is shorter than the {heat_s} s of heating in it")
    times = {name: of_clock[name] / k for name in ("stable_s", "warm_up_s", "cool_down_s")}
    return Durations(repetitions=repetitions, heat_s=heat_s, **times)


def _pauses(manifest: Manifest, whole: Section) -> tuple[Pause, ...]:
    """Return the pauses in seconds of the system; runs of before had them in those of the clock."""
    k = 1.0 if "precision" in manifest.plan else manifest.topology.time_dilation
    return tuple(
        Pause(server=pause.server, at_s=pause.at_s / k, for_s=pause.for_s / k)
        for pause in whole.pauses
    )


def compare(original: Manifest, again: Sequence[Manifest]) -> list[Comparison]:
    """Compare the results that manifests hold."""
    return [
        Comparison(
            name=name,
            original=original.results[name],
            again=tuple(manifest.results[name] for manifest in again),
        )
        for name in COMPARED
    ]


def changed_conditions(original: Manifest, again: Manifest) -> list[tuple[str, object, object]]:
    """Return what a reader must know before comparing: name, what it was, what it is.

    Only the values that differ are named, however deep they stand: ``hosts.c1.kernel``.
    """
    names = {"fleet", "topology", "git", "generator", "control", "hosts"}
    was, now = (
        dict(_leaves(manifest.model_dump(include=names, exclude_unset=True)))
        for manifest in (original, again)
    )
    return [
        (name, was.get(name), now.get(name))
        for name in {**was, **now}
        if was.get(name) != now.get(name)
    ]


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, object]]:
    if not isinstance(value, Mapping):
        yield place, value
        return
    for name, part in value.items():
        yield from _leaves(part, f"{place}.{name}".removeprefix("."))
