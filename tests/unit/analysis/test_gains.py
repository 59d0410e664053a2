import pandas as pd
import pytest

from analysis.gains import gain_sentences, gain_table


def capacity(*levels) -> pd.DataFrame:
    """Levels as (workload, workers, throughput, saturated)."""
    columns = ["workload", "workers", "throughput_ops_per_s", "saturated"]
    return pd.DataFrame(levels, columns=columns)


def text_of(*levels) -> str:
    gains = gain_table(capacity(*levels), "workers")
    return gain_sentences(gains, "{} workers").replace("\N{NARROW NO-BREAK SPACE}", " ")


def test_neighbouring_levels_are_compared():
    rows = [("set", w, x, True) for w, x in ((8, 1000.0), (64, 4000.0), (16, 2000.0))]
    gains = gain_table(capacity(*rows), "workers")
    assert gains["from_level"].tolist() == [8, 16]
    assert gains["to_level"].tolist() == [16, 64]
    assert gains["ratio"].tolist() == pytest.approx([2, 2])


def test_a_level_alone_is_compared_with_nothing():
    levels = [("set", 8, 1000.0, True), ("get", 16, 1000.0, True)]
    assert gain_table(capacity(*levels), "workers").empty
    assert "no two systems to compare" in text_of(*levels)


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (("set", 64, 12000.0, True), "rises from 6 000 to 12 000 op/s, to 2.00 times as much"),
        (("set", 64, 12000.0, False), "rises from 6 000 to at least 12 000 op/s"),
        (("set", 64, 3000.0, True), "falls from 6 000 to 3 000 op/s, to 0.50 times as much"),
        (("set", 64, 6100.0, True), "hardly changes, from 6 000 to 6 100 op/s"),
    ],
)
def test_the_sentence_follows_the_numbers(last, expected):
    text = text_of(("set", 8, 6000.0, True), last)
    assert text.startswith("- **set**: from 8 workers to 64 workers the usable capacity ")
    assert expected in text
