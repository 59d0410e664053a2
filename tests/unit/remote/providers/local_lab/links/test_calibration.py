"""Calibration of a lab whose machine is known: a planted wake-up is found whatever k is."""

import pytest

from remote.providers.local_lab.links import calibration
from remote.providers.local_lab.links.calibration import measure_wake_ups_ms
from remote.providers.local_lab.topology import Topology

AZURE = Topology.named("azure")


class Machine:
    """Has the delays that it is given, and adds a wake-up."""

    def __init__(self, wake_up_ms):
        self.wake_up_ms = wake_up_ms
        self.line_rtt_ms = None

    def apply(self, topology):
        self.line_rtt_ms = topology.line_rtt_ms

    def measure_rtt_ms(self, topology):
        source, target = calibration._ends(topology)
        farther_ms = topology.farther_ms(source) + topology.farther_ms(target)
        return self.line_rtt_ms + farther_ms + self.wake_up_ms


@pytest.mark.parametrize("k", [1, 4, 100])
@pytest.mark.parametrize(
    ("planted_ms", "found_ms", "seen_ms"),
    [(0.15, 0.15, 0.9), (0.0, 0.0, 0.9), (-0.1, 0.0, 0.8), (0.7, 0.45, 1.15)],
)
def test_wake_ups_are_found_within_their_bounds(monkeypatch, k, planted_ms, found_ms, seen_ms):
    machine = Machine(planted_ms)
    monkeypatch.setattr(calibration, "measure_rtt_ms", machine.measure_rtt_ms)
    found = measure_wake_ups_ms(AZURE.dilated(k), machine.apply)
    assert found == (pytest.approx(found_ms), pytest.approx(seen_ms))


@pytest.mark.parametrize("far", [("s1",), ("s1", "s2", "s3")])
def test_hosts_that_are_farther_away_change_nothing_of_it(monkeypatch, far):
    data = AZURE.to_dict()
    data["servers"]["own"] = {name: {"rtt_ms": 5} for name in far}
    machine = Machine(0.15)
    monkeypatch.setattr(calibration, "measure_rtt_ms", machine.measure_rtt_ms)
    found = measure_wake_ups_ms(Topology.from_dict(data), machine.apply)
    assert found == (pytest.approx(0.15), pytest.approx(0.9))


def test_lab_without_delay_or_second_host_has_nothing_to_calibrate():
    def fail(_):
        raise AssertionError("nothing is to be changed")

    assert measure_wake_ups_ms(Topology.named("unshaped"), fail) == (None, 0.0)
    data = AZURE.to_dict()
    alone = {**data, "clients": {"hosts": {"c1": "198.18.0.11"}}}
    del alone["middlewares"], alone["servers"]
    assert measure_wake_ups_ms(Topology.from_dict(alone), fail) == (None, 0.0)
