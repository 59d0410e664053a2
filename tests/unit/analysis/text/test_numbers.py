import pytest

from analysis.text.numbers import error_text, percent


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0312, "+3.1%"),
        (-0.0312, "\N{MINUS SIGN}3.1%"),
        (-0.0002, "0.0%"),
        (0.0002, "0.0%"),
        (11, "> +1000%"),
    ],
)
def test_relative_error_has_a_sign_only_where_it_shows(value, text):
    assert error_text(value) == text


def test_share_in_a_sentence_has_a_true_minus_sign_and_no_break():
    assert percent(-0.256, signed=True) == "\N{MINUS SIGN}26\N{NO-BREAK SPACE}%"
    assert percent(-0.004) == "0\N{NO-BREAK SPACE}%"
    assert percent(0.004, 1, signed=True) == "+0.4\N{NO-BREAK SPACE}%"
