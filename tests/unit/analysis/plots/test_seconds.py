import pandas as pd
import pytest

from analysis.plots import plot_seconds, plot_threads

SECONDS = pd.DataFrame(
    {
        "server": ["s1"] * 3 + ["s2"] * 3,
        "second_s": [-1, 0, 1] * 2,
        "stable": [False, True, True] * 2,
        "response_time_max_ms": [1.0, 2.0, 900.0, 1.0, 2.0, 3.0],
    }
)


def test_each_server_is_a_line_and_events_are_marked():
    events = pd.DataFrame({"start_s": [1.0], "end_s": [2.0], "event": ["s1 paused"]})
    figure = plot_seconds(
        SECONDS, "response_time_max_ms", "Longest response time (ms)", events=events
    )
    assert [trace.name for trace in figure.data] == ["s1", "s2"]
    assert len({trace.line.dash for trace in figure.data}) == 2  # told apart in grey
    assert figure.layout.yaxis.title.text == "Longest response time (ms)"
    assert [note.text for note in figure.layout.annotations] == ["s1 paused"]
    assert figure.layout.meta == {"runs": 1}


def test_rows_of_several_runs_are_refused():
    with pytest.raises(ValueError, match="a trace shows one run"):
        plot_seconds(pd.concat([SECONDS, SECONDS]), "response_time_max_ms", "x")


@pytest.mark.parametrize("servers", [1, 2, 3, 5])
def test_threads_are_drawn_with_their_numbers(servers):
    figure = plot_threads(clients=192, workers=64, servers=servers, net_threads=2)
    names = [note.text for note in figure.layout.annotations]
    texts = " ".join(names)
    for words in ("192 connections", "64 coroutines", "2 net threads", "worker 64", "job queue"):
        assert words in texts
    assert ("server" if servers == 1 else f"server {servers}") in names
