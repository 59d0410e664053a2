import pandas as pd

from analysis.sections.dynamics import COLUMNS
from analysis.words.events import (
    event_sentences,
    queue_sentence,
    run_sentences,
    stationarity_sentences,
    time_base_sentence,
)

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
    assert told.startswith("1 event stands out, explained by the pause of a server.")
    assert "Of 2 pauses that were made, 1 was found again, 1 with the right server" in told
    assert "starts are off by 0.20 s of the clock at most, lengths by 0.10 s; not found: s2" in told
    assert told.endswith("No pause was found that nobody made.")


def test_causes_are_counted_and_differences_are_those_of_the_table():
    kinds = ["server pause", "server pause", "garbage collection", "unexplained"]
    found = pd.DataFrame({"kind": kinds}).reindex(columns=COLUMNS)
    rows = [("found", "s1", 600.024, 5.0, 600.065, 5.0, "s1")]
    told = event_sentences(found, pd.DataFrame(rows, columns=MATCHED))
    assert told.startswith(
        "4 events stand out: 2 explained by the pause of a server, "
        "1 explained by garbage collection in a middleware, 1 unexplained."
    )
    assert "starts are off by 0.05 s" in told  # 600.07 less 600.02, as the table has them


RUN = pd.Series(
    {
        "time_dilation": 4.0,
        "stable_s": 1800,
        "client_throughput_ops_per_s": 15647.5,
        "client_response_time_ms": 12.26,
        "client_response_time_p99_ms": 17.02,
        "middleware_queue_length": 45.8,
        "middleware_waiting_workers": 0.05,
        "num_clients": 192,
        "num_middlewares": 2,
        "workers": 64,
    }
)


def test_seconds_of_the_clock_and_undilated_ones_are_told_apart():
    assert run_sentences(RUN).startswith("In 1800 s of the clock (450 s undilated) the clients")
    assert run_sentences(RUN).endswith("0.1 of 128 workers had nothing to do.")
    assert "takes k = 4 of the clock" in time_base_sentence(4.0)
    assert "not dilated" in time_base_sentence(1.0)


def test_the_queue_of_a_pause_is_what_has_no_worker():
    inside = pd.DataFrame({"second_s": range(10), "queue_length": [45.0] * 4 + [63.9] * 6})
    found = pd.DataFrame({"kind": ["server pause"], "start_s": 4.0, "end_s": 9.0, "length_s": 5.0})
    told = queue_sentence(RUN, inside, found)
    assert "192 \N{MINUS SIGN} 2 \N{MULTIPLICATION SIGN} 64 = 64 jobs" in told
    assert told.endswith("the queue came to 63.9.")
    many = RUN.replace({64: 100})
    assert "a pause makes no queue" in queue_sentence(many, inside, found)
    assert queue_sentence(RUN, inside, found.head(0)) == "No pause of a server was found."


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
