import json
import math

import numpy as np
import pandas as pd
import pytest

from analysis.laws.summary import cells
from analysis.models.measured import measured_system
from analysis.results import ParseError
from analysis.tables.frames import NAMES
from analysis.tables.tidying import read_tables, tidy_campaign
from tests.helpers.campaign import (
    build_campaign,
    build_network_runs,
    build_run,
    expected_throughput,
    write_compressed,
)
from tests.helpers.tools import PING, STABLE_S, START_EPOCH_S, dool_csv, middleware_times_ms

CONFIG = {"workload": "set", "clients_per_thread": 32, "workers": 8}


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("synthetic")
    return build_campaign(folder, workers=[8])


@pytest.fixture(scope="module")
def tables(campaign):
    return tidy_campaign(campaign)


def test_every_accepted_run_has_one_row(tables):
    assert tables.runs.groupby("section").size().to_dict() == {"2.1": 8, "3.1": 8}
    assert tables.runs.columns[:7].tolist() == [
        "section",
        "workload",
        "clients_per_thread",
        "workers",
        "repetition",
        "num_clients",
        "time_dilation",
    ]
    baseline = tables.runs.query("section == '2.1'")
    assert baseline["workers"].isna().all()
    assert baseline["middleware_throughput_ops_per_s"].isna().all()


def test_client_measures_are_those_of_the_stable_window(tmp_path):
    build_run(tmp_path, "3.1", CONFIG)
    row = tidy_campaign(tmp_path).runs.iloc[0]
    throughput = expected_throughput(CONFIG)
    assert row["num_clients"] == 192
    assert row["client_throughput_ops_per_s"] == pytest.approx(throughput, rel=1e-3)
    assert row["client_response_time_ms"] == pytest.approx(192 / throughput * 1000, rel=1e-4)
    assert row["client_response_time_p50_ms"] == pytest.approx(192 / throughput * 1000, rel=0.05)
    assert math.isnan(row["client_miss_rate"])
    assert row["server_cpu_percent"] == 40
    assert row["client_error_replies"] == 0 + 1 + 2
    assert row["client_loop_utilization"] == pytest.approx(0.3)


def test_middleware_measures_are_those_of_the_epoch_window(tmp_path):
    build_run(tmp_path, "3.1", CONFIG)
    row = tidy_campaign(tmp_path).runs.iloc[0]
    throughput = expected_throughput(CONFIG)
    times = middleware_times_ms(CONFIG, throughput, 192 / throughput * 1000)
    assert row["middleware_throughput_ops_per_s"] == throughput
    for time, value in times.items():
        assert row[f"middleware_{time}_ms"] == pytest.approx(value)
    assert row["middleware_client_rtt_and_think_time_ms"] == 0.5
    in_queue = throughput * times["queueing_time"] / 1000
    assert row["middleware_queue_length"] == pytest.approx(in_queue)
    assert row["middleware_worker_utilization"] == pytest.approx(0.95)
    assert row["middleware_cpu_cores"] == 0.5
    assert row["middleware_net_thread_utilization"] == pytest.approx(0.2)


def test_net_threads_of_a_middleware_that_leaves_out_their_system_calls_are_not_told(tmp_path):
    run_dir = build_run(tmp_path, "3.1", CONFIG)
    (path,) = run_dir.glob("**/summary.json*")
    older = json.dumps({"version": "0.1.0", "clean_shutdown": True})
    write_compressed(path.parent, {path.stem: older})
    row = tidy_campaign(tmp_path).runs.iloc[0]
    assert math.isnan(row["middleware_net_thread_utilization"])
    assert row["middleware_worker_utilization"] == pytest.approx(0.95)


def test_warm_up_does_not_count(tmp_path):
    run_dir = build_run(tmp_path, "2.1", {"workload": "get", "clients_per_thread": 1})
    before = tidy_campaign(tmp_path).runs.iloc[0]
    manifest = json.loads((run_dir / "manifest.json").read_text())
    window = manifest["window"]
    window["warm_up_s"], window["stable_s"], window["cool_down_s"] = 5, 1, 0
    (run_dir / "manifest.json").write_text(json.dumps(manifest))
    tables = tidy_campaign(tmp_path)
    assert (
        tables.runs.loc[0, "client_throughput_ops_per_s"] == before["client_throughput_ops_per_s"]
    )
    assert tables.windows["second_s"].tolist() == [-5, -4, -3, -2, -1, 0]
    assert tables.windows["stable"].tolist() == [False] * 5 + [True]


