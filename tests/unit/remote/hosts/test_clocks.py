"""What answers tell of a clock; the true offset is known here."""

import pytest

from remote.hosts.clocks import clock_reading, most_precise_reading
from remote.hosts.connection import Exchange


@pytest.mark.parametrize(("there_s", "back_s"), [(0.01, 0.01), (0.0, 0.3), (0.25, 0.0)])
@pytest.mark.parametrize("offset_s", [0.0, 5.0, -0.4])
def test_true_offset_is_within_the_bound_however_the_delay_is_divided(there_s, back_s, offset_s):
    asked_s = 1000.0
    reading = clock_reading(asked_s + there_s + offset_s, asked_s, asked_s + there_s + back_s)
    assert abs(reading.offset_s - offset_s) <= reading.bound_s + 1e-9
    assert reading.certain_offset_s <= abs(offset_s) + 1e-9


def test_answer_of_least_delay_is_the_surest():
    answers = [Exchange(0, "0.9", 1.0), Exchange(2, "2.06", 2.1), Exchange(3, "3.1", 3.4)]
    reading = most_precise_reading(answers)
    assert reading.bound_s == pytest.approx(0.05)
    assert reading.offset_s == pytest.approx(0.01)
    assert reading.certain_offset_s == 0


def test_answers_before_their_questions_tell_nothing():
    assert most_precise_reading([Exchange(5, "5", 4), Exchange(6, "6", 7)]).bound_s == 0.5
    with pytest.raises(ValueError, match="set back"):
        most_precise_reading([Exchange(5, "5", 4)])
    with pytest.raises(ValueError, match="set back by 1 s"):
        clock_reading(5, 5, 4)
    with pytest.raises(ValueError, match="could not convert"):
        most_precise_reading([Exchange(5, "now", 6)])
    with pytest.raises(ValueError, match="got nan"):
        most_precise_reading([Exchange(5, "nan", 6)])
