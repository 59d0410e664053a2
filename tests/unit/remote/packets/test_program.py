"""Made-up traffic through a middleware with three servers: tables equal its truth."""

import io
import json
import random
import subprocess
import sys
import zipfile
from collections import defaultdict
from dataclasses import dataclass

import pytest

from analysis.results import read_packets
from remote.packets.bundle import PROGRAM, program_bytes
from remote.packets.program import main, observe
from remote.packets.seconds import histogram
from tests.helpers.captures import (
    LISTEN,
    MS,
    SERVERS,
    START_NS,
    Talk,
    Tape,
    set_of,
    value,
)

SLY = b"\r\nEND\r\nSTORED\r\nget q\r\n"
S = 1000 * MS


@dataclass
class Truth:
    """One request of a client as it was; calls are (server, sent, received)."""

    kind: str
    keys: int
    hits: int
    bytes_in: int
    bytes_out: int
    arrived_ns: int
    replied_ns: int
    calls: list[tuple[str, int, int]]

    @property
    def span_ns(self):
        return max(c[2] for c in self.calls) - min(c[1] for c in self.calls)


class MadeUp:
    """Clients that send some requests ahead, a middleware that does one after the other of each.

    Multi-gets are cut up over the servers, or whole at one; sets go to all servers.
    """

    def __init__(self, seed, clients=5):
        self.rng = random.Random(seed)
        self.tape = Tape()
        self.truth = []
        self.is_sharded = self.rng.random() < 0.5
        for client in range(clients):
            self._client(client)

    def _client(self, client):
        rng = self.rng
        at = rng.randint(0, S)
        talk = Talk(self.tape, LISTEN, 4000 + client, first=rng.randint(1, 2**32 - 1)).open(at)
        backs = [
            Talk(self.tape, server, 5000 + client, client="10.0.0.2", first=rng.randint(1, 2**31))
            for server in SERVERS
        ]
        for back in backs:
            back.open(at)
        at += MS
        for turn in range(rng.randint(5, 20)):
            batch = [
                self._request(b"%d-%d-%d" % (client, turn, i)) for i in range(rng.choice([1, 1, 3]))
            ]
            arrivals = talk.pieces(rng, at, 0, [request for _, request, _ in batch])
            at = arrivals[-1][1]
            for (kind, request, keys), (arrived, _) in zip(batch, arrivals, strict=True):
                at = self._serve(
                    talk, backs, kind, request, keys, arrived, at + rng.randint(1, 9 * MS)
                )
            at += rng.randint(1, 200 * MS)

    def _request(self, stem):
        rng = self.rng
        if rng.random() < 0.3:
            data = set_of(stem, rng.choice([SLY, b"", b"x" * 5000]))
            return "set", data, [stem]
        keys = [b"%s-%d" % (stem, i) for i in range(rng.choice([1, 1, 2, 6]))]
        kind = "get" if len(keys) == 1 else f"multi-get-{len(keys)}"
        return kind, b"get " + b" ".join(keys) + b"\r\n", keys

    def _serve(self, talk, backs, kind, request, keys, arrived, at):
        rng = self.rng
        parts = self._parts(keys) if kind != "set" else {i: keys for i in range(3)}
        values = {key: SLY if rng.random() < 0.2 else b"v" * rng.randint(0, 3000) for key in keys}
        found = {key for key in keys if rng.random() < 0.8}
        calls, last = [], at
        for index, own in parts.items():
            call = request if kind == "set" else b"get " + b" ".join(own) + b"\r\n"
            ((sent, whole),) = backs[index].pieces(rng, at, 0, [call])
            reply = b"STORED\r\n" if kind == "set" else self._values(own, found, values)
            began = whole + rng.randint(1, 5 * MS)
            ((_, received),) = backs[index].pieces(rng, began, 1, [reply])
            calls.append((SERVERS[index], sent, received))
            last = max(last, received)
            at += rng.randint(0, 1000)
        reply = b"STORED\r\n" if kind == "set" else self._values(keys, found, values)
        ((_, replied),) = talk.pieces(rng, last + rng.randint(1, MS), 1, [reply])
        hits = 0 if kind == "set" else len(found)
        sizes = len(request), len(reply)
        self.truth.append(Truth(kind, len(keys), hits, *sizes, arrived, replied, calls))
        return replied

    def _parts(self, keys):
        parts = defaultdict(list)
        whole = self.rng.randrange(3)
        for key in keys:
            parts[self.rng.randrange(3) if self.is_sharded else whole].append(key)
        return parts

    @staticmethod
    def _values(keys, found, values):
        return b"".join(value(key, values[key]) for key in keys if key in found) + b"END\r\n"


