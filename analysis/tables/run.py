"""One run folder, read: what the manifest says and what each host recorded."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.results import (
    IperfResult,
    MemtierRun,
    MiddlewareResult,
    PacketsResult,
    ParseError,
    PingResult,
    read_dstat,
    read_iperf3,
    read_memtier_json,
    read_ping,
)
from analysis.results.counters import CpuTime, read_cpu_time, read_interfaces
from analysis.results.manifests import read_manifest
from analysis.results.packets import read_middlewares, read_observed
from records.fleets import ONE_MACHINE
from records.manifest import Manifest


@dataclass(frozen=True, kw_only=True, eq=False)
class Run:
    """One repetition of one configuration.

    Attributes
    ----------
    generators
        (host, instance) to what that memtier instance measured.
    middlewares
        Host to what its middleware measured, or what packets tell where that is a black box.
    observed
        Host to what packets tell of its middleware, where they were captured.
    loads
        Host to its CPU and network load (`analysis.results.read_dstat`).
    cpu_times
        Host to the CPU time that it has used; hosts that did not tell are missing.
    interfaces
        Host to what its network interfaces counted over the run, one row per interface: `send_` and
        `receive_` `bytes`, `packets`, `errors`, `drops`.
    pings, bandwidths
        (source, target) to what ping and iperf3 measured between them.
    """

    folder: Path
    manifest: Manifest
    generators: Mapping[tuple[str, int], MemtierRun]
    middlewares: Mapping[str, MiddlewareResult]
    observed: Mapping[str, PacketsResult]
    loads: Mapping[str, pd.DataFrame]
    cpu_times: Mapping[str, CpuTime]
    interfaces: Mapping[str, pd.DataFrame]
    pings: Mapping[tuple[str, str], PingResult]
    bandwidths: Mapping[tuple[str, str], IperfResult]

    @property
    def config(self) -> Mapping[str, Any]:
        """Factor to level."""
        return self.manifest.config

    @property
    def is_black_box(self) -> bool:
        """Whether its middlewares tell nothing themselves."""
        return not self.manifest.middleware.tells_statistics

    @property
    def on_one_machine(self) -> bool:
        """Whether the hosts share the CPUs of one machine."""
        return self.manifest.fleet in ONE_MACHINE

    def in_window(self, rows: pd.DataFrame, *, offset_s: float = 0.0) -> pd.DataFrame:
        """Rows of the stable window by their `epoch_s`, less an offset."""
        window = self.manifest.stable
        epoch_s = rows["epoch_s"] - offset_s
        inside = epoch_s.between(window.start_epoch_s, window.end_epoch_s, inclusive="left")
        return rows[inside]


def read_run(folder: Path | str) -> Run:
    """Read every file of a run folder."""
    folder = Path(folder)
    manifest = read_manifest(folder)
    hosts = manifest.roles.hosts
    instances = range(manifest.instances_per_client)  # the network section has none
    loaded = [host for host in hosts if (folder / host / "dool.csv.gz").exists()]
    return Run(
        folder=folder,
        manifest=manifest,
        generators={
            (host, i): _only_run(folder / host / f"memtier-{i}.json.gz")
            for host in manifest.roles.clients
            for i in instances
        },
        middlewares=read_middlewares(folder, manifest) if instances else {},
        observed=read_observed(folder, manifest) if instances else {},
        loads={host: read_dstat(folder / host / "dool.csv.gz") for host in loaded},
        cpu_times={
            host: read_cpu_time(path)
            for host in hosts
            if (path := folder / host / "cpu-time.out.gz").exists()
        },
        interfaces={
            host: _counted(folder / host)
            for host in hosts
            if (folder / host / "interfaces-after.txt.gz").exists()
        },
        pings={
            pair: read_ping(path)
            for suffix in (".txt.gz", ".out.gz")  # on the idle network; beside a load
            for pair, path in _between(folder, hosts, "ping-", suffix).items()
        },
        bandwidths={
            pair: read_iperf3(path)
            for pair, path in _between(folder, hosts, "iperf3-", ".json.gz").items()
        },
    )


def _only_run(path: Path) -> MemtierRun:
    try:
        return read_memtier_json(path).run
    except ParseError:
        raise
    except ValueError as exc:
        raise ParseError(path, None, str(exc)) from exc


def _counted(folder: Path) -> pd.DataFrame:
    """Return what the interfaces counted between the two readings; loopback is left out."""
    before, after = (
        read_interfaces(folder / f"interfaces-{when}.txt.gz") for when in ("before", "after")
    )
    counted = (after - before).drop(index="lo", errors="ignore")
    return counted.drop(columns="epoch_s").dropna()


def _between(
    folder: Path, hosts: list[str], prefix: str, suffix: str
) -> dict[tuple[str, str], Path]:
    """(source, target) to the file ``<source>/<prefix><target><suffix>``, in a fixed order."""
    return {
        (host, path.name.removeprefix(prefix).removesuffix(suffix)): path
        for host in hosts
        for path in sorted((folder / host).glob(f"{prefix}*{suffix}"))
    }
