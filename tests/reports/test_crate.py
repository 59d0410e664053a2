"""A packed campaign's metadata are an RO-Crate, by the rules of those who specify it."""

import json

import pytest
from requests_cache import CachedRequest, CachedResponse, CachedSession
from rocrate.vocabs import RO_CRATE
from rocrate_validator import models, services

from lab.crate import METADATA, crate_of
from records.paths import REFERENCE
from tests.helpers.packing import ORCID, campaign_to_pack, pack
from tests.helpers.private import told

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")  # of rdflib, by pyshacl
VOCABULARY = "https://w3id.org/ro/crate/1.1/context"


@pytest.fixture
def campaign(tmp_path, monkeypatch):
    return campaign_to_pack(tmp_path, monkeypatch)


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


@pytest.mark.selected
def test_packed_campaigns_are_valid(campaign, issues):
    pack("--author", f"Josiah Carberry <{ORCID}>")
    found = issues(campaign, models.Severity.RECOMMENDED)
    assert [one for one in found if one.severity == models.Severity.REQUIRED] == []
    unsaid = [one.message for one in found]
    assert all("publisher" in one or "affiliation" in one for one in unsaid), unsaid


def test_the_validator_finds_what_is_wrong(campaign, issues):
    pack()
    document = json.loads((campaign / METADATA).read_text())
    (root,) = (one for one in document["@graph"] if one["@id"] == "./")
    del root["license"]
    (campaign / METADATA).write_text(json.dumps(document))
    found = issues(campaign, models.Severity.REQUIRED)
    assert any("license" in one.message for one in found)


def test_metadata_of_the_reference_tell_nothing_of_people_and_their_machines():
    document = crate_of([REFERENCE], [], authors={}, licence="MIT")
    text = json.dumps(document)
    assert told(text) == []
    programs = [one for one in document["@graph"] if one["@type"] == "SoftwareApplication"]
    commits = {one["version"] for one in programs}
    assert any(version.startswith("commit ") for version in commits)
