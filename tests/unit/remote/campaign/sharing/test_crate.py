"""A packed campaign's metadata are an RO-Crate, by the rules of those who specify it."""

import json

import pytest
from click.testing import CliRunner
from requests_cache import CachedRequest, CachedResponse, CachedSession
from rocrate.rocrate import ROCrate
from rocrate.vocabs import RO_CRATE
from rocrate_validator import models, services

from analysis.paths import REFERENCE
from remote.campaign.record import Record
from remote.campaign.sharing.crate import METADATA, crate_of
from remote.campaign.sharing.stand_ins import StandIns
from remote.commands.cli import main
from tests.helpers.campaign import build_campaign, build_run

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")  # of rdflib, by pyshacl
ORCID = "https://orcid.org/0000-0002-1825-0097"  # the one that ORCID made up for examples
VOCABULARY = "https://w3id.org/ro/crate/1.1/context"


@pytest.fixture
def campaign(tmp_path, monkeypatch):
    folder = build_campaign(tmp_path / "data" / "one", clients_per_thread=[1, 32], workers=[64])
    changed = folder / "what-if" / "more"
    build_run(changed, "3.1", {"workload": "get", "clients_per_thread": 8, "workers": 8})
    for path in (folder, changed):
        Record(profile="smoke", seed=1, fleet="local").write(path)
    monkeypatch.setattr("remote.commands.of_packing.DATA_DIR", folder.parent)
    return folder


@pytest.fixture(scope="module")
def issues(tmp_path_factory):
    """Validate without a network: the cache holds the one document that metadata refer to."""
    cache = tmp_path_factory.mktemp("validator") / "responses"
    vocabulary = CachedResponse(
        content=json.dumps(RO_CRATE).encode(),
        headers={"Content-Type": "application/ld+json"},
        request=CachedRequest(method="GET", url=VOCABULARY),
        status_code=200,
        url=VOCABULARY,
    )
    with CachedSession(cache, expire_after=-1) as session:
        session.cache.save_response(vocabulary)

    def found(campaign, severity):
        settings = services.ValidationSettings(
            rocrate_uri=campaign,
            profile_identifier="ro-crate-1.1",
            requirement_severity=severity,
            cache_path=cache,
            offline=True,
        )
        return services.validate(settings).get_issues(severity)

    return found


def pack(*options):
    result = CliRunner().invoke(main, ["pack", "one", *options])
    assert result.exit_code == 0, result.output
    return result


def entities(document, kind):
    return [one for one in document["@graph"] if one["@type"] == kind]


def root(document):
    (found,) = (one for one in document["@graph"] if one["@id"] == "./")
    return found


def metadata(campaign):
    return json.loads((campaign / METADATA).read_text())


def test_packed_campaigns_are_valid(campaign, issues):
    pack("--author", f"Josiah Carberry <{ORCID}>")
    found = issues(campaign, models.Severity.RECOMMENDED)
    assert [one for one in found if one.severity == models.Severity.REQUIRED] == []
    unsaid = [one.message for one in found]
    assert all("publisher" in one or "affiliation" in one for one in unsaid), unsaid


def test_the_validator_finds_what_is_wrong(campaign, issues):
    pack()
    document = metadata(campaign)
    del root(document)["license"]
    (campaign / METADATA).write_text(json.dumps(document))
    found = issues(campaign, models.Severity.REQUIRED)
    assert any("license" in one.message for one in found)


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
    (link,) = (v for v in crate.get("2.1/")["variableMeasured"] if "its link limits" in v["name"])
    assert link["minValue"] <= link["value"] <= link["maxValue"]
    assert "verdict: " in link["description"]
    told = {one["name"] for one in entities(metadata(campaign), "PropertyValue")}
    assert not any(name.startswith("Yenicelik's effects") for name in told)


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


def test_packing_again_writes_the_same_and_unpacking_removes_it(campaign):
    pack()
    once = (campaign / METADATA).read_bytes()
    pack()
    assert (campaign / METADATA).read_bytes() == once
    CliRunner().invoke(main, ["unpack", "one"])
    assert not (campaign / METADATA).exists()


def test_metadata_of_the_reference_tell_nothing_of_people_and_their_machines():
    document = crate_of([REFERENCE], [], authors={}, licence="MIT")
    text = json.dumps(document)
    assert StandIns({}, {}).text(text) == text
    commits = {one["version"] for one in entities(document, "SoftwareApplication")}
    assert any(version.startswith("commit ") for version in commits)
