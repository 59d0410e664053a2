import pandas as pd

from analysis.published.printed import published_table
from analysis.words.routing import (
    not_measured_sentence,
    overhead_sentences,
    replica_sentences,
    share_sentences,
    worker_bound_sentences,
)


def test_the_ring_is_told_from_chance():
    rows = [(1, "s1", 0.40, 0.401), (1, "s2", 0.30, 0.301), (1, "s3", 0.30, 0.298)]
    shares = pd.DataFrame(rows, columns=["replicas", "server", "share_mean", "expected"])
    told = share_sentences(shares)
    assert "within 0.20 percentage points" in told  # with as many decimals as the table
    assert "the ring, not chance" in told


COUNTS = pd.DataFrame(
    {
        "num_middlewares": [0, 1, 1],
        "replicas": [0, 1, 3],
        "workers": [0, 64, 64],
        "sets": [100, 90, 100],
        "gets": 9_900,
    }
)


def test_copies_are_judged_by_their_intervals():
    costs = pd.DataFrame(
        {
            "workers": 64,
            "replicas": [2, 3],
            "fewest_replicas": 1,
            "sets": 100,
            "relative_throughput": [-0.1, 0.01],
            "significant": [True, False],
            "requests_per_request": [1.01, 1.02],
        }
    )
    lines = replica_sentences(costs, COUNTS).replace("\N{NO-BREAK SPACE}", " ").splitlines()
    assert lines[0] == (
        "- **64 workers, R = 2**: throughput \N{MINUS SIGN}10.0 % against R = 1 (significant); "
        "with 100 sets the servers get 1.0 % more requests than clients send."
    )
    assert "R = 3**: throughput +1.0 % against R = 1 (not significant: the confidence" in lines[1]
    assert "nothing to compare" in replica_sentences(costs.head(0), COUNTS)


def test_a_cell_without_sets_is_named():
    told = replica_sentences(pd.DataFrame(), COUNTS.replace({"sets": {90: 0}}))
    assert told.startswith("- **64 workers, R = 1**: no set was made in the stable window")
    assert len(told.splitlines()) == 1


def test_workers_that_were_left_out_are_named():
    told = not_measured_sentence([8, 64], [8, 16, 32, 64], "paper")
    assert told == ("16 and 32 workers, which profile `paper` has, too, were not measured here.")
    assert not_measured_sentence([8, 64], [8, 64], "paper") == ""


def test_workers_explain_the_throughput_that_they_do():
    direct = pd.DataFrame({"client_throughput_ops_per_s_mean": [163_338.0]})
    through = pd.DataFrame(
        {
            "num_middlewares": 1,
            "workers": [64, 8],
            "replicas": 1,
            "middleware_service_time_ms_mean": [1.05, 1.0],
            "middleware_throughput_ops_per_s_mean": [60_817.0, 8_000.0],
        }
    )
    told = worker_bound_sentences(direct, through, "limited by the servers' links")
    told = told.replace("\N{NARROW NO-BREAK SPACE}", " ").replace("\N{NO-BREAK SPACE}", " ")
    assert told.startswith(
        "Without a middleware the system is limited by the servers' links, at 163 338 op/s."
    )
    assert told.splitlines()[2:] == [
        "- **8 workers, R = 1**: 8 / 1.000 ms = 8 000 op/s, measured 8 000 op/s (100 %).",
        "- **64 workers, R = 1**: 64 / 1.050 ms = 60 952 op/s, measured 60 817 op/s (100 %).",
    ]


def test_overhead_stands_beside_khalils():
    columns = ["replicas", "workers", "measure", "with_middleware", "relative_overhead"]
    rows = [(1, 64, "client_throughput_ops_per_s", 30.0, -0.5)]
    khalil = published_table("khalil2016", "s3_3_overhead")
    told = overhead_sentences(pd.DataFrame(rows, columns=columns), khalil)
    assert "changes by \N{MINUS SIGN}50\N{NO-BREAK SPACE}% at best (64 workers, R = 1)" in told
    assert "came to \N{MINUS SIGN}70\N{NO-BREAK SPACE}%. His two numbers are of different" in told
    assert "128 clients and 1 server without the middleware, 192 clients and 3 servers with" in told
    assert "nothing to compare" in overhead_sentences(pd.DataFrame(columns=columns), khalil)
