"""The elasticities of a configuration for a notebook: what is missing is measured, then read."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from analysis.lab.measured_study import MeasuredStudy, read_study
from records.settings import Level
from remote.campaign import Campaign
from remote.campaign.campaign import OF_MIDDLEWARES
from remote.campaign.changes.in_turns import Study, measure_in_turns, on_lab, study_folder
from remote.campaign.changes.sensitivity import config_of, plan_cases
from remote.providers.fleets import LOCAL
from remote.providers.local_lab.files import LabFiles
from remote.providers.local_lab.topology import DEFAULT_TOPOLOGY, Topology

STEP = 0.2
"""Rates are multiplied by 1 + STEP and divided by it, where nothing else is asked for."""


def measure_study(
    campaign: Campaign,
    section: str,
    levels: Mapping[str, Level],
    *,
    middleware: str = "",
    step: float = STEP,
    report: Callable[[str], None] = print,
) -> MeasuredStudy:
    """Measure what `lab sensitivity` would on the local lab, and return what there is.

    On any other fleet nothing is measured, and the topology need not be known.

    Parameters
    ----------
    section : of the campaign.
    levels : factor to level, one of each, in the order of the section.
    middleware : in place of that of the campaign, as for `Campaign.open`.
    report : called with a line of text at each run.

    Raises
    ------
    ConfigError
        There is no such section, configuration or campaign, or another process measures.
    RemoteError, LabError
        Measuring cannot go on; what is done stays done.
    FileNotFoundError
        Nothing was measured.
    """
    own = _of_middleware(campaign, middleware) if middleware else campaign
    plan = own.plan(section)
    config = config_of(plan, {name: (level,) for name, level in levels.items()})
    if own.fleet == LOCAL:
        cases = plan_cases(plan, config, lab_topology(), step=step)
        study = Study(
            cases=cases, campaign_dir=own.path, profile=own.profile, middleware=own.middleware
        )
        with on_lab(report) as measure:
            measure_in_turns(study, measure)
    return read_study(study_folder(own.path, plan.name, config))


def _of_middleware(campaign: Campaign, middleware: str) -> Campaign:
    """Return the campaign of another middleware in the same campaign."""
    inside = campaign.path.parent.name == OF_MIDDLEWARES
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
