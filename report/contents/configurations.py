"""What every section was set to and which commands ran, from the manifests: a page and tables.

Built from what was recorded, never from what is configured now: it stays true for an old campaign.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.figures import present
from records.manifest import Manifest
from records.settings import CONSISTENT_HASH, SETTINGS
from records.text.markdown import code_block, escape_all
from records.verdict import ACCEPTED, PILOT
from report.contents.commands import (
    examples,
    monitor_commands,
    named_jobs,
    run_commands,
    server_commands,
    under_load,
)
from report.contents.notebook import Part, Prose, Section, Table

PATH = Path("configurations.ipynb")
LETTER = "C"
FILES = ("configurations.csv", "commands.csv", "runs.csv")
_LABELS = {
    **{name: setting.heading for name, setting in SETTINGS.items()},
    "num_clients": "Clients in all",
    "kind": "Kind",
}
_DURATIONS = {
    "warm_up_s": "Warm-up (s)",
    "stable_s": "Stable window (s)",
    "cool_down_s": "Cool-down (s)",
}


def configurations(manifests: Sequence[Manifest]) -> Section:
    """Write the page of a campaign's configurations and commands; no part of the PDF.

    Parameters
    ----------
    manifests : sequence of mapping
        Of all runs of the campaign, at least one.
    """
    title = Prose(
        1,
        f"# {LETTER} Configurations and commands\n\nWhat was run, as the manifests of the runs "
        "record it. Seconds are those of the clock. The same stands in "
        f"{', '.join(f'[{name}]({name})' for name in FILES)}.",
    )
    parts: list[Part] = [title, *_shared(manifests), Prose(1, f"## {LETTER}.2 Sections")]
    for name in sections_of(manifests):
        parts += _section([m for m in manifests if m.section == name], name)
    return Section(PATH, LETTER, tuple(parts), web_only=True)


def configuration_files(manifests: Sequence[Manifest]) -> dict[str, pd.DataFrame]:
    """Return the same as tables, by file name.

    Returns
    -------
    dict
        ``configurations.csv``: `section`, `parameter`, `value`; ``commands.csv``: `section`,
        `configuration`, `host`, `job`, `command`, of one run of each topology; ``runs.csv``: every
        run with `section`, `configuration`, `repetition`, `attempt`, `status`, `reason`.
    """
    settings = []
    commands = []
    for name in sections_of(manifests):
        own = [m for m in manifests if m.section == name]
        settings.append(_configuration(own).assign(section=name))
        for shown in examples(under_load(own) or own):
            commands += [
                {
                    "section": name,
                    "configuration": configuration_text(shown),
                    "host": job.host,
                    "job": job.name,
                    "command": job.command,
                }
                for job in shown.jobs
            ]
    columns = ["section", "configuration", "host", "job", "command"]
    tables = (
        pd.concat(settings)[["section", "parameter", "value"]],
        pd.DataFrame(commands, columns=columns),
        pd.DataFrame([_run(manifest) for manifest in manifests]),
    )
    return dict(zip(FILES, tables, strict=True))


def sections_of(manifests: Iterable[Manifest]) -> list[str]:
    """Return the sections of runs in the order of their numbers."""
    return sorted({manifest.section for manifest in manifests}, key=_order)


def configuration_text(manifest: Manifest) -> str:
    """Write the levels of a run's factors, ``workload=get, workers=8``."""
    return _listed(f"{k}={v}" for k, v in manifest.config.items())


def reason_of(manifest: Manifest) -> str:
    """Say why a run does not count; empty for one that does."""
    if manifest.status == ACCEPTED:
        return ""
    failed = [check for check in manifest.checks if not check.passed]
    reasons = [f"{check.name}: {check.detail}".rstrip(": ") for check in failed]
    return _error(manifest) or "; ".join(reasons) or "not recorded"


def _run(manifest: Manifest) -> dict[str, object]:
    return {
        "section": manifest.section,
        "configuration": configuration_text(manifest),
        "repetition": manifest.repetition,
        "attempt": manifest.attempt,
        "status": manifest.status,
        "reason": reason_of(manifest),
    }


def _shared(manifests: Sequence[Manifest]) -> Iterator[Part]:
    """Tell what is the same in all runs under load."""
    yield Prose(1, f"## {LETTER}.1 What all runs have in common")
    loaded = under_load(manifests)
    if not loaded:
        yield Prose(1, "No run put load on the system.")
        return
    shown = max(loaded, key=lambda manifest: len(manifest.jobs))
    yield Prose(
        1,
        "A server is started once for all runs of a section, and filled by a client before gets "
        "and again before the values would expire. Both stand in no manifest; this is how it is "
        f"done, with the sizes of section {escape_all(shown.section)}:",
    )
    yield Prose(1, code_block(server_commands(shown)))
    for what, command in monitor_commands(shown):
        yield Prose(1, f"Every second a host records {what}; for instance")
        yield Prose(1, code_block(command))
    yield Prose(
        1,
        'These monitors are left out below. Runs "of the network" come before those under load: '
        "one iperf3 stream over each link that the section uses.",
    )


