import pandas as pd

from analysis.dynamics import COLUMNS
from analysis.words.events import event_sentences, stationarity_sentences

MATCHED = [
    "outcome",
    "host",
    "start_s",
    "length_s",
    "found_start_s",
    "found_length_s",
    "found_host",
]


def test_a_quiet_run_is_told():
    told = event_sentences(pd.DataFrame(columns=COLUMNS), pd.DataFrame(columns=MATCHED))
    assert "No second of the run stands out" in told
    assert told.endswith("No server was paused on purpose.")


def test_pauses_found_again_and_missed():
    found = pd.DataFrame([(5.2, 6.2, 1.0, "server pause", "s1", "s1 paused", "")], columns=COLUMNS)
    rows = [
        ("found", "s1", 5.0, 1.0, 5.2, 1.1, "s1"),
        ("missed", "s2", 12.0, 2.5, float("nan"), float("nan"), None),
    ]
    told = event_sentences(found, pd.DataFrame(rows, columns=MATCHED))
    assert told.startswith("1 event stands out, explained by: the pause of a server 1.")
    assert "Of 2 pauses that were made, 1 was found again, 1 with the right server" in told
    assert "starts are off by 0.20 s at most, lengths by 0.10 s; not found: s2." in told
    assert told.endswith("No pause was found that nobody made.")


def test_sides_are_judged_one_by_one():
    tests = pd.DataFrame(
        {
            "side": ["client", "middleware", "x"],
            "stationary": pd.array([True, False, pd.NA], dtype="boolean"),
            "reason": ["a", "b", "c"],
        }
    )
    lines = stationarity_sentences(tests).splitlines()
    assert lines[0].endswith("the run is stationary: a.")
    assert lines[1].endswith("the run is not stationary: b.")
    assert lines[2].endswith("the run is not judged: c.")
