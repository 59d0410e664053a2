"""A campaign's run folders to tidy tables, kept as ``data/<campaign>/tidy/*.parquet``.

Rates and times are given in undilated time: on a lab that runs with time dilation k, measured
rates are multiplied and measured times divided by k (`time_dilation` says which k).
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd

from analysis import measures, network
from analysis.parsing import ParseError
from analysis.run import MANIFEST, Run, read_manifest, read_run

__all__ = ["Tables", "read_run", "read_tables", "tidy_campaign"]

ACCEPTED = "accepted"
_RATES = ("_ops_per_s", "_mbit_per_s")


@dataclass(frozen=True, kw_only=True, eq=False)
class Tables:
    """The tidy tables of a campaign.

    Every table but `rejected` begins with the run's key: `section`, one column per factor
    (`workload`, `clients_per_thread`, `workers`, ...; missing where a section does not vary it),
    `repetition`, `num_clients`, `time_dilation`.

    Attributes
    ----------
    runs
        One row per accepted run under load. `campaign`, `profile`, `generator`, `git_commit`,
        `started_at`, `num_middlewares`, `num_servers`, `stable_s`, `think_time_s`;
        `client_throughput_ops_per_s`, `client_response_time_ms`,
        `client_response_time_p25_ms` ... `_p99_ms`, `client_miss_rate` (0..1),
        `client_connection_errors`; with a middleware `middleware_throughput_ops_per_s`,
        `middleware_<time>_ms` (`analysis.measures.MIDDLEWARE_TIMES`),
        `middleware_response_time_p25_ms` ..., `middleware_miss_rate`, `middleware_errors`,
        `middleware_queue_length`, `middleware_waiting_workers`, `middleware_worker_utilization`,
        `middleware_net_thread_utilization` (0..1), `middleware_cpu_cores`; and
        `client_cpu_percent`, `middleware_cpu_percent`, `server_cpu_percent`.
    windows
        One row per second and side: `side` (``client``, ``middleware``), `second_s` (0 where the
        stable window begins), `stable`, `throughput_ops_per_s`, `response_time_ms`; for the
        middleware also `queueing_time_ms`, `service_time_ms`, `queue_length`, `waiting_workers`.
    histograms
        `side`, `time` (``response_time``, ``queueing_time``, ``service_time``), `upper_edge_ms`,
        `count`; see `analysis.histograms.percentiles_by`.
    hosts
        `host`, `role`, `cpu_percent`, `cpu_user_percent`, `cpu_system_percent`,
        `cpu_steal_percent`, `send_mbit_per_s`, `receive_mbit_per_s`, `rate_mbit_per_s`,
        `send_link_utilization` (0..1). On the local lab every host records the CPU of the one
        machine that they share.
    pings
        `source`, `target`, `replies`, `lost`, `round_trip_time_min_ms`, `_mean_ms`, `_p50_ms`,
        `_p99_ms`, `_max_ms`.
    bandwidths
        `source`, `target`, `bandwidth_mbit_per_s`, `limit_mbit_per_s`, `retransmits`.
    rejected
        One row per run that does not count: `section`, `run` (folder), `status`, `reason`.
    """

    runs: pd.DataFrame
    windows: pd.DataFrame
    histograms: pd.DataFrame
    hosts: pd.DataFrame
    pings: pd.DataFrame
    bandwidths: pd.DataFrame
    rejected: pd.DataFrame


NAMES = tuple(field.name for field in fields(Tables))


def tidy_campaign(campaign_dir: Path | str, sections: Iterable[str] | None = None) -> Tables:
    """Read the run folders of a campaign, write the tables beside them, and return them.

    Parameters
    ----------
    campaign_dir
        ``data/<campaign>``.
    sections
        Which sections, such as ``["2.1"]``; all that were measured when None. Each section has
        its own files, so that rebuilding one leaves the others alone.

    Raises
    ------
    ParseError
        A file of an accepted run is missing or damaged; names its path.
    FileNotFoundError
        A section was not measured.
    """
    campaign_dir = Path(campaign_dir)
    wanted = _sections(campaign_dir) if sections is None else sorted(sections)
    for section in wanted:
        tables = _tidy_section(campaign_dir / section)
        for name, frame in tables.items():
            path = _path(campaign_dir, section, name)
            path.parent.mkdir(exist_ok=True)
            frame.to_parquet(path, index=False, compression="zstd")
    return read_tables(campaign_dir, wanted)


def read_tables(campaign_dir: Path | str, sections: Iterable[str] | None = None) -> Tables:
    """Return the tables that `tidy_campaign` wrote, without the run folders.

    Raises
    ------
    FileNotFoundError
        A section was never tidied.
    """
    campaign_dir = Path(campaign_dir)
    if sections is None:
        sections = [path.name.removesuffix("-runs.parquet") for path in _tidied(campaign_dir)]
    parts = {
        name: [pd.read_parquet(_path(campaign_dir, section, name)) for section in sorted(sections)]
        for name in NAMES
    }
    return Tables(**{name: _stack(frames) for name, frames in parts.items()})


def _sections(campaign_dir: Path) -> list[str]:
    return sorted({path.parts[-4] for path in campaign_dir.glob(f"*/*/*/{MANIFEST}")})


def _tidied(campaign_dir: Path) -> list[Path]:
    return sorted((campaign_dir / "tidy").glob("*-runs.parquet"))


def _path(campaign_dir: Path, section: str, name: str) -> Path:
    return campaign_dir / "tidy" / f"{section}-{name}.parquet"


def _tidy_section(section_dir: Path) -> dict[str, pd.DataFrame]:
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in NAMES}
    manifests = sorted(section_dir.glob(f"*/*/{MANIFEST}"))
    if not manifests:
        raise FileNotFoundError(f"{section_dir} holds no runs: measure the section first")
    for path in manifests:
        manifest = read_manifest(path.parent)
        if path.parent.suffix == ".partial":
            continue
        if manifest["status"] == ACCEPTED:
            for name, frame in _read_and_reduce(path.parent).items():
                parts[name].append(frame)
        else:
            parts["rejected"].append(_rejected(path.parent, manifest))
    tables = {name: _stack(frames) for name, frames in parts.items()}
    if tables["rejected"].empty:
        tables["rejected"] = pd.DataFrame(columns=["section", "run", "status", "reason"], dtype=str)
    return tables


def _read_and_reduce(folder: Path) -> dict[str, pd.DataFrame]:
    try:
        return _reduce(read_run(folder))
    except KeyError as exc:
        raise ParseError(folder, None, f"{exc} is missing in the manifest or a file") from exc


def _reduce(run: Run) -> dict[str, pd.DataFrame]:
    """Reduce a run to its rows of every table."""
    frames = {
        "pings": network.ping_measures(run),
        "bandwidths": network.bandwidth_measures(run),
    }
    if run.generators:
        hosts = network.host_measures(run)
        frames |= {
            "runs": pd.DataFrame([{**_about(run), **measures.run_row(run, hosts)}]),
            "windows": _windows(run),
            "histograms": _histograms(run),
            "hosts": hosts,
        }
    key = _key(run)
    undilated = {name: _undilate(frame, key["time_dilation"]) for name, frame in frames.items()}
    if "hosts" in undilated and not undilated["hosts"].empty:
        hosts = undilated["hosts"]
        hosts["send_link_utilization"] = hosts["send_mbit_per_s"] / hosts["rate_mbit_per_s"]
    return {name: _with_key(frame, key) for name, frame in undilated.items() if not frame.empty}


def _key(run: Run) -> dict[str, Any]:
    manifest = run.manifest
    return {
        "section": manifest["section"],
        **run.config,
        "repetition": manifest["repetition"],
        **({"num_clients": manifest["num_clients"]} if run.generators else {}),
        "time_dilation": float(manifest["topology"]["time_dilation"]),
    }


def _about(run: Run) -> dict[str, Any]:
    manifest = run.manifest
    return {
        "campaign": manifest["campaign"],
        "profile": manifest["profile"],
        "generator": ", ".join(str(part) for part in manifest["generator"].values()),
        "git_commit": manifest["git"]["commit"],
        "started_at": manifest["started_at"],
        "num_middlewares": len(manifest["roles"]["middlewares"]),
        "num_servers": len(manifest["roles"]["servers"]),
        "stable_s": manifest["window"]["stable_s"],
        "think_time_s": float(manifest["think_time_s"]),
    }


def _windows(run: Run) -> pd.DataFrame:
    sides = {"client": measures.client_seconds(run)}
    if run.middlewares:
        sides["middleware"] = measures.middleware_seconds(run)
    frame = pd.concat(sides, names=["side"]).reset_index(level="side").reset_index(drop=True)
    stable_s = run.manifest["window"]["stable_s"]
    frame.insert(2, "stable", frame["second_s"].between(0, stable_s, inclusive="left"))
    return frame.rename(columns={"requests": "throughput_ops_per_s"})


def _histograms(run: Run) -> pd.DataFrame:
    parts = {("client", "response_time"): measures.client_histogram(run)}
    if run.middlewares:
        for time in measures.HISTOGRAM_TIMES:
            parts["middleware", time] = measures.middleware_histogram(run, time)
    frame = pd.concat(parts, names=["side", "time"])
    return frame.reset_index(level=["side", "time"]).reset_index(drop=True)


def _rejected(folder: Path, manifest: dict[str, Any]) -> pd.DataFrame:
    failed = [check["name"] for check in manifest.get("checks", []) if not check["passed"]]
    return pd.DataFrame(
        [
            {
                "section": manifest["section"],
                "run": f"{folder.parent.name}/{folder.name}",
                "status": manifest["status"],
                "reason": manifest.get("error") or ", ".join(failed),
            }
        ]
    )


def _undilate(frame: pd.DataFrame, time_dilation: float) -> pd.DataFrame:
    scaled = frame.copy()
    for name in scaled.columns:
        if name.endswith(_RATES) and name not in ("rate_mbit_per_s", "limit_mbit_per_s"):
            scaled[name] = scaled[name] * time_dilation
        elif name.endswith("_ms"):
            scaled[name] = scaled[name] / time_dilation
    return scaled


def _with_key(frame: pd.DataFrame, key: dict[str, Any]) -> pd.DataFrame:
    keys = pd.DataFrame([key] * len(frame), index=frame.index)
    return pd.concat([keys, frame], axis="columns")


def _stack(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Put tables below each other, columns in the order of the widest."""
    filled = [frame for frame in frames if not frame.empty]
    if not filled:
        return frames[0] if frames else pd.DataFrame()
    widest = max(filled, key=lambda frame: frame.shape[1])
    stacked = pd.concat(filled, ignore_index=True)
    return stacked[[*widest, *stacked.columns.difference(widest.columns, sort=False)]]
