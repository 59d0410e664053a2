import pandas as pd

from analysis.published import published_table
from analysis.words.routing import overhead_sentences, replica_sentences, share_sentences


def test_the_ring_is_told_from_chance():
    rows = [(1, "s1", 0.40, 0.401), (1, "s2", 0.30, 0.301), (1, "s3", 0.30, 0.298)]
    shares = pd.DataFrame(rows, columns=["replicas", "server", "share_mean", "expected"])
    told = share_sentences(shares)
    assert "within 0.2 percentage points" in told
    assert "the ring, not chance" in told


def test_copies_are_judged_by_their_intervals():
    throughput = "client_throughput_ops_per_s"
    cells = pd.DataFrame(
        {
            "replicas": [1, 3],
            f"{throughput}_mean": [100.0, 90.0],
            f"{throughput}_ci_low": [99.0, 89.0],
            f"{throughput}_ci_high": [101.0, 91.0],
        }
    )
    bound = pd.DataFrame({"replicas": [1, 3], "requests_per_request": [1.0, 1.02]})
    told = replica_sentences(cells, bound)
    assert told.replace("\N{NO-BREAK SPACE}", " ") == (
        "- **R = 3**: throughput \N{MINUS SIGN}10.0 % against R = 1 (significant); "
        "the servers get 2.0 % more requests than clients send."
    )
    assert "nothing to compare" in replica_sentences(cells.head(1), bound)


def test_overhead_stands_beside_khalils():
    columns = ["replicas", "workers", "measure", "with_middleware", "relative_overhead"]
    rows = [(1, 64, "client_throughput_ops_per_s", 30.0, -0.5)]
    khalil = published_table("khalil2016", "s3_3_overhead")
    told = overhead_sentences(pd.DataFrame(rows, columns=columns), khalil)
    assert "changes by \N{MINUS SIGN}50\N{NO-BREAK SPACE}% at best (64 workers, R = 1)" in told
    assert told.endswith("came to \N{MINUS SIGN}70\N{NO-BREAK SPACE}%.")
    assert "nothing to compare" in overhead_sentences(pd.DataFrame(columns=columns), khalil)
