"""The time that a campaign still takes, and the bar that shows it."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

from remote.campaign.planning.cell import Cell
from remote.campaign.planning.plan import Conditions, Plan, plan_section
from remote.campaign.states import RunState, State
from remote.campaign.view import progress
from remote.campaign.view.progress import OVERHEAD_S, Progress
from remote.experiment.lengths import Durations
from remote.experiment.run import Run
from remote.experiment.section import Config, slug
from remote.experiment.section_file import read_section

SHORT_S, LONG_S = 5, 1800


class Clock:
    """A clock that stands still unless it is moved."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


def _plan(name: str, count: int, stable_s: int = SHORT_S) -> Plan:
    """Plan runs of one configuration that last for a fixed time."""
    section = replace(
        read_section(name, "smoke"),
        precision=None,
        durations=Durations(repetitions=count, stable_s=stable_s),
    )
    conditions = Conditions(campaign_dir=Path("data/x"), seed=1, time_dilation=1.0)
    return plan_section(section, [Cell(config=section.configs()[0])], conditions)


def _left(clock: Clock, *plans: Plan) -> Progress:
    return Progress(plans, [], enabled=False, clock=clock)


def test_time_left_of_a_long_run_follows_its_own_length_not_that_of_slow_short_ones(
    clock: Clock,
) -> None:
    short, long = _plan("2.1", 2), _plan("8", 1, LONG_S)
    left = _left(clock, short, long)
    for run in short.runs:
        left.started(run)
        clock.now_s += 9 * SHORT_S
        left.settled(run, "")
    assert left.left_s() == pytest.approx(LONG_S + 8 * SHORT_S)
    left.started(long.runs[0])
    clock.now_s += 600
    assert left.left_s() == pytest.approx(LONG_S + 8 * SHORT_S - 600)


def test_one_run_that_was_attempted_thrice_does_not_spoil_the_estimate(clock: Clock) -> None:
    plan = _plan("2.1", 6)
    left = _left(clock, plan)
    for took_s in (SHORT_S + 3, 3 * (SHORT_S + 3), SHORT_S + 3):
        left.started(plan.runs[0])
        clock.now_s += took_s
        left.settled(plan.runs[0], "")
    assert left.left_s() == pytest.approx(3 * (SHORT_S + 3))


def test_networks_tell_nothing_of_what_runs_under_load_take(clock: Clock) -> None:
    links, plan = _plan("0", 1), _plan("2.1", 3)
    left = _left(clock, links, plan)
    left.started(links.runs[0])
    clock.now_s += 10 * SHORT_S
    left.settled(links.runs[0], "")
    assert left.left_s() == pytest.approx(3 * (SHORT_S + OVERHEAD_S))


def test_a_run_that_takes_longer_than_planned_leaves_the_others_time(clock: Clock) -> None:
    plan = _plan("2.1", 2)
    left = _left(clock, plan)
    left.started(plan.runs[0])
    clock.now_s += 1000
    assert left.left_s() == pytest.approx(SHORT_S + OVERHEAD_S)


def test_bar_moves_while_a_run_is_measured(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    screen = io.StringIO()
    monkeypatch.setattr("sys.stderr", screen)
    plan = _plan("8", 1, LONG_S)
    with Progress([plan], [], enabled=True, clock=clock) as bar:
        bar.started(plan.runs[0])
        clock.now_s += LONG_S / 2
        bar.note("15,000 op/s")
    shown = screen.getvalue().split("\r")[-2:]
    assert any(" 50%|" in line and "0:15:0" in line and "15,000 op/s" in line for line in shown)
    assert any("(0 of 1 known)" in line for line in screen.getvalue().split("\r"))
    assert ": :" not in screen.getvalue()


def test_runs_that_would_only_make_a_configuration_more_precise_are_counted_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    section = read_section("2.1", "quick")
    fewest, _ = section.repetitions
    one, other = section.configs()[:2]

    def state(config: Config, repetition: int) -> RunState:
        run = Run(
            section=section,
            config=config,
            repetition=repetition,
            campaign_dir=Path("data/x"),
            time_dilation=1.0,
        )
        return RunState(run=run, state=State.TODO)

    progress.show_left([])
    assert capsys.readouterr().out == ""
    progress.show_left([state(one, fewest), state(other, fewest + 1), state(other, fewest + 2)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Not measured, and missing below: 1 run"
    assert lines[1].startswith(f"  2.1 {slug(one)} rep {fewest}: todo")
    assert lines[2:] == [
        "Less precise than asked: 1 configuration, which more repetitions would narrow"
    ]
