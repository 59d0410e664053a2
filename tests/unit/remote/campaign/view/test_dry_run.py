import pytest

from remote.campaign import Campaign
from remote.campaign.planning.run_lengths import SHORTEST
from remote.campaign.states import RunState, State
from remote.campaign.view.dry_run import missing_table
from remote.campaign.view.progress import OVERHEAD_S
from remote.experiment.manifest import read_manifest, write_manifest
from tests.helpers.planning import MadeUpLab, Truth, measure_all, write_section

PHASES = {"starting": 2.0, "measuring": 5.0, "stopping": 0.5}
PRECISION = "throughput = 0.02\nrepetitions = [3, 5]\nbudget_s = 600"


@pytest.fixture
def opened(tmp_path):
    return Campaign.open("test", profile="smoke", data_dir=tmp_path)


def table(campaign, *sections):
    plans = [campaign.planned(name, retry=True) for name in sections]
    links = [state for name in sections for state in campaign.states_of_links(name)]
    return missing_table(plans, links, campaign.path)


def rows(text):
    return [line.split() for line in text.splitlines() if line.strip()]


def test_dry_run_expects_the_fewest_of_what_was_never_measured(opened, tmp_path):
    section = write_section(tmp_path, PRECISION, clients=[1, 2])
    text = table(opened, section)
    listed = rows(text)
    assert listed[2][1:] == ["workload=get_clients_per_thread=1", "3", "0", "0"]
    seconds = 6 * (SHORTEST.total_s + OVERHEAD_S)
    seconds += sum(run.lengths.total_s + OVERHEAD_S for run in opened.opened(section).links())
    minutes, rest = divmod(round(seconds), 60)
    assert f"about 0:{minutes:02d}:{rest:02d}; {OVERHEAD_S} s between two runs, assumed." in text
    assert f"About {6 + len(opened.opened(section).links())} runs to measure" in text
    assert not opened.path.exists()


def test_dry_run_follows_what_was_measured(opened, tmp_path):
    section = write_section(tmp_path, PRECISION, clients=[1, 2])
    noisy = MadeUpLab(
        truth=lambda config, _: Truth(
            between=0.03 if config["clients_per_thread"] == 2 else 0, within=0.0001
        )
    )
    measure_all(opened, section, noisy, runs=6)
    listed = rows(table(opened, section))
    assert [row[1:5] for row in listed if row[1].startswith("workload")] == [
        ["workload=get_clients_per_thread=2", "2", "3", "0"]
    ]


def test_dry_run_counts_what_was_given_up_until_it_is_measured_again(opened, tmp_path):
    section = write_section(tmp_path, PRECISION, clients=[1])
    lab = MadeUpLab(fails=lambda run: "rejected" if run.repetition == 2 else "")
    measure_all(opened, section, lab)
    plans = [opened.planned(section)]
    listed = rows(missing_table(plans, [], opened.path))
    assert listed[2][1:5] == ["workload=get_clients_per_thread=1", "0", "4", "1"]


def test_dry_run_takes_the_overhead_that_the_campaign_has_shown(opened, tmp_path):
    section = write_section(tmp_path, PRECISION, clients=[1])
    lab = MadeUpLab(truth=lambda *_: Truth(between=0, within=0.0001))
    measure_all(opened, section, lab, runs=1)
    folder = lab.made[0][0].folder
    shown = {"num_clients": 1, "phases_s": PHASES}
    write_manifest(folder, read_manifest(folder).model_copy(update=shown))
    done = [RunState(run=run, state=State.DONE) for run in opened.opened(section).links()]
    text = missing_table([opened.planned(section)], done, opened.path)
    assert "About 2 runs to measure, about 0:00:15; 2.5 s between two runs" in text
    assert "as measured so far." in text
