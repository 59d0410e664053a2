import numpy as np
import pandas as pd
import pytest

from analysis.sections.multi_gets import (
    all_requests,
    law_table,
    link_table,
    mode_table,
    multi_get_cells,
    nearest_keys,
    percentiles_by_mode,
    published_numbers,
    spread_table,
)
from analysis.words.multi_gets import (
    full_link_words,
    link_sentences,
    load_words,
    mode_sentences,
    nearest_words,
    percentile_sentences,
    spread_words,
)


def request_types(times, *, repetitions=3, spread=0.02) -> pd.DataFrame:
    """Mean response times by (sharded, keys), with sets of another time between them."""
    rows = []
    for (sharded, keys), mean in times.items():
        for repetition in range(repetitions):
            time = mean * (1 + spread * (repetition - 1))
            for side in ("client", "middleware"):
                multi_get = "get" if side == "client" else f"multi-get-{keys}"
                for kind, value in ((multi_get, time), ("set", 99.0)):
                    rows.append((side, kind, sharded, keys, value, 100.0, value / 2, 0.1))
    columns = ["side", "request_type", "sharded", "multi_get_keys", "response_time_ms"]
    columns += ["throughput_ops_per_s", "servers_net_time_ms", "queueing_time_ms"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize(
    ("cut", "whole", "nearest"),
    [
        ([1, 3, 6, 9], [1, 3, 6, 9], 6),
        ([1, 9], [1, 9], 9),
        ([3, 9], [3, 9], 3),
        ([1, 6], [1], 1),
        ([6], [9], 6),
        ([], [81], 81),
    ],
)
def test_the_nearest_number_of_keys_with_both_modes_is_found(cut, whole, nearest):
    times = {(True, keys): 2.0 for keys in cut} | {(False, keys): 2.0 for keys in whole}
    assert nearest_keys(multi_get_cells(request_types(times)), 6) == nearest


def test_another_level_than_wanted_is_said():
    assert "6 keys were not measured; the nearest, 9," in nearest_words(9, 6)
    assert not nearest_words(6, 6)


def test_sets_do_not_count():
    cells = multi_get_cells(request_types({(True, 6): 2.0}))
    assert cells["response_time_ms_mean"].tolist() == pytest.approx([2.0])
    assert cells["response_time_ms_repetitions"].tolist() == [3]


def test_the_faster_mode_is_found():
    times = {(True, 1): 2.1, (False, 1): 1.5, (True, 6): 2.0, (False, 6): 2.01}
    times |= {(True, 9): 2.5, (False, 9): 4.0, (True, 27): 5.0}
    table = mode_table(multi_get_cells(request_types(times)))
    assert table["multi_get_keys"].tolist() == [1, 6, 9]
    assert table["faster"].tolist() == ["not sharded", "no difference", "sharded"]
    assert ((table["ci_low_ms"] < 0) & (table["ci_high_ms"] > 0)).tolist() == [False, True, False]
    text = mode_sentences(table)
    assert text.startswith("**From 9 keys on sharded multi-gets are faster.**")
    assert "Sharded multi-gets are faster with 9 keys (2.50 ms against 4.00 ms)." in text
    assert "Whole multi-gets are faster with 1 key (" in text
    assert "cannot be told apart" in text


def test_welch_interval_of_equal_spreads_is_students():
    times = {(True, 6): 2.0, (False, 6): 2.0}
    row = mode_table(multi_get_cells(request_types(times))).iloc[0]
    half_width = 2.776 * np.sqrt(2 * 0.04**2 / 3)  # t of 4 degrees of freedom
    assert row["ci_high_ms"] == pytest.approx(half_width, rel=1e-3)


def test_single_repetitions_are_compared_without_an_interval():
    times = {(True, 6): 2.0, (False, 6): 3.0}
    table = mode_table(multi_get_cells(request_types(times, repetitions=1)))
    assert table["faster"].tolist() == ["sharded"]
    assert table["ci_low_ms"].isna().all()


def test_one_mode_alone_gives_no_advice():
    table = mode_table(multi_get_cells(request_types({(True, 6): 2.0})))
    assert "neither can be recommended" in mode_sentences(table)


def test_time_on_the_link_follows_the_largest_part():
    times = {(True, 7): 4.0, (False, 7): 8.0, (True, 1): 2.0, (False, 1): 2.0}
    frame = request_types(times)
    keys = frame[["sharded", "multi_get_keys"]].drop_duplicates()
    hosts = keys.assign(role="servers", rate_mbit_per_s=100.0, send_link_utilization=0.5)
    runs = keys.assign(num_servers=3, value_bytes=4096)
    table = link_table(hosts, runs, multi_get_cells(frame, "middleware"))
    assert table["keys_per_server"].tolist() == [1, 1, 3, 7]
    assert table["on_link_ms"].tolist() == pytest.approx([0.32768, 0.32768, 0.98304, 2.29376])
    text = link_sentences(table).replace("\xa0", " ")
    assert "1 key**: a server sends 1 value (0.33 ms on its link) of a sharded request" in text
    assert "there is nothing to cut" in text
    assert "links are busy for 50 % and 50 % of the time" in text
    assert "the servers answer 2.00 ms earlier, 1.31 ms of it on the link itself" in text
    assert "At no size are the servers' links full in both modes" in full_link_words(table)


def test_links_that_idle_beside_full_ones_are_the_reason():
    table = pd.DataFrame(
        {
            "multi_get_keys": [6, 6], "sharded": [True, False], "keys_per_server": [2, 6],
            "on_link_ms": [0.66, 1.97], "servers_net_time_ms": [3.8, 5.2],
            "throughput_ops_per_s": [1320.0, 1056.0], "link_utilization": [0.96, 0.77],
        }
    )  # fmt: skip
    text = link_sentences(table).replace("\xa0", " ").replace("\u202f", " ")
    assert "while the links of others idle, so that 1 056 multi-gets" in text
    assert "instead of 1 320" in text
    full = full_link_words(table.assign(link_utilization=0.97))
    assert full.startswith("With 6 keys the servers' links are full in both modes")


def test_the_load_is_light_only_where_links_are_not_full():
    hosts = pd.DataFrame({"role": "servers", "multi_get_keys": [1, 6, 9]})
    light = load_words(hosts.assign(send_link_utilization=0.3))
    assert "the load is light, so that response time is the question" in light
    heavy = load_words(hosts.assign(send_link_utilization=[0.3, 0.95, 0.97]))
    assert "from 6 keys on the links are full" in heavy


def test_no_number_of_keys_is_named_where_sharding_is_faster_only_in_between():
    times = {(True, 3): 1.0, (False, 3): 2.0, (True, 9): 4.0, (False, 9): 3.0}
    text = mode_sentences(mode_table(multi_get_cells(request_types(times))))
    assert text.startswith("There is no number of keys from which on")
    slow = mode_sentences(mode_table(multi_get_cells(request_types({(True, 3): 2, (False, 3): 1}))))
    assert slow.startswith("At no number of keys")


def test_modes_are_compared_at_each_percentile():
    rows = [
        (keys, sharded, percentile, value)
        for keys, values in {3: (1.0, 1.0), 6: (1.2, 0.5)}.items()
        for sharded, factor in ((True, values), (False, (1.0, 1.0)))
        for percentile, value in zip((25, 99), factor, strict=True)
    ]
    columns = ["multi_get_keys", "sharded", "percentile", "value_ms"]
    percentiles = pd.DataFrame(rows, columns=columns)
    assert percentile_sentences(percentiles).splitlines() == [
        "- **3 keys**: both are equally fast at all these percentiles.",
        "- **6 keys**: sharded requests are faster at the 99th and slower at the 25th percentile.",
    ]
    assert "Only one mode" in percentile_sentences(percentiles.query("sharded"))


def test_all_requests_keep_the_mode_and_the_law():
    runs = pd.DataFrame(
        {
            "section": ["5.1", "5.1", "5.2", "5.2"], "sharded": [True, True, False, False],
            "workload": "multi-get", "multi_get_keys": [1, 9, 1, 9], "num_clients": 12,
            "think_time_s": 0.0, "client_throughput_ops_per_s": 5000.0,
            "client_response_time_ms": 2.4,
        }
    )  # fmt: skip
    requests = all_requests(runs)
    assert requests["sharded"].tolist() == [True, True, False, False]
    law = law_table(requests)
    assert {"sharded", "multi_get_keys"} <= set(law)
    assert law["difference_percent"].tolist() == pytest.approx([0] * 4)


def histograms() -> pd.DataFrame:
    """A hundred samples of 1 to 100 ms in each mode, and sets that do not count."""
    edges = np.arange(1.0, 101.0)
    parts = []
    for side in ("client", "middleware"):
        for sharded in (True, False):
            for kind, factor in (("multi-get-6", 1), ("set", 1000)):
                about = {"side": side, "request_type": kind, "sharded": sharded}
                about |= {"multi_get_keys": 6, "time": "response_time", "count": 1}
                parts.append(pd.DataFrame({"upper_edge_ms": edges * factor}).assign(**about))
    return pd.concat(parts, ignore_index=True)


def test_percentiles_are_those_of_multi_gets():
    cells = multi_get_cells(request_types({(True, 6): 50.0}))
    row = percentiles_by_mode(cells, histograms().query("sharded")).iloc[0]
    assert row["mean_ms"] == pytest.approx(50)
    assert row[["p25_ms", "p50_ms", "p99_ms"]].tolist() == [25, 50, 99]
    spread = spread_table(histograms(), 6)
    assert spread["side"].tolist() == ["client", "client", "middleware", "middleware"]
    assert (spread["p90_ms"] == 90).all()
    assert spread_words(spread) == (
        "At the clients the middle half of the requests takes 25.00 to 75.00 ms not sharded and "
        "25.00 to 75.00 ms sharded."
    )


def test_published_numbers_stand_beside_ours():
    runs = pd.DataFrame({"multi_get_keys": [6, 9, 81], "sharded": [True, False, True]})
    runs["middleware_queueing_time_ms"] = [0.04, 0.06, 9.0]
    runs["client_throughput_ops_per_s"] = [3000.0, 5000.0, 9000.0]
    table = published_numbers(runs).set_index("study")
    assert table.loc["schmid2018", ["published", "ours"]].tolist() == pytest.approx([60, 50])
    assert table.loc["yenicelik2018", ["published", "ours"]].tolist() == [3500, 3000]