def test_pings_beside_a_load_are_those_of_the_stable_window(tmp_path):
    run_dir = build_run(tmp_path, "3.1", CONFIG)
    idle = f"[{START_EPOCH_S}.1] 64 bytes from 198.18.0.31: icmp_seq=1 ttl=64 time=0.100 ms\n"
    head, first, second, *_ = PING.splitlines(keepends=True)
    write_compressed(run_dir, {"c1/ping-m1.txt": head + idle + first + second})
    pings = tidy_campaign(tmp_path).pings.query("source == 'c1'")
    assert pings["replies"].item() == 2
    assert pings["round_trip_time_min_ms"].item() == 0.9


def test_pings_without_a_time_of_day_are_those_of_the_whole_run(tmp_path):
    run_dir = build_run(tmp_path, "3.1", {"workload": "set", "clients_per_thread": 4, "workers": 8})
    head = "PING 198.18.0.21 (198.18.0.21): 56 data bytes\n"
    replies = [f"64 bytes from 198.18.0.21: seq={i} ttl=64 time=0.{i}00 ms\n" for i in (1, 2)]
    write_compressed(run_dir, {"c1/ping-m1.txt": "".join([head, *replies])})
    pings = tidy_campaign(tmp_path).pings.query("source == 'c1'")
    assert pings["replies"].item() == 2
    assert pings["round_trip_time_max_ms"].item() == 0.2


def test_bandwidths_know_the_roles_of_their_hosts(tmp_path):
    bandwidths = tidy_campaign(build_network_runs(tmp_path)).bandwidths
    columns = ["source", "source_role", "target", "target_role"]
    assert bandwidths[columns].to_numpy().tolist() == [
        ["c1", "clients", "s1", "servers"],
        ["s1", "servers", "c1", "clients"],
    ]


def test_time_dilation_is_taken_out(tmp_path):
    config = {"workload": "get", "clients_per_thread": 32, "workers": 8}
    plain = tidy_campaign(build_run(tmp_path / "k1", "3.1", config).parents[2]).runs.iloc[0]
    build_run(tmp_path / "k4", "3.1", config, time_dilation=4.0)
    dilated = tidy_campaign(tmp_path / "k4").runs.iloc[0]
    for name, factor in [
        ("client_throughput_ops_per_s", 4),
        ("client_response_time_ms", 1 / 4),
        ("client_response_time_p99_ms", 1 / 4),
        ("middleware_queueing_time_ms", 1 / 4),
        ("middleware_queue_length", 1),
        ("server_cpu_percent", 1),
    ]:
        assert dilated[name] == pytest.approx(plain[name] * factor)
    assert dilated["time_dilation"] == 4


def test_open_loop_has_no_think_time(tmp_path):
    folder = build_run(tmp_path, "7", {"arrival_rate_per_s": 100.5, **CONFIG})
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "think_time_s": None}))
    runs = tidy_campaign(folder.parents[2]).runs
    assert runs["think_time_s"].isna().all()
    assert runs["arrival_rate_per_s"].tolist() == [100.5]


def test_rebuilt_tables_are_equal_to_the_last_byte(campaign, tables):
    files = sorted((campaign / "tidy").glob("*.zip"))
    before = {path.name: path.read_bytes() for path in files}
    tidy_campaign(campaign, ["3.1"])
    assert {path.name: path.read_bytes() for path in files} == before
    assert len(before) == 2


def test_tables_are_read_back_without_the_raw_files(campaign, tables):
    again = read_tables(campaign)
    for name in NAMES:
        pd.testing.assert_frame_equal(getattr(again, name), getattr(tables, name))


def test_a_section_that_was_not_measured_is_said(campaign):
    with pytest.raises(FileNotFoundError, match=r"4\.1 holds no runs: measure the section first"):
        tidy_campaign(campaign, ["4.1"])


def test_rejected_runs_are_listed_with_their_reason_and_left_out(tmp_path):
    config = {"workload": "get", "clients_per_thread": 1}
    build_run(tmp_path, "2.1", config)
    build_run(tmp_path, "2.1", config, status="rejected")
    tables = tidy_campaign(tmp_path)
    assert len(tables.runs) == 1
    assert tables.rejected.to_dict("records") == [
        {
            "section": "2.1",
            "run": "workload=get_clients_per_thread=1/rep-1.rejected-1",
            "status": "rejected",
            "reason": "no_misses",
        }
    ]


