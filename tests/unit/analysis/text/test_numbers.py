import pytest

from analysis.text.numbers import error_text, percent, short


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
    assert percent(-0.256) == "\N{MINUS SIGN}26\N{NO-BREAK SPACE}%"
    assert percent(-0.004) == "0\N{NO-BREAK SPACE}%"
    assert percent(0.004, 1) == "0.4\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (-1393.6, "\N{MINUS SIGN}1\N{NARROW NO-BREAK SPACE}394"),
        (967.34, "967"),
        (24.54, "24.5"),
        (9.997, "10.0"),
        (99.96, "100"),
        (-0.5422, "\N{MINUS SIGN}0.54"),
        (-0.0031, "0.00"),
    ],
)
def test_numbers_side_by_side_are_short(number, text):
    assert short(number) == text
