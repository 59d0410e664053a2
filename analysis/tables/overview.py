"""What a campaign's manifests say of the system and of the method, for the overview."""

from pathlib import Path
from typing import Any

import pandas as pd

from analysis.results import read_middleware
from analysis.tables.packed import raw_files
from analysis.tables.provenance import read_manifests
from analysis.tables.run import ACCEPTED, MANIFEST, read_manifest

# What each check asks; those of counts have the host in front.
CHECKS = {
    "exit_statuses": "every program ended as it should",
    "durations": "generators ran as long as they were told",
    "window_covered": "every host recorded every second of the stable window",
    "window_inside": "the window lies within the time that all generators ran",
    "no_misses": "no get missed: the servers were filled before",
    "no_errors": "no error reply, no lost connection",
    "requests_counts": "generators and middlewares counted the same requests",
    "sets_counts": "generators, middlewares and servers counted the same sets",
    "keys_counts": "generators and servers counted the same keys",
    "machine_not_the_limit": "the machine that carries the lab was not busy all the time",
    "machine_latency_small": "what is emulated would let through at most 5 % more",
    "generator_not_cpu_bound": "the generators had processor time to spare",
    "arrivals_sent": "open loop: the requests asked for were sent",
    "files_readable": "every file that was fetched can be read",
    "live": "every program was still running at the end of the window",
    "clock_offsets": "the hosts' clocks agree",
    "stderr": "no program complained",
    "monitors_stderr": "no monitor complained",
}
_PROGRAMS = {"clients": "generator", "middlewares": "java", "servers": "memcached"}


def checks_table(campaign_dir: Path) -> pd.DataFrame:
    """Count how often each check was passed, in all runs under load of a campaign.

    Returns
    -------
    pandas.DataFrame
        `check` (as in the manifests, hosts left out), `asks`, `severity` (``required``: without
        it a run does not count; ``advisory``), `runs`, `passed`.
    """
    columns = ["check", "asks", "severity", "runs", "passed"]
    rows = []
    for manifest in read_manifests(campaign_dir):
        own: dict[str, bool] = {}
        severity: dict[str, str] = {}
        for check in manifest.get("checks", []) if manifest.get("generator") else []:
            name = _kind(str(check["name"]))
            own[name] = own.get(name, True) and bool(check["passed"])
            severity[name] = str(check.get("severity", "required"))
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


def runs_words(campaign_dir: Path) -> str:
    """Say how many runs a campaign holds, and how many of them are under load."""
    manifests = read_manifests(campaign_dir)
    accepted = [manifest for manifest in manifests if manifest["status"] == ACCEPTED]
    loaded = sum(1 for manifest in accepted if manifest.get("generator"))
    return (
        f"Campaign {campaign_dir.name} holds {len(accepted)} accepted runs: {loaded} under load, "
        f"and {len(accepted) - loaded} that measure the network alone with ping and iperf, those "
        "of section 0 and some before each other section. "
        f"Rejected or failed: {len(manifests) - len(accepted)}."
    )


def _kind(name: str) -> str:
    """Leave out of the name of a check which host it is about."""
    return next((known for known in CHECKS if name.endswith(f"_{known}")), name)


def hosts_table(campaign_dir: Path, section: str) -> pd.DataFrame:
    """Tell what the hosts of a section were, as they said themselves when it was measured.

    Returns
    -------
    pandas.DataFrame
        `host`, `role`, `cores`, `memory_mib`, `kernel`, `tcp_congestion_control`, `rate_mbit_per_s`
        (limit of what it sends, where known), `program` (which carries the role, with its version).

    Raises
    ------
    FileNotFoundError
        No run of the section was accepted.
    """
    manifest = example_manifest(campaign_dir, section)
    rates = manifest["topology"]["rates_mbit_per_s"]
    rows = []
    for role, names in manifest["roles"].items():
        for name in names:
            facts = manifest.get("hosts", {}).get(name, {})
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


def example_manifest(campaign_dir: Path, section: str) -> dict[str, Any]:
    """Return the manifest of the first accepted run of a section.

    Raises
    ------
    FileNotFoundError
        No run of the section was accepted.
    """
    for path in sorted(campaign_dir.glob(f"{section}/*/*/{MANIFEST}")):
        manifest = read_manifest(path.parent)
        if manifest["status"] == ACCEPTED:
            return manifest
    raise FileNotFoundError(f"{campaign_dir / section} holds no accepted run")


def middleware_configuration(campaign_dir: Path, section: str) -> dict[str, Any]:
    """Return the configuration of a middleware as it recorded it itself, of the first such run.

    Returns
    -------
    dict
        At least `workers`, `net_threads`, `servers` (addresses), `addresses` (server to address),
        and `num_clients`.

    Raises
    ------
    FileNotFoundError
        No run of the section was accepted that has a middleware.
    """
    with raw_files(campaign_dir, [section]) as runs_dir:
        for path in sorted(runs_dir.glob(f"{section}/*/*/{MANIFEST}")):
            manifest = read_manifest(path.parent)
            proxies = manifest["roles"]["middlewares"]
            if manifest["status"] == ACCEPTED and proxies and "window" in manifest:
                summary = read_middleware(path.parent / proxies[0] / "middleware").summary
                return _configured(manifest, summary.get("configuration", {}))
    raise FileNotFoundError(f"{campaign_dir / section} holds no accepted run with a middleware")


def _configured(manifest: dict[str, Any], recorded: dict[str, Any]) -> dict[str, Any]:
    """Complete what a middleware recorded by what it was told."""
    names = manifest["roles"]["servers"]
    told = {"net_threads": 1, **manifest.get("settings", {}), **manifest["config"]}
    servers = recorded.get("servers", names)
    known = {"servers": servers, "addresses": dict(zip(names, servers, strict=True))}
    return {**told, **recorded, **known, "num_clients": manifest["num_clients"]}
