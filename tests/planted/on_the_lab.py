"""Systems whose truth is known, planted on the local lab: part `planted`, some minutes.

A campaign must find them within the intervals that it tells.
"""

import math

import pytest
from scipy.optimize import brentq

from analysis.models import md1_waiting_time_cdf
from analysis.statistics.loads.emulated import emulated_limits
from analysis.statistics.precision.split_by_regime import label_regimes
from analysis.tables.tidying import tidy_campaign
from analysis.units import BITS_PER_BYTE, BITS_PER_MBIT, ms_to_s
from remote.campaign.planning.bracket import Found
from remote.providers.local_lab import Topology
from tests.planted.planting import (
    azure,
    goals,
    measured,
    memcached_of,
    planted_pauses,
    planted_rate,
)

pytestmark = pytest.mark.usefixtures("lab_is_free")

SLOWER = 0.93
GETS = """
base = "2.1"
[factors]
workload = ["get"]
clients_per_thread = [8]
[precision]
"""
WELL_KNOWN = (
    GETS
    + """
throughput = 0.01
response_time = 0.02
repetitions = [3, 10]
budget_s = 120
"""
)
KNOWN = (
    GETS
    + """
throughput = 0.02
repetitions = [3, 12]
budget_s = 240
"""
)
PAUSE_S, EVERY_S = 0.1, 0.5  # of the clock: long beside what waits in the link meanwhile
TIME_DILATION = 2
QUEUES = f"""
base = "3.1"
time_dilation = {TIME_DILATION}
[factors]
workload = ["get"]
clients_per_thread = [16]
workers = [8]
[precision]
throughput = 0.02
repetitions = [6, 6]
budget_s = 240
"""
SLOW_REPETITIONS = {2, 3, 6}
SLOW_MBIT_PER_S = 80.0  # of the middleware's link, by which the queue moves from it to the link
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


def test_a_link_that_is_slower_by_7_percent_is_found(tmp_path):
    usual = goals(measured(WELL_KNOWN, tmp_path / "usual", azure()))
    slower = goals(measured(WELL_KNOWN, tmp_path / "slower", azure(SLOWER)))
    for name, truth in (("throughput", SLOWER), ("response_time", 1 / SLOWER)):
        ratio = slower[name].mean / usual[name].mean
        half_width = ratio * math.hypot(slower[name].relative, usual[name].relative)
        print(f"{name}: {ratio:.4f} ± {half_width:.4f}, planted {truth:.4f}")
        assert abs(ratio - truth) <= half_width
        assert abs(ratio - 1) > half_width


def test_a_server_that_pauses_costs_what_its_link_stands_idle(tmp_path):
    usual = measured(WELL_KNOWN, tmp_path / "usual", azure())
    with planted_pauses(memcached_of(azure(), "s1"), PAUSE_S, EVERY_S) as stopped_s:
        paused = measured(KNOWN, tmp_path / "paused", azure())
    throughput, response_time = (goals(usual)[name] for name in ("throughput", "response_time"))
    k = usual.plan("own").time_dilation
    in_link_s = k * (ms_to_s(response_time.mean) - ms_to_s(azure().rtt_ms))
    lost = sum(ended_s - began_s - in_link_s for began_s, ended_s in stopped_s) / (
        len(stopped_s) * EVERY_S
    )
    ratio = goals(paused)["throughput"].mean / throughput.mean
    half_width = ratio * math.hypot(goals(paused)["throughput"].relative, throughput.relative)
    print(f"pauses: {ratio:.4f} ± {half_width:.4f}, planted {1 - lost:.4f}")
    assert abs(ratio - (1 - lost)) <= half_width
    assert abs(ratio - 1) > half_width


def test_runs_in_a_second_regime_are_told_apart(tmp_path):
    topology = azure().dilated(TIME_DILATION)
    with planted_rate(topology, "m1", SLOW_MBIT_PER_S, SLOW_REPETITIONS, tmp_path):
        campaign = measured(QUEUES, tmp_path / "regimes", topology)
    tables = tidy_campaign(campaign.path, ["own"])
    runs = label_regimes(tables.runs, tables.windows)
    slow = runs["repetition"].isin(SLOW_REPETITIONS)
    print(runs[["repetition", "regime", "client_throughput_ops_per_s"]])
    assert runs["regime"].tolist() == slow.map({False: "1", True: "2"}).tolist()


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
