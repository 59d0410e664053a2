"""A small campaign that `lab pack` packs."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from lab.cli import main
from remote.campaign.record import Record
from tests.helpers.campaign import build_campaign, build_run

ORCID = "https://orcid.org/0000-0002-1825-0097"  # the one that ORCID made up for examples


def campaign_to_pack(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a campaign of one load and its what-if below `folder`, where `lab pack` looks."""
    size = {"clients_per_thread": [32], "workers": [64], "repetitions": 2}
    campaign = build_campaign(folder / "data" / "one", **size)
    changed = campaign / "what-if" / "more"
    build_run(changed, "3.1", {"workload": "get", "clients_per_thread": 8, "workers": 8})
    for path in (campaign, changed):
        Record(profile="smoke", seed=1, fleet="local").write(path)
    monkeypatch.setattr("lab.packing.DATA", campaign.parent)
    return campaign


def pack(*options: str) -> None:
    """Pack the campaign."""
    result = CliRunner().invoke(main, ["pack", "one", *options])
    assert result.exit_code == 0, result.output
