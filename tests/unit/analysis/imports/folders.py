"""A small folder of raw files as another study may have left it, and a plan that fits it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from records.documents import parse
from records.import_plan import ImportPlan

PLAN = r"""
title = "A study"
fleet = "its cloud"
constants = { num_servers = 1, value_bytes = 4096 }
window = { warm_up_s = 2, cool_down_s = 1 }

[path]
pattern = 'results/(?P<what>\w+)/clients=(?P<clients_per_thread>\d+)/workers=(?P<workers>\w+)/'
absent = ["none"]

[sections]
"3.1" = { what = ["reads", "writes"] }

[factors]
workload = { group = "what", levels = { reads = "get", writes = "set" } }

[files.printed]
reader = "memtier-stdout"
name = 'client(?P<instance>\d+)-rep(?P<repetition>\d+)\.out'

[files.connection]
reader = "memtier-client-stats"
name = 'client(?P<instance>\d+)-rep(?P<repetition>\d+)-1-\d+-\d+\.csv'

[files.log]
reader = "csv-seconds"
name = 'mw(?P<host>\d+)-rep(?P<repetition>\d+)\.out'
start = "STAT START"
end = "STAT END"
header = ["qlen", "n", "q", "w"]

[files.log.columns]
qlen = "queue_length"
n = "all.requests"
q = "all.queueing_time_s"
w = "all.service_time_s"

[files.log.histograms]
all = ["HIST START", "HIST END"]

[files.monitor]
reader = "dstat"
name = 'dstat-(?P<role>cli|mw)(?P<host>\d+)-rep(?P<repetition>\d+)\.out'
roles = { cli = "clients", mw = "middlewares" }
"""
LENGTH_S = 10


def plan(text: str = PLAN) -> ImportPlan:
    """Return the plan that a text of TOML holds."""
    document: Any = tomllib.loads(text)
    return parse(ImportPlan, document)


def printed(*, throughput: float = 100.0, time_ms: float = 10.0, misses: float = 0.0) -> str:
    """Return what memtier 1.2 prints of gets."""
    return f"""1         Threads
1         Connections per thread
{LENGTH_S}        Seconds


ALL STATS
========================================================================
Type        Ops/sec     Hits/sec   Misses/sec      Latency       KB/sec
------------------------------------------------------------------------
Sets           0.00          ---          ---      0.00000         0.00
Gets     {throughput:10.2f} {throughput - misses:10.2f} {misses:10.2f} {time_ms:10.5f}     3561.62
Waits          0.00          ---          ---      0.00000          ---
Totals   {throughput:10.2f} {throughput - misses:10.2f} {misses:10.2f} {time_ms:10.5f}     3561.62
"""


def connection(requests: int = 100, time_s: float = 0.01, seconds: int = LENGTH_S) -> str:
    """Return the file of a connection that sends gets."""
    rows = "".join(
        f"{second},0,0.000000,0,{requests},{time_s:.6f},0,0,{requests},0,0.000000\n"
        for second in range(seconds)
    )
    return (
        "Per-Second Benchmark Data\n"
        "Second,SET Requests,SET Average Latency,SET Total Bytes,GET Requests,GET Average Latency,"
        "GET Total Bytes,GET Misses,GET Hits,WAIT Requests,WAIT Average Latency\n"
        f"{rows}\nFull-Test GET Latency\nLatency (<= msec),Percent\n"
        "   9.000,50.00\n  11.000,100.00\n"
        "\nFull-Test SET Latency\nLatency (<= msec),Percent\n"
        "\nFull-Test WAIT Latency\nLatency (<= msec),Percent\n"
    )


def log(requests: int = 100, queue: int = 1, *, seconds: int = LENGTH_S, end: bool = True) -> str:
    """Return the log of a middleware with a queueing time of 2 ms and a service time of 6 ms."""
    rows = f"{queue},{requests},0.002,0.006\n" * seconds
    tail = f"STAT END\nHIST START\n3\n   0 0\n   1 {requests}\n   2 5\nHIST END\n" if end else ""
    return f"ready\nSTAT START\n{rows}{tail}"


def dstat(idle: int = 80) -> str:
    """Return what dstat prints on a terminal."""
    row = f"  5  10  {idle}   0   0   5|   0     0 |1000k 2000k|   0     0 | 300  1200 \n"
    return (
        "----total-cpu-usage---- -dsk/total- -net/total- ---paging-- ---system--\n"
        "usr sys idl wai hiq siq| read  writ| recv  send|  in   out | int   csw \n"
        f"{row * (LENGTH_S + 1)}"
    )


def write_run(
    folder: Path,
    configuration: str = "reads/clients=1/workers=8",
    repetition: int = 1,
    **files: str,
) -> None:
    """Write the files of a run; `files` take the place of some, and empty ones are left out."""
    texts = {
        f"client1-rep{repetition}.out": files.get("client", printed()),
        f"mw1-rep{repetition}.out": files.get("log", log()),
        f"dstat-cli1-rep{repetition}.out": files.get("dstat", dstat()),
        f"client1-rep{repetition}-1-0-0.csv": files.get("connection", ""),
    }
    place = folder / "results" / configuration
    place.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        if text:
            (place / name).write_text(text)
