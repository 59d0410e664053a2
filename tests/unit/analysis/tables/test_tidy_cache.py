import json
import os
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from analysis.results import ParseError
from analysis.tables import tidy_cache
from analysis.tables.frames import read_origin, tables_path
from analysis.tables.tidy_cache import campaign_tables
from analysis.tables.tidying import tidy_campaign
from tests.helpers.campaign import build_campaign, build_run

CONFIG = {"workload": "get", "clients_per_thread": 4}


@pytest.fixture
def campaign(tmp_path):
    return build_campaign(
        tmp_path / "trial", sections=["2.1"], clients_per_thread=[1], repetitions=1
    )


@pytest.fixture
def made(monkeypatch):
    """Count how often tables are made from runs."""
    calls = []

    def tidy(campaign_dir, sections, **options):
        calls.append(list(sections))
        return tidy_campaign(campaign_dir, sections, **options)

    monkeypatch.setattr(tidy_cache, "tidy_campaign", tidy)
    return calls


def test_tables_are_made_once_and_are_the_same(campaign, made):
    first, second = campaign_tables(campaign, ["2.1"]), campaign_tables(campaign, ["2.1"])
    assert made == [["2.1"]]
    assert first.runs.equals(second.runs)
    assert len(first.runs) == 2


def test_several_at_once_make_them_once(campaign, made):
    with ThreadPoolExecutor(max_workers=4) as pool:
        found = list(pool.map(lambda _: campaign_tables(campaign, ["2.1"]), range(4)))
    assert made == [["2.1"]]
    assert [len(tables.runs) for tables in found] == [2] * 4


def test_a_new_run_makes_them_anew(campaign, made):
    campaign_tables(campaign, ["2.1"])
    build_run(campaign, "2.1", CONFIG)
    assert len(campaign_tables(campaign, ["2.1"]).runs) == 3
    assert len(made) == 2


def _with_schema_0(path):
    return {"origin.json": json.dumps({**read_origin(path), "schema": 0})}


@pytest.mark.parametrize(
    "spoil", [_with_schema_0, lambda _: {"origin.json": "[" * 100_000}, lambda _: {}, None]
)
def test_what_does_not_agree_is_made_anew(campaign, made, spoil):
    campaign_tables(campaign, ["2.1"])
    path = tables_path(campaign, "2.1")
    if spoil is None:
        path.write_bytes(b"PK")
    else:
        contents = spoil(path)
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in contents.items():
                archive.writestr(name, content)
    assert len(campaign_tables(campaign, ["2.1"]).runs) == 2
    assert len(made) == 2


def test_folder_that_cannot_be_written_is_no_obstacle(campaign, made, monkeypatch):
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    assert len(campaign_tables(campaign, ["2.1"]).runs) == 2
    assert not (campaign / "tidy").exists()


def test_a_manifest_that_is_nested_without_end_is_told(campaign):
    next(campaign.glob("2.1/*/*/manifest.json")).write_text('{"a":' * 100_000)
    with pytest.raises(ParseError, match=r"manifest\.json: not a complete JSON document"):
        campaign_tables(campaign, ["2.1"])
