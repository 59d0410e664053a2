"""A packed campaign's metadata: what they name, and what they keep back."""

import json

import pytest
from click.testing import CliRunner
from rocrate.rocrate import ROCrate

from lab.cli import main
from lab.crate import METADATA
from tests.helpers.packing import ORCID, campaign_to_pack, pack


@pytest.fixture
def campaign(tmp_path, monkeypatch):
    monkeypatch.setattr("lab.packing.ABOUT_RUNS", (2,))  # one chapter tells enough
    return campaign_to_pack(tmp_path, monkeypatch)


def entities(document, kind):
    return [one for one in document["@graph"] if one["@type"] == kind]


def root(document):
    (found,) = (one for one in document["@graph"] if one["@id"] == "./")
    return found


def metadata(campaign):
    return json.loads((campaign / METADATA).read_text())


def test_the_library_that_wrote_it_reads_it(campaign):
    pack()
    crate = ROCrate(campaign)
    assert crate.root_dataset["license"]["name"] == "MIT"
    section = crate.get("2.1/")
    archive = section["hasPart"]
    assert (campaign / archive.id).stat().st_size == int(archive["contentSize"])
    assert crate.get("what-if/more/3.1/")
    (measuring,) = (one for one in crate.root_dataset["mentions"] if one["result"] == section)
    assert measuring["instrument"]["version"] == f"commit {'0' * 40}"


def test_claims_are_variables_of_their_sections_with_number_and_interval(campaign):
    pack()
    crate = ROCrate(campaign)
    (link,) = (
        v for v in crate.get("2.1/")["variableMeasured"] if "server's link limits" in v["name"]
    )
    assert link["minValue"] <= link["value"] <= link["maxValue"]
    assert "verdict: " in link["description"]
    told = {one["name"] for one in entities(metadata(campaign), "PropertyValue")}
    assert not any(name.startswith("Yenicelik's effects") for name in told)


@pytest.mark.slow
def test_nobody_is_named_who_is_not_named_as_an_author(campaign):
    pack()
    document = metadata(campaign)
    assert entities(document, "Person") == []
    assert "author" not in root(document)
    pack("--author", f"Josiah Carberry <{ORCID}>", "--author", "Jane Doe", "--license", "CC-BY-4.0")
    document = metadata(campaign)
    names = {one["@id"]: one["name"] for one in entities(document, "Person")}
    assert names == {ORCID: "Josiah Carberry", "#author-2": "Jane Doe"}
    assert root(document)["license"] == {"@id": "https://spdx.org/licenses/CC-BY-4.0"}


@pytest.mark.parametrize("wrong", [("--author", "<x>"), ("--license", "MIT OR else")])
def test_what_cannot_be_written_is_refused_before_anything_is_packed(campaign, wrong):
    result = CliRunner().invoke(main, ["pack", "one", *wrong])
    assert result.exit_code == 2
    assert wrong[0] in result.output
    assert not (campaign / "raw").exists()


@pytest.mark.slow
def test_packing_again_writes_the_same_and_unpacking_removes_it(campaign):
    pack()
    once = (campaign / METADATA).read_bytes()
    pack()
    assert (campaign / METADATA).read_bytes() == once
    CliRunner().invoke(main, ["unpack", "one"])
    assert not (campaign / METADATA).exists()
