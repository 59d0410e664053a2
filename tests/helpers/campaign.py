"""A synthetic campaign: run folders as the lab writes them, measured on a simple saturating system.

Throughput is min(N / R0, limit) with a seeded noise between repetitions, response time follows
from the interactive law, so that a test knows what must come out.
"""

import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from records.manifest import Manifest
from remote.experiment.checks.run import evaluate
from remote.experiment.manifest import write_manifest
from tests.helpers.tools import (
    COOL_DOWN_S,
    PING,
    STABLE_S,
    START_EPOCH_S,
    THREADS,
    WARM_UP_S,
    dool_csv,
    iperf3_json,
    memtier_json,
    middleware_files,
)

CLIENTS = ("c1", "c2", "c3")
MIDDLEWARES = dict.fromkeys(("3.2", "4.1", "4.4", "5.1", "5.2"), 2)  # one in others with workers
SERVERS = {"2.2": 2, "4.1": 3, "5.1": 3, "5.2": 3}  # one in others
CONSTANTS = {  # what a section does not vary
    "4.4": {"clients_per_thread": 16},
    **{section: {"clients_per_thread": 2, "workers": 64} for section in ("5.1", "5.2")},
}
SHARDED = {"5.1": True, "5.2": False}
UNLOADED_RESPONSE_TIME_S = 0.0015
LIMITS_OPS_PER_S = {"get": 2_900.0, "set": 14_000.0}
WORKER_LIMIT_OPS_PER_S = 1_000.0  # what one worker gets done


def build_campaign(
    folder: Path,
    *,
    sections: Iterable[str] = ("2.1", "3.1"),
    clients_per_thread: Iterable[int] = (1, 32),
    workers: Iterable[int] = (8, 64),
    multi_get_keys: Iterable[int] = (1, 9),
    repetitions: int = 2,
    seed: int = 1,
) -> Path:
    """Write a whole campaign of load sections and return its folder.

    Clients and workers are those of all sections but 5.1 and 5.2, which vary `multi_get_keys`.
    """
    rng = np.random.default_rng(seed)
    for section in sections:
        for config in _configs(section, clients_per_thread, workers, multi_get_keys):
            for repetition in range(1, repetitions + 1):
                noise = float(rng.normal(1, 0.01))
                build_run(folder, section, config, repetition=repetition, noise=noise)
    return folder


def _configs(
    section: str, clients: Iterable[int], workers: Iterable[int], keys: Iterable[int]
) -> list[dict[str, Any]]:
    if section in SHARDED:
        fixed = {"workload": "multi-get", "sharded": SHARDED[section]}
        return [{**fixed, "multi_get_keys": count} for count in keys]
    if section == "4.4":
        return [
            {"workload": "set", "num_servers": 3, "dispatch": dispatch, "workers": count}
            for dispatch in ("sequential", "pipelined")
            for count in workers
        ]
    workloads = ["set"] if section == "4.1" else ["set", "get"]
    loads = [
        {"workload": workload, "clients_per_thread": count}
        for workload in workloads
        for count in clients
    ]
    if section.startswith("2."):
        return loads
    return [{**load, "workers": count} for load in loads for count in workers]


def build_run(
    folder: Path,
    section: str,
    config: Mapping[str, Any],
    *,
    repetition: int = 1,
    noise: float = 1.0,
    status: str = "accepted",
    time_dilation: float = 1.0,
) -> Path:
    """Write one run folder and return it."""
    slug = "_".join(f"{key}={value}" for key, value in config.items())
    name = f"rep-{repetition}" + ("" if status == "accepted" else f".{status}-1")
    run_dir = folder / section / slug / name
    settings = {**CONSTANTS.get(section, {}), **config}
    num_clients = _num_clients(settings)
    has_middleware = "workers" in settings
    middlewares = ["m1", "m2"][: MIDDLEWARES.get(section, 1)] if has_middleware else []
    servers = ["s1", "s2", "s3"][: settings.get("num_servers", SERVERS.get(section, 1))]
    throughput = expected_throughput(settings) * noise
    response_time_ms = num_clients / throughput * 1000
    files: dict[str, str] = {}
    for number, client in enumerate(CLIENTS):
        report = memtier_json(settings, throughput / len(CLIENTS), response_time_ms, number)
        files[f"{client}/memtier-0.json"] = report
        files[f"{client}/ping-{(middlewares or ['s1'])[0]}.txt"] = PING
    for host in (*CLIENTS, *middlewares, *servers):
        files[f"{host}/dool.csv"] = dool_csv()
    for host in middlewares:
        share = throughput / len(middlewares)
        for file, text in middleware_files(settings, share, response_time_ms).items():
            files[f"{host}/middleware/{file}"] = text
    write_compressed(run_dir, files)
    window = {"start_epoch_s": START_EPOCH_S + WARM_UP_S, "warm_up_s": WARM_UP_S}
    window |= {"end_epoch_s": START_EPOCH_S + WARM_UP_S + STABLE_S, "stable_s": STABLE_S}
    manifest = {
        **identity(folder, section),
        "repetition": repetition,
        "attempt": 1,
        "status": status,
        "config": dict(config),
        "topology": {
            "name": "azure",
            "time_dilation": time_dilation,
            "rates_mbit_per_s": {
                **dict.fromkeys(CLIENTS, 200),
                **dict.fromkeys(["m1", "m2"], 800),
                **dict.fromkeys(["s1", "s2", "s3"], 100),
            },
        },
        "roles": {"clients": list(CLIENTS), "middlewares": middlewares, "servers": servers},
        "settings": {**settings, "value_bytes": 4096, "routing": "round-robin", "replicas": 1},
        "targets": {client: (middlewares or ["s1"])[:1] for client in CLIENTS},
        "instances_per_client": 1,
        "threads_per_instance": THREADS,
        "num_clients": num_clients,
        "value_bytes": 4096,
        "key_count": 10_000,
        "think_time_s": 0.0,
        "window": {**window, "cool_down_s": COOL_DOWN_S},
        "generator": {"name": "memtier_benchmark", "version": "2.3.1"},
        "checks": [{"name": "no_misses", "passed": status == "accepted", "detail": ""}],
    }
    (run_dir / "manifest.json").write_text(json.dumps(manifest))
    return run_dir