@pytest.mark.parametrize(
    "file",
    [
        "c2/memtier-0.json.gz",
        "m1/dool.csv.gz",
        "m1/middleware/windows.csv.gz",
        "m1/middleware/queue.csv.gz",
        "m1/middleware/histograms.hlog.gz",
        "c1/ping-m1.txt.gz",
    ],
)
def test_a_damaged_file_is_an_error_that_names_it(tmp_path, file):
    run_dir = build_run(tmp_path, "3.1", CONFIG)
    whole = (run_dir / file).read_bytes()
    (run_dir / file).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ParseError, match=file.removesuffix(".gz")):
        tidy_campaign(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not a complete JSON document"),
        ("{}", "not a manifest of format 1"),
        ('{"format": 1, "status": "accepted"}', "attempt is missing"),
    ],
)
def test_a_damaged_manifest_is_an_error_that_names_it(tmp_path, content, message):
    run_dir = build_run(tmp_path, "3.1", CONFIG)
    (run_dir / "manifest.json").write_text(content)
    with pytest.raises(ParseError, match=f"rep-1.*{message}"):
        tidy_campaign(tmp_path)


def test_a_run_without_seconds_is_refused_not_counted_as_zero(tmp_path):
    run_dir = build_run(tmp_path, "2.1", {"workload": "get", "clients_per_thread": 1})
    report = run_dir / "c1" / "memtier-0.json.gz"
    old = {"Ops/sec": 10.0, "Hits/sec": 10.0, "Misses/sec": 0.0, "Latency": 1.0, "KB/sec": 1.0}
    section = {"Gets": old, "Totals": old, "GET": [{"<=msec": 1.0, "percent": 100.0}]}
    report.write_text(
        json.dumps({"configuration": {}, "run information": {}, "ALL STATS": section})
    )
    with pytest.raises(ParseError, match=r"memtier 1\.4 or later"):
        tidy_campaign(tmp_path)


def test_soft_interrupts_are_told_of_hosts_whose_monitor_counts_them_apart(tmp_path):
    run_dir = build_run(tmp_path, "3.1", CONFIG)
    hosts = tidy_campaign(tmp_path).hosts.set_index("host")
    assert (hosts["cpu_softirq_percent"] == 3).all()
    untold = dool_csv().replace('"siq"', '"another"')
    write_compressed(run_dir, {"s1/dool.csv": untold})
    hosts = tidy_campaign(tmp_path).hosts.set_index("host")
    assert hosts["cpu_softirq_percent"].drop("s1").eq(3).all()
    assert math.isnan(hosts.loc["s1", "cpu_softirq_percent"])


def test_hosts_tell_their_own_cpu_time_and_packets(tmp_path):
    run_dir = build_run(tmp_path, "3.1", CONFIG)
    head = f"epoch {START_EPOCH_S}.0 uptime 100.00 ticks 100 cores 2\n"
    rows = "".join(f"{100 + s}.00 {int((7 + 0.4 * s) * 1e9)}\n" for s in range(8))
    interfaces = "{}.0\nInter-| Receive | Transmit\n face |bytes |bytes\n  lo: {}\n eth0: {}\n"
    counters = "{0} {1} 0 {2} 0 0 0 0 {0} {1} 0 0 0 0 0 0"
    write_compressed(
        run_dir,
        {
            "s1/cpu-time.out": head + rows,
            "s1/interfaces-before.txt": interfaces.format(
                1, counters.format(9, 9, 9), counters.format(1000, 10, 1)
            ),
            "s1/interfaces-after.txt": interfaces.format(
                2, counters.format(99, 99, 99), counters.format(6000, 30, 4)
            ),
            "c1/ping-s1.out": PING,
        },
    )
    tables = tidy_campaign(tmp_path)
    hosts = tables.hosts.set_index("host")
    assert hosts.loc["s1", "cpu_s"] == pytest.approx(0.4 * STABLE_S)
    assert hosts.loc["s1", "cpu_utilization"] == pytest.approx(0.2)
    assert hosts.loc["s1", "send_bytes"] == 5000
    assert hosts.loc["s1", "send_packets"] == 20
    assert hosts.loc["s1", "receive_drops"] == 3
    assert math.isnan(hosts.loc["m1", "cpu_s"])
    assert "s1" in set(tables.pings.query("source == 'c1'")["target"])


def test_a_host_uses_a_share_of_its_quota_where_it_has_one(tmp_path):
    run_dir = build_run(tmp_path, "3.1", CONFIG, time_dilation=2)
    head = f"epoch {START_EPOCH_S}.0 uptime 100.00 ticks 100 cores 2\n"
    rows = "".join(f"{100 + s}.00 {int((7 + 0.2 * s) * 1e9)}\n" for s in range(8))
    write_compressed(run_dir, {f"{host}/cpu-time.out": head + rows for host in ("c1", "s1")})
    manifest = json.loads((run_dir / "manifest.json").read_text())
    manifest["topology"]["cpu_quotas"] = {"s1": 0.5}
    (run_dir / "manifest.json").write_text(json.dumps(manifest))
    hosts = tidy_campaign(tmp_path).hosts.set_index("host")
    assert hosts.loc["s1", "cpu_utilization"] == pytest.approx(0.2 / (0.5 / 2))
    assert hosts.loc["c1", "cpu_utilization"] == pytest.approx(0.2 / 2)
    assert hosts["cpu_quota"].dropna().to_dict() == {"s1": 0.5}


