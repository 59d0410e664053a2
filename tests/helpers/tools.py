"""What the tools would have written in a run of the synthetic system (`tests.helpers.campaign`)."""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from hdrh.histogram import HdrHistogram

WARM_UP_S, STABLE_S, COOL_DOWN_S = 2, 3, 1
START_EPOCH_S = 1_795_000_000
THREADS = 2
TIMES = {  # share of the middleware's response time, apart from queueing
    "preprocessing_time": 0.05,
    "processing_time": 0.1,
    "servers_net_time": 0.85,
}


def memtier_json(
    config: Mapping[str, Any], throughput: float, response_time_ms: float, number: int
) -> str:
    """One instance's report, as memtier 2.3.1 writes it (shortened); multi-gets without sets."""
    kind = "set" if config["workload"] == "set" else "get"
    length_s = WARM_UP_S + STABLE_S + COOL_DOWN_S
    count = round(throughput)
    start_ms = START_EPOCH_S * 1000 + 100 * number - 500
    series = {
        str(second): {
            "Bytes RX": count * 4132,
            "Bytes TX": count * 22,
            "Count": count,
            "Average Latency": round(response_time_ms, 3),
            "Min Latency": round(response_time_ms / 4, 3),
            "Max Latency": round(response_time_ms * 4, 3),
        }
        for second in range(length_s)
    }
    histogram, requests = histogram_of(response_time_ms, count * length_s, 2)
    busy = {
        "Count": requests,
        "Ops/sec": throughput,
        "Hits/sec": throughput if kind == "get" else 0.0,
        "Misses/sec": 0.0,
        "Connection Errors": 0,
        "Latency": round(response_time_ms, 3),
        "Min Latency": round(response_time_ms / 4, 3),
        "Max Latency": round(response_time_ms * 4, 3),
        "KB/sec": throughput * 4.1,
        "Time-Serie": series,
        "Percentile Latencies": {"Histogram log format": {"Compressed Histogram": histogram}},
    }
    idle = {"Count": 0, "Ops/sec": 0.0, "Hits/sec": 0.0, "Misses/sec": 0.0, "Latency": 0.0}
    idle |= {"KB/sec": 0.0, "Connection Errors": 0}
    runtime = {"Start time": start_ms, "Finish time": start_ms + 1000 * length_s}
    section = {
        "Runtime": {**runtime, "Interrupted": "false"},
        "Sets": busy if kind == "set" else idle,
        "Gets": busy if kind == "get" else idle,
        "Totals": busy,
    }
    information = {"Threads": THREADS, "Connections per thread": config["clients_per_thread"]}
    extras = {"Error replies": {"Sets": 0, "Gets": number}, "Loop utilization": 0.1 * (number + 1)}
    document = {"configuration": {}, "run information": information, "ALL STATS": section}
    return json.dumps({**document, "middleware-lab": {"Error": None, "Runs": [extras]}})


def histogram_of(mean_ms: float, count: int, significant_figures: int) -> tuple[str, int]:
    """Encoded histogram of `count` times spread evenly from half to one and a half the mean."""
    histogram = HdrHistogram(10, 600_000_000, significant_figures)
    steps = 20
    for step in range(steps):
        share = count // steps + (step < count % steps)
        if share:
            histogram.record_value(math.ceil(mean_ms * 1000 * (0.5 + step / (steps - 1))), share)
    return histogram.encode().decode(), count


def middleware_files(
    config: Mapping[str, Any], throughput: float, response_time_ms: float
) -> dict[str, str]:
    """The files of one middleware that sees all requests, 0.5 ms closer than the clients."""
    kind, count = _request_type(config), round(throughput)
    keys = count * config.get("multi_get_keys", 1)
    times = middleware_times_ms(config, throughput, response_time_ms)
    header = ["epoch_s", "request_type", "keys", "requests", "errors", "hits", "misses"]
    header += ["bytes_in", "bytes_out"]
    hits = 0 if kind == "set" else keys
    cells: list[Any] = [kind, keys, count, 0, hits, 0, count * 22, count * 4132]
    for time, value in times.items():
        header += [f"{time}_{form}_ms" for form in ("mean", "min", "max")]
        cells += [value, value / 4, value * 4]
    header += [f"client_rtt_and_think_time_{form}" for form in ("mean_ms", "min_ms", "max_ms")]
    header += ["client_rtt_and_think_time_count"]
    cells += [0.5, 0.1, 2.0, count]
    queue_length = throughput * times["queueing_time"] / 1000
    waiting = max(0.0, config["workers"] - throughput * times["service_time"] / 1000)
    queue = [count, 0.3, 1.0, queue_length, queue_length, math.ceil(queue_length), waiting]
    queue += [24, 0.5, 50_000_000, 1, 2.5]
    busy = 1 - waiting / config["workers"]
    seconds = range(START_EPOCH_S, START_EPOCH_S + WARM_UP_S + STABLE_S + COOL_DOWN_S)
    log = ["#[Histogram log format version 1.3]", f"#[StartTime: {START_EPOCH_S}.000 (seconds)]"]
    log += ['"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"']
    for time in ("response_time", "queueing_time", "service_time"):
        encoded, _ = histogram_of(times[time], count, 3)
        log += [f"Tag={time}/{kind},{s}.000,1.000,1.0,{encoded}" for s in seconds]
    return {
        "summary.json": json.dumps(
            {"version": "0.1.0", "clean_shutdown": True, "net_thread_time": "cpu"}
        ),
        "windows.csv": csv_text(header, ([s, *cells] for s in seconds)),
        "queue.csv": csv_text(QUEUE_COLUMNS, ([s, *queue] for s in seconds)),
        "utilization.csv": csv_text(
            ["epoch_s", "kind", "index", "utilization"],
            (
                [s, kind, 0, share]
                for s in seconds
                for kind, share in [("worker", busy), ("net-thread", 0.2)]
            ),
        ),
        "servers.csv": csv_text(
            ["epoch_s", "server", "requests"], ([s, "198.18.0.31:11211", count] for s in seconds)
        ),
        "histograms.hlog": "\n".join(log) + "\n",
    }


