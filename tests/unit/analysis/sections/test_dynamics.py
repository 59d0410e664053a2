import numpy as np
import pandas as pd
import pytest

from analysis.sections.dynamics import beside_khalil, clock_span, find_events, match_events

USUAL = 5000.0
DILATION = 4.0


def trace(pauses=(), collections=(), *, length_s=120, noise=0.02, seed=1, warm_up_s=2):
    """Seconds of a run in which servers stood still: (server, start, length) each."""
    rng = np.random.default_rng(seed)
    seconds = np.arange(-warm_up_s, length_s)
    up = np.ones(len(seconds))
    slowest = {f"s{n}": np.full(len(seconds), 8.0) for n in (1, 2, 3)}
    for host, start, length in pauses:
        lost = np.clip(start + length - seconds, 0, 1) - np.clip(start - seconds, 0, 1)
        up -= lost
        slowest[host][np.searchsorted(seconds, int(start + length))] = length * 1000 / DILATION
    throughput = USUAL * np.clip(up, 0, None) * rng.normal(1, noise, len(seconds))
    collected = np.zeros(len(seconds))
    for second, spent_s in collections:
        collected[second + warm_up_s] = spent_s * 1000 / DILATION
    shared = {"second_s": seconds, "stable": seconds >= 0, "time_dilation": DILATION}
    client = pd.DataFrame({**shared, "side": "client", "throughput_ops_per_s": throughput})
    middleware = client.assign(side="middleware", gc_time_ms=collected)
    servers = [
        pd.DataFrame({**shared, "server": host, "response_time_max_ms": times})
        for host, times in slowest.items()
    ]
    return pd.concat([client, middleware]), pd.concat(servers)


def injected(pauses):
    return pd.DataFrame(pauses, columns=["host", "start_s", "length_s"])


@pytest.mark.parametrize("seed", range(5))
def test_injected_pauses_are_found_with_host_start_and_length(seed):
    pauses = [("s1", 10.3, 1.0), ("s2", 40.7, 5.0), ("s3", 80.0, 2.5)]
    found = find_events(*trace(pauses, seed=seed))
    assert found["kind"].tolist() == ["server pause"] * 3
    matched = match_events(found, injected(pauses))
    assert matched["outcome"].tolist() == ["found"] * 3
    assert matched["found_host"].tolist() == ["s1", "s2", "s3"]
    np.testing.assert_allclose(matched["found_start_s"], matched["start_s"], atol=0.7)
    np.testing.assert_allclose(matched["found_length_s"], matched["length_s"], atol=0.7)


@pytest.mark.parametrize("seed", range(10))
def test_a_quiet_run_has_no_events(seed):
    found = find_events(*trace(noise=0.05, seed=seed))
    assert found.empty
    assert list(found) == [
        "start_s", "end_s", "length_s", "kind", "host", "event", "evidence"
    ]  # fmt: skip


def test_events_before_the_stable_window_do_not_count():
    windows, servers = trace([("s1", -1.5, 1.0)])
    assert find_events(windows, servers).empty


def test_collections_are_told_from_pauses_felt_or_not():
    windows, servers = trace(collections=[(20, 0.2), (60, 0.9), (90, 0.01)])
    slowed = (windows["second_s"] == 60) & (windows["side"] == "client")
    windows.loc[slowed, "throughput_ops_per_s"] *= 0.2
    found = find_events(windows, servers)
    assert found["kind"].tolist() == ["garbage collection"] * 2
    assert found["start_s"].round().tolist() == [20, 60]
    assert found.loc[0, "evidence"] == (
        "garbage was collected for 200 ms of the clock (50 ms undilated); throughput as usual"
    )


def test_a_dip_that_nothing_explains_is_unexplained():
    windows, servers = trace()
    windows.loc[windows["second_s"] == 30, "throughput_ops_per_s"] *= 0.1
    for slow in (None, servers, servers.assign(response_time_max_ms=500.0)):
        (event,) = find_events(windows, slow).to_dict("records")
        assert event["kind"] == "unexplained"
        assert event["length_s"] == pytest.approx(0.9, abs=0.1)


def test_evidence_tells_the_clock_and_what_figures_of_response_times_show():
    windows, servers = trace([("s3", 80.0, 10.0)])
    (event,) = find_events(windows, servers).to_dict("records")
    assert event["evidence"].endswith("up to 10.0 s of the clock (2.5 s undilated)")
    assert clock_span(0.25, 1) == "250 ms"


def test_a_long_run_stands_beside_khalils_trace():
    windows, servers = trace([("s3", 80.0, 10.0)])
    windows["response_time_ms"] = 12.0
    windows.loc[windows["second_s"] == 90, "response_time_ms"] = 52.0
    run = pd.Series(
        {
            "num_clients": 192,
            "client_throughput_ops_per_s": USUAL,
            "client_response_time_ms": 12.5,
        }
    )
    table = beside_khalil(run, windows, servers).set_index("quantity")
    assert table["khalil2016"].tolist() == [192, 10_000, 20, 40, 90]
    assert table["ours"].tolist() == [192, USUAL, 12.5, 39.5, 2500]


def test_what_is_not_found_is_missed_and_what_nobody_made_is_false():
    found = find_events(*trace([("s1", 10.0, 2.0), ("s2", 50.0, 2.0)]))
    matched = match_events(found, injected([("s1", 10.0, 2.0), ("s3", 90.0, 0.1)]))
    assert matched["outcome"].tolist() == ["found", "missed", "false"]
    assert matched.loc[2, "found_host"] == "s2"
    assert match_events(found.iloc[:0], injected([])).empty


def test_rows_of_two_runs_and_wrong_arguments_are_refused():
    windows, servers = trace()
    with pytest.raises(ValueError, match="events are those of one run"):
        find_events(pd.concat([windows, windows]), servers)
    with pytest.raises(ValueError, match=r"drop must be in \(0, 1\), got 1"):
        find_events(windows, servers, drop=1)
    with pytest.raises(ValueError, match="no stable second"):
        find_events(windows.assign(stable=False))
