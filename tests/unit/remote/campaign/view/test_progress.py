"""The time that a campaign still takes, and the bar that shows it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from remote.campaign.view import progress
from remote.campaign.view.progress import OVERHEAD_S, Progress, TimeLeft
from remote.experiment.run import Run
from remote.experiment.section_file import read_section


class Clock:
    """A clock that stands still unless it is moved."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


def _runs(name: str, profile: str, count: int) -> list[Run]:
    section = read_section(name, profile)
    config = section.configs()[0]
    return [
        Run(campaign_dir=Path("data/x"), section=section, config=config, repetition=number + 1)
        for number in range(count)
    ]


def test_time_left_of_a_long_run_follows_its_own_length_not_that_of_slow_short_ones(
    clock: Clock,
) -> None:
    short, long = _runs("2.1", "smoke", 2), _runs("8", "quick", 1)
    length_s = long[0].section.durations.total_s
    left = TimeLeft([*short, *long], clock)
    for run in short:
        left.started()
        clock.now_s += 9 * run.section.durations.total_s
        left.settled(run)
    overhead_s = 8 * short[0].section.durations.total_s
    assert left.left_s() == pytest.approx(length_s + overhead_s)
    left.started()
    clock.now_s += 600
    assert left.left_s(long[0]) == pytest.approx(length_s + overhead_s - 600)


def test_before_anything_is_settled_the_overhead_is_assumed(clock: Clock) -> None:
    runs = _runs("2.1", "smoke", 3)
    total_s = runs[0].section.durations.total_s
    assert TimeLeft(runs, clock).left_s() == pytest.approx(3 * (total_s + OVERHEAD_S))


def test_one_run_that_was_attempted_thrice_does_not_spoil_the_estimate(clock: Clock) -> None:
    runs = _runs("2.1", "smoke", 6)
    total_s = runs[0].section.durations.total_s
    left = TimeLeft(runs, clock)
    for took_s in (total_s + 3, 3 * (total_s + 3), total_s + 3):
        left.started()
        clock.now_s += took_s
        left.settled(runs[0])
    assert left.left_s() == pytest.approx(3 * (total_s + 3))


def test_a_run_that_takes_longer_than_planned_leaves_the_others_time(clock: Clock) -> None:
    runs = _runs("2.1", "smoke", 2)
    left = TimeLeft(runs, clock)
    left.started()
    clock.now_s += 1000
    total_s = runs[0].section.durations.total_s
    assert left.left_s(runs[0]) == pytest.approx(total_s + OVERHEAD_S)


def test_bar_moves_while_a_run_is_measured(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(progress.TimeLeft.__init__, "__defaults__", (clock,))
    monkeypatch.setattr("sys.stderr", screen)
    runs = _runs("8", "quick", 1)
    with Progress(runs, enabled=True) as bar:
        bar.started(runs[0])
        clock.now_s += runs[0].section.durations.total_s / 2
        bar.note("15,000 op/s")
    shown = screen.getvalue().split("\r")[-2:]
    assert any(" 50%|" in line and "0:15:0" in line and "15,000 op/s" in line for line in shown)
    assert ": :" not in screen.getvalue()
