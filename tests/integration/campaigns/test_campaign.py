"""Campaigns for real: killed controllers, killed programs, a link that goes down, live view."""

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from analysis.tables.tidying import tidy_campaign
from lab.verify import verify_campaign
from remote.campaign import Campaign
from remote.campaign.states import State
from remote.campaign.view import live
from remote.campaign.view.report import campaign_report
from remote.errors import HostLeased, RemoteError
from remote.experiment.lengths import Durations
from remote.experiment.section_file import read_section
from remote.hosts.lease import leased
from remote.hosts.ssh import patience
from tests.helpers.network import link
from tests.helpers.running import left_on
from tests.integration.campaigns.test_load_run import jobs_running, wait_for, wait_for_generators

SECTION = "3.1"


def open_campaign(folder: Path, repetitions: int = 1, stable_s: float = 3) -> Campaign:
    """Open a campaign of one configuration, through one middleware."""
    plan = dataclasses.replace(
        read_section(SECTION, "quick"),
        factors={"workload": ("set",), "clients_per_thread": (4,), "workers": (8,)},
        extra={},
        parts=(),
        durations=Durations(repetitions=repetitions, warm_up_s=1, stable_s=stable_s, cool_down_s=1),
        precision=None,
        time_dilation=1.0,
    )
    campaign = Campaign.open("trial", profile="quick", data_dir=folder)
    return dataclasses.replace(campaign, plans={SECTION: plan})


def done(campaign: Campaign) -> dict[Path, bytes]:
    """The manifests of the runs that are done, which say when they were measured."""
    return {path: path.read_bytes() for path in campaign.path.glob("*/*/rep-?/manifest.json")}


def states(campaign: Campaign) -> list[State]:
    return [state.state for state in campaign.states(SECTION)]


def test_campaign_is_measured_verified_and_summed_up(fleet, tmp_path, monkeypatch):
    samples: list[live.Sample] = []
    monkeypatch.setattr(
        "remote.campaign.view.live.Watch._show", lambda self, sample: samples.append(sample)
    )
    campaign = open_campaign(tmp_path)
    assert campaign.measure(SECTION) == []
    assert states(campaign) == [State.DONE] * 3
    tables = tidy_campaign(campaign.path)
    assert verify_campaign(campaign.path).findings == ()
    report = campaign_report(campaign.path, {SECTION: campaign.states(SECTION)})
    assert report.is_complete
    assert all(count.agrees for count in report.counts)
    assert report.counts[0].runs == 1
    assert tables.hosts["cpu_s"].gt(0).all()
    assert tables.hosts["send_packets"].gt(100).all()
    assert {("c1", "m1"), ("m1", "s1")} <= set(
        tables.pings[["source", "target"]].itertuples(index=False, name=None)
    )
    assert set(tables.bandwidths["kind"]) == {"iperf3-sequential", "iperf3-parallel"}
    assert max(sample.throughput_ops_per_s for sample in samples) > 0


CONTROLLER = """
import sys
from pathlib import Path
from tests.integration.campaigns.test_campaign import SECTION, open_campaign
open_campaign(Path(sys.argv[1])).measure(SECTION, progress=False)
"""


@pytest.mark.selected
def test_controller_that_was_killed_leaves_a_campaign_that_goes_on(fleet, tmp_path):
    command = [sys.executable, "-c", CONTROLLER, str(tmp_path)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    campaign = open_campaign(tmp_path)
    wait_for(process, lambda: states(campaign)[-1] is State.RUNNING)
    wait_for(process, lambda: any("memtier" in line for line in jobs_running()))
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert states(campaign)[-1] is State.TODO
    assert jobs_running(), "they keep to their time limits until a controller ends them"
    assert "lease" in left_on(fleet)["s1"]
    kept = done(campaign)
    assert kept
    measured: list[str] = []
    assert campaign.measure(SECTION, progress=False, on_section=measured.append) == []
    assert measured == [SECTION]
    assert states(campaign)[-1] is State.DONE
    assert kept.items() <= done(campaign).items(), "a run that was done was measured again"
    assert jobs_running() == []
    assert left_on(fleet) == {}


@pytest.mark.parametrize("program", ["memcached", "java"])
def test_run_whose_programs_are_killed_is_measured_again(fleet, tmp_path, program):
    campaign = open_campaign(tmp_path)
    host = {"memcached": "s1", "java": "m1"}[program]
    killer = threading.Thread(target=kill, args=[fleet[host], program])
    killer.start()
    assert campaign.measure(SECTION, progress=False) == []
    killer.join()
    (run,) = campaign.runs(SECTION)
    assert run.is_done()
    assert run.attempts(), "the attempt is kept"
    assert jobs_running() == []


def kill(connection, program):
    wait_for_generators()
    time.sleep(1)
    connection.run(f"pkill -KILL -x {program}", check=False)


def test_host_that_another_controller_measures_on_is_refused(fleet, tmp_path):
    campaign = open_campaign(tmp_path)
    hosts = fleet.inventory.take("servers", 1)
    with leased(fleet, hosts, "campaign elsewhere"):
        with pytest.raises(HostLeased, match=r"s1: in use by .* campaign elsewhere, since 20"):
            campaign.measure(SECTION, progress=False)
        assert left_on(fleet) == {"s1": ["lease"]}
    assert left_on(fleet) == {}


def test_host_that_stays_silent_ends_the_campaign_and_is_named(fleet, tmp_path, monkeypatch):
    monkeypatch.setattr(patience, "PATIENCE_S", 10)
    campaign = open_campaign(tmp_path, repetitions=2)
    cutter = threading.Thread(target=cut, args=["c2"])
    cutter.start()
    try:
        with pytest.raises(RemoteError, match="c2: "):
            campaign.measure(SECTION, progress=False)
    finally:
        cutter.join()
        link("c2", "up")
    assert State.TODO in states(campaign)
    assert campaign.measure(SECTION, progress=False) == []
    assert jobs_running() == []


def cut(host):
    wait_for_generators()
    link(host, "down")
