"""Links that are down for a while: a campaign is delayed, and loses nothing by it.

MWLAB_OUTAGES names their lengths in seconds.
"""

import os
import re
import threading
import time

import pytest

from remote.campaign.states import State, counted_attempts, reason_of
from remote.hosts.jobs import clear_jobs
from tests.helpers.network import link
from tests.helpers.running import jobs_running, left_on, wait_for_generators
from tests.integration.campaigns.test_campaign import SECTION, open_campaign, states

OUTAGES_S = [int(seconds) for seconds in os.environ.get("MWLAB_OUTAGES", "5 30").split()]
SELECTED = ("c2", 5)


def in_a_run(campaign):
    wait_for_generators()
    time.sleep(1)


def between_runs(campaign):
    deadline = time.monotonic() + 300
    first = campaign.path / SECTION
    while not list(first.glob("workload=*/rep-1")):
        assert time.monotonic() < deadline, "no run was done"
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("when", "host", "seconds"),
    [
        pytest.param(when, host, s, marks=pytest.mark.selected if (host, s) == SELECTED else ())
        for s in OUTAGES_S
        for when, host in ((in_a_run, "c2"), (in_a_run, "m1"), (between_runs, "s1"))
    ],
)
def test_a_link_that_is_down_delays_the_campaign(fleet, tmp_path, when, host, seconds):
    fleet.for_each(fleet.inventory.hosts, clear_jobs)
    stable_s = 9 if seconds < 9 else 3  # a short outage ends in the run that it began in
    campaign = open_campaign(
        tmp_path, repetitions=2 if when is between_runs else 1, stable_s=stable_s
    )
    told = []

    def take_away():
        when(campaign)
        began_s = time.monotonic()
        try:
            link(host, "down")
            time.sleep(seconds)
        finally:
            link(host, "up")
        told.append(time.monotonic() - began_s)

    cutter = threading.Thread(target=take_away)
    cutter.start()
    try:
        assert campaign.measure(SECTION, progress=False) == []
    finally:
        cutter.join()
    assert told, "the link was down"
    assert set(states(campaign)) == {State.DONE}
    for run in campaign.runs(SECTION):
        reasons = [reason_of(attempt) for attempt in counted_attempts(run)]
        assert not [reason for reason in reasons if re.search(rf"\b{host}\b", reason)]
    assert jobs_running() == []
    assert left_on(fleet) == {}
