"""Runs that fail on a made-up lab: given up, and nothing else is kept back by them."""

import pytest

from remote.campaign import Campaign
from remote.campaign.planning.cell import cells
from remote.campaign.planning.standing import Verdict
from remote.campaign.states import MAX_ATTEMPTS
from remote.campaign.view.precision import known_text
from remote.experiment.section import slug
from tests.helpers.planning import MadeUpLab, Truth, measure_all, write_section

PRECISION = "throughput = 0.05\nrepetitions = [3, 6]\nbudget_s = 600"
AUTO = 'time_dilation = "auto"\n'


@pytest.fixture
def campaign(tmp_path):
    return Campaign(path=tmp_path / "trial", profile="smoke", fleet="none", seed=7)


def test_a_repetition_that_is_given_up_is_made_up_for_by_another(campaign, tmp_path):
    section = write_section(tmp_path, PRECISION, clients=[1, 2])
    bad = {("workload=get_clients_per_thread=1", 2)}
    lab = MadeUpLab(
        truth=lambda *_: Truth(between=0.001, within=0.001),
        fails=lambda run: "rejected" if (slug(run.config), run.repetition) in bad else "",
    )
    plan = measure_all(campaign, section, lab)
    numbers = [[run.repetition for run in one.cell.repetitions] for one in plan.standings]
    assert numbers == [[1, 3, 4], [1, 2, 3]]
    assert plan.standings[0].cell.given_up == {2}
    assert sum(status == "rejected" for _, status in lab.made) == MAX_ATTEMPTS
    assert campaign.missing(section) == campaign.opened(section).links()


def test_a_cell_whose_runs_all_fail_ends_and_says_so(campaign, tmp_path):
    section = write_section(tmp_path, PRECISION, clients=[1, 2])
    lab = MadeUpLab(fails=lambda run: "failed" if run.config["clients_per_thread"] == 2 else "")
    plan = measure_all(campaign, section, lab)
    assert [one.verdict for one in plan.standings] == [Verdict.KNOWN, Verdict.UNKNOWN]
    assert sum(status == "failed" for _, status in lab.made) == 6 * MAX_ATTEMPTS
    assert "not known within its budget, 6 given up" in known_text([plan])


def test_a_repetition_that_a_retry_has_measured_is_not_given_up(campaign, tmp_path):
    section = write_section(tmp_path, PRECISION, clients=[1])
    measure_all(campaign, section, MadeUpLab(fails=lambda run: "failed"), runs=MAX_ATTEMPTS)
    (run,) = campaign.planned(section, retry=True).runs
    MadeUpLab().measure(run)
    (cell,) = cells(campaign.plan(section), campaign.path)
    assert [one.repetition for one in cell.repetitions] == [1]
    assert cell.given_up == set()


def test_retrying_takes_what_was_given_up_in_this_very_call_for_given_up(campaign, tmp_path):
    section = write_section(tmp_path, PRECISION, clients=[1])
    (run,) = campaign.planned(section, retry=True).runs
    prefix = run.label.removesuffix(" 1")
    given_up: set[str] = set()
    while runs := campaign.opened(section).plan(None, retry=True, given_up=given_up).runs:
        assert runs[0].label not in given_up, "it would be attempted for ever"
        given_up.add(runs[0].label)
    assert given_up == {f"{prefix} {number}" for number in range(1, 7)}


def test_a_trial_that_is_given_up_is_not_tried_for_ever(campaign, tmp_path):
    section = write_section(tmp_path, PRECISION, clients=[1, 2], more=AUTO)
    lab = MadeUpLab(
        truth=lambda *_: Truth(between=0, within=0.001),
        fails=lambda run: "failed" if run.config["clients_per_thread"] == 2 else "",
    )
    plan = measure_all(campaign, section, lab)
    assert [one.verdict for one in plan.standings] == [Verdict.KNOWN, Verdict.UNKNOWN]
    assert sum(status == "failed" for _, status in lab.made) == MAX_ATTEMPTS
    assert plan.standings[1].time_dilation is None
    assert "given up" in known_text([plan])


def test_trials_come_first_and_tell_the_k_of_all_that_follows(campaign, tmp_path):
    section = write_section(tmp_path, PRECISION, clients=[1, 2], more=AUTO)
    machine_ms = {1: 0.0, 2: 0.4}
    lab = MadeUpLab(
        truth=lambda config, _: Truth(
            machine_ms=machine_ms[config["clients_per_thread"]], between=0, within=0.001
        )
    )
    plan = measure_all(campaign, section, lab)
    assert {one.verdict for one in plan.standings} == {Verdict.KNOWN}
    is_trial = [run.is_trial for run, _ in lab.made]
    assert is_trial == sorted(is_trial, reverse=True)
    assert [status for run, status in lab.made if run.is_trial] == ["pilot"] * sum(is_trial)
    chosen = [one.time_dilation for one in plan.standings]
    assert chosen[0] < chosen[1]
    for one in plan.standings:
        assert {run.time_dilation for run in one.cell.repetitions} == {one.time_dilation}
        share = machine_ms[one.cell.config["clients_per_thread"]] / one.time_dilation
        assert share / (share + 5.0) <= 0.02
