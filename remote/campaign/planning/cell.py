"""A configuration and all that has been measured of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from analysis.results.manifests import run_folders, run_names
from records.manifest import Manifest
from records.verdict import ACCEPTED, PILOT
from remote.campaign.states import MAX_ATTEMPTS, counted
from remote.experiment.checks.check import NOT_THE_LIMIT
from remote.experiment.lengths import Lengths
from remote.experiment.manifest import read_manifest
from remote.experiment.run import run_label
from remote.experiment.section import Config, Section, slug

_RATE = "arrival_rate_per_s"


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A run that was measured well.

    Parameters
    ----------
    counts : whether it is a repetition; a pilot only tells how repetitions are to be measured.
    is_trial : of a pilot: it was made to choose the time dilation.
    results : ``manifest.results``, in undilated time; standard errors are named ``..._error``.
    machine_is_limit : a machine had no CPU left, or other machines took it.
    """

    repetition: int
    counts: bool
    is_trial: bool = False
    time_dilation: float
    lengths: Lengths
    results: Mapping[str, float]
    machine_share: float | None = None
    machine_is_limit: bool = False


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A configuration, its runs so far, and the repetitions that were given up.

    Parameters
    ----------
    least_response_time_s : what theory says before anything is measured, undilated.
    """

    config: Config
    measured: tuple[Measured, ...] = ()
    given_up: frozenset[int] = frozenset()
    least_response_time_s: float = 0.0

    @property
    def repetitions(self) -> list[Measured]:
        """The runs that count, in their order."""
        counted = (one for one in self.measured if one.counts)
        return sorted(counted, key=lambda one: one.repetition)

    @property
    def trials(self) -> list[Measured]:
        """The runs that were made to choose the time dilation, the smallest k first."""
        made = (one for one in self.measured if one.is_trial)
        return sorted(made, key=lambda one: one.time_dilation)

    @property
    def tells_length(self) -> bool:
        """Whether it is known about how long its runs last."""
        return bool(self.measured or self.least_response_time_s)

    def pilots(self, repetition: int) -> int:
        """Return how many pilots of a repetition were made, without trials."""
        return sum(
            one.repetition == repetition and not one.counts and not one.is_trial
            for one in self.measured
        )

    @property
    def spent_s(self) -> int:
        """Seconds of the clock that all its runs took."""
        return sum(one.lengths.total_s for one in self.measured)

    @property
    def taken(self) -> frozenset[int]:
        """The numbers of the repetitions that count or were given up."""
        return self.given_up | {one.repetition for one in self.measured if one.counts}

    @property
    def next_repetition(self) -> int:
        """The smallest number that neither counts nor was given up."""
        return next(n for n in range(1, len(self.taken) + 2) if n not in self.taken)

    def without_given_up(self) -> Cell:
        """Return it with no repetition given up."""
        return replace(self, given_up=frozenset()) if self.given_up else self

    def without(self, section: str, given_up: Collection[str]) -> Cell:
        """Return it with the repetitions given up that labels of runs (`Run.label`) name."""
        repetitions = {
            number
            for number in range(1, self.next_repetition + len(given_up) + 1)
            if run_label(section, self.config, number) in given_up
        }
        return replace(self, given_up=self.given_up | repetitions)


def cells(section: Section, campaign_dir: Path) -> list[Cell]:
    """Read what has been measured of each configuration of a section under load.

    Where a rate is searched for, each rate that was measured is a configuration of its own.
    ConfigError if a manifest is damaged.
    """
    folder = campaign_dir / section.name
    return [_cell(folder, config) for config in _configs(section, folder)]


def _configs(section: Section, folder: Path) -> Iterable[Config]:
    if section.find is None:
        return section.configs()
    there = {path.name for path in folder.glob("*")} | {
        run.parent.name for run in run_folders(folder)
    }
    return [
        {**config, _RATE: float(found[1])}
        for config in section.configs()
        for name in sorted(there)
        if (found := re.fullmatch(rf".*_{_RATE}=(\d+(?:\.\d+)?)", name))
        and name == slug({**config, _RATE: float(found[1])})
    ]


def _cell(folder: Path, config: Config) -> Cell:
    name = slug(config)
    runs = [run for run in run_names(folder, name) if run.startswith("rep-")]
    manifests = [read_manifest(folder / name / run) for run in runs]
    measured = tuple(_measured(m) for m in manifests if m.status in (ACCEPTED, PILOT))
    done = {one.repetition for one in measured if one.counts}
    by_repetition: dict[int, list[Manifest]] = {}
    for manifest in manifests:
        by_repetition.setdefault(manifest.repetition, []).append(manifest)
    failures = {n: len(counted(attempts)) for n, attempts in by_repetition.items()}
    given_up = {n for n, failed in failures.items() if failed >= MAX_ATTEMPTS and n not in done}
    return Cell(config=config, measured=measured, given_up=frozenset(given_up))


def _measured(manifest: Manifest) -> Measured:
    return Measured(
        repetition=manifest.repetition,
        counts=manifest.status == ACCEPTED,
        is_trial=manifest.is_trial,
        time_dilation=manifest.topology.time_dilation,
        lengths=Lengths(**manifest.durations.model_dump()),
        results=manifest.results,
        machine_share=manifest.machine_share,
        machine_is_limit=any(
            not check.passed for check in manifest.checks if check.name.endswith(NOT_THE_LIMIT)
        ),
    )
