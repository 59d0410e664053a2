"""Campaigns on a made-up lab: cells become known, at a price that was agreed on."""

import math
from collections import Counter

import pytest

from remote.campaign import Campaign
from remote.campaign.planning.plan import left_s
from remote.campaign.planning.standing import Verdict
from remote.campaign.view.precision import known_text
from tests.helpers.planning import MadeUpLab, Truth, measure_all, write_section

GOAL = 0.02


@pytest.fixture
def campaign(tmp_path):
    return Campaign(path=tmp_path / "trial", profile="smoke", fleet="none", seed=7)


def precision(goals=f"throughput = {GOAL}", repetitions=(3, 10), budget_s=600):
    return f"{goals}\nrepetitions = {list(repetitions)}\nbudget_s = {budget_s}"


def test_cells_are_known_within_their_goal_and_hold_the_truth(campaign, tmp_path):
    section = write_section(tmp_path, precision(), clients=range(1, 101))
    lab = MadeUpLab(
        truth=lambda config, _: Truth(
            throughput=50.0 * config["clients_per_thread"],
            between=0.004 * (1 + config["clients_per_thread"] % 4),
            within=0.03,
        )
    )
    plan = measure_all(campaign, section, lab)
    known = [one for one in plan.standings if one.verdict == Verdict.KNOWN]
    assert len(known) > 0.9 * len(plan.standings)
    held = 0
    for one in known:
        goal = one.goals["throughput"]
        assert goal.relative <= GOAL * (1 + 1e-9)
        assert 3 <= goal.repetitions <= 10
        truth = 50.0 * one.cell.config["clients_per_thread"]
        held += abs(goal.mean - truth) <= goal.half_width
    assert held >= 0.93 * len(known)
    repetitions = Counter(len(one.cell.repetitions) for one in known)
    assert len(repetitions) > 2, "cells that differ more are repeated more often"
    assert left_s(plan, 3.0) == 0


def test_noise_within_runs_makes_them_longer_rather_than_more(campaign, tmp_path):
    section = write_section(tmp_path, precision(budget_s=2000), clients=[1, 2])
    noise = {1: 0.005, 2: 0.08}
    lab = MadeUpLab(
        truth=lambda config, _: Truth(between=0, within=noise[config["clients_per_thread"]])
    )
    plan = measure_all(campaign, section, lab)
    quiet, loud = (one.cell.repetitions[-1].lengths.stable_s for one in plan.standings)
    assert quiet < 10
    assert loud > 30
    assert {one.verdict for one in plan.standings} == {Verdict.KNOWN}


def test_budget_is_kept_and_what_cannot_be_known_says_what_it_would_take(campaign, tmp_path):
    section = write_section(tmp_path, precision(budget_s=60, repetitions=(3, 50)), clients=[1])
    lab = MadeUpLab(truth=lambda *_: Truth(between=0.1, within=0.01))
    plan = measure_all(campaign, section, lab)
    (one,) = plan.standings
    assert one.verdict == Verdict.UNKNOWN
    assert one.cell.spent_s <= 60
    assert one.needed > len(one.cell.repetitions) >= 3
    assert one.goals["throughput"].relative > GOAL
    text = known_text([plan])
    assert "0 of 1 configurations known, throughput ±2 % asked for" in text
    assert f"not known within its budget: takes about {one.needed} repetitions" in text


@pytest.mark.parametrize("response_time_ms", [5, 200, 900])
def test_runs_last_100_response_times_after_a_pilot_that_is_kept(
    campaign, tmp_path, response_time_ms
):
    section = write_section(tmp_path, precision(budget_s=1200), clients=[1])
    lab = MadeUpLab(truth=lambda *_: Truth(response_time_ms=response_time_ms))
    plan = measure_all(campaign, section, lab)
    (one,) = plan.standings
    for run in one.cell.repetitions:
        of_run_s = run.results["client_response_time_ms"] / 1000
        assert run.lengths.stable_s >= 100 * of_run_s
        assert run.lengths.warm_up_s >= 10 * of_run_s
    pilots = [run for run, status in lab.made if status == "pilot"]
    assert len(pilots) == (response_time_ms > 30)
    folder = campaign.path / "own" / "workload=get_clients_per_thread=1"
    assert (folder / "rep-1.pilot-1").is_dir() == bool(pilots)
    assert one.verdict == Verdict.KNOWN


