"""Controllers killed at random moments: nothing is lost, nothing measured twice, nothing left.

MWLAB_KILLS says how often and MWLAB_SEED when.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from remote.campaign.states import LOCK, State
from remote.hosts.jobs import Job, Task, job_folder
from tests.helpers.running import jobs_running, left_on
from tests.integration.campaigns.test_campaign import SECTION, done, open_campaign, states

KILLS = int(os.environ.get("MWLAB_KILLS", "3"))
SEED = int(os.environ.get("MWLAB_SEED", "1"))
LONGEST_S = 25.0
REPETITIONS = 3
CONTROLLER = """
import sys
from pathlib import Path
from tests.integration.campaigns.test_campaign import SECTION, open_campaign
open_campaign(Path(sys.argv[1]), repetitions=int(sys.argv[2])).measure(SECTION, progress=False)
"""


@pytest.mark.timeout(0)
def test_controllers_that_are_killed_lose_nothing(fleet, tmp_path):
    rng = random.Random(SEED)
    folder, kept = tmp_path / "0", {}
    for number in range(KILLS):
        after_s = rng.uniform(0, LONGEST_S)
        status = control(folder, after_s)
        measured = done(open_campaign(folder))
        print(f"kill {number + 1}: after {after_s:.2f} s: {len(measured)} runs done")
        assert status in (0, None)
        assert kept.items() <= measured.items(), "a run is lost, or was measured again"
        kept = measured
        if status == 0:
            check_done(fleet, folder)
            folder, kept = tmp_path / str(number + 1), {}
    assert control(folder, limit_s=None) == 0
    assert kept.items() <= done(open_campaign(folder)).items()
    check_done(fleet, folder)


def test_what_a_controller_left_that_was_killed_after_its_last_run_is_ended(fleet, tmp_path):
    campaign = open_campaign(tmp_path, repetitions=1)
    assert campaign.measure(SECTION, progress=False) == []
    host = fleet.inventory.take("servers", 1)[0]
    Job(fleet[host], job_folder(host, "left"), Task("left", "sleep 60")).launch(limit_s=60)
    (campaign.path / LOCK).write_text("{}")  # as a process leaves it that is killed
    assert jobs_running()
    assert campaign.measure(SECTION, progress=False) == []
    assert jobs_running() == []
    assert left_on(fleet) == {}


def control(folder: Path, limit_s: float | None) -> int | None:
    """Measure the campaign; None if it was killed after so long."""
    command = [sys.executable, "-c", CONTROLLER, str(folder), str(REPETITIONS)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        try:
            _, error = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None
        if process.returncode:
            print(error.decode())
        return process.returncode


def check_done(fleet, folder: Path) -> None:
    campaign = open_campaign(folder, REPETITIONS)
    assert states(campaign) == [State.DONE] * (2 + REPETITIONS)
    ends = {path.name for path in folder.rglob("*") if path.suffix in (".partial", ".running")}
    assert ends == set()
    assert jobs_running() == []
    assert left_on(fleet) == {}
