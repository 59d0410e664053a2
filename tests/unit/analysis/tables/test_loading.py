"""What a campaign holds of its sections."""

import json
import shutil
import zipfile

import pytest

from analysis.chapters.claims import claims_of
from analysis.claims.rules import Verdict
from analysis.results import ParseError
from analysis.tables.frames import tables_path
from analysis.tables.loading import find_sections, load_tables, load_tables_by_middleware
from analysis.tables.tidying import origin_of
from tests.helpers.campaign import build_campaign, build_network_runs, build_run

REJECTED = {"workload": "set", "clients_per_thread": 8, "workers": 8}


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """A campaign of 3.1; of 3.2 every run was rejected."""
    folder = tmp_path_factory.mktemp("data") / "rejected"
    build_campaign(folder, sections=("3.1",), clients_per_thread=(32,), workers=(8,))
    build_run(folder, "3.2", REJECTED, status="rejected")
    return folder


def test_a_section_whose_runs_were_all_rejected_is_not_held(campaign):
    assert find_sections(campaign) == {"3.1": campaign}
    for read in (load_tables, load_tables_by_middleware):
        assert set(read(campaign, "3.1", "3.2").runs["section"]) == {"3.1"}
        with pytest.raises(FileNotFoundError, match=r"no accepted run of section 3\.2: measure"):
            read(campaign, "3.2")


def test_a_section_whose_links_alone_were_accepted_is_not_held(tmp_path):
    build_network_runs(tmp_path)
    build_run(tmp_path, "3.2", REJECTED, status="rejected")
    shutil.copytree(tmp_path / "0" / "kind=ping", tmp_path / "3.2" / "kind=ping")
    assert find_sections(tmp_path) == {"0": tmp_path}


def test_a_section_that_was_just_begun_is_not_held(tmp_path):
    """Its links are measured before anything runs on them."""
    build_network_runs(tmp_path)
    shutil.copytree(tmp_path / "0" / "kind=ping", tmp_path / "3.2" / "kind=iperf3-sequential")
    (path,) = tmp_path.glob("3.2/*/*/manifest.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "plan": {"kind": "links"}}))
    assert find_sections(tmp_path) == {"0": tmp_path}


def test_what_was_rejected_cannot_be_told(campaign):
    claims = [one for one in claims_of(campaign, chapter=3) if one.claim.section == "3.2"]
    assert claims
    assert {claim.verdict for claim in claims} == {Verdict.UNDECIDED}


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"x" * 99 + b"PAR1"])
def test_a_damaged_table_is_told_by_its_folder(campaign, tmp_path, content):
    folder = shutil.copytree(campaign, tmp_path / "one")
    load_tables(folder, "3.1")
    origin = json.dumps(origin_of(folder, "3.1"))
    with zipfile.ZipFile(tables_path(folder, "3.1"), "w") as archive:
        archive.writestr("origin.json", origin)
        archive.writestr("runs.parquet", content)
    for read in (load_tables, load_tables_by_middleware):
        with pytest.raises(ParseError, match=r"one/tidy: holds a damaged table: .*; delete this"):
            read(folder, "3.1")