def build_network_runs(folder: Path) -> Path:
    """Add section 0 between two hosts: pings of 1 ms, iperf3 at 95 % of the links."""
    rates = {"c1": 200, "s1": 100}
    pairs = [("c1", "s1"), ("s1", "c1")]
    files = {
        "ping": {f"{source}/ping-{target}.txt": PING for source, target in pairs},
        "iperf3": {
            f"{source}/iperf3-{target}.json": iperf3_json(0.95e6 * rates[source])
            for source, target in pairs
        },
    }
    for kind, texts in files.items():
        run_dir = folder / "0" / f"kind={kind}" / "rep-1"
        write_compressed(run_dir, texts)
        manifest = {
            **identity(folder, "0"),
            "repetition": 1,
            "attempt": 1,
            "status": "accepted",
            "config": {"kind": kind},
            "topology": {"name": "azure", "time_dilation": 1.0, "rates_mbit_per_s": rates},
            "roles": {"clients": ["c1"], "middlewares": [], "servers": ["s1"]},
        }
        (run_dir / "manifest.json").write_text(json.dumps(manifest))
    return folder


def identity(folder: Path, section: str) -> dict[str, Any]:
    """Return what every manifest says of the campaign."""
    return {
        "format": 1,
        "campaign": folder.name,
        "section": section,
        "profile": "smoke",
        "fleet": "local-lab",
        "started_at": "2026-11-20T12:00:00.000+00:00",
        "finished_at": "2026-11-20T12:00:06.000+00:00",
        "git": {"commit": "0" * 40, "dirty": False},
    }


def write_compressed(run_dir: Path, files: Mapping[str, str]) -> None:
    """Write texts as the lab stores them."""
    for file, text in files.items():
        path = run_dir / f"{file}.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode(), mtime=0))


def seal(run_dir: Path) -> None:
    """List the files in the manifest, and put there what the checks say."""
    manifest = json.loads((run_dir / "manifest.json").read_text())
    manifest |= {
        "durations": {"warm_up_s": WARM_UP_S, "stable_s": STABLE_S, "cool_down_s": 1},
        "jobs": [
            {
                "host": "c1",
                "name": "memtier-0",
                "command": "memtier_benchmark",
                "exit_status": 0,
                "started_at_s": START_EPOCH_S,
            }
        ],
        "phases_s": {"preparing": 1.0, "starting": 2.0, "measuring": 6.0, "stopping": 1.0},
        "files": {
            str(path.relative_to(run_dir)): {
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                "bytes": path.stat().st_size,
            }
            for path in run_dir.rglob("*.gz")
        },
    }
    sound = Manifest.read(manifest)
    sound = sound.judged(evaluate(run_dir, sound)).model_copy(update={"status": "accepted"})
    write_manifest(run_dir, sound)


def expected_throughput(config: Mapping[str, Any]) -> float:
    """Throughput of the synthetic system without noise, in op/s."""
    limits = [_num_clients(config) / UNLOADED_RESPONSE_TIME_S]
    if config["workload"] == "multi-get":
        limits.append(LIMITS_OPS_PER_S["get"] * 3 / config["multi_get_keys"])
    else:
        limits.append(LIMITS_OPS_PER_S[config["workload"]])
    if "workers" in config and config.get("dispatch") != "pipelined":
        limits.append(WORKER_LIMIT_OPS_PER_S * config["workers"])
    return min(limits)


def _num_clients(settings: Mapping[str, Any]) -> int:
    connections = len(CLIENTS) * THREADS * int(settings["clients_per_thread"])
    return connections * int(settings.get("pipeline", 1))