def build_factors(folder):
    """Runs of sections whose factors differ: one varies what another lacks or holds constant."""
    both = {"clients_per_thread": 2, "workers": 64}
    build_run(folder, "5.1", {"workload": "get", "multi_get_keys": 9, "sharded": True, **both})
    build_run(folder, "5.2", {"workload": "get", "multi_get_keys": 9, "sharded": False, **both})
    build_run(folder, "7", {"workload": "get", "clients_per_thread": 2, "arrival_rate_per_s": 290})
    build_run(folder, "7", {**both, "workload": "get", "arrival_rate_per_s": 656})
    build_run(folder, "9", {"workload": "set", "replicas": "all", **both})
    build_run(folder, "9", {"workload": "set", "replicas": 1, **both})
    build_run(folder, "9", {"workload": "set", "num_middlewares": 0, "clients_per_thread": 2})
    return folder


def test_sections_with_other_factors_stand_in_one_table(tmp_path):
    tables = tidy_campaign(build_factors(tmp_path))
    for frame in (tables.runs, tables.hosts, tables.windows, tables.histograms):
        assert not frame.columns.duplicated().any()
        assert str(frame["sharded"].dtype) == "boolean"
        assert frame.query("sharded == True")["section"].unique().tolist() == ["5.1"]
        assert sorted(frame["multi_get_keys"].dropna().unique()) == [9]
    assert sorted(tables.runs["replicas"].dropna().unique()) == [1]  # one server: all are 1
    assert sorted(tables.runs["arrival_rate_per_s"].dropna()) == [290, 656]
    again = read_tables(tmp_path)
    assert str(again.runs["sharded"].dtype) == "boolean"


def test_arrival_rates_are_given_undilated_and_counted_dilated(tmp_path):
    config = {**CONFIG, "arrival_rate_per_s": 5000}
    build_run(tmp_path, "7", config, time_dilation=4)
    row = tidy_campaign(tmp_path).runs.iloc[0]
    assert row["arrival_rate_per_s"] == 5000
    assert row["middleware_arrival_rate_ops_per_s"] == pytest.approx(
        4 * expected_throughput(CONFIG)
    )


def test_kinds_of_request_are_told_apart(tables):
    kinds = tables.request_types.query("section == '3.1' and num_clients == 192 and workers == 8")
    assert set(zip(kinds["side"], kinds["request_type"], strict=True)) == {
        ("client", "get"), ("client", "set"), ("middleware", "get"), ("middleware", "set"),
    }  # fmt: skip
    assert kinds.query("side == 'middleware'")["keys_per_request"].eq(1).all()
    assert kinds.query("side == 'middleware' and request_type == 'get'")["miss_rate"].eq(0).all()
    assert set(tables.histograms["request_type"]) == {"get", "set"}
    sums = kinds.query("side == 'client' and workload == 'get'").groupby("repetition")
    runs = tables.runs.query("section == '3.1' and workload == 'get' and num_clients == 192")
    runs = runs.query("workers == 8").set_index("repetition")
    throughput = sums["throughput_ops_per_s"].sum()
    np.testing.assert_allclose(throughput, runs["client_throughput_ops_per_s"], rtol=1e-12)


def test_pauses_are_told_in_seconds_of_the_window(tmp_path):
    run_dir = build_run(tmp_path, "8", CONFIG)
    manifest = json.loads((run_dir / "manifest.json").read_text())
    start = manifest["window"]["start_epoch_s"]
    manifest["pauses"] = [
        {"host": "s1", "began_epoch_s": start + 1.25, "ended_epoch_s": start + 3.5}
    ]
    (run_dir / "manifest.json").write_text(json.dumps(manifest))
    (pause,) = tidy_campaign(tmp_path).pauses.to_dict("records")
    assert (pause["host"], pause["start_s"], pause["length_s"]) == ("s1", 1.25, 2.25)


