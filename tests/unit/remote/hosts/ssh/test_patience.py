import threading
import time

import pytest

from remote.errors import CommandFailed, CommandTimeout, ConnectionLost, GroupError, HostGone
from remote.hosts.ssh import patience
from remote.hosts.ssh.patience import Patience, gone_hosts, is_silence

GONE = HostGone("c2", "no answer", "Check the link.")
LOST = ConnectionLost("c2", "it broke off", "Check the link.")
LATE = CommandTimeout("c2", "true", 1)
FULL = CommandFailed("c1", "cp", 1, "No space left")


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch):
    for name, seconds in {"_FIRST_PAUSE_S": 0.01, "_LONGEST_PAUSE_S": 0.05, "_JITTER_S": 0}.items():
        monkeypatch.setattr(patience, name, seconds)


def failing(*errors):
    left = list(errors)

    def action():
        if left:
            raise left.pop(0)
        return "done"

    return action


def test_what_silence_ended_is_done_again():
    told = []
    outcome = Patience(limit_s=5)(failing(GONE, LOST, LATE), on_silence=told.append)
    assert outcome == "done"
    assert [text.split(":")[0] for text in told] == ["c2"] * 3


@pytest.mark.parametrize("error", [FULL, GroupError({"c1": FULL, "c2": GONE})])
def test_other_errors_are_not_waited_out(error):
    with pytest.raises(type(error)):
        Patience(limit_s=5)(failing(error))


def test_a_silence_that_lasts_too_long_is_an_error():
    began_s = time.monotonic()
    with pytest.raises(HostGone, match="c2"):
        Patience(limit_s=0.3)(failing(*[GONE] * 1000))
    assert 0.3 <= time.monotonic() - began_s < 2


def test_silence_counts_from_when_the_host_was_heard_last(monkeypatch):
    monkeypatch.setattr(patience, "_HEARD_S", 0.2)
    attempts = iter([0.25, 0.25, 0.25])

    def action():
        for seconds in attempts:
            time.sleep(seconds)
            raise LOST
        return "done"

    assert Patience(limit_s=0.3)(action) == "done"


def test_nobody_waits_any_more_when_it_is_ended(monkeypatch):
    monkeypatch.setattr(patience, "_FIRST_PAUSE_S", 30)
    monkeypatch.setattr(patience, "_LONGEST_PAUSE_S", 30)
    one = Patience(limit_s=60)
    threading.Timer(0.2, one.end).start()
    began_s = time.monotonic()
    with pytest.raises(HostGone):
        one(failing(*[GONE] * 10))
    assert time.monotonic() - began_s < 5


def test_who_is_gone_is_told_of_one_error_and_of_many():
    assert gone_hosts(LOST) == {"c2"}
    assert gone_hosts(GroupError({"c1": FULL, "c2": GONE, "c3": "well"})) == {"c2"}
    assert is_silence(GroupError({"c1": LATE, "c2": GONE, "c3": "well"}))
    assert not is_silence(FULL)