def _section(manifests: Sequence[Manifest], name: str) -> Iterator[Part]:
    loaded = under_load(manifests) or list(manifests)
    title = f"{name}: {loaded[0].title}".rstrip(": ")
    yield Prose(1, f"### Section {escape_all(title)}", of_data=True)
    yield _table(
        _configuration(manifests),
        f"99-configuration-{name.replace('.', '-')}",
        f"Configuration of section {name}.",
    )
    for shown in examples(loaded):
        if commands := run_commands(shown):
            config = ", ".join(f"{key} = {value}" for key, value in shown.config.items())
            text = f"Commands of one run ({escape_all(config)}), one host of each role:"
            yield Prose(1, text, of_data=True)
            yield Prose(1, code_block(commands))


def _configuration(manifests: Sequence[Manifest]) -> pd.DataFrame:
    """List all that the runs under load were set to, levels of all of them."""
    loaded = under_load(manifests) or list(manifests)
    rows = {f"Hosts: {role}": _hosts_of(loaded, role) for role in loaded[0].roles.by_name}
    factors = {name for manifest in loaded for name in manifest.config}
    needless = {
        *(() if CONSISTENT_HASH in _levels(loaded, "routing") else ("replicas",)),
        *(() if _levels(loaded, "multi_get_keys") else ("sharded",)),
        *(name for name, setting in SETTINGS.items() if setting.table == "hosts"),  # above
    }
    for name, label in _LABELS.items():
        levels = _levels(loaded, name)
        if levels and (name in factors or name not in needless):
            rows[f"Factor: {label}" if name in factors else label] = _listed(levels)
    rows["Network"] = "; ".join(dict.fromkeys(_network(manifest) for manifest in loaded))
    if pauses := loaded[0].plan.get("pauses"):
        rows["Server pauses"] = "; ".join(
            f"server {pause['server']} at {pause['at_s']:g} s for {pause['for_s']:g} s"
            for pause in pauses
        )
    for key, label in _DURATIONS.items():
        told = [one.durations for one in loaded if "durations" in one.model_fields_set]
        if known := _listed(dict.fromkeys(getattr(durations, key) for durations in told)):
            rows[label] = known
    rows["Runs"] = _runs(manifests)
    return pd.DataFrame({"parameter": rows.keys(), "value": rows.values()})


def _levels(manifests: Sequence[Manifest], name: str) -> list[Any]:
    """Distinct levels of a setting, be it a factor, a constant or what follows from others."""
    found = [
        manifest.model_dump(include={name}, exclude_unset=True)
        | manifest.settings
        | manifest.config
        for manifest in manifests
    ]
    return [level for level in dict.fromkeys(one.get(name) for one in found) if level is not None]


def _hosts_of(manifests: Sequence[Manifest], role: str) -> str:
    named = [" ".join(manifest.roles.by_name.get(role, [])) or "none" for manifest in manifests]
    return ", or ".join(dict.fromkeys(named))


def _network(manifest: Manifest) -> str:
    topology = manifest.topology
    return f"{topology.name}, time dilation k = {topology.time_dilation:g}"


def _runs(manifests: Sequence[Manifest]) -> str:
    accepted = [manifest for manifest in manifests if manifest.status == ACCEPTED]
    loaded = len(under_load(accepted))
    both = f"{loaded} under load and {len(accepted) - loaded} of the network"
    counted = both if loaded and loaded < len(accepted) else str(len(accepted))
    discarded = sum(manifest.status not in (ACCEPTED, PILOT) for manifest in manifests)
    return f"{counted} accepted, {discarded} rejected or failed"


def _error(manifest: Manifest) -> str:
    """Return the error with its jobs by name, as it is told now.

    Older manifests count jobs as hosts, and end a sentence twice.
    """
    error = named_jobs(manifest.error, manifest)
    return re.sub(r"^\d+ of \d+ hosts failed:\s*", "", error).replace(".. ", ". ")


def _table(frame: pd.DataFrame, name: str, caption: str) -> Table:
    shown = present.table(frame, name, caption)
    return Table(1, name, caption, shown.markdown())


def _listed(values: Any) -> str:
    known = [value for value in values if value is not None]
    with_order = sorted(known) if all(isinstance(v, int | float) for v in known) else known
    return ", ".join(_text(value) for value in with_order)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _order(section: str) -> tuple[str, list[int]]:
    """Chapters come in the order of their numbers, then those with a letter, such as q1."""
    letters = section.rstrip("0123456789.")
    numbers = section.removeprefix(letters).split(".")
    return letters, [int(number) for number in numbers if number]
