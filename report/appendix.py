"""The report's appendix, from the manifests: how every section was configured, where it ran.

Built from what was recorded, never from what is configured now: it stays true for an old campaign.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis import present
from analysis.provenance import ACCEPTED, summarise
from report.notebook import Part, Prose, Section, Table

PATH = Path("appendix.ipynb")
LETTER = "A"
_CONSTANT = {
    "instances_per_client": "Instances of the generator per client machine",
    "threads_per_instance": "Threads per instance",
    "value_bytes": "Value size (B)",
    "key_count": "Key space (keys)",
    "think_time_s": "Think time (s)",
}
_FACTS = {
    "kernel": "kernel",
    "cores": "cores",
    "memory (MB)": "memory_mb",
    "congestion control": "tcp_congestion_control",
    "Java": "java",
    "generator": "generator",
    "memcached": "memcached",
}


def appendix(
    manifests: Sequence[Mapping[str, Any]], missing: Mapping[str, Sequence[str]]
) -> Section:
    """Write the appendix of a campaign.

    Parameters
    ----------
    manifests : sequence of mapping
        Of all runs of the campaign, at least one.
    missing : mapping
        Section to the labels of its runs that are not there.
    """
    title = Prose(
        1,
        f"# {LETTER} Configurations and provenance\n\nWhat was run, as the manifests of the runs "
        "record it: any number of this report can be measured again from here.",
    )
    parts: list[Part] = [title, Prose(1, f"## {LETTER}.1 Configurations")]
    for name in sorted({str(manifest["section"]) for manifest in manifests}, key=_order):
        parts += _section([m for m in manifests if m["section"] == name], name)
    return Section(PATH, LETTER, (*parts, *_provenance(manifests, missing)))


def _section(manifests: Sequence[Mapping[str, Any]], name: str) -> Iterator[Part]:
    shown = _example(manifests)
    yield Prose(1, f"### Section {name}: {shown.get('title', '')}".rstrip(": "))
    yield _table(
        _configuration(manifests, shown),
        f"99-configuration-{name.replace('.', '-')}",
        f"Configuration of section {name}.",
    )
    if commands := _commands(shown):
        config = ", ".join(f"{key} = {value}" for key, value in shown["config"].items())
        yield Prose(1, f"Commands of one run ({config}), one host of each role:")
        yield Prose(1, f"```\n{commands}\n```")


def _configuration(
    manifests: Sequence[Mapping[str, Any]], shown: Mapping[str, Any]
) -> pd.DataFrame:
    topology, durations = shown["topology"], shown.get("durations", {})
    levels = {
        factor: list(dict.fromkeys(m["config"].get(factor) for m in manifests))
        for factor in shown["config"]
    }
    accepted = sum(manifest["status"] == ACCEPTED for manifest in manifests)
    rows = {
        **{f"Hosts: {role}": " ".join(hosts) or "none" for role, hosts in shown["roles"].items()},
        **{f"Factor: {factor}": _listed(values) for factor, values in levels.items()},
        **{label: shown[key] for key, label in _CONSTANT.items() if key in shown},
        "Network": f"{topology['name']}, time dilation k = {topology['time_dilation']:g}",
        **{key.replace("_", " ").capitalize(): value for key, value in durations.items()},
        "Runs": f"{accepted} accepted, {len(manifests) - accepted} rejected or failed",
    }
    return pd.DataFrame({"parameter": rows.keys(), "value": [str(v) for v in rows.values()]})


def _commands(manifest: Mapping[str, Any]) -> str:
    first = [hosts[0] for hosts in manifest["roles"].values() if hosts]
    jobs = sorted(manifest.get("jobs", []), key=lambda job: (job["host"], job["name"]))
    return "\n\n".join(f"{j['host']}$ {j['command']}" for j in jobs if j["host"] in first)


def _provenance(
    manifests: Sequence[Mapping[str, Any]], missing: Mapping[str, Sequence[str]]
) -> Iterator[Part]:
    yield Prose(1, f"## {LETTER}.2 Provenance")
    facts = pd.DataFrame(summarise(manifests).facts(), columns=["what", "value"])
    yield _table(facts, "99-provenance", "Where the numbers of this report come from.")
    if (hosts := _hosts(manifests)) is not None:
        yield _table(hosts, "99-hosts", "The hosts, as they described themselves.")
    yield Prose(1, f"## {LETTER}.3 Runs that do not count")
    discarded = [m for m in manifests if m["status"] != ACCEPTED]
    if discarded:
        rows = pd.DataFrame([_discarded(manifest) for manifest in discarded])
        yield _table(rows, "99-discarded", "Runs that were rejected or failed, and why.")
    else:
        yield Prose(1, "No run was rejected, none failed.")
    for name, labels in missing.items():
        if labels:
            listed = "\n".join(f"- `{label}`" for label in labels)
            yield Prose(1, f"Missing of section {name} ({len(labels)} runs):\n\n{listed}")


def _hosts(manifests: Sequence[Mapping[str, Any]]) -> pd.DataFrame | None:
    """Return one row per host and distinct description."""
    rows = [
        {"host": name, **{title: str(about.get(key, "")) for title, key in _FACTS.items()}}
        for manifest in manifests
        for name, about in manifest.get("hosts", {}).items()
    ]
    if not rows:
        return None
    facts = pd.DataFrame(rows).groupby("host", as_index=False).agg(_last_known)
    return facts.groupby(list(facts.columns.drop("host")), as_index=False, sort=False).agg(
        {"host": " ".join}
    )[list(facts.columns)]


def _last_known(values: pd.Series) -> str:
    known = values[values != ""]
    return str(known.iloc[-1]) if len(known) else ""


def _discarded(manifest: Mapping[str, Any]) -> dict[str, object]:
    failed = [c for c in manifest.get("checks", []) if not c["passed"]]
    reasons = [f"{check['name']}: {check.get('detail', '')}".rstrip(": ") for check in failed]
    return {
        "section": manifest["section"],
        "configuration": _listed(f"{k}={v}" for k, v in manifest["config"].items()),
        "repetition": manifest["repetition"],
        "status": manifest["status"],
        "reason": manifest.get("error") or "; ".join(reasons) or "not recorded",
    }


def _example(manifests: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the manifest of an accepted run at the largest load."""
    accepted = [m for m in manifests if m["status"] == ACCEPTED] or list(manifests)
    return max(accepted, key=lambda manifest: manifest.get("num_clients", 0))


def _table(frame: pd.DataFrame, name: str, caption: str) -> Table:
    shown = present.table(frame, name, caption)
    return Table(1, name, caption, shown.markdown())


def _listed(values: Any) -> str:
    known = [value for value in values if value is not None]
    with_order = sorted(known) if all(isinstance(v, int | float) for v in known) else known
    return ", ".join(str(value) for value in with_order)


def _order(section: str) -> list[int]:
    return [int(part) for part in section.split(".") if part.isdigit()]
