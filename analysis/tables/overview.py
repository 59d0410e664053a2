"""The system and the method of a campaign, as its manifests record them, for the overview."""

from pathlib import Path
from typing import Any

import pandas as pd

from analysis.results.manifests import each_run
from analysis.results.middleware import read_summary
from analysis.results.packets import PACKETS
from analysis.tables.packed import raw_files
from analysis.tables.provenance import each_manifest
from records.manifest import Manifest
from records.verdict import ACCEPTED

# What each check asks; those of counts have the host in front.
CHECKS = {
    "exit_statuses": "programs ended as they should",
    "durations": "generators ran as long as they were told",
    "window_covered": "hosts recorded every second of the window",
    "window_inside": "window within the time that all generators ran",
    "no_misses": "no get missed",
    "no_errors": "no error reply, no lost connection",
    "requests_counts": "requests: generators and middlewares agree",
    "sets_counts": "sets: generators, middlewares and servers agree",
    "keys_counts": "keys: generators and servers agree",
    "messages_kept": "messages: sent are taken or left, exactly",
    "sent_counts": "messages sent: generators and databases agree",
    "taken_counts": "messages taken: generators and databases agree",
    "machine_not_the_limit": "machine of the lab at least 5 % idle",
    "shared_part_not_the_limit": "processors that hosts share at least 5 % idle",
    "machine_latency_small": "at most 5 % below what is emulated",
    "generator_not_cpu_bound": "generators with CPU time to spare",
    "arrivals_sent": "open loops: requests sent as asked for",
    "files_readable": "fetched files can be read",
    "live": "programs still ran when the window ended",
    "clock_offsets": "clocks of the hosts agree",
    "clock_steps": "no clock was set within the run",
    "packets": "captures lost no packet",
    "packets_matched": "captured: what servers were asked for each request",
    "packets_requests": "captured: as many requests as were sent",
    "long_enough": "window of 100 response times, warm-up of 10",
    "files_complete": "imported: a file of each generator and middleware",
    "generators_count": "imported: generators counted their requests",
    "generators_as_told": "imported: generators had the clients that the path states",
    "hosts_as_told": "imported: as many hosts as the path states",
    "littles_law_clients": "imported: Little's law at the clients, within 5 %",
    "littles_law_queue": "imported: Little's law at the queue, within 25 %",
    "no_gaps": "imported: requests in every second of the window",
    "stderr": "no program complained",
    "monitors_stderr": "no monitor complained",
}
_PROGRAMS = {
    "clients": "generator",
    "middlewares": "java",
    "servers": "memcached",
    "databases": "postgres",
}

SUMMARY = "summary.json"  # of a middleware


def checks_table(campaign_dir: Path) -> pd.DataFrame:
    """Count how often each check was passed, in all runs under load of a campaign.

    Columns: `check` (as in the manifests, hosts left out), `asks` (a few words), `severity`
    (``required``: without it a run does not count; ``advisory``), `runs`, `passed`.
    """
    columns = ["check", "asks", "severity", "runs", "passed"]
    rows = []
    for manifest in each_manifest(campaign_dir):
        own: dict[str, bool] = {}
        severity: dict[str, str] = {}
        for check in manifest.checks if manifest.generator else []:
            name = _kind(check.name)
            own[name] = own.get(name, True) and check.passed
            severity[name] = check.severity
        rows += [
            {"check": name, "severity": severity[name], "passed": passed}
            for name, passed in own.items()
        ]
    if not rows:
        return pd.DataFrame(columns=columns)
    groups = pd.DataFrame(rows).groupby("check", sort=False, as_index=False)
    table = groups.agg(
        severity=("severity", "first"), runs=("passed", "size"), passed=("passed", "sum")
    )
    return table.assign(asks=table["check"].map(CHECKS).fillna(""))[columns]


def _kind(name: str) -> str:
    """Leave out of the name of a check which host it is about."""
    return next((known for known in CHECKS if name.endswith(f"_{known}")), name)


def hosts_table(campaign_dir: Path, section: str) -> pd.DataFrame:
    """Tell what the hosts of a section were, as they said themselves when it was measured.

    Columns: `host`, `role`, `cores`, `memory_mib`, `kernel`, `tcp_congestion_control`,
    `rate_mbit_per_s` (limit of what it sends, where known), `program` (which carries the role, with
    its version).
    """
    manifest = example_manifest(campaign_dir, section)
    rates = manifest.topology.rates_mbit_per_s
    rows = []
    for role, names in manifest.roles.by_name.items():
        for name in names:
            facts: Any = manifest.hosts.get(name, {})
            rows.append(
                {
                    "host": name,
                    "role": role,
                    "cores": pd.to_numeric(facts.get("cores")),
                    "memory_mib": pd.to_numeric(facts.get("memory_mb")),
                    "kernel": facts.get("kernel"),
                    "tcp_congestion_control": facts.get("tcp_congestion_control"),
                    "rate_mbit_per_s": rates.get(name),
                    "program": facts.get(_PROGRAMS[role]),
                }
            )
    return pd.DataFrame(rows)


def example_manifest(campaign_dir: Path, section: str) -> Manifest:
    """Return the manifest of the first accepted run of a section.

    Raises
    ------
    FileNotFoundError
        No run of the section was accepted.
    """
    for _, manifest in each_run(campaign_dir, [section]):
        if manifest.status == ACCEPTED:
            return manifest
    raise FileNotFoundError(f"{campaign_dir / section} holds no accepted run")


def middleware_configuration(campaign_dir: Path, section: str) -> dict[str, Any]:
    """Return the configuration of a middleware as it recorded it itself, of the first such run.

    Of one that tells nothing itself, what packets were captured of it.

    At least `workers`, `net_threads`, `servers` (addresses), `addresses` (server to address) and
    `num_clients` are there.

    Raises
    ------
    FileNotFoundError
        No run of the section was accepted that has a middleware.
    """
    with raw_files(campaign_dir, [section], SUMMARY) as runs_dir:
        for run, manifest in each_run(runs_dir, [section]):
            proxies = manifest.roles.middlewares
            if manifest.status == ACCEPTED and proxies and manifest.window:
                tells = manifest.middleware.tells_statistics
                folder = run / proxies[0] / ("middleware" if tells else PACKETS)
                return _configured(manifest, read_summary(folder).get("configuration", {}))
    raise FileNotFoundError(f"{campaign_dir / section} holds no accepted run with a middleware")


def _configured(manifest: Manifest, recorded: dict[str, Any]) -> dict[str, Any]:
    """Complete what a middleware recorded by what it was told."""
    names = manifest.roles.servers
    told = {"net_threads": 1, **manifest.settings, **manifest.config}
    servers = recorded.get("servers", names)
    known = {"servers": servers, "addresses": dict(zip(names, servers, strict=True))}
    return {**told, **recorded, **known, "num_clients": manifest.num_clients}
