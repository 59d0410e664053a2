import numpy as np
import pandas as pd
import pytest

from analysis.chapters.stability.dynamics import (
    COLUMNS,
    find_events,
    match_events,
    pause_effects,
)
from analysis.statistics.stationarity import block_means, drift

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
    assert found["cause"].tolist() == ["server pause"] * 3
    matched = match_events(found, injected(pauses))
    assert len(matched) == 3
    assert matched["host"].tolist() == matched["made_host"].tolist() == ["s1", "s2", "s3"]
    np.testing.assert_allclose(matched["start_s"], matched["made_start_s"], atol=0.7)
    np.testing.assert_allclose(matched["length_s"], matched["made_length_s"], atol=0.7)


@pytest.mark.parametrize("seed", range(10))
def test_a_quiet_run_has_no_events(seed):
    found = find_events(*trace(noise=0.05, seed=seed))
    assert found.empty
    assert list(found) == COLUMNS


@pytest.mark.parametrize(("noise", "missing"), [(0.001, 0.2), (0.1, 0.4)])
def test_a_dip_must_be_both_deep_and_beyond_the_noise(noise, missing):
    windows, servers = trace(noise=noise)
    windows.loc[windows["second_s"] == 30, "throughput_ops_per_s"] = (1 - missing) * USUAL
    assert find_events(windows, servers).empty


def test_events_before_the_stable_window_do_not_count():
    windows, servers = trace([("s1", -1.5, 1.0)])
    assert find_events(windows, servers).empty


def test_a_collection_that_is_felt_is_an_event_and_others_are_not():
    windows, servers = trace(collections=[(20, 0.2), (60, 0.9), (90, 0.01)])
    slowed = (windows["second_s"] == 60) & (windows["side"] == "client")
    windows.loc[slowed, "throughput_ops_per_s"] *= 0.2
    (event,) = find_events(windows, servers).to_dict("records")
    assert (event["cause"], round(event["start_s"])) == ("garbage collection", 60)
    assert event["collected_s"] == pytest.approx(0.9)


def test_a_dip_that_nothing_explains_is_unexplained():
    windows, servers = trace()
    windows.loc[windows["second_s"] == 30, "throughput_ops_per_s"] *= 0.1
    for slow in (None, servers, servers.assign(response_time_max_ms=500.0)):
        (event,) = find_events(windows, slow).to_dict("records")
        assert event["cause"] == "unexplained"
        assert event["length_s"] == pytest.approx(0.9, abs=0.1)


RUN = pd.Series(
    {
        "time_dilation": DILATION,
        "num_clients": 192,
        "num_middlewares": 2,
        "workers": 64,
        "dispatch": "sequential",
        "think_time_s": 0.0,
    }
)


def test_a_pause_is_felt_by_those_who_wait_for_it():
    windows, servers = trace([("s3", 80.5, 4.0)])
    inside = windows["side"] == "middleware"
    windows["queue_length"] = np.where(inside & windows["second_s"].between(81, 83), 64.0, 5.0)
    (pause,) = pause_effects(RUN, windows, servers, injected([("s3", 80.5, 4.0)])).to_dict(
        "records"
    )
    assert pause["longest_s"] == pytest.approx(4.0)
    assert pause["queue_length"] == pause["jobs_without_worker"] == 64
    enough = pd.concat([RUN.drop("workers"), pd.Series({"workers": 100})])
    told = pause_effects(enough, windows, servers, injected([("s3", 80.5, 4.0)]))
    assert told["jobs_without_worker"].isna().all()
    assert pause_effects(RUN, windows, servers, pd.DataFrame()).empty


def test_blocks_are_twelfths_of_a_run():
    windows, _ = trace(collections=[(5, 0.4)], noise=0)
    blocks = block_means(RUN, windows)
    assert len(blocks) == 12
    np.testing.assert_allclose(blocks["throughput_ops_per_s"], USUAL)
    assert drift(blocks) == 1
    assert drift(blocks.assign(throughput_ops_per_s=[100.0] * 6 + [90.0] * 6)) == 0.9
    assert blocks["collected_share"].iloc[0] == pytest.approx(0.4 / 2 / 10)
    assert block_means(RUN, windows[windows["second_s"] < 8]).empty


def test_what_is_not_found_is_missed_and_what_nobody_made_is_false():
    found = find_events(*trace([("s1", 10.0, 2.0), ("s2", 50.0, 2.0)]))
    matched = match_events(found, injected([("s1", 10.0, 2.0), ("s3", 90.0, 0.1)]))
    assert matched["host"].fillna("").tolist() == ["s1", "s2", ""]
    assert matched["made_host"].fillna("").tolist() == ["s1", "", "s3"]
    assert match_events(found.iloc[:0], injected([])).empty
    assert len(match_events(found, pd.DataFrame())) == 2


def test_rows_of_two_runs_and_wrong_arguments_are_refused():
    windows, servers = trace()
    with pytest.raises(ValueError, match="events are those of one run"):
        find_events(pd.concat([windows, windows]), servers)
    with pytest.raises(ValueError, match=r"drop must be in \(0, 1\), got 1"):
        find_events(windows, servers, drop=1)
    with pytest.raises(ValueError, match="no stable second"):
        find_events(windows.assign(stable=False))
