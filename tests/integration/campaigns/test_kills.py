"""Controllers killed at random moments: nothing is lost, nothing measured twice, nothing left.

MWLAB_KILLS tells how often and MWLAB_SEED when; `make kills` does it a hundred times.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from remote.campaign.states import LOCK, State
from remote.hosts.jobs import Job, job_folder
from tests.helpers.running import jobs_running, left_on
from tests.integration.campaigns.test_campaign import SECTION, open_campaign, states

pytestmark = pytest.mark.integration

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


def test_controllers_that_are_killed_lose_nothing(fleet, tmp_path):
    rng = random.Random(SEED)
    folder, kept = tmp_path / "0", {}
    for number in range(KILLS):
        after_s = rng.uniform(0, LONGEST_S)
        status = control(folder, after_s)
        print(f"kill {number + 1}: after {after_s:.2f} s: {len(accepted(folder))} runs done")
        assert status in (0, None)
        assert kept.items() <= accepted(folder).items(), "a run is lost, or was measured again"
        kept = accepted(folder)
        if status == 0:
            check_done(fleet, folder)
            folder, kept = tmp_path / str(number + 1), {}
    assert control(folder, 300) == 0
    assert kept.items() <= accepted(folder).items()
    check_done(fleet, folder)


def test_what_a_controller_left_that_was_killed_after_its_last_run_is_ended(fleet, tmp_path):
    campaign = open_campaign(tmp_path, repetitions=1)
    assert campaign.measure(SECTION, progress=False) == []
    host = fleet.inventory.take("servers", 1)[0]
    Job(fleet[host], job_folder(host, "left"), "left", "sleep 60").launch(limit_s=60)
    (campaign.path / LOCK).write_text("{}")  # as a process leaves it that is killed
    assert jobs_running()
    assert campaign.measure(SECTION, progress=False) == []
    assert jobs_running() == []
    assert left_on(fleet) == {}


def control(folder: Path, limit_s: float) -> int | None:
    """Measure the campaign; None if it had to be killed after so long."""
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


def accepted(folder: Path) -> dict[Path, bytes]:
    """The manifests of the runs that are done, which say when they were measured."""
    return {path: path.read_bytes() for path in folder.glob("trial/*/*/rep-?/manifest.json")}


def check_done(fleet, folder: Path) -> None:
    campaign = open_campaign(folder, REPETITIONS)
    assert states(campaign) == [State.DONE] * (2 + REPETITIONS)
    ends = {path.name for path in folder.rglob("*") if path.suffix in (".partial", ".running")}
    assert ends == set()
    assert jobs_running() == []
    assert left_on(fleet) == {}
