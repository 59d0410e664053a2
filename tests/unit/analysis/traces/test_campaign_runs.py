import json

import pytest

from analysis.tables.packed import archive_path, pack, requests_path, unpack
from analysis.traces.campaign_runs import followed_runs, run_files, slowest_followed
from analysis.traces.followed_requests import followed_requests
from analysis.traces.host_pauses import host_pauses
from tests.helpers.followed_run import Passage, write_run

RUN = "8/workload=mixed/rep-1"
PASSAGES = [Passage(number=n, sent_s=n) for n in range(5)]
PAUSES = {"c1/memtier-0-": [(3.0, 0.005, "hiccup")]}


@pytest.fixture(params=["open", "packed"])
def campaign(request, tmp_path):
    """A campaign with a run that followed requests, one that did not, and one that was refused."""
    campaign = tmp_path / "one"
    write_run(campaign / RUN, PASSAGES, captured=True, pauses=PAUSES)
    (campaign / RUN / "c1/memtier-0.json").write_text("{}")
    for name, change in {
        "3.1/workers=8/rep-1": {"settings": {}},
        "8/workload=mixed/rep-2.rejected-1": {"status": "rejected"},
        "8/kind=iperf3-parallel/rep-1": {"settings": None},
    }.items():
        path = write_run(campaign / name, PASSAGES[:1]) / "manifest.json"
        manifest = {**json.loads(path.read_text()), **change}
        path.write_text(json.dumps({k: v for k, v in manifest.items() if v is not None}))
    if request.param == "packed":
        pack(campaign, "8")
    return campaign


def test_accepted_runs_with_followed_requests_are_found(campaign):
    assert followed_runs(campaign, "8") == [campaign / RUN]
    assert followed_runs(campaign, "3.1") == followed_runs(campaign, "9") == []


def test_what_tells_of_followed_requests_is_there(campaign, monkeypatch):
    monkeypatch.chdir(campaign)
    (run,) = followed_runs(campaign, "8")
    with run_files(run.relative_to(campaign)) as folder:
        requests = followed_requests(folder)
        assert len(requests) == len(PASSAGES)
        assert requests["server_host_in_ms"].map(len).tolist() == [1] * len(PASSAGES)
        assert len(host_pauses(folder)) == 1
        assert folder == run or not (folder / "c1/memtier-0.json").exists()


def test_requests_are_packed_apart_and_come_back_with_the_rest(campaign):
    unpack(campaign, "8")
    files = contents(campaign)
    pack(campaign, "8")
    archive, requests = archive_path(campaign, "8"), requests_path(campaign, "8")
    whole = archive.read_bytes()
    archive.write_bytes(b"not needed")
    assert len(slowest_followed(campaign, "8", 1)) == len(PASSAGES)
    archive.write_bytes(whole)
    unpack(campaign, "8")
    assert contents(campaign) == files
    assert not requests.exists()


def contents(campaign):
    """All files by path; of manifests what they say."""
    return {
        path: json.loads(path.read_text()) if path.suffix == ".json" else path.read_bytes()
        for path in campaign.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(("section", "repetition"), [("8", 2), ("3.1", 1), ("9", 1)])
def test_where_nothing_was_followed_there_is_no_request(campaign, section, repetition):
    assert slowest_followed(campaign, section, repetition).empty
