"""Did every request pass every station? Generators', middlewares' and servers' counts compared.

A set counts once at each server that it is copied to. A get counts at its server once for each of
its keys, however its keys are spread over servers. Requests that are under way when the generators
stop are counted on one side only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from analysis.results import MiddlewareResult
from analysis.results.memtier import MemtierRun
from analysis.results.packets import read_middlewares
from records.files.unpacking import gunzip
from records.manifest import Manifest
from records.settings import CONSISTENT_HASH
from records.verdict import Check
from remote.experiment.checks.agreement import agree
from remote.services.memcached import parse_stats

COUNTERS = {"sets": "cmd_set", "keys": "cmd_get"}
Counts = Mapping[str, float]


def count_checks(
    folder: Path, manifest: Manifest, generators: Sequence[MemtierRun]
) -> Iterator[Check]:
    """Compare what was counted at the stations of the run in `folder`.

    `generators` are in the order of hosts and, on each, of instances.
    """
    settings = manifest.all_settings
    keys_each = settings.multi_get_keys or 1
    sent = [sent_counts(run, keys_each) for run in generators]
    under_way = manifest.num_clients
    servers = {name: server_counts(folder / name) for name in manifest.roles.servers}
    middlewares = manifest.roles.middlewares
    targets = [t for host in manifest.roles.clients for t in manifest.targets[host]]
    if not middlewares:
        for name, counted in servers.items():
            here = [one for one, target in zip(sent, targets, strict=True) if target == name]
            yield agree(f"{name}_sets", _total(here, "sets"), counted["sets"], under_way)
            yield agree(f"{name}_keys", _total(here, "keys"), counted["keys"], under_way)
        return
    for name, result in read_middlewares(folder, manifest).items():
        here = [one for one, target in zip(sent, targets, strict=True) if target == name]
        counted = middleware_counts(result)
        yield agree(f"{name}_requests", _total(here, "requests"), counted["requests"], under_way)
        yield agree(f"{name}_sets", _total(here, "sets"), counted["sets"], under_way)
    sets, keys = _total(sent, "sets"), _total(sent, "keys")
    if settings.routing != CONSISTENT_HASH:  # sets go to all servers
        for name, counted in servers.items():
            yield agree(f"{name}_sets", sets, counted["sets"], under_way)
    else:
        copies = settings.copies
        counted_sets = _total(list(servers.values()), "sets")
        yield agree("servers_sets", copies * sets, counted_sets, copies * under_way)
    counted_keys = _total(list(servers.values()), "keys")
    yield agree("servers_keys", keys, counted_keys, keys_each * under_way)


def sent_counts(run: MemtierRun, keys_each: int) -> Counts:
    """Return what one generator counted: requests, sets, keys of gets with so many keys each."""
    sets, gets = (float(run.totals["requests"].get(kind, 0)) for kind in ("set", "get"))
    return {
        "requests": sets + gets,
        "sets": sets,
        "keys": gets * keys_each,
    }


def server_counts(folder: Path) -> Counts:
    """Return what the server whose files are in `folder` counted: sets, keys of gets."""
    before, after = (
        parse_stats(_text(folder / f"memcached-stats-{when}.txt.gz"))
        for when in ("before", "after")
    )
    return {kind: int(after[name]) - int(before[name]) for kind, name in COUNTERS.items()}


def middleware_counts(result: MiddlewareResult) -> Counts:
    """Return what a middleware counted, or who observed it: requests, sets."""
    by_type = result.windows.groupby("request_type")["requests"].sum()
    return {"requests": float(by_type.sum()), "sets": float(by_type.get("set", 0))}


def _total(counts: Sequence[Counts], kind: str) -> float:
    return sum(one[kind] for one in counts)


def _text(path: Path) -> str:
    return gunzip(path.read_bytes()).decode(errors="replace")
