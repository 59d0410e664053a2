"""A campaign's run folders to tidy tables (`analysis.tables.frames`).

Rates and times are given in undilated time: on a lab that runs with time dilation k, measured
rates are multiplied and measured times divided by k (`time_dilation` says which k). The limits of
links are undilated as they stand; `second_s` and `stable_s` are seconds of the clock.
"""

import hashlib
import json
import math
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.results import ParseError
from analysis.results.manifests import (
    MANIFEST,
    TRANSCRIPT,
    each_run,
    measured_sections,
    read_document,
    run_folders,
)
from analysis.tables import details, measures, network
from analysis.tables.frames import (
    NAMES,
    Origin,
    Tables,
    read_tables,
    stack,
    tables_path,
    write_section,
)
from analysis.tables.run import Run, read_run
from records.manifest import Manifest
from records.verdict import ACCEPTED, PILOT

__all__ = ["Tables", "read_run", "read_tables", "tidy_campaign"]

STAMPS, PACKETS = "stamps", "packets"  # who tells of a middleware
SCHEMA = 1
"""Raise it when a column, row or value of a table means or is something else than before."""
_RATES = ("_ops_per_s", "_mbit_per_s")
_UNDILATED = ("rate_mbit_per_s", "limit_mbit_per_s", "emulated_round_trip_time_ms")  # as they stand


def tidy_campaign(
    campaign_dir: Path | str,
    sections: Iterable[str] | None = None,
    *,
    into: Path | str | None = None,
) -> Tables:
    """Read the run folders of a campaign, write the tables beside them, and return them.

    Parameters
    ----------
    sections
        Which sections, such as ``["2.1"]``; all that were measured when None. Each section has
        its own file, so that rebuilding one leaves the others alone.
    into
        Folder below which the tables are written instead, for comparing.

    Raises
    ------
    ParseError
        A file of an accepted run is missing or damaged; names its path.
    FileNotFoundError
        A section was not measured.
    """
    campaign_dir = Path(campaign_dir)
    target_dir = campaign_dir if into is None else Path(into)
    wanted = measured_sections(campaign_dir) if sections is None else sorted(sections)
    for section in wanted:
        tables = _tidy_section(campaign_dir, section)
        origin = origin_of(campaign_dir, section)
        write_section(tables_path(target_dir, section), tables, origin)
    return read_tables(target_dir, wanted)


def origin_of(campaign_dir: Path, section: str) -> Origin:
    """Return what the tables of a section depend on: its manifests, and their own schema.

    Without transcripts, which packed runs have elsewhere: runs are not changed by packing.
    """
    digest = hashlib.sha256()
    for folder in run_folders(campaign_dir / section):
        told = {k: v for k, v in read_document(folder).items() if k not in TRANSCRIPT}
        content = hashlib.sha256(json.dumps(told).encode()).hexdigest()
        digest.update(f"{folder.relative_to(campaign_dir) / MANIFEST} {content}\n".encode())
    return {"manifests": digest.hexdigest(), "schema": SCHEMA}


def _tidy_section(campaign_dir: Path, section: str) -> dict[str, pd.DataFrame]:
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in NAMES}
    told = dict(each_run(campaign_dir, [section]))
    if not told:
        message = f"{campaign_dir / section} holds no runs: measure the section first"
        raise FileNotFoundError(message)
    factors = {name for manifest in told.values() for name in manifest.config}
    for folder, manifest in told.items():
        if manifest.status == ACCEPTED:
            for name, frame in _read_and_reduce(folder, factors).items():
                parts[name].append(frame)
        elif manifest.status != PILOT:
            parts["rejected"].append(_rejected(folder, manifest))
    return {name: stack(frames) for name, frames in parts.items()}


def _read_and_reduce(folder: Path, factors: Collection[str]) -> dict[str, pd.DataFrame]:
    try:
        return _reduce(read_run(folder), factors)
    except KeyError as exc:
        raise ParseError(folder, None, f"{exc} is missing in the manifest or a file") from exc


def _reduce(run: Run, factors: Collection[str]) -> dict[str, pd.DataFrame]:
    """Reduce a run to its rows of every table; `factors` are those of all runs of the section."""
    frames = {
        "pings": network.ping_measures(run),
        "bandwidths": network.bandwidth_measures(run),
    }
    if run.generators:
        hosts = network.host_measures(run)
        frames |= {"pauses": details.pauses(run), "hosts": hosts, **_seen(run, hosts)}
    key = run_key(run, factors)
    undilated = {name: _undilate(frame, key["time_dilation"]) for name, frame in frames.items()}
    if "hosts" in undilated and not undilated["hosts"].empty:
        hosts = undilated["hosts"]
        hosts["send_link_utilization"] = hosts["send_mbit_per_s"] / hosts["rate_mbit_per_s"]
    return {name: with_key(frame, key) for name, frame in undilated.items() if not frame.empty}