def second(at_ns):
    return (START_NS + at_ns) // S


@pytest.mark.parametrize("seed", range(12))
def test_tables_of_made_up_traffic_are_the_truth(tmp_path, seed):
    made_up = MadeUp(seed)
    path = made_up.tape.write(tmp_path / "capture.pcap")
    summary = observe(path, listen=LISTEN, servers=SERVERS, output=tmp_path / "packets")
    result = read_packets(tmp_path / "packets")
    truth = made_up.truth
    assert summary["requests"] == len(truth)
    for name in ("unmatched_calls", "unmatched_requests", "requests_without_reply"):
        assert summary[name] == 0, name
    assert summary["abandoned_connections"] == summary["lost_segments"] == 0
    groups = defaultdict(list)
    for one in truth:
        groups[second(one.replied_ns), one.kind].append(one)
    windows = result.windows.set_index(["epoch_s", "request_type"])
    assert len(windows) == len(groups)
    for key, own in groups.items():
        row = windows.loc[key]
        assert row["requests"] == len(own)
        assert row["keys"] == sum(one.keys for one in own)
        assert row["hits"] == sum(one.hits for one in own)
        assert row["misses"] == (0 if key[1] == "set" else row["keys"] - row["hits"])
        assert row["bytes_in"] == sum(one.bytes_in for one in own)
        assert row["bytes_out"] == sum(one.bytes_out for one in own)
        times = {
            "response_time": [one.replied_ns - one.arrived_ns for one in own],
            "service_time": [one.span_ns for one in own],
            "queueing_and_processing_time": [
                one.replied_ns - one.arrived_ns - one.span_ns for one in own
            ],
            "servers_net_time": [max(c[2] - c[1] for c in one.calls) for one in own],
        }
        for time, values in times.items():
            assert row[f"{time}_mean_ms"] == pytest.approx(sum(values) / len(values) / MS, abs=1e-6)
            assert row[f"{time}_min_ms"] == pytest.approx(min(values) / MS, abs=1e-6)
            assert row[f"{time}_max_ms"] == pytest.approx(max(values) / MS, abs=1e-6)
    check_queue(result, truth)
    check_servers(result, truth)


def check_queue(result, truth):
    queue = result.queue.set_index("epoch_s")
    for epoch_s, row in queue.iterrows():
        begin, end = int(epoch_s) * S - START_NS, int(epoch_s + 1) * S - START_NS
        inside = [min(end, one.replied_ns) - max(begin, one.arrived_ns) for one in truth]
        assert row["jobs_mean"] == pytest.approx(sum(t for t in inside if t > 0) / S, abs=1e-6)
        arrivals = [one.arrived_ns for one in truth if begin <= one.arrived_ns < end]
        assert row["arrivals"] == len(arrivals)
    assert queue["arrivals"].sum() == len(truth)


