"""Run folders with followed requests whose truth is known: stages, clocks, and who stood still."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from analysis.traces.followed_requests import STAGES

START_EPOCH_S = 1_795_231_822
SERVERS = {"s1": "198.18.0.31:11211", "s2": "198.18.0.32:11211", "s3": "198.18.0.33:11211"}
WIRE_MS, TO_SERVER_MS = 0.01, 0.2  # from a program to its interface; from there to the server's
USUAL_MS = dict(zip(STAGES, (0.5, 0.02, 0.3, 0.05, 1.0, 0.05, 0.5), strict=True))


@dataclass(kw_only=True)
class Passage:
    """One request as it truly was; seconds since the stable window began."""

    client: str = "198.18.0.11:40000"
    number: int = 0
    sent_s: float = 1.0
    stages_ms: Mapping[str, float] = field(default_factory=lambda: dict(USUAL_MS))
    servers: Sequence[str] = ("s1",)
    request_type: str = "get"
    worker: int = 0

    def at_s(self, stage: str) -> float:
        """When a stage begins; without a name of one, the end."""
        before = STAGES[: STAGES.index(stage)] if stage in STAGES else STAGES
        return self.sent_s + sum(self.stages_ms[name] for name in before) / 1000


def write_run(
    folder: Path,
    passages: Sequence[Passage],
    *,
    offsets_s: Mapping[str, Sequence[float]] | None = None,
    bound_s: float = 0.001,
    fleet: str = "ansible",
    pauses: Mapping[str, Sequence[tuple[float, float, str]]] | None = None,
    stopped: Sequence[tuple[str, float, float]] = (),
    captured: bool = False,
) -> Path:
    """Write the files of a run with one client, one middleware and three servers.

    Parameters
    ----------
    offsets_s : by host, how far its clock is off at the start and at the end.
    pauses : by file's place (``m1/middleware``, ``c1/memtier-0-``): start, length, cause.
    stopped : host, start and length.
    captured : packets were captured on the hosts of middleware and servers, too.
    """
    offsets_s = {"c1": (0, 0), "m1": (0, 0), **{s: (0, 0) for s in SERVERS}, **(offsets_s or {})}
    times_s = (-10.0, 110.0)

    def ns(host: str, second: float) -> int:
        offset_s = float(np.interp(second, times_s, offsets_s[host]))
        return START_EPOCH_S * 10**9 + round((second + offset_s) * 1e9)

    sent, passed = [], []
    for one in passages:
        at = {stage: ns("m1", one.at_s(stage)) for stage in STAGES}
        received = ns("c1", one.at_s("end"))
        sent.append(
            f"{one.client},{one.number},198.18.0.21:11212,get,1,,{ns('c1', one.sent_s)},"
            f"{received},{received},hit"
        )
        stamps = [at["preprocessing_time"], at["queueing_time"], at["sending_time"]]
        answers = [at["replying_time"] - 1000 * n for n in range(len(one.servers))]
        cells = [one.client, one.number, one.request_type, *stamps, one.worker, at["link_back"]]
        cells.append(";".join(SERVERS[name] for name in one.servers))
        cells.append(";".join(str(at["servers_time"]) for _ in one.servers))
        cells.append(";".join(map(str, answers)))
        passed.append(",".join(map(str, cells)))
    generator = (
        "client,number,server,operation,keys,intended_ns,sent_ns,first_byte_ns,last_byte_ns,outcome"
    )
    middleware = (
        "client,number,request_type,first_byte_ns,enqueued_ns,dequeued_ns,worker,replied_ns,"
        "servers,sent_ns,answered_ns"
    )
    _write(folder / "c1/memtier-0-followed.csv", [generator, *sent])
    _write(folder / "m1/middleware/followed.csv", [middleware, *passed])
    for place in ("c1/memtier-0-", "m1/middleware/"):
        host = place.split("/")[0]
        rows = [
            f"{ns(host, start_s)},{round(length_s * 1e9)},{cause}"
            for start_s, length_s, cause in (pauses or {}).get(place, ())
        ]
        _write(folder / f"{place}pauses.csv", ["start_ns,length_ns,cause", *rows])
    summary = {"configuration": {"servers": list(SERVERS.values())}}
    (folder / "m1/middleware/summary.json").write_text(json.dumps(summary))
    clocks = {
        host: {
            when: {"offset_s": o, "bound_s": bound_s, "epoch_s": START_EPOCH_S + second}
            for when, o, second in zip(("start", "end"), pair, times_s, strict=True)
        }
        for host, pair in offsets_s.items()
    }
    if captured:
        _write_captures(folder, passages, ns)
    manifest = {
        "format": 1,
        "campaign": "one",
        "section": "8",
        "profile": "smoke",
        "git": {"commit": "0" * 40, "dirty": False},
        "attempt": 1,
        "status": "accepted",
        "settings": {"follow": 1},
        "topology": {"name": "azure", "time_dilation": 1.0},
        "fleet": fleet,
        "roles": {"clients": ["c1"], "middlewares": ["m1"], "servers": list(SERVERS)},
        "instances_per_client": 1,
        "targets": {"c1": ["m1"]},
        "window": {"start_epoch_s": START_EPOCH_S, "stable_s": 100, "warm_up_s": 1},
        "clocks": clocks,
        "pauses": [
            {
                "host": host,
                "began_epoch_s": ns(host, start_s) / 1e9,
                "ended_epoch_s": ns(host, start_s + length_s) / 1e9,
            }
            for host, start_s, length_s in stopped
        ],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def _write_captures(
    folder: Path, passages: Sequence[Passage], ns: Callable[[str, float], int]
) -> None:
    """Write what packets tell; each passage has a connection of the middleware to each server."""
    head = "client,number,request_type,first_byte_ns,replied_ns,"
    head += "servers,connections,numbers,sent_ns,answered_ns"
    rows: dict[str, list[str]] = {host: [head] for host in ("m1", *SERVERS)}
    wire_s, link_s = WIRE_MS / 1000, TO_SERVER_MS / 1000
    for place, one in enumerate(passages):
        came_s, left_s = one.at_s("preprocessing_time") - wire_s, one.at_s("link_back") + wire_s
        asked_s, answered_s = one.at_s("servers_time") + wire_s, one.at_s("replying_time") - wire_s
        connection = f"198.18.0.21:{50000 + place}"
        lists = [
            [SERVERS[name] for name in one.servers],
            [connection] * len(one.servers),
            [place] * len(one.servers),
            [ns("m1", asked_s)] * len(one.servers),
            [ns("m1", answered_s)] * len(one.servers),
        ]
        told = [one.client, one.number, one.request_type, ns("m1", came_s), ns("m1", left_s)]
        cells = [*told, *(";".join(map(str, values)) for values in lists)]
        rows["m1"].append(",".join(map(str, cells)))
        for name in one.servers:
            times = ns(name, asked_s + link_s), ns(name, answered_s - link_s)
            told = [connection, place, one.request_type, *times]
            rows[name].append(",".join(map(str, told)) + ",,,,,")
    for host, lines in rows.items():
        _write(folder / host / "packets/followed.csv", lines)
        servers = list(SERVERS.values()) if host == "m1" else []
        summary = {"configuration": {"servers": servers}}
        (folder / host / "packets/summary.json").write_text(json.dumps(summary))


def ordinary_passages(rng: np.random.Generator, count: int) -> list[Passage]:
    """Requests whose stages vary as usual, at random times."""
    return [
        Passage(
            client=f"198.18.0.11:{40000 + number % 7}",
            number=number,
            sent_s=float(second),
            stages_ms={name: rng.gamma(4, usual / 4) for name, usual in USUAL_MS.items()},
            servers=tuple(map(str, rng.choice(list(SERVERS), rng.integers(1, 3), replace=False))),
            worker=number % 3,
        )
        for number, second in enumerate(np.sort(rng.uniform(0, 100, count)))
    ]


def _write(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
