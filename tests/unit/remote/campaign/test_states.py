import json

import pytest

from remote.campaign import Campaign
from remote.campaign.states import (
    LOCK,
    State,
    exclusive,
    is_controlled,
    mark_of,
    marked_running,
    sole,
    state_of,
    was_killed,
)
from remote.phases import MEASURING, Phases, overhead, total_phases
from tests.helpers.manifests import manifest_of


@pytest.fixture
def opened(tmp_path):
    opened = Campaign.open("test", profile="smoke", data_dir=tmp_path)
    opened.path.mkdir()
    (opened.path / LOCK).touch()
    return opened


def test_run_is_running_only_while_its_controller_lives(opened):
    run = opened.runs("2.1")[0]
    with exclusive(opened.path / LOCK, "measures"), marked_running(run):
        assert is_controlled(opened.path)
        assert state_of(run, is_controlled=True).state is State.RUNNING
        assert json.loads(mark_of(run).read_text())["pid"] > 0
    assert not mark_of(run).exists()
    mark_of(run).touch()  # as a controller leaves it that was killed
    assert not is_controlled(opened.path)
    assert state_of(run, is_controlled=is_controlled(opened.path)).state is State.TODO
    assert run in opened.missing("2.1")


def test_a_killed_controller_is_known_from_one_that_ended(opened):
    lock = opened.path / LOCK
    assert not was_killed(opened.path)
    with sole(opened.path):
        told = lock.read_text()
        assert not was_killed(opened.path)
    assert not was_killed(opened.path)
    lock.write_text(told)  # as a process leaves it that is killed
    assert was_killed(opened.path)


def test_links_come_before_loads_but_in_smoke(tmp_path):
    states = Campaign.open("test", profile="quick", data_dir=tmp_path).states("2.1")
    assert [state.run.section.kind for state in states[:3]] == ["links", "links", "load"]


def test_phases_leave_no_time_out():
    times = iter([0.0, 2.0, 15.0, 16.0, 17.0, 20.0])
    phases = Phases(clock=lambda: next(times))
    phases.enter("starting")
    phases.enter(MEASURING, at_epoch_s=3.0)
    phases.enter("stopping")
    first = phases.take()
    assert first["preparing"] == 2 and first["starting"] == 1 and first["measuring"] == 12
    phases.enter("starting")
    second = phases.take()
    assert sum(first.values()) + sum(second.values()) == 20
    totals = total_phases(
        [manifest_of(phases_s=first), manifest_of(phases_s=second), manifest_of()]
    )
    assert overhead(totals) == pytest.approx(1 - 12 / 20)
    assert overhead({}) == 0


def test_run_that_ends_before_it_was_to_begin_took_no_time():
    times = iter([0.0, 1.0, 2.0])
    phases = Phases(clock=lambda: next(times))
    phases.enter(MEASURING, at_epoch_s=5.0)
    phases.enter("stopping")
    taken = phases.take()
    assert taken[MEASURING] == 0
    assert min(taken.values()) >= 0
