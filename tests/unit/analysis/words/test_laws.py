import pandas as pd
import pytest

from analysis.words.laws import interactive_law_words


def cells(*loads) -> pd.DataFrame:
    """Loads as (clients, throughput in op/s, response time in ms)."""
    rows = [(n, x, 1000 * n / r, r, 1000 * n / x) for n, x, r in loads]
    columns = ["num_clients", "client_throughput_ops_per_s_mean"]
    columns += ["interactive_law_throughput_ops_per_s_mean", "client_response_time_ms_mean"]
    columns += ["interactive_law_response_time_ms_mean"]
    return pd.DataFrame(rows, columns=columns)


def test_what_the_law_leaves_out_is_told_as_a_think_time():
    """6 clients at 1.98 ms and 600 at 199.98 ms do as if they had 20 µs more."""
    words = interactive_law_words(cells((6, 3000.0, 1.98), (600, 3000.0, 199.98)))
    assert "more than was measured at every load, by 0.01\xa0% to 1.01\xa0%" in words
    assert "that is 20 µs, with a median of 20 µs" in words


@pytest.mark.parametrize(
    ("response_times_ms", "expected"),
    [((2.02, 4.04), "predicts less than was measured"), ((1.98, 4.04), "have either sign")],
)
def test_other_signs_are_told(response_times_ms, expected):
    first, second = response_times_ms
    assert expected in interactive_law_words(cells((6, 3000.0, first), (12, 3000.0, second)))
