"""Systems whose truth is known, planted on the local lab: `make planted`, some minutes.

A campaign must find them within the intervals that it tells.
"""

import math
from pathlib import Path

import pytest
from scipy.optimize import brentq

from analysis.lab.emulated import emulated_limits
from analysis.models import md1_waiting_time_cdf
from analysis.statistics.precision.stopping import Standing
from analysis.units import BITS_PER_BYTE, BITS_PER_MBIT, ms_to_s
from remote.campaign import Campaign
from remote.campaign.planning.bracket import Found
from remote.campaign.planning.standing import Verdict
from remote.providers.local_lab import LocalLab, Topology

pytestmark = pytest.mark.usefixtures("lab_is_free")

SLOWER = 0.93
GETS = """
base = "2.1"
[factors]
workload = ["get"]
clients_per_thread = [8]
[precision]
throughput = 0.01
response_time = 0.02
repetitions = [3, 10]
budget_s = 120
"""
LIMIT_MS = 40.0  # so near the link's capacity that what else takes time hardly moves the rate
SEARCH = f"""
base = "2.1"
find = "throughput with p99 < {LIMIT_MS:g} ms"
[factors]
workload = ["get"]
clients_per_thread = [48]
[precision]
throughput = 0.10
p99 = 0.10
repetitions = [3, 10]
budget_s = 900
"""


def azure(share: float = 1.0) -> Topology:
    """The studies' topology, its servers' links at a share of their rate."""
    data = Topology.named("azure").to_dict()
    data["servers"]["egress"]["rate_mbit_per_s"] *= share
    return Topology.from_dict(data)


def measured(text: str, folder: Path, topology: Topology) -> Campaign:
    """Measure a section on a lab of its own until it is known."""
    folder.mkdir()
    path = folder / "own.toml"
    path.write_text(text)
    with LocalLab(topology):
        campaign = Campaign.open("planted", data_dir=folder)
        assert campaign.measure(str(path), progress=False) == []
    return campaign


def goals(campaign: Campaign) -> dict[str, Standing]:
    """How the only configuration stands, by what was asked for."""
    (one,) = campaign.planned("own").standings
    assert one.verdict == Verdict.KNOWN
    return dict(one.goals)


def test_a_link_that_is_slower_by_7_percent_is_found(tmp_path):
    usual = goals(measured(GETS, tmp_path / "usual", azure()))
    slower = goals(measured(GETS, tmp_path / "slower", azure(SLOWER)))
    for name, truth in (("throughput", SLOWER), ("response_time", 1 / SLOWER)):
        ratio = slower[name].mean / usual[name].mean
        half_width = ratio * math.hypot(slower[name].relative, usual[name].relative)
        print(f"{name}: {ratio:.4f} ± {half_width:.4f}, planted {truth:.4f}")
        assert abs(ratio - truth) <= half_width
        assert abs(ratio - 1) > half_width


def rate_at_limit(topology: Topology) -> float:
    """Arrival rate at which 1 % of gets take longer than the limit, by theory, requests/s.

    A get takes the round trip, and the time of its value on a token bucket's link.
    """
    data = topology.to_dict()
    link, rtt_s = data["servers"]["egress"], ms_to_s(data["rtt_ms"])
    gets = {"workload": "get", "value_bytes": 4096, "num_servers": 1}
    links = {"servers": link["rate_mbit_per_s"]}
    service_s = 1 / emulated_limits(gets, 1, links, 0.0)[0].throughput
    burst_s = link["burst_kib"] * 1024 * BITS_PER_BYTE / (link["rate_mbit_per_s"] * BITS_PER_MBIT)
    waiting_s = ms_to_s(LIMIT_MS) - rtt_s - service_s + burst_s

    def too_slow(rate: float) -> float:
        return 0.99 - md1_waiting_time_cdf(waiting_s, rate, service_s)

    return float(brentq(too_slow, 0.5 / service_s, 0.999 / service_s))


def test_the_rate_at_which_the_tail_of_a_link_passes_a_limit_is_found(tmp_path):
    campaign = measured(SEARCH, tmp_path / "search", azure())
    (search,) = campaign.planned("own").searches
    found, truth = search.step, rate_at_limit(azure())
    assert isinstance(found, Found)
    print(f"{found.low:.0f} to {found.high:.0f} requests/s, planted {truth:.0f}")
    assert found.is_known
    assert found.low <= truth <= found.high
