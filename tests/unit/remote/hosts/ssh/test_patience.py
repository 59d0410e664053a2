import pytest

from remote.errors import CommandFailed, CommandTimeout, ConnectionLost, GroupError, HostGone
from remote.hosts.ssh import patience
from remote.hosts.ssh.patience import Patience, gone_hosts, is_silence
from tests.helpers.clock import FakeClock

GONE = HostGone("c2", "no answer", "Check the link.")
LOST = ConnectionLost("c2", "it broke off", "Check the link.")
LATE = CommandTimeout("c2", "true", 1)
FULL = CommandFailed("c1", "cp", 1, "No space left")


@pytest.fixture
def clock():
    return FakeClock()


def patient(clock, limit_s):
    return Patience(limit_s, clock=clock, sleep=clock.sleep)


def failing(*errors):
    left = list(errors)

    def action():
        if left:
            raise left.pop(0)
        return "done"

    return action


def test_what_silence_ended_is_done_again(clock):
    told = []
    outcome = patient(clock, 900)(failing(GONE, LOST, LATE), on_silence=told.append)
    assert outcome == "done"
    assert [text.split(":")[0] for text in told] == ["c2"] * 3


@pytest.mark.parametrize("error", [FULL, GroupError({"c1": FULL, "c2": GONE})])
def test_other_errors_are_not_waited_out(clock, error):
    with pytest.raises(type(error)):
        patient(clock, 900)(failing(error))
    assert clock() == 0


def test_a_silence_that_lasts_too_long_is_an_error(clock):
    with pytest.raises(HostGone, match="c2"):
        patient(clock, 300)(failing(*[GONE] * 1000))
    longest_s = patience._LONGEST_PAUSE_S + patience._JITTER_S
    assert 300 <= clock() <= 300 + longest_s


def test_silence_counts_from_when_the_host_was_heard_last(clock):
    heard_s = patience._HEARD_S + 1
    attempts = iter([heard_s] * 3)

    def action():
        for seconds in attempts:
            clock.sleep(seconds)
            raise LOST
        return "done"

    assert patient(clock, heard_s * 2)(action) == "done"
    assert clock() > heard_s * 3


def test_nobody_waits_any_more_when_it_is_ended(monkeypatch):
    monkeypatch.setattr(patience, "_FIRST_PAUSE_S", 3600)
    monkeypatch.setattr(patience, "_LONGEST_PAUSE_S", 3600)
    one = Patience(limit_s=7200)
    with pytest.raises(HostGone):  # not after an hour
        one(failing(*[GONE] * 10), on_silence=lambda _: one.end())


def test_who_is_gone_is_told_of_one_error_and_of_many():
    assert gone_hosts(LOST) == {"c2"}
    assert gone_hosts(GroupError({"c1": FULL, "c2": GONE, "c3": "well"})) == {"c2"}
    assert is_silence(GroupError({"c1": LATE, "c2": GONE, "c3": "well"}))
    assert not is_silence(FULL)
