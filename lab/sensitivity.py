"""`lab sensitivity`: what throughput follows, and by how much, measured beside the model."""

from __future__ import annotations

import contextlib
import json
import sys
from functools import partial
from typing import TYPE_CHECKING

import click
from tabulate import tabulate

from lab.campaigns import NOT_COMPLETE
from lab.fleets import lab_up
from lab.say import say
from lab.shared_options import (
    campaign_option,
    dry_run_option,
    middleware_option,
    own_lab_option,
    profile_option,
)
from records.sensitivity import AS_IT_IS
from records.text.words import MISSING
from remote.campaign import Campaign
from remote.campaign.changes.cases import config_of, factors_by_parameter, plan_cases
from remote.campaign.changes.study import (
    Report,
    Study,
    lab_topology,
    measure_in_turns,
    measure_on_reshaped_lab,
)
from remote.campaign.search_file import parse_levels
from remote.campaign.view.dry_run import cases_table
from remote.experiment.section import slug
from remote.providers.fleets import LOCAL
from remote.providers.local_lab.topology import topology_for

if TYPE_CHECKING:
    import pandas as pd

HEADERS = ("parameter", "kind", "elasticity", "95 % CI", "model", "repetitions", "")


@click.argument("section")
@click.argument("levels", nargs=-1, type=click.UNPROCESSED, metavar="[--FACTOR LEVEL]...")
@click.option(
    "--step",
    type=float,
    default=0.2,
    show_default=True,
    help="Rates are multiplied by 1 + STEP and divided by it.",
)
@profile_option
@campaign_option
@middleware_option
@dry_run_option
@own_lab_option
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def sensitivity(
    section: str,
    levels: tuple[str, ...],
    step: float,
    profile: str,
    campaign: str,
    middleware: str,
    dry_run: bool,
    own_lab: bool,
    as_json: bool,
) -> None:
    """Measure by how many percent throughput follows one percent of each rate, in SECTION.

    One configuration of the section is chosen by levels of its factors, such as --workload get
    --workers 64. Each link, the delay, each CPU quota, the workers, the clients and, by the time
    dilation, the machine are made larger and smaller, one at a time, on the local lab. The table
    has the elasticities with 95 % intervals, the largest first, and what the model says. Those of
    rates sum to 1; what lacks of it is the row `unexplained`.

    Interrupt at any time: what is measured is kept, the next call resumes. Exit status 3 if
    something could not be measured.
    """
    opened = Campaign.open(campaign, profile=profile, fleet=LOCAL, middleware=middleware)
    plan = opened.plan(section)
    config = config_of(plan, parse_levels(levels, plan.factors))

    def study() -> Study:
        cases = plan_cases(plan, config, lab_topology(), step=step)
        return Study(
            cases=cases, campaign_dir=opened.path, profile=profile, middleware=opened.middleware
        )

    if dry_run:
        say(cases_table(study()))
        return
    missing = any(map(study().is_missing, study().cases_at_k))
    topology = topology_for(plan.hosts)
    lab = lab_up(LOCAL, topology) if own_lab and missing else contextlib.nullcontext()
    with contextlib.redirect_stdout(sys.stderr), lab:
        table = sensitivity_of(study(), report=partial(say, err=True))
    if as_json:
        about = {"section": plan.name, "configuration": config, "step": step}
        rows = json.loads(table.to_json(orient="records"))
        say(json.dumps({**about, "rows": rows}, indent=1))
    else:
        say(f"Section {plan.name}, {slug(config)}: d log throughput / d log parameter")
        say(table_text(table))
    sys.exit(NOT_COMPLETE if table["lower"].isna().any() else 0)


def sensitivity_of(study: Study, *, report: Report) -> pd.DataFrame:
    """Measure what is missing of a study on the local lab, and return what throughput follows.

    Parameters
    ----------
    report : called with a line of text at each run, and if there is no model.

    Raises
    ------
    RemoteError, LabError, ConfigError
        Measuring cannot go on; what is done stays done.
    """
    with measure_on_reshaped_lab(report) as measure:
        measure_in_turns(study, measure)
    return elasticities(study, report=report)


def elasticities(study: Study, *, report: Report) -> pd.DataFrame:
    """Return `analysis.lab.sensitivity.sensitivity_table` of what was measured of a study."""
    from analysis.lab.sensitivity import predict_measured, sensitivity_table  # models load slowly
    from analysis.tables.tidy_cache import campaign_tables

    runs, factors = study.throughputs(), factors_by_parameter(study.cases)
    predicted = None
    if (runs["parameter"] == AS_IT_IS).any():
        as_it_is = study.cases[0]
        try:
            tables = campaign_tables(study.folder / as_it_is.name, [as_it_is.section.name])
            predicted = predict_measured(tables, factors)
        except ValueError as exc:
            report(f"no model of this system: {exc}")
    return sensitivity_table(runs, factors, predicted)


def table_text(table: pd.DataFrame) -> str:
    """Write what `analysis.lab.sensitivity.sensitivity_table` gives for a terminal."""
    rows = [
        (
            row["parameter"],
            row["kind"],
            _number(row["measured"]),
            f"{_number(row['lower'])} to {_number(row['upper'])}",
            _number(row["model"]),
            row["repetitions"],
            "curved" if row["curved"] else "",
        )
        for row in table.to_dict("records")
    ]
    return tabulate(rows, headers=HEADERS, disable_numparse=True)


def _number(value: float) -> str:
    return MISSING if value != value else f"{value:+.3f}"
