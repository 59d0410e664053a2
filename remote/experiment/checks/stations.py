"""The requests of a whole campaign, as every station counted them: none may be lost on the way.

What each run's checks recorded of its counts is added up; `lab verify` counts anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tabulate import tabulate

from records.manifest import Manifest
from remote.experiment.checks.agreement import TOLERANCE, recorded_counts

UNRECORDED = "not recorded"
SETS, KEYS, REQUESTS = "sets at servers", "keys at servers", "requests at middlewares"
KINDS = {
    "sets": SETS,
    "keys": KEYS,
    "requests": REQUESTS,
    "sent": "messages sent to databases",
    "taken": "messages taken from databases",
}
"""Names of the kinds of counts, by the last word of the check that recorded them."""


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
        return self.kind != UNRECORDED and abs(self.expected - self.counted) <= self.allowed


def station_counts(manifests: Iterable[Manifest]) -> list[StationCount]:
    """Add up what generators, middlewares and servers counted in runs under load."""
    totals: dict[tuple[str, str], list[float]] = {}
    for manifest in manifests:
        of_run = _of_run(manifest) or {UNRECORDED: (0.0, 0.0, 0.0)}
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


def _of_run(manifest: Manifest) -> dict[str, tuple[float, float, float]]:
    """Return expected, counted and allowed difference for each kind of station of a run."""
    found: dict[str, tuple[float, float]] = {}
    for check in manifest.checks:
        if (recorded := recorded_counts(check)) is None:
            continue
        station, word, numbers = recorded
        kind = KINDS.get(word)
        if kind is None or (kind == SETS and station in manifest.roles.middlewares):
            continue  # sets of a middleware are among its requests
        expected, counted = found.get(kind, (0.0, 0.0))
        found[kind] = (expected + numbers[0], counted + numbers[1])
    return {kind: (*numbers, _allowed(manifest, kind, found)) for kind, numbers in found.items()}


def _allowed(manifest: Manifest, kind: str, found: Mapping[str, tuple[float, float]]) -> float:
    """Return by how much the counts of a kind of station may differ in a run."""
    settings = manifest.all_settings
    keys_each = settings.multi_get_keys or 1
    sets, keys, requests = (found.get(kind, (0.0,))[0] for kind in (SETS, KEYS, REQUESTS))
    if REQUESTS not in found:
        requests = sets + keys / keys_each
    under_way = manifest.num_clients + TOLERANCE * requests
    if kind == SETS:
        return settings.copies * under_way
    return keys_each * under_way if kind == KEYS else under_way


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