def test_what_a_part_does_not_vary_stands_in_the_key_of_all_tables(tmp_path):
    constant = build_run(
        tmp_path, "3.1", {"workload": "set", "clients_per_thread": 1, "workers": 8}
    )
    varied = build_run(tmp_path, "3.1", {**CONFIG, "think_time_s": 0.005})
    for folder, think_time_s in ((constant, 0.0), (varied, 0.005)):
        path = folder / "manifest.json"
        manifest = json.loads(path.read_text())
        manifest["settings"]["think_time_s"] = think_time_s
        path.write_text(json.dumps({**manifest, "think_time_s": think_time_s}))
    tables = tidy_campaign(tmp_path)
    for name in ("runs", "hosts", "windows", "histograms"):
        table = getattr(tables, name)
        assert table.columns.is_unique
        assert set(table["think_time_s"]) == {0.0, 0.005}, name
    assert tables.runs.columns.get_loc("think_time_s") < tables.runs.columns.get_loc("repetition")


def test_what_else_was_done_to_a_host_has_a_kind(tmp_path):
    folder = build_run(tmp_path, "3.1", CONFIG)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    pause = {"host": "s1", "began_epoch_s": START_EPOCH_S + 3, "ended_epoch_s": START_EPOCH_S + 4}
    path.write_text(json.dumps({**manifest, "pauses": [pause]}))
    assert "kind" not in tidy_campaign(tmp_path).pauses
    path.write_text(json.dumps({**manifest, "pauses": [{**pause, "kind": "open transaction"}]}))
    assert tidy_campaign(tmp_path).pauses["kind"].tolist() == ["open transaction"]


def test_depth_and_pipeline_tell_cells_apart(tmp_path):
    few = {"workload": "set", "workers": 64, "clients_per_thread": 4}
    for repetition in (1, 2):
        for depth in (1, 16):
            build_run(tmp_path, "3.1", {**few, "depth": depth}, repetition=repetition)
        piped = {**few, "clients_per_thread": 1, "pipeline": 4}
        build_run(tmp_path, "3.1", piped, repetition=repetition)
    tables = tidy_campaign(tmp_path)
    found = cells(tables.runs)
    assert found["num_clients"].tolist() == [24, 24, 24]
    levels = found[["depth", "pipeline"]].fillna(0).astype(int).apply(tuple, axis="columns")
    assert set(levels) == {(1, 1), (16, 1), (0, 4)}
    law = found["interactive_law_throughput_ops_per_s_mean"]
    measured = found["client_throughput_ops_per_s_mean"]
    assert law.tolist() == pytest.approx(measured.tolist(), rel=1e-3)
    seen = found.set_index("pipeline")["middleware_derived_throughput_ops_per_s_mean"]
    assert seen[1].notna().all()
    assert math.isnan(seen[4])
    assert {"depth", "pipeline"} <= set(tables.hosts) & set(tables.windows)
    with pytest.raises(ValueError, match="have a pipeline through a middleware"):
        measured_system(tables, section="3.1", workload="set", factors={"pipeline": 4})
    assert measured_system(tables, section="3.1", workload="set", factors={"depth": 1})


def test_constant_depth_and_pipeline_are_columns_of_the_runs(tmp_path):
    folder = build_run(tmp_path, "3.1", CONFIG)
    assert tidy_campaign(tmp_path).runs["pipeline"].tolist() == [1]
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["settings"] |= {"depth": 2, "pipeline": 4}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    runs = tidy_campaign(tmp_path).runs
    assert runs[["depth", "pipeline"]].to_numpy().tolist() == [[2, 4]]


def test_windows_have_every_second_of_both_sides(tables):
    trace = tables.windows.query("section == '3.1' and repetition == 1 and workload == 'get'")
    for _, one in trace.groupby(["clients_per_thread", "workers", "side"]):
        assert one["second_s"].tolist() == [-2, -1, 0, 1, 2, 3]
        assert one["stable"].sum() == STABLE_S
    middleware = trace.query("side == 'middleware'")
    assert middleware[["queue_length", "waiting_workers", "queueing_time_ms"]].notna().all().all()


def test_links_and_pings_are_kept_by_host(tables):
    server = tables.hosts.query("host == 's1'").iloc[0]
    assert server["send_mbit_per_s"] == 8
    assert server["send_link_utilization"] == pytest.approx(0.08)
    assert tables.pings["round_trip_time_mean_ms"].unique() == pytest.approx([1.0])


def test_hosts_of_the_local_lab_share_their_machine(tables, tmp_path):
    assert tables.hosts["shares_machine"].all()
    run_dir = build_run(tmp_path, "3.1", CONFIG)
    manifest = json.loads((run_dir / "manifest.json").read_text())
    (run_dir / "manifest.json").write_text(json.dumps({**manifest, "fleet": "azure-west-europe"}))
    assert not tidy_campaign(tmp_path).hosts["shares_machine"].any()
