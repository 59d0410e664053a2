"""What a campaign's folder tells of the configurations of a section."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from analysis.tables.manifests import modified_ns, run_folders
from records.manifest import Manifest
from records.verdict import ACCEPTED, PILOT
from remote.campaign.planning.cell import Cell, Measured
from remote.campaign.states import MAX_ATTEMPTS, counted
from remote.experiment.checks.of_hosts import NOT_THE_LIMIT
from remote.experiment.lengths import Lengths
from remote.experiment.manifest import read_manifest
from remote.experiment.run import run_label
from remote.experiment.section import Config, Section, slug

_NOT_NEEDED: dict[str, object] = {
    "plan": {},
    "settings": {},
    "hosts": {},
    "clocks": {},
    "jobs": [],
    "files": {},
}
_RATE = "arrival_rate_per_s"


def cells(section: Section, campaign_dir: Path, *, retry: bool = False) -> list[Cell]:
    """Read what has been measured of each configuration of a section under load.

    Where a rate is searched for, each rate that was measured is a configuration of its own.

    Parameters
    ----------
    retry : leave out which repetitions were given up.

    Raises
    ------
    ConfigError
        A manifest is damaged.
    """
    folder = campaign_dir / section.name
    return [_cell(folder, config, retry=retry) for config in _configs(section, folder)]


def without(cell: Cell, section: str, given_up: Collection[str]) -> Cell:
    """Return a cell with the repetitions given up that labels of runs (`Run.label`) name."""
    repetitions = {
        number
        for number in range(1, cell.next_repetition + len(given_up) + 1)
        if run_label(section, cell.config, number) in given_up
    }
    return replace(cell, given_up=cell.given_up | repetitions)


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


def _cell(folder: Path, config: Config, *, retry: bool) -> Cell:
    manifests = [
        _manifest(run, modified_ns(run))
        for run in run_folders(folder, slug(config))
        if run.name.startswith("rep-")
    ]
    measured = tuple(_measured(m) for m in manifests if m.status in (ACCEPTED, PILOT))
    done = {one.repetition for one in measured if one.counts}
    by_repetition: dict[int, list[Manifest]] = {}
    for manifest in manifests:
        by_repetition.setdefault(manifest.repetition, []).append(manifest)
    failures = {n: len(counted(attempts)) for n, attempts in by_repetition.items()}
    given_up = {n for n, failed in failures.items() if failed >= MAX_ATTEMPTS and n not in done}
    return Cell(
        config=config, measured=measured, given_up=frozenset() if retry else frozenset(given_up)
    )


@lru_cache(maxsize=100_000)
def _manifest(run: Path, modified: int) -> Manifest:
    """Read a manifest once, as long as it is not written anew; keep what planning needs of it."""
    manifest = read_manifest(run)
    limits = [check for check in manifest.checks if check.name.endswith(NOT_THE_LIMIT)]
    return manifest.model_copy(update={"checks": limits, **_NOT_NEEDED})


def _measured(manifest: Manifest) -> Measured:
    return Measured(
        repetition=manifest.repetition,
        counts=manifest.status == ACCEPTED,
        is_trial=manifest.is_trial,
        time_dilation=manifest.topology.time_dilation,
        lengths=Lengths(**dict(manifest.durations)),
        results=manifest.results,
        machine_share=manifest.machine_share,
        machine_is_limit=not all(check.passed for check in manifest.checks),
    )