def check_servers(result, truth):
    calls = [call for one in truth for call in one.calls]
    for (epoch_s, server), row in result.servers.set_index(["epoch_s", "server"]).iterrows():
        own = [c[2] - c[1] for c in calls if c[0] == server and second(c[2]) == epoch_s]
        assert row["requests"] == len(own)
        assert row["response_time_mean_ms"] == pytest.approx(sum(own) / len(own) / MS, abs=1e-6)
    rows = result.intervals
    assert rows.loc[rows["time"] == "server_time", "count"].sum() == len(calls)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_lost_makes_less_but_nothing_wrong(tmp_path, seed):
    made_up = MadeUp(seed)
    rng = random.Random(seed)
    packets = made_up.tape.packets
    for place in sorted(rng.sample(range(len(packets)), 3), reverse=True):
        del packets[place]
    path = made_up.tape.write(tmp_path / "capture.pcap")
    summary = observe(path, listen=LISTEN, servers=SERVERS, output=tmp_path / "packets")
    missing = len(made_up.truth) - summary["requests"]
    assert missing >= 0
    assert summary["abandoned_connections"] <= 3
    truth = {(one.kind, one.replied_ns - one.arrived_ns, one.span_ns) for one in made_up.truth}
    for row in read_packets(tmp_path / "packets").windows.to_dict("records"):
        if row["requests"] == row["service_time_count"] == 1:
            times = [round(row[f"{t}_mean_ms"] * MS) for t in ("response_time", "service_time")]
            assert (row["request_type"], *times) in truth


def test_buckets_are_exact_up_to_512_us_and_fine_beyond():
    values = [*range(600), 1000, 12_345, 7_654_321]
    edges = [next(iter(histogram([us * 1000 + 999]))) for us in values]
    assert edges[:512] == values[:512]
    assert all(0 <= edge - us <= 0.005 * us for us, edge in zip(values, edges, strict=True))
    assert histogram([5, 5000, 5999, 1_000_000]) == {0: 1, 5: 2, 1001: 1}


def test_time_goes_on_without_requests(tmp_path):
    tape = Tape()
    talk = Talk(tape, LISTEN, 4000).open(0)
    talk.up(0, b"get a\r\n")
    talk.down(4 * S + S // 2, b"END\r\n")
    observe(tape.write(tmp_path / "c.pcap"), listen=LISTEN, output=tmp_path / "packets")
    queue = read_packets(tmp_path / "packets").queue
    assert queue["jobs_mean"].tolist() == [1, 1, 1, 1, 0.5]
    assert queue["arrivals"].tolist() == [1, 0, 0, 0, 0]


def test_the_program_is_one_file_that_python_runs(tmp_path):
    made_up = MadeUp(1)
    capture = made_up.tape.write(tmp_path / "capture.pcap")
    program = tmp_path / PROGRAM
    program.write_bytes(program_bytes())
    options = ["--listen", LISTEN, "--servers", *SERVERS, "--output"]
    subprocess.run(
        [sys.executable, "-I", "-S", program, capture, *options, tmp_path / "there"],
        check=True,
        cwd="/",
    )
    assert main([str(capture), *options, str(tmp_path / "here")]) == 0
    names = sorted(path.name for path in (tmp_path / "here").iterdir())
    assert names == [
        "histograms.csv",
        "queue.csv",
        "servers.csv",
        "summary.json",
        "windows.csv",
    ]
    for name in names:
        assert (tmp_path / "there" / name).read_text() == (tmp_path / "here" / name).read_text()
    summary = json.loads((tmp_path / "here" / "summary.json").read_text())
    assert summary["configuration"] == {"listen": LISTEN, "servers": list(SERVERS)}
    assert summary["first_packet_epoch_s"] >= START_NS / 1e9


def test_the_program_is_the_same_bytes_each_time():
    before = program_bytes()
    program_bytes.cache_clear()
    assert program_bytes() == before
    names = zipfile.ZipFile(io.BytesIO(before)).namelist()
    assert {"__main__.py", "dpkt/LICENSE", "remote/packets/program.py"} <= set(names)


def test_what_the_program_cannot_read_it_tells(tmp_path, capsys):
    missing = str(tmp_path / "capture.pcap")
    assert main([missing, "--listen", LISTEN, "--output", str(tmp_path)]) == 1
    assert "capture.pcap" in capsys.readouterr().err
