"""`lab trace`: the slowest requests that were followed in a run, and all of them as a file."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pandas as pd
from tabulate import tabulate

from analysis.figures.over_time.chrome_trace import to_chrome_trace
from analysis.results import ParseError
from analysis.results.manifests import MANIFEST, is_packed, measured_sections
from analysis.text.spreadsheet import csv_text
from analysis.traces.blame import slowest_requests
from analysis.traces.campaign_runs import followed_runs, run_files
from analysis.traces.followed_requests import STAGES, followed_requests
from analysis.traces.host_pauses import host_pauses
from lab.campaigns import campaign_of, whole_campaign
from lab.say import say
from remote.campaign.plain_files import require_plain_files
from remote.errors import ConfigError
from remote.experiment.manifest import read_manifest

MOST_NAMED = 10  # runs, where one is to be chosen
_BLAME = ["excess_ms", "blamed", "blamed_share"]
_STAGE_WORDS = [stage.removesuffix("_time").replace("_", " ") for stage in STAGES]
_HEADERS = ["", "kind", "response", *_STAGE_WORDS, "slowest server", "blamed", "of excess"]


_file = click.Path(path_type=Path, dir_okay=False)


@click.argument("target", metavar="RUN|CAMPAIGN")
@click.argument("section", required=False)
@click.option("--slowest", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--perfetto", type=_file, metavar="FILE", help="Write all for ui.perfetto.dev.")
@click.option("--csv", "table", type=_file, metavar="FILE", help="Write all as a table.")
def trace(
    target: str, section: str | None, slowest: int, perfetto: Path | None, table: Path | None
) -> None:
    """Show the slowest requests that a run followed, stage by stage, and what took their time.

    RUN is the folder of a run, such as data/smoke/8/workload=mixed/rep-1; of a CAMPAIGN, or a
    SECTION of it, it need not be told where only one run followed requests (`lab run --trace`).
    Files hold all followed requests, and in the trace the pauses of programs; what is blamed is
    told of the slowest.
    """
    run = _run_of(target, section)
    with run_files(run) as folder:
        try:
            requests, pauses = followed_requests(folder), host_pauses(folder)
        except ParseError:
            raise
        except KeyError as exc:
            raise ConfigError(run / MANIFEST, f"{exc} is missing") from exc
        except ValueError as exc:
            raise ConfigError(run, str(exc)) from exc
    told = slowest_requests(requests, pauses, slowest)
    manifest = read_manifest(run)
    say(
        f"{run}: {len(requests)} requests, 1/{manifest.all_settings.follow} of each connection; "
        f"times in ms of the clock, k = {manifest.topology.time_dilation:g}"
    )
    say(tabulate(_rows(told), headers=_HEADERS, disable_numparse=True))
    judged = requests.join(told[_BLAME])
    if perfetto is not None:
        perfetto.write_text(json.dumps(to_chrome_trace(judged, pauses), allow_nan=False))
        say(f"{perfetto}: open it at https://ui.perfetto.dev")
    if table is not None:
        table.write_text(csv_text(judged.map(_plain), float_format="%.6f"))


def _run_of(target: str, section: str | None) -> Path:
    """Return the folder of the one run that is meant; ConfigError if there is none, or several."""
    path = Path(target)
    path = path.parent if path.name == MANIFEST else path
    if (path / MANIFEST).is_file() or is_packed(path):
        if campaign_of(path) is None:
            require_plain_files(path)
        if not read_manifest(path, whole=True).all_settings.follow:
            raise ConfigError(path, "no request was followed in this run: measure with --trace")
        return path
    campaign = whole_campaign(target)
    sections = measured_sections(campaign) if section is None else [section]
    runs = [run for name in sections for run in followed_runs(campaign, name)]
    if not runs:
        where = "" if section is None else f" of section {section}"
        asked = f"lab run {section or 8} --trace 1/100"
        rule = f"no request{where} was followed: `{asked}` does, in a campaign that lacks it"
        raise ConfigError(campaign, rule)
    if len(runs) > 1:
        named = [f"\n  {run}" for run in runs[:MOST_NAMED]]
        more = ["\n  ..."] * (len(runs) > MOST_NAMED)
        rule = f"{len(runs)} runs followed requests: name one of them"
        raise ConfigError(campaign, "".join([rule, *named, *more]))
    return runs[0]


def _rows(requests: pd.DataFrame) -> list[list[object]]:
    return [
        [
            place,
            request["request_type"],
            *(f"{request[f'{name}_ms']:.3f}" for name in ("response_time", *STAGES)),
            request["slowest_server"],
            request["blamed"],
            f"{100 * request['blamed_share']:.0f} %",
        ]
        for place, request in enumerate(requests.to_dict("records"), 1)
    ]


def _plain(cell: object) -> object:
    return ";".join(map(str, cell)) if isinstance(cell, tuple) else cell
