"""Cases measured in turns on one lab, each in a campaign of its own: `lab sensitivity`.

The lab is reshaped in place between runs. Each turn is one repetition of every case that is not
known yet, in another order: what drifts on the machine meanwhile reaches all of them alike.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from records.files.locks import is_locked
from records.objective import RESULTS
from records.paths import MIDDLEWARES
from records.sensitivity import AS_IT_IS, FOLDER, THROUGHPUT
from records.settings import Level
from remote.campaign import Campaign
from remote.campaign.changes.cases import Case, config_of, plan_cases
from remote.campaign.opened_section import OpenedSection
from remote.campaign.planning.cell import Cell, cells
from remote.errors import ConfigError
from remote.experiment.section import Config, slug
from remote.providers.fleets import LOCAL
from remote.providers.local_lab import LocalLab
from remote.providers.local_lab.files import LabFiles
from remote.providers.local_lab.topology import DEFAULT_TOPOLOGY, Topology

STEP = 0.2
"""Notebooks have rates multiplied by 1 + STEP and divided by it."""


@dataclass(frozen=True, kw_only=True)
class Turn(Campaign):
    """A campaign of a case, which measures so far and then lets others have their turn.

    Parameters
    ----------
    last : the repetition up to which it measures; None for all.
    has_links : whether it measures its links before; those of many cases are the same.
    """

    last: int | None = None
    has_links: bool = True

    def opened(self, section: str) -> OpenedSection:
        """Open a section that is measured as far as the turn goes."""
        return replace(super().opened(section), last=self.last, has_links=self.has_links)


Measure = Callable[[Turn, Case], None]
Report = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Study:
    """All cases of one configuration, and where their campaigns stand.

    Parameters
    ----------
    cases : from `plan_cases`.
    campaign_dir : ``data/<campaign>``.
    middleware : file of the one that is measured in place of this project's own.
    """

    cases: Sequence[Case]
    campaign_dir: Path
    profile: str = "smoke"
    middleware: Path | None = None

    @property
    def folder(self) -> Path:
        """Where the campaigns of its cases stand."""
        section = self.cases[0].section
        (config,) = section.configs()
        return study_folder(self.campaign_dir, section.name, config)

    @property
    def time_dilation(self) -> float | None:
        """The k of the system as it is; None while that is still to be chosen."""
        as_it_is = self.cases[0]
        if as_it_is.section.time_dilation is not None:
            return as_it_is.section.time_dilation
        return next((one.time_dilation for one in self.cell(as_it_is).repetitions), None)

    @property
    def cases_at_k(self) -> list[Case]:
        """All cases, at the k of the system as it is as far as that is chosen."""
        as_it_is, *others = self.cases
        k = self.time_dilation
        return [as_it_is, *(case.at(k) for case in others)]

    def cell(self, case: Case) -> Cell:
        """Return what has been measured of a case."""
        (cell,) = cells(case.section, self.folder / case.name)
        return cell

    def campaign(self, case: Case) -> Turn:
        """Return the campaign of a case."""
        own = Turn.open(case.name, profile=self.profile, fleet=LOCAL, data_dir=self.folder)
        assert isinstance(own, Turn)
        has_links = case.parameter == AS_IT_IS or case.topology != self.cases[0].topology
        plans = {case.section.name: case.section}
        return replace(own, plans=plans, has_links=has_links, middleware=self.middleware)

    def is_missing(self, case: Case, *, turn: int | None = None) -> bool:
        """Return whether repetitions of a case up to a turn are left to be measured."""
        return bool(replace(self.campaign(case), last=turn).missing(case.section.name))

    def throughputs(self) -> pd.DataFrame:
        """Return the throughput of each repetition as `sensitivity_table` wants it, undilated."""
        rows = [
            (case.parameter, case.factor, one.results[RESULTS["throughput"]])
            for case in self.cases
            for one in self.cell(case).repetitions
        ]
        return pd.DataFrame(rows, columns=["parameter", "factor", THROUGHPUT])


def study_folder(campaign_dir: Path, section: str, config: Config) -> Path:
    """Return where the campaigns of all cases of a configuration stand."""
    return campaign_dir / FOLDER / f"{section}-{slug(config)}"


def measure_in_turns(study: Study, measure: Measure) -> None:
    """Measure until each case is known, one repetition of each after the other.

    The system as it is comes first. Where a time dilation is to be chosen it is chosen there, and
    all others are measured with it; if none can be chosen they are not measured.
    """
    _, most = study.cases[0].section.repetitions
    for turn in range(1, most + 1):
        _take_turn(study, study.cases[0], turn, measure)
        if study.time_dilation is None:
            return
        others = study.cases_at_k[1:]  # in an order that is the same whichever are left
        for case in sorted(others, key=lambda case: random.Random(f"{turn}/{case.name}").random()):
            _take_turn(study, case, turn, measure)


@contextlib.contextmanager
def measure_on_reshaped_lab(report: Report) -> Iterator[Measure]:
    """Measure on the local lab that is up, reshaped for each case; put it back as it was.

    ConfigError when something is to be measured while another process measures on the lab.
    """
    lab, files = LocalLab(), LabFiles()
    before = files.read_topology()

    def measure(campaign: Turn, case: Case) -> None:
        if is_locked(files.directory):
            rule = "another process measures on this lab: wait for it or end it"
            raise ConfigError(files.directory, rule)
        report(f"{case.name}: repetition {campaign.last}")
        lab.reshape(case.topology.dilated(case.section.time_dilation or 1.0))
        campaign.measure(case.section.name, progress=False)

    try:
        yield measure
    finally:
        if before is not None and files.read_topology() != before:
            lab.reshape(before)


def _take_turn(study: Study, case: Case, turn: int, measure: Measure) -> None:
    if study.is_missing(case, turn=turn):
        measure(replace(study.campaign(case), last=turn), case)


def measure_study(
    campaign: Campaign, section: str, levels: Mapping[str, Level], *, middleware: str = ""
) -> Path:
    """Measure what `lab sensitivity` would on the local lab, and return the folder of all cases.

    On any other fleet nothing is measured, and the topology need not be known.

    Parameters
    ----------
    levels : factor to level, one of each, in the order of the section.
    middleware : in place of that of the campaign, as for `Campaign.open`.

    Raises
    ------
    ConfigError
        There is no such section or configuration, or another process measures.
    """
    own = _of_middleware(campaign, middleware) if middleware else campaign
    plan = own.plan(section)
    config = config_of(plan, {name: (level,) for name, level in levels.items()})
    if own.fleet == LOCAL:
        cases = plan_cases(plan, config, lab_topology(), step=STEP)
        study = Study(
            cases=cases, campaign_dir=own.path, profile=own.profile, middleware=own.middleware
        )
        with measure_on_reshaped_lab(print) as measure:
            measure_in_turns(study, measure)
    return study_folder(own.path, plan.name, config)


def _of_middleware(campaign: Campaign, middleware: str) -> Campaign:
    """Return the campaign of another middleware in the same campaign."""
    inside = campaign.path.parent.name == MIDDLEWARES
    around = campaign.path.parents[1] if inside else campaign.path
    return Campaign.open(
        around.name,
        profile=campaign.profile,
        fleet=campaign.fleet,
        data_dir=around.parent,
        middleware=middleware,
    )


def lab_topology() -> Topology:
    """Return the topology of the lab that is up, or of the one that would be."""
    return LabFiles().read_topology() or Topology.named(DEFAULT_TOPOLOGY)
