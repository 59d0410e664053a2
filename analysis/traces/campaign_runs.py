"""Which runs of a campaign followed requests, and their files, whether it is packed or not."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from analysis.results.manifests import each_run
from analysis.tables.packed import raw_requests
from analysis.traces.blame import slowest_requests
from analysis.traces.followed_requests import followed_requests
from analysis.traces.host_pauses import host_pauses
from records.verdict import ACCEPTED


def followed_runs(campaign_dir: Path, section: str) -> list[Path]:
    """Return the folders of a section's accepted runs that followed requests."""
    return [
        folder
        for folder, manifest in each_run(campaign_dir, [section])
        if manifest.status == ACCEPTED and manifest.all_settings.follow
    ]


@contextlib.contextmanager
def run_files(run: Path) -> Iterator[Path]:
    """Give the folder of a run in which what tells of its followed requests is.

    That is its own unless its campaign is packed; then a copy, which lasts as long as the block.
    """
    run = run.resolve()
    section = run.parents[1]
    with raw_requests(section.parent, section.name) as campaign_dir:
        yield campaign_dir / run.relative_to(section.parent)


def slowest_followed(campaign_dir: Path, section: str, repetition: int) -> pd.DataFrame:
    """Return the slowest requests that a section of one configuration followed in a repetition."""
    own = [run for run in followed_runs(campaign_dir, section) if run.name == f"rep-{repetition}"]
    if not own:
        return pd.DataFrame()
    with run_files(own[0]) as folder:
        return slowest_requests(followed_requests(folder), host_pauses(folder))
