import pandas as pd
import pytest

from analysis.sections.gains import gain_sentences, gain_table


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
        (("set", 64, 12000.0, True), "rises from 6 000 to 12 000 op/s, by a factor of 2.00"),
        (("set", 64, 12000.0, False), "rises from 6 000 to at least 12 000 op/s"),
        (("set", 64, 3000.0, True), "falls from 6 000 to 3 000 op/s, by a factor of 0.50"),
        (("set", 64, 6100.0, True), "hardly changes: 6 000 to 6 100 op/s"),
    ],
)
def test_the_sentence_follows_the_numbers(last, expected):
    text = text_of(("set", 8, 6000.0, True), last)
    assert text.startswith("- **set**: from 8 to 64 workers the usable capacity ")
    assert expected in text


def test_levels_between_which_hardly_anything_changes_are_compared_at_once():
    levels = [(8, 1000.0), (16, 2000.0), (32, 2040.0), (64, 1990.0), (128, 2200.0)]
    lines = text_of(*(("set", workers, x, True) for workers, x in levels)).splitlines()
    assert lines == [
        "- **set**: from 8 to 16 workers the usable capacity rises from 1 000 to 2 000 op/s, by a "
        "factor of 2.00.",
        "- **set**: from 16 to 64 workers the usable capacity hardly changes: 1 990 to 2 040 op/s.",
        "- **set**: from 64 to 128 workers the usable capacity rises from 1 990 to 2 200 op/s, by "
        "a factor of 1.11.",
    ]


def test_small_steps_that_add_up_are_told():
    levels = [(8, 1000.0), (16, 1040.0), (32, 1080.0), (64, 1120.0)]
    lines = text_of(*(("set", workers, x, True) for workers, x in levels)).splitlines()
    assert len(lines) > 1
