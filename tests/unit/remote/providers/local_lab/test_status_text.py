"""What `lab status` says."""

from remote.providers.local_lab.links.delay_line import LineCounters
from remote.providers.local_lab.links.wiring import Delay
from remote.providers.local_lab.status import HostStatus, SwitchStatus
from remote.providers.local_lab.status_text import status_text

COUNTERS = LineCounters(frames=10, sent=12, lost=1, refused=2, wakeups=3)


def host(**changes):
    fields = {
        "name": "c1",
        "role": "clients",
        "address": "198.18.0.11",
        "rate_mbit_per_s": 200.0,
        "pid": 4711,
        "answers_ssh": True,
        "cpu_s": 1.234,
    }
    return HostStatus(**(fields | changes))


def switch(**changes):
    fields = {
        "delay": Delay.LINE,
        "rtt_ms": 0.9,
        "line_rtt_ms": 0.75,
        "wake_up_ms": 0.15,
        "time_dilation": 1,
        "line_pid": 4712,
        "cpu_s": 0.5,
        "counters": COUNTERS,
    }
    return SwitchStatus(**(fields | changes))


def test_hosts_are_shown_with_their_cpu_time():
    line = status_text([host()], switch()).splitlines()[2]
    assert line.split() == ["c1", "198.18.0.11", "200", "1.23", "4711", "up"]


def test_processors_are_shown_where_a_host_has_not_all():
    hosts = [
        host(),
        host(name="s1", cpu_quota=0.5),
        host(name="d1", cpu_quota=1, own_processors=True),
        host(name="d2", own_processors=True),
    ]
    text = status_text(hosts, switch())
    assert "\nprocessors, undilated: s1 0.5, d1 1 of its own, d2 all of its own\n" in text
    assert "processors" not in status_text([host()], switch())


def test_hosts_that_are_farther_away_are_shown():
    text = status_text([host()], switch(own_rtt_ms={"s2": 5, "s3": 10.5}))
    assert "\nfarther away, undilated: s2 5 ms, s3 10.5 ms\n" in text
    assert "farther away" not in status_text([host()], switch())


def test_calibration_is_shown():
    text = status_text([host()], switch())
    assert "delayed by 0.750 ms a round trip, the machine's own wake-ups take 0.150 ms" in text
    assert "not calibrated: `lab calibrate`" in status_text([host()], switch(wake_up_ms=None))


def test_dilation_without_delay_says_nothing_of_ping():
    state = switch(delay=Delay.NONE, rtt_ms=0, time_dilation=4, counters=None)
    text = status_text([host()], state)
    assert text.endswith("no delay, time dilation 4: rates are divided by it")


def test_dead_delay_line_is_shown_with_its_remedy():
    assert "delay line DOWN: nothing passes, build the lab anew with `lab up`" in status_text(
        [host()], switch(line_pid=None)
    )


def test_lab_without_delay_has_no_delay_line():
    state = switch(delay=Delay.NONE, rtt_ms=0, line_pid=None, cpu_s=None, counters=None)
    assert state.is_up
    assert status_text([host()], state).splitlines()[-1] == "no delay"


def test_hidden_rates_and_delays_are_not_shown():
    state = switch(is_hidden=True, rtt_ms=3.21, line_rtt_ms=2.34, own_rtt_ms={"s3": 9.87})
    text = status_text([host(rate_mbit_per_s=None)], state)
    assert "its rates and delays are hidden" in text
    assert "delay line up" in text
    assert not any(number in text for number in ("3.21", "2.34", "9.87"))
