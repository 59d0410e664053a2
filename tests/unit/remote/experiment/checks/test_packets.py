"""One middleware and one server, each with a capture of 200 000 packets."""

import json
from types import SimpleNamespace

import pandas as pd
import pytest

from analysis.results import ParseError
from records.verdict import ADVISORY, REQUIRED
from remote.experiment.checks.packets import dropped_packets, packet_checks
from remote.packets.seconds import HEADS
from tests.helpers.campaign import write_compressed
from tests.helpers.manifests import manifest_of

REQUESTS = 4000
SAID = "tcpdump: listening on any\n200000 packets captured\n200001 packets received by filter\n"


def manifest(**settings):
    return manifest_of(
        settings={"observed": "packets", **settings},
        num_clients=4,
        roles={"clients": ["c1"], "middlewares": ["m1"], "servers": ["s1"]},
        targets={"c1": ["m1"]},
    )


def observed(folder, host, *, requests=REQUESTS, dropped=0, said=None, **summary):
    blank = {name: ",".join(head) + "\n" for name, head in HEADS.items()}
    row = dict.fromkeys(HEADS["windows.csv"], 1) | {"request_type": "get", "requests": requests}
    blank["windows.csv"] += ",".join(map(str, row.values())) + "\n"
    blank["queue.csv"] += f"1795000000,{requests},1,1\n"
    blank["histograms.csv"] += f"1795000000,response_time,,get,500,{requests}\n"
    counts = {
        "packets": 200_000,
        "requests": requests,
        "requests_without_reply": 0,
        "lost_segments": 0,
        "abandoned_connections": 0,
        "unmatched_requests": 0,
        "unmatched_calls": 0,
        "is_cut": False,
        "servers": [],
        **summary,
    }
    said = f"{SAID}{dropped} packets dropped by kernel\n" if said is None else said
    files = {f"{host}/packets/{name}": text for name, text in blank.items()}
    files |= {f"{host}/packets/summary.json": json.dumps(counts), f"{host}/capture.err": said}
    write_compressed(folder, files)


@pytest.fixture
def outcomes(tmp_path, monkeypatch):
    """The checks by name, of a run in which the generator counted all requests."""
    counted = pd.DataFrame({"requests": {"set": 0, "get": REQUESTS}})
    result = SimpleNamespace(run=SimpleNamespace(totals=counted))
    monkeypatch.setattr("remote.experiment.checks.packets.read_memtier_json", lambda _: result)

    def outcomes(**of_middleware):
        observed(tmp_path, "m1", **of_middleware)
        observed(tmp_path, "s1")
        return {check.name: check for check in packet_checks(tmp_path, manifest())}

    return outcomes


def test_nothing_is_checked_of_what_was_not_observed(tmp_path):
    assert list(packet_checks(tmp_path, manifest(observed="none"))) == []
    assert list(packet_checks(tmp_path, manifest_of())) == []


def test_a_whole_capture_passes(outcomes):
    checks = outcomes()
    assert sorted(checks) == [
        "m1_packets",
        "m1_packets_matched",
        "m1_packets_requests_counts",
        "s1_packets",
    ]
    assert all(check.passed for check in checks.values())


@pytest.mark.parametrize(
    ("found", "severity"),
    [
        ({"dropped": 1}, ADVISORY),
        ({"dropped": 2}, REQUIRED),
        ({"lost_segments": 1}, ADVISORY),
        ({"lost_segments": 1, "dropped": 1}, REQUIRED),
        ({"abandoned_connections": 1}, ADVISORY),
        ({"is_cut": True}, REQUIRED),
        ({"said": "tcpdump: listening on any\n"}, REQUIRED),
    ],
)
def test_a_capture_that_lacks_packets(outcomes, found, severity):
    check = outcomes(**found)["m1_packets"]
    assert (check.passed, check.severity) == (False, severity)


@pytest.mark.parametrize(("requests", "passes"), [(REQUESTS - 8, True), (REQUESTS - 9, False)])
def test_requests_are_those_that_generators_counted(outcomes, requests, passes):
    check = outcomes(requests=requests)["m1_packets_requests_counts"]
    assert check.passed is passes
    assert check.severity == REQUIRED


@pytest.mark.parametrize(("unmatched", "passes"), [(REQUESTS // 100, True), (41, False)])
def test_requests_whose_servers_are_not_known_are_told(outcomes, unmatched, passes):
    check = outcomes(unmatched_requests=unmatched, unmatched_calls=7)["m1_packets_matched"]
    assert (check.passed, check.severity) == (passes, ADVISORY)


def test_a_summary_that_lacks_a_count_is_told(tmp_path, outcomes):
    outcomes()
    text = '{"requests": 4000, "requests_without_reply": 0, "servers": []}'
    write_compressed(tmp_path, {"m1/packets/summary.json": text})
    with pytest.raises(ParseError, match="packets is missing"):
        list(packet_checks(tmp_path, manifest()))


def test_what_tcpdump_says():
    assert dropped_packets(f"{SAID}17 packets dropped by kernel\n") == 17
    assert dropped_packets(f"{SAID}1 packet dropped by kernel\n") == 1
    assert dropped_packets(SAID) is None
