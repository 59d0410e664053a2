"""Was all captured that passed? Checks on what was seen of a run from outside.

A packet that the capture lacks takes its whole connection from the tables, from there on. Very few
change nothing that could be told; more of them reject the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from analysis.results import PacketsResult, ParseError, read_memtier_json, read_packets
from records.files.unpacking import gunzip
from records.manifest import Manifest
from records.settings import BY_PACKETS
from records.verdict import ADVISORY, REQUIRED, Check
from remote.experiment.checks.agreement import agree
from remote.experiment.checks.check import outcome
from remote.experiment.checks.counts import sent_counts
from remote.services.capture import JOB, TABLES

PACKETS_FOR_A_LOST_ONE = 100_000
LARGEST_UNMATCHED = 0.01
_DROPPED = re.compile(r"^(\d+) packets? dropped by kernel$", re.M)


def packet_checks(folder: Path, manifest: Manifest) -> Iterator[Check]:
    """Check what was captured in the run in `folder`; nothing if nothing was to be."""
    if manifest.all_settings.observed != BY_PACKETS:
        return
    roles = manifest.roles
    seen = {
        host: read_packets(folder / host / TABLES) for host in [*roles.middlewares, *roles.servers]
    }
    for host, result in seen.items():
        yield _captured(host, folder / host / f"{JOB}.err.gz", result)
    for host in roles.middlewares:
        yield _requests_seen(host, folder, manifest, seen[host])
        yield _matched(host, seen[host])


def dropped_packets(text: str) -> int | None:
    r"""Return how many packets tcpdump says that the kernel dropped, or None if it does not say.

    The input is what it writes to standard error when it ends::

        241006 packets captured
        241006 packets received by filter
        0 packets dropped by kernel
    """
    found = _DROPPED.search(text)
    return int(found[1]) if found else None


def _captured(host: str, said: Path, result: PacketsResult) -> Check:
    """Tell of one host whether its capture is whole."""
    name = f"{host}_packets"
    dropped = dropped_packets(gunzip(said.read_bytes()).decode(errors="replace"))
    if dropped is None:
        detail = f"tcpdump on {host} did not end well: {said.name} lacks its counts"
        return outcome(name=name, passed=False, detail=detail)
    packets, holes, abandoned = (
        _told(result, count) for count in ("packets", "lost_segments", "abandoned_connections")
    )
    if _told(result, "is_cut"):
        detail = f"the capture of {host} was cut at its largest size: measure for less long"
        return outcome(name=name, passed=False, detail=detail)
    lost = dropped + holes
    return outcome(
        name=name,
        passed=not lost and not abandoned,
        detail=f"{packets} packets, {dropped} dropped by the kernel, {holes} missed in streams; "
        f"{abandoned} connections given up",
        severity=ADVISORY if lost * PACKETS_FOR_A_LOST_ONE < packets else REQUIRED,
    )


def _requests_seen(host: str, folder: Path, manifest: Manifest, result: PacketsResult) -> Check:
    """Compare the requests that a middleware was seen to answer with what generators counted."""
    sent = [
        sent_counts(
            read_memtier_json(folder / client / f"memtier-{instance}.json.gz").run,
            keys_each=1,  # only requests are compared
        )["requests"]
        for client in manifest.roles.clients
        for instance, target in enumerate(manifest.targets[client])
        if target == host
    ]
    counted = float(result.windows["requests"].sum())
    return agree(f"{host}_packets_requests", sum(sent), counted, manifest.num_clients)


def _matched(host: str, result: PacketsResult) -> Check:
    """Tell of how many requests it is known what servers were asked for them."""
    requests, unmatched = _told(result, "requests"), _told(result, "unmatched_requests")
    return outcome(
        name=f"{host}_packets_matched",
        passed=unmatched <= LARGEST_UNMATCHED * requests,
        detail=f"of {unmatched} of {requests} requests it is not known what servers were asked; "
        f"{_told(result, 'unmatched_calls')} requests at servers belong to none",
        severity=ADVISORY,
    )


def _told(result: PacketsResult, name: str) -> int:
    """Return a count of the summary; ParseError if it is missing."""
    try:
        return int(result.summary[name])
    except (KeyError, TypeError, ValueError) as exc:
        path = result.directory / "summary.json"
        raise ParseError(path, None, f"{name} is missing or no count") from exc