def _seen(run: Run, hosts: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return what is told of clients and middlewares, again by packets if they were captured."""
    first = _of_observer(run, hosts)
    if not run.observed:
        return first
    if run.is_black_box:
        return {name: _marked(frame, PACKETS, is_second=False) for name, frame in first.items()}
    second = _of_observer(replace(run, middlewares=run.observed), hosts)
    return {
        name: stack(
            [
                _marked(frame, STAMPS, is_second=False),
                _marked(second[name], PACKETS, is_second=True),
            ]
        )
        for name, frame in first.items()
    }


def _marked(frame: pd.DataFrame, observer: str, *, is_second: bool) -> pd.DataFrame:
    return frame.assign(observer=observer, is_second=is_second)


def _of_observer(run: Run, hosts: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {
        "runs": pd.DataFrame([{**about_run(run), **measures.run_row(run, hosts)}]),
        "request_types": details.request_type_measures(run),
        "windows": run_windows(run),
        "servers": details.server_seconds(run),
        "histograms": _histograms(run),
    }


def run_key(run: Run, factors: Collection[str]) -> dict[str, Any]:
    """Return what tells a run from others, with what its part of the section does not vary."""
    manifest = run.manifest
    constants = {**details.settings(run), "think_time_s": _number(manifest.think_time_s)}
    return {
        "section": manifest.section,
        **details.levels(run, run.config),
        **{name: level for name, level in constants.items() if name in factors},
        "repetition": manifest.repetition,
        **({"num_clients": manifest.num_clients} if manifest.generator else {}),
        "time_dilation": manifest.topology.time_dilation,
    }


def about_run(run: Run) -> dict[str, Any]:
    """Return the columns of `runs` that the manifest states."""
    manifest = run.manifest
    generator = manifest.generator
    about: dict[str, Any] = {
        "campaign": manifest.campaign,
        "profile": manifest.profile,
        "generator": f"{generator.name}, {generator.version}" if generator else "",
        "git_commit": manifest.git.commit,
        "started_at": manifest.started_at,
        "campaign_seed": _number(manifest.seed),
        "machine_share": _number(manifest.machine_share),
        "num_middlewares": len(manifest.roles.middlewares),
        "num_servers": len(manifest.roles.servers),
        "stable_s": manifest.stable.stable_s,
        "think_time_s": None,  # in its place
    }
    about |= details.settings(run)
    about["think_time_s"] = _number(manifest.think_time_s)  # null in an open loop
    return {name: value for name, value in about.items() if name not in run.config}


def _number(value: float | None) -> float:
    """Return a number of a manifest, NaN where it is not told."""
    return math.nan if value is None else float(value)


def run_windows(run: Run) -> pd.DataFrame:
    """Return the rows of `windows`, of clients and middlewares as far as the run has them."""
    sides = {}
    if run.generators:
        sides["client"] = measures.client_seconds(run)
    if run.middlewares:
        sides["middleware"] = measures.middleware_seconds(run)
    frame = pd.concat(sides, names=["side"]).reset_index(level="side").reset_index(drop=True)
    stable_s = run.manifest.stable.stable_s
    frame.insert(2, "stable", frame["second_s"].between(0, stable_s, inclusive="left"))
    return frame.rename(columns={"requests": "throughput_ops_per_s"})


def _histograms(run: Run) -> pd.DataFrame:
    parts = {
        ("client", kind, "response_time"): histogram
        for kind, histogram in measures.client_histograms(run).items()
    }
    if run.middlewares:
        for time in measures.HISTOGRAM_TIMES:
            for kind, histogram in measures.middleware_histograms(run, time).items():
                parts["middleware", kind, time] = histogram
    levels = ["side", "request_type", "time"]
    if not parts:
        return pd.DataFrame(columns=levels)
    frame = pd.concat(parts, names=levels).reset_index(level=levels).reset_index(drop=True)
    whole_run = (frame["side"] == "client") & (measures.client_window(run) is None)
    return frame.assign(stable=~whole_run)


def _rejected(folder: Path, manifest: Manifest) -> pd.DataFrame:
    failed = [check.name for check in manifest.checks if not check.passed]
    return pd.DataFrame(
        [
            {
                "section": manifest.section,
                "run": f"{folder.parent.name}/{folder.name}",
                "status": manifest.status,
                "reason": manifest.error or ", ".join(failed),
            }
        ]
    )


def _undilate(frame: pd.DataFrame, time_dilation: float) -> pd.DataFrame:
    scaled = frame.copy()
    for name in scaled.columns:
        if name in _UNDILATED:
            continue
        if name.endswith(_RATES):
            scaled[name] = scaled[name] * time_dilation
        elif name.endswith("_ms"):
            scaled[name] = scaled[name] / time_dilation
    return scaled


def with_key(frame: pd.DataFrame, key: dict[str, Any]) -> pd.DataFrame:
    """Put the key of a run before the columns of its rows."""
    keys = pd.DataFrame([key] * len(frame), index=frame.index)
    others = frame.drop(columns=[name for name in key if name in frame])
    return pd.concat([keys, others], axis="columns")