def _request_type(config: Mapping[str, Any]) -> str:
    keys = config.get("multi_get_keys", 1)
    if config["workload"] == "multi-get":
        return f"multi-get-{keys}" if keys > 1 else "get"
    return str(config["workload"])


def middleware_times_ms(
    config: Mapping[str, Any], throughput: float, response_time_ms: float
) -> dict[str, float]:
    """Times of the middleware: what exceeds the unloaded time is waiting for a worker."""
    response = max(response_time_ms - 0.5, 0.2)
    at_servers = min(response, config["workers"] / throughput * 1000)
    parts = {time: share * at_servers for time, share in TIMES.items()}
    service = parts["processing_time"] + parts["servers_net_time"]
    queueing = max(0.0, response - at_servers)
    return {"response_time": response, "queueing_time": queueing, "service_time": service, **parts}


def dool_csv(cpu_user_percent: float = 30.0, net_send_bytes_per_s: float = 1_000_000.0) -> str:
    """dool's recording: two cores, 7 % of the time in the system, 3 % in soft interrupts."""
    rows = [
        f"{START_EPOCH_S + second}.250,{cpu_user_percent},7,{90 - cpu_user_percent},0,0,3,0,"
        f"0,0,500000,{net_send_bytes_per_s},1000,2000,1000000,2000000,3000000,2500000"
        for second in range(WARM_UP_S + STABLE_S + COOL_DOWN_S + 1)
    ]
    return "\n".join([*DOOL_HEADER, *rows]) + "\n"


def cpu_time(used: float, cores: int = 1) -> str:
    """What a host's control group counts second by second while so many processors are used."""
    head = f"epoch {START_EPOCH_S}.0 uptime 100.00 ticks 100 cores {cores}\n"
    return head + "".join(f"{100 + second}.00 {int(used * second * 1e9)}\n" for second in range(8))


def csv_text(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """CSV with a header."""
    return "\n".join(",".join(map(str, row)) for row in [header, *rows]) + "\n"


QUEUE_COLUMNS = (
    *("epoch_s", "arrivals", "interarrival_time_mean_ms", "interarrival_time_scv"),
    *("queue_length_mean", "queue_length_sampled_mean", "queue_length_max"),
    *("waiting_workers_mean", "connections", "cpu_s", "heap_used_bytes", "gc_count", "gc_time_ms"),
)
DOOL_HEADER = (
    '"dool 1.3.8 CSV output"',
    '"Author:","Scott Baker",,,,"URL:","https://github.com/scottchiefbaker/dool/"',
    '"Host:","host",,,,"User:","root"',
    '"Cmdline:","dool --epoch --cpu-adv --disk --net --sys --mem --bytes --nocolor '
    '--output dool.csv 1",,,,"Date:","20 Nov 2026 12:00:00 UTC"',
    '"epoch","total cpu usage",,,,,,,"dsk/total",,"net/total",,"system",,"memory usage",,,',
    '"epoch","usr","sys","idl","wai","hiq","siq","stl","read","writ","recv","send","int","csw",'
    '"used","free","cach","avai"',
)
_STABLE_EPOCH_S = START_EPOCH_S + WARM_UP_S
PING = f"""\
PING 198.18.0.31 (198.18.0.31) 56(84) bytes of data.
[{_STABLE_EPOCH_S}.500000] 64 bytes from 198.18.0.31: icmp_seq=1 ttl=64 time=0.900 ms
[{_STABLE_EPOCH_S + 1}.500000] 64 bytes from 198.18.0.31: icmp_seq=2 ttl=64 time=1.100 ms

--- 198.18.0.31 ping statistics ---
2 packets transmitted, 2 received, 0% packet loss, time 1000ms
rtt min/avg/max/mdev = 0.900/1.000/1.100/0.100 ms
"""


def iperf3_json(bits_per_s: float) -> str:
    """The fields of iperf3's report that are read."""
    total = {"start": 0, "end": 1, "bits_per_second": bits_per_s, "retransmits": 0}
    return json.dumps(
        {
            "start": {"connected": [{"local_host": "a", "remote_host": "b"}]},
            "intervals": [{"sum": {**total, "omitted": False}}],
            "end": {"sum_sent": total, "sum_received": total},
        }
    )