def test_runs_that_the_budget_cuts_count_and_say_so(campaign, tmp_path):
    goals = precision("response_time = 0.001", repetitions=(3, 3), budget_s=120)
    section = write_section(tmp_path, goals, clients=[1])
    lab = MadeUpLab(truth=lambda *_: Truth(response_time_ms=900))
    plan = measure_all(campaign, section, lab)
    (one,) = plan.standings
    assert len(one.cell.repetitions) == 3
    assert one.cell.spent_s <= 130
    assert max(run.lengths.stable_s for run in one.cell.repetitions) < 90
    assert one.verdict == Verdict.UNKNOWN
    assert "its runs too short for their response times" in known_text([plan])


def test_a_slow_regime_that_begins_later_makes_runs_longer_and_comes_to_an_end(campaign, tmp_path):
    section = write_section(tmp_path, precision(repetitions=(3, 6)), clients=[1])
    lab = MadeUpLab(truth=lambda _, number: Truth(response_time_ms=60 if number else 5))
    plan = measure_all(campaign, section, lab)
    statuses = [status for _, status in lab.made]
    assert statuses[:3] == ["accepted", "pilot", "accepted"]
    assert (campaign.path / "own/workload=get_clients_per_thread=1/rep-2.pilot-1").is_dir()
    assert plan.standings[0].cell.repetitions[1].lengths.stable_s >= 6


def test_all_goals_have_to_be_reached(campaign, tmp_path):
    goals = precision("throughput = 0.5\np99 = 0.01", repetitions=(2, 30), budget_s=4000)
    lab = MadeUpLab()
    plan = measure_all(campaign, write_section(tmp_path, goals, clients=[1]), lab)
    (one,) = plan.standings
    assert set(one.goals) == {"throughput", "p99"}
    assert one.goals["p99"].relative <= 0.01
    header = known_text([plan]).splitlines()[1].split("  ")
    assert [part.strip() for part in header if "±" in part] == ["throughput ±", "p99 ±"]


def test_a_goal_that_no_run_tells_is_not_known(campaign, tmp_path):
    goals = precision("throughput = 0.5\np50 = 0.5", repetitions=(2, 4))
    plan = measure_all(campaign, write_section(tmp_path, goals, clients=[1]), MadeUpLab())
    (one,) = plan.standings
    assert (one.verdict, len(one.cell.repetitions)) == (Verdict.UNKNOWN, 4)


def test_repetitions_are_blocks_in_random_order(campaign, tmp_path):
    section = write_section(tmp_path, precision(repetitions=(3, 3)), clients=range(1, 21))
    lab = MadeUpLab()
    measure_all(campaign, section, lab)
    orders = [
        [run.config["clients_per_thread"] for run, _ in lab.made[n : n + 20]] for n in (0, 20, 40)
    ]
    assert [run.repetition for run, _ in lab.made] == [1] * 20 + [2] * 20 + [3] * 20
    assert all(sorted(order) == list(range(1, 21)) != order for order in orders)
    assert orders[0] != orders[1] != orders[2]


@pytest.mark.parametrize("more", ["", 'time_dilation = "auto"\n'])
@pytest.mark.parametrize("stops", [1, 11, 30])
def test_what_was_interrupted_goes_on_in_the_same_order(tmp_path, more, stops):
    text = precision(repetitions=(3, 3), budget_s=1200)
    section = write_section(tmp_path, text, clients=range(1, 9), more=more)

    def truth(config, _):
        slow = config["clients_per_thread"] % 2
        return Truth(response_time_ms=80 if slow else 5, machine_ms=0.3, between=0, within=0.001)

    orders = []
    for name, first in (("whole", 5000), ("interrupted", stops)):
        campaign = Campaign(path=tmp_path / name, profile="smoke", fleet="none", seed=3)
        lab = MadeUpLab(truth=truth)
        measure_all(campaign, section, lab, runs=first)
        measure_all(campaign, section, lab)
        orders.append([(run.label, run.time_dilation, run.is_trial) for run, _ in lab.made])
    assert orders[0] == orders[1]


def test_the_expected_time_is_about_what_it_takes(campaign, tmp_path):
    section = write_section(tmp_path, precision(repetitions=(3, 3)), clients=range(1, 11))
    lab = MadeUpLab(truth=lambda *_: Truth(response_time_ms=100))
    measure_all(campaign, section, lab, runs=10)  # the pilots
    expected_s = left_s(campaign.planned(section), 2.0)
    measure_all(campaign, section, lab)
    took_s = sum(run.lengths.total_s + 2.0 for run, _ in lab.made[10:])
    assert took_s == pytest.approx(expected_s, rel=0.15)
    assert math.isfinite(expected_s)
