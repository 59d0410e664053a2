"""A hundred hosts on this machine; `make many` measures what controlling them takes."""

import json

from tests.helpers.many_hosts import CAMPAIGN, Taken, find_lab, measured

MOST_MEMORY_MIB = 500


def test_a_hundred_hosts_are_up_measured_and_fetched_from(tmp_path):
    with find_lab(100) as up_s:
        manifests = measured(100, tmp_path, repetitions=2)
    runs = [Taken.of(manifest) for manifest in manifests]
    print(f"up after {up_s:.1f} s", *runs, sep="\n")
    assert all(run.hosts == 100 for run in runs)
    assert max(run.peak_memory_mib for run in runs) < MOST_MEMORY_MIB
    links = tmp_path / CAMPAIGN / "many" / "kind=iperf3-parallel" / "rep-1" / "manifest.json"
    told = json.loads(links.read_text())["links"]
    assert told == {"pairs": 1800, "measured": 260, "at_once": 10}
