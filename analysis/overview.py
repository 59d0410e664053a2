"""What a campaign's manifests say of the system and of the method, for the overview."""

from pathlib import Path
from typing import Any

import pandas as pd

from analysis.packed import raw_files
from analysis.parsing import read_middleware
from analysis.provenance import ACCEPTED, read_manifests
from analysis.run import MANIFEST, read_manifest

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


OUTCOMES = ("lab_was_limit", "machine_was_busy", "machine_added_latency", "not_judged")
_PROGRAMS = {"clients": "generator", "middlewares": "java", "servers": "memcached"}


def checks_table(campaign_dir: Path) -> pd.DataFrame:
    """Count how often each check was passed, in all runs under load of a campaign.

    Returns
    -------
    pandas.DataFrame
        `check` (as in the manifests, hosts left out), `asks`, `runs`, `passed`.
    """
    rows = []
    for manifest in read_manifests(campaign_dir):
        own: dict[str, bool] = {}
        for check in manifest.get("checks", []) if manifest.get("generator") else []:
            name = _kind(str(check["name"]))
            own[name] = own.get(name, True) and bool(check["passed"])
        rows += [{"check": name, "passed": passed} for name, passed in own.items()]
    if not rows:
        return pd.DataFrame(columns=["check", "asks", "runs", "passed"])
    counts = pd.DataFrame(rows).groupby("check", sort=False)["passed"].agg(["size", "sum"])
    table = counts.reset_index().set_axis(["check", "runs", "passed"], axis="columns")
    table.insert(1, "asks", table["check"].map(CHECKS).fillna(""))
    return table


def machine_table(campaign_dir: Path) -> pd.DataFrame:
    """Count, by section, whether the emulated system was the limit of a run or the machine.

    Returns
    -------
    pandas.DataFrame
        `section`, `time_dilation`, `runs` (accepted, under load) and into what these fall:
        `lab_was_limit` (links, delays and workers alone would let through at most 5 % more, and the
        machine was not busy all the time), `machine_was_busy`, `machine_added_latency` (not busy,
        but more than 5 % below), `not_judged` (open arrivals, servers that stood still).
    """
    rows = [
        {
            "section": str(manifest["section"]),
            "time_dilation": float(manifest["topology"]["time_dilation"]),
            "outcome": _limit_of(manifest),
        }
        for manifest in read_manifests(campaign_dir)
        if manifest.get("generator") and manifest["status"] == ACCEPTED
    ]
    keys = ["section", "time_dilation"]
    if not rows:
        return pd.DataFrame(columns=[*keys, "runs", *OUTCOMES])
    counts = pd.DataFrame(rows).pivot_table(
        index=keys, columns="outcome", aggfunc="size", fill_value=0
    )
    counts = counts.reindex(columns=list(OUTCOMES), fill_value=0)
    counts.insert(0, "runs", counts.sum(axis="columns"))
    return counts.reset_index().rename_axis(columns=None)


def _limit_of(manifest: dict[str, Any]) -> str:
    passed = {str(check["name"]): bool(check["passed"]) for check in manifest["checks"]}
    if not passed.get("machine_not_the_limit", True):
        return "machine_was_busy"
    if "machine_latency_small" not in passed:
        return "not_judged"
    return "lab_was_limit" if passed["machine_latency_small"] else "machine_added_latency"


def machine_sentences(table: pd.DataFrame) -> str:
    """Say how often the machine was the limit, and where.

    Parameters
    ----------
    table
        From `machine_table`.
    """
    judged = table["runs"].sum() - table["not_judged"].sum()
    if not judged:
        return "Of no run it can be told whether the machine was its limit."
    words = [
        f"In {table['lab_was_limit'].sum()} of {judged} runs that can be judged the emulated "
        "system was the limit: links, delays and workers alone, on a machine that takes no time, "
        "would have let through at most 5\N{NO-BREAK SPACE}% more than was measured."
    ]
    if table["machine_added_latency"].any():
        words.append(
            f"In {table['machine_added_latency'].sum()} the machine's own time at every hop took "
            f"more than that ({_where(table, 'machine_added_latency')})."
        )
    if table["machine_was_busy"].any():
        words.append(
            f"In {table['machine_was_busy'].sum()} its processors were busy all the time "
            f"({_where(table, 'machine_was_busy')})."
        )
    if judged > table["lab_was_limit"].sum():
        words.append("What these show holds for this machine; a larger k would tell.")
    return " ".join(words)


def _where(table: pd.DataFrame, outcome: str) -> str:
    """Name the sections of an outcome, most runs first."""
    rows = table[table[outcome] > 0].sort_values(outcome, ascending=False, kind="stable")
    told = [
        f"{n} in section {name}" for name, n in zip(rows["section"], rows[outcome], strict=True)
    ]
    return ", ".join(told)


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
