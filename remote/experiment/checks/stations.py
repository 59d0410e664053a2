"""The requests of a whole campaign, as every station counted them: none may be lost on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from analysis.results import read_memtier_json
from analysis.results.packets import read_middlewares
from records.manifest import Manifest
from records.settings import QUEUE
from remote.experiment.checks.counts import (
    TOLERANCE,
    copies_of_a_set,
    middleware_counts,
    sent_counts,
    server_counts,
)
from remote.experiment.checks.queues import (
    asked_counts,
    database_counts,
    databases_of,
    stocked,
    total,
)

UNREADABLE = "not readable"


@dataclass(frozen=True, kw_only=True)
class StationCount:
    """What must have arrived at a kind of station in a section, and what was counted there.

    Parameters
    ----------
    expected : from the counts of the generators.
    allowed : requests under way when the generators stopped may be counted on one side only.
    """

    section: str
    kind: str
    runs: int
    expected: float
    counted: float
    allowed: float

    @property
    def agrees(self) -> bool:
        """Whether the two are the same but for what was under way."""
        return self.kind != UNREADABLE and abs(self.expected - self.counted) <= self.allowed


def station_counts(runs: Mapping[Path, Manifest]) -> list[StationCount]:
    """Add up what generators, middlewares and servers counted in `runs` (folder to manifest)."""
    totals: dict[tuple[str, str], list[float]] = {}
    for folder, manifest in runs.items():
        try:
            of_run = _of_run(folder, manifest)
        except (OSError, KeyError, ValueError):  # `lab verify` tells which file is missing, or how
            of_run = {UNREADABLE: (0.0, 0.0, 0.0)}
        for kind, numbers in of_run.items():
            total = totals.setdefault((manifest.section, kind), [0.0] * 4)
            totals[manifest.section, kind] = [
                sum(pair) for pair in zip(total, (1.0, *numbers), strict=True)
            ]
    return [
        StationCount(
            section=section,
            kind=kind,
            runs=round(count),
            expected=expected,
            counted=counted,
            allowed=allowed,
        )
        for (section, kind), (count, expected, counted, allowed) in sorted(totals.items())
    ]


def _of_run(folder: Path, manifest: Manifest) -> dict[str, tuple[float, float, float]]:
    """Return expected, counted and allowed difference for each kind of station of a run."""
    roles, settings = manifest.roles, manifest.settings
    if settings.get("workload") == QUEUE:
        return _of_messages(folder, manifest)
    sent = [
        sent_counts(read_memtier_json(folder / host / f"memtier-{i}.json.gz").run, settings)
        for host in roles.clients
        for i in range(manifest.instances_per_client)
    ]
    requests, sets, keys = (sum(one[k] for one in sent) for k in ("requests", "sets", "keys"))
    servers = [server_counts(folder / host) for host in roles.servers]
    under_way = manifest.num_clients + TOLERANCE * requests
    copies, keys_each = copies_of_a_set(manifest), settings.get("multi_get_keys") or 1
    counted = {
        "sets at servers": (copies * sets, sum(s["sets"] for s in servers), copies * under_way),
        "keys at servers": (keys, sum(s["keys"] for s in servers), keys_each * under_way),
    }
    if roles.middlewares:
        passed = [
            middleware_counts(result) for result in read_middlewares(folder, manifest).values()
        ]
        through = sum(one["requests"] for one in passed)
        counted["requests at middlewares"] = (requests, through, under_way)
    return counted


def _of_messages(folder: Path, manifest: Manifest) -> dict[str, tuple[float, float, float]]:
    """Return the same of a run over queues of messages."""
    asked = [
        asked_counts(read_memtier_json(folder / host / f"memtier-{i}.json.gz").run)
        for host in manifest.roles.clients
        for i in range(manifest.instances_per_client)
    ]
    there = [database_counts(folder / name) for name in databases_of(manifest)]
    requests, waiting = total(asked, "requests"), stocked(manifest)
    under_way = manifest.num_clients + TOLERANCE * requests
    passed = [middleware_counts(one) for one in read_middlewares(folder, manifest).values()]
    counted = {
        "requests at middlewares": (requests, total(passed, "requests") - waiting, under_way)
    }
    if there:
        sent = total(there, "sent") - waiting
        counted["messages sent to databases"] = (total(asked, "sent"), sent, under_way)
        taken = total(there, "taken")
        counted["messages taken from databases"] = (total(asked, "taken"), taken, under_way)
    return counted


def counts_text(counts: list[StationCount]) -> str:
    """Return the counts as a table for a terminal."""
    rows = [
        (
            c.section,
            c.kind,
            c.runs,
            f"{c.expected:.0f}",
            f"{c.counted:.0f}",
            f"{c.counted - c.expected:+.0f}",
            f"{c.allowed:.0f}",
            "yes" if c.agrees else "NO",
        )
        for c in counts
    ]
    names = ["section", "counted", "runs", "by generators", "there", "difference", "may be"]
    return tabulate(rows, headers=[*names, "agrees"], disable_numparse=True) or "none"
