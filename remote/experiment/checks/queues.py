"""Is every message accounted for? What databases, middlewares and generators counted, compared.

Of the databases all is exact: what was sent there since they were made was taken or is left.
Requests that are under way when the generators stop are counted on one side only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from analysis.results.files import parse_json, read_text
from analysis.results.memtier import MemtierRun
from analysis.results.packets import read_middlewares
from records.manifest import Manifest
from records.verdict import Check
from remote.experiment.checks.agreement import agree
from remote.experiment.checks.check import outcome
from remote.experiment.checks.counts import middleware_counts
from remote.experiment.queues.databases import COUNTS

OPERATIONS = ("send", "pop", "peek", "list")
Counts = Mapping[str, float]


def message_checks(
    folder: Path, manifest: Manifest, generators: Sequence[MemtierRun]
) -> Iterator[Check]:
    """Compare what was counted at the stations of the run in `folder`.

    `generators` are in the order of hosts and, on each, of instances.
    """
    sent = [asked_counts(run) for run in generators]
    targets = [t for host in manifest.roles.clients for t in manifest.targets[host]]
    under_way, waiting = manifest.num_clients, stocked(manifest)
    for name, result in read_middlewares(folder, manifest).items():
        here = [one for one, target in zip(sent, targets, strict=True) if target == name]
        # One of the middlewares has also passed on the messages that waited at the start.
        of_stock = waiting if name == manifest.roles.middlewares[0] else 0
        passed = middleware_counts(result)["requests"] - of_stock
        yield agree(f"{name}_requests", total(here, "requests"), passed, under_way)
    databases = {name: database_counts(folder / name) for name in databases_of(manifest)}
    if not databases:
        return
    for name, counted in databases.items():
        yield outcome(
            name=f"{name}_messages_kept",
            passed=counted["sent"] == counted["taken"] + counted["left"],
            detail=f"{counted['sent']} messages were sent, {counted['taken']} taken and "
            f"{counted['left']} are left",
        )
    there = list(databases.values())
    yield agree("databases_sent", total(sent, "sent"), total(there, "sent") - waiting, under_way)
    yield agree("databases_taken", total(sent, "taken"), total(there, "taken"), under_way)


def asked_counts(run: MemtierRun) -> Counts:
    """Return what one generator counted: requests, messages sent, messages taken."""
    requests = {kind: float(run.totals["requests"].get(kind, 0)) for kind in OPERATIONS}
    taken = 0.0
    if requests["pop"]:
        hits, misses = (float(run.totals[name]["pop"]) for name in ("hits_per_s", "misses_per_s"))
        taken = requests["pop"] * hits / ((hits + misses) or 1.0)
    return {"requests": sum(requests.values()), "sent": requests["send"], "taken": taken}


def database_counts(folder: Path) -> Counts:
    """Return what the database whose files are in `folder` counted: sent, taken, left."""
    path = folder / f"{COUNTS}.gz"
    counted = parse_json(path, read_text(path))
    return {kind: int(counted[kind]) for kind in ("sent", "taken", "left")}


def databases_of(manifest: Manifest) -> list[str]:
    """Return the databases' hosts; none where middlewares echo."""
    return list(manifest.roles.databases)


def stocked(manifest: Manifest) -> int:
    """Return how many messages waited in the databases when clients began."""
    return manifest.all_settings.queued_messages if databases_of(manifest) else 0


def total(counts: Sequence[Counts], kind: str) -> float:
    """Return the sum of one kind of count."""
    return sum(one[kind] for one in counts)
