"""The ledger of messages finds what is wrong, and nothing else."""

import pytest
from verified_queues.ledger import EXCUSED_FOR_S, Lane, Ledger, Take

LANE = Lane("q", "r")
OTHER = Lane("q", "")


@pytest.fixture
def ledger():
    return Ledger(seed=1)


def send(ledger, sent_s, acknowledged_s=None, lane=LANE):
    message = ledger.new_message(lane, "s", sent_s)
    message.acknowledged_s = acknowledged_s
    return message


def take(ledger, message, began_s, ended_s, lane=LANE):
    ledger.taken(lane, message.number, message.body, Take(began_s, ended_s))


def test_messages_that_come_once_and_in_order_are_well(ledger):
    messages = [send(ledger, number, number + 0.5) for number in range(5)]
    for number, message in enumerate(messages):
        take(ledger, message, 10 + number, 10.5 + number)
    assert ledger.objections() == []
    assert (ledger.num_sent, ledger.num_acknowledged, ledger.num_unknown) == (5, 5, 0)


def test_a_message_that_was_not_acknowledged_may_come_or_not(ledger):
    take(ledger, send(ledger, 1), 2, 3)
    send(ledger, 1)
    assert ledger.objections() == []


def test_a_message_that_comes_twice_is_found(ledger):
    message = send(ledger, 1, 2)
    take(ledger, message, 3, 4)
    take(ledger, message, 5, 6)
    assert ledger.objections() == ["q/to/r number 0 from s: delivered 2 times"]


def test_more_lost_messages_than_takes_of_unknown_end_are_found(ledger):
    for number in range(3):
        send(ledger, number, number + 0.5)
    ledger.gave_up(LANE, Take(4, 5))
    ledger.gave_up(OTHER, Take(4, 5))
    (objection,) = ledger.objections()
    assert objection.startswith("q/to/r: 3 acknowledged messages never came, 1 takes were given up")
    ledger.gave_up(LANE, Take(4, 5))
    ledger.gave_up(LANE, Take(4, 5))
    assert ledger.objections() == []


def test_a_message_for_somebody_else_or_changed_or_of_nobody_is_found(ledger):
    message = send(ledger, 1, 2)
    take(ledger, message, 3, 4, lane=OTHER)
    other = send(ledger, 1, 2)
    ledger.taken(LANE, other.number, b"changed", Take(3, 4))
    ledger.taken(LANE, 99, b"", Take(3, 4))
    told = ledger.objections()
    assert told[0] == "q: has got q/to/r number 0 from s"
    assert "is not what was sent" in told[1]
    assert told[2] == "q/to/r: flags 99 of no message"


def test_what_was_sent_later_and_taken_earlier_is_found(ledger):
    first, second = send(ledger, 1, 2), send(ledger, 2.5, 3)
    take(ledger, second, 4, 5)
    take(ledger, first, 6, 7)
    (objection,) = ledger.objections()
    assert objection.startswith("q/to/r number 1 from s was sent after q/to/r number 0")


def test_takes_at_the_same_time_and_sends_at_the_same_time_have_no_order(ledger):
    first, second, third = send(ledger, 1, 2), send(ledger, 2.5, 3), send(ledger, 2.6, 3)
    take(ledger, second, 4, 5)
    take(ledger, first, 4.5, 7)
    take(ledger, third, 4.5, 4.8)
    assert ledger.objections() == []


@pytest.mark.parametrize(("after_s", "excused"), [(0, True), (EXCUSED_FOR_S + 1, False)])
def test_a_take_of_unknown_end_may_have_held_the_message_for_a_while(ledger, after_s, excused):
    first, second = send(ledger, 1, 2), send(ledger, 2.5, 3)
    ledger.gave_up(LANE, Take(3.5, 3.9))
    take(ledger, second, 4 + after_s, 5 + after_s)
    take(ledger, first, 6 + after_s, 7 + after_s)
    assert (ledger.objections() == []) is excused
