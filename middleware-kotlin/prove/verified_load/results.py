"""Whether the middleware's results agree with what its clients have counted."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

from verified_load.verifier import Tally

FILES = ("windows.csv", "queue.csv", "utilization.csv", "servers.csv", "histograms.hlog")
# What is written every second of whole seconds may be two seconds old; the rest is for a machine
# that has other things to do.
LOST_IN_A_CRASH_S = 5.0
CLOCKS_DIFFER_S = 0.1


def objections_to_results(directory: Path, tallies: list[Tally], types: set[str]) -> list[str]:
    """Compare the results of a process that has ended in order; only the `types` are compared.

    Requests that were sent and not answered may have been counted or not.
    """
    if missing := _missing(directory, *FILES, "summary.json", "bins.csv"):
        return missing
    summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    objections = [] if summary["clean_shutdown"] else ["the summary tells of no clean shutdown"]
    windows = _sums(_rows(directory / "windows.csv"))
    bins = Counter[str]()
    for row in _rows(directory / "bins.csv"):
        if row["time"] == "response_time":
            bins[row["request_type"]] += int(row["count"])
    for name in sorted(types):
        told = summary["requests"].get(name, {})
        objections += _compare(name, told, tallies)
        requests = told.get("requests", 0)
        if windows["requests"][name] != requests or bins[name] != requests:
            objections.append(
                f"{name}: {requests} requests in summary.json, "
                f"{windows['requests'][name]} in windows.csv, {bins[name]} in bins.csv"
            )
    return objections


def objections_to_remains(directory: Path, tallies: list[Tally], killed_s: float) -> list[str]:
    """Say what lacks in the results of a process that was killed at epoch second `killed_s`."""
    if missing := _missing(directory, *FILES, "summary.json"):
        return missing
    json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    rows = _rows(directory / "windows.csv")
    known = sum(_sums(rows)["requests"].values())
    sent = sum(sum(tally.sent.values()) for tally in tallies)
    # Of its last second not all rows may have been written.
    written_s = max((int(row["epoch_s"]) for row in rows), default=0) - CLOCKS_DIFFER_S
    due_s = max(written_s, killed_s - LOST_IN_A_CRASH_S)
    due = sum(at < due_s for tally in tallies for at in tally.answered_at)
    if due <= known <= sent:
        return []
    return [
        f"windows.csv has {known} requests: {sent} were sent, and "
        f"{due} were answered {killed_s - due_s:.1f} s before the end"
    ]


def _missing(directory: Path, *names: str) -> list[str]:
    paths = [directory / name for name in names]
    there = {path.name for path in paths if path.is_file() and path.stat().st_size > 0}
    return [f"no results in {name}" for name in names if name not in there]


def _compare(name: str, told: dict[str, Any], tallies: list[Tally]) -> list[str]:
    sent = sum(tally.sent[name] for tally in tallies)
    answered = sum(tally.answered[name] for tally in tallies)
    requests = told.get("requests", 0)
    if not answered <= requests <= sent:
        return [f"{name}: {requests} requests counted, {sent} sent, {answered} answered"]
    if answered < sent:
        return []
    return [
        f"{name}: {told.get(column, 0)} {column} counted, the clients have {count}"
        for column in ("errors", "hits", "misses")
        if (count := sum(getattr(tally, column)[name] for tally in tallies)) != told.get(column, 0)
    ]


def _rows(path: Path) -> list[dict[str, str]]:
    """All rows but a last one that was not written to its end."""
    text = path.read_text(encoding="utf-8")
    return list(csv.DictReader(text[: text.rindex("\n") + 1].splitlines()))


def _sums(rows: list[dict[str, str]]) -> dict[str, Counter[str]]:
    columns = ("requests", "errors", "hits", "misses")
    sums = {column: Counter[str]() for column in columns}
    for row in rows:
        for column in columns:
            sums[column][row["request_type"]] += int(row[column])
    return sums
