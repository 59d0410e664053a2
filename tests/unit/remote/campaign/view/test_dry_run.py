import pytest

from remote.campaign import Campaign
from remote.campaign.states import RunState, State
from remote.campaign.view.dry_run import missing_table
from remote.experiment.manifest import write_manifest

PHASES = {"starting": 2.0, "measuring": 5.0, "stopping": 0.5}


@pytest.fixture
def opened(tmp_path):
    return Campaign.open("test", profile="smoke", data_dir=tmp_path)


def rows(text):
    return [line.split() for line in text.splitlines() if line.strip()]


def test_dry_run_needs_no_lab_and_lists_configurations_in_the_order_of_the_file(opened):
    table = rows(missing_table(opened.states("2.2"), opened.path))
    configurations = [row[1] for row in table if row[1].startswith("workload=")]
    assert configurations == [
        "workload=set_clients_per_thread=2",
        "workload=set_clients_per_thread=16",
        "workload=get_clients_per_thread=2",
        "workload=get_clients_per_thread=16",
    ]
    assert not opened.path.exists()


def test_dry_run_counts_done_rejected_and_given_up_runs(opened):
    runs = [run for run in opened.runs("2.2") if run.config["clients_per_thread"] == 2]
    sets = [run for run in runs if run.config["workload"] == "set"]
    gets = [run for run in runs if run.config["workload"] == "get"]
    rejected = (("rejected", "misses"),)
    states = [
        RunState(run=sets[0], state=State.DONE, reasons=rejected),
        RunState(run=sets[1], state=State.TODO, reasons=(*rejected, ("failed", "gone"))),
        RunState(run=gets[0], state=State.DONE),
        RunState(run=gets[1], state=State.REJECTED, reasons=rejected * 3),
    ]
    text = missing_table(states, opened.path)
    table = rows(text)
    assert table[2][1:] == ["workload=set_clients_per_thread=2", "1", "1", "2", "1", "0:00:08"]
    assert table[3][2:6] == ["0", "1", "3", "0"]
    assert ["total", "1", "2", "5", "1", "0:00:08"] in table
    assert "1 runs were given up" in text


def test_dry_run_takes_the_overhead_that_the_campaign_has_shown(opened):
    run = opened.runs("2.2")[0]
    folder = run.folder
    folder.mkdir(parents=True)
    identity = {"status": "accepted", "attempt": 1}
    write_manifest(folder, {**identity, "num_clients": 1, "phases_s": PHASES})
    states = [RunState(run=opened.runs("2.2")[1], state=State.TODO)]
    text = missing_table(states, opened.path)
    assert "1 runs to measure, about 0:00:08; 2.5 s between two runs, as measured so far." in text
