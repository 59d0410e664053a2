import pytest

from analysis.chapters.system_overview.plots import plot_threads


@pytest.mark.parametrize("servers", [1, 2, 3, 5])
def test_threads_are_drawn_with_their_numbers(servers):
    figure = plot_threads(clients=192, workers=64, servers=servers, net_threads=2)
    names = [note.text for note in figure.layout.annotations]
    texts = " ".join(names)
    for words in ("192 connections", "64 coroutines", "2 net threads", "worker 64", "job queue"):
        assert words in texts
    assert ("server" if servers == 1 else f"server {servers}") in names
