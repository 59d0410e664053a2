"""The report's appendix: how numbers were made, where they come from, and which runs do not count.

Provenance is built from what was recorded, never from what is configured now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import pandas as pd

from analysis.figures import present
from records.manifest import Manifest
from records.verdict import ACCEPTED
from report.contents.configurations import FILES, reason_of, sections_of
from report.contents.notebook import Part, Prose, Section, Table

PATH = Path("appendix.ipynb")
LETTER = "A"
TEMPLATE = files("report") / "template"
_TEXTS = {
    "Related work": "related-work.md",
    "Glossary": "glossary.md",
    "References": "references.md",
}
_FACTS = {
    "kernel": "kernel",
    "processor": "processor",
    "cores": "cores",
    "memory (MiB)": "memory_mb",
    "congestion control": "tcp_congestion_control",
    "Java": "java",
    "generator": "generator",
    "memcached": "memcached",
}
_MOST_REASONS = 12


def appendix(manifests: Sequence[Manifest], missing: Mapping[str, Sequence[str]]) -> Section:
    """Write the appendix of a campaign.

    Parameters
    ----------
    manifests : sequence of mapping
        Of all runs of the campaign, at least one.
    missing : mapping
        Section to the labels of its runs that are not there.
    """
    method = Prose(
        1,
        f"# {LETTER} Method and provenance\n\n## {LETTER}.1 Method\n\n"
        f"{(TEMPLATE / 'method.md').read_text()}",
    )
    texts = [
        Prose(1, f"## {LETTER}.{number} {title}\n\n{(TEMPLATE / name).read_text()}")
        for number, (title, name) in enumerate(_TEXTS.items(), start=4)
    ]
    parts = (method, *_provenance(manifests), *_discarded(manifests, missing), *texts)
    return Section(PATH, LETTER, parts)


def _provenance(manifests: Sequence[Manifest]) -> Iterator[Part]:
    yield Prose(
        1,
        f"## {LETTER}.2 Provenance\n\nThe page of contents shows campaign, generator and commits. "
        "The settings of every section, the commands of its runs and "
        "the list of all runs are the last page of the report's HTML version and files beside it: "
        f"{', '.join(f'`{name}`' for name in FILES)}.",
    )
    if (hosts := _hosts(manifests)) is not None:
        yield _table(hosts, "99-hosts", "The hosts, as they described themselves.")


def _discarded(
    manifests: Sequence[Manifest], missing: Mapping[str, Sequence[str]]
) -> Iterator[Part]:
    """Count the runs of each section, and what those that do not count failed by."""
    yield Prose(1, f"## {LETTER}.3 Runs")
    counts = Counter((m.section, m.status) for m in manifests)
    others = sorted({status for _, status in counts} - {ACCEPTED})
    rows = [
        {
            "section": name,
            **{status: counts[name, status] for status in (ACCEPTED, *others)},
            "missing": len(missing.get(name, ())),
        }
        for name in sections_of(manifests)
    ]
    yield _table(pd.DataFrame(rows), "99-runs", "Runs of each section, attempts counted.")
    reasons = Counter(
        (m.section, m.status, reason_of(m).partition(":")[0])
        for m in manifests
        if m.status != ACCEPTED
    )
    if reasons:
        common = reasons.most_common(_MOST_REASONS)
        frame = pd.DataFrame(
            [(*case, number) for case, number in common],
            columns=["section", "status", "check or host", "runs"],
        )
        yield _table(frame, "99-discarded", "Why runs do not count, the most frequent reasons.")


def _hosts(manifests: Sequence[Manifest]) -> pd.DataFrame | None:
    """Return one row per host and distinct description, of what any of them told."""
    rows = [
        {"host": name, **{title: str(about.get(key, "")) for title, key in _FACTS.items()}}
        for manifest in manifests
        for name, about in manifest.hosts.items()
    ]
    if not rows:
        return None
    facts = pd.DataFrame(rows).groupby("host", as_index=False).agg(_last_known)
    facts = facts.loc[:, (facts != "").any()]
    return facts.groupby(list(facts.columns.drop("host")), as_index=False, sort=False).agg(
        {"host": " ".join}
    )[list(facts.columns)]


def _last_known(values: pd.Series) -> str:
    known = values[values != ""]
    return str(known.iloc[-1]) if len(known) else ""


def _table(frame: pd.DataFrame, name: str, caption: str) -> Table:
    shown = present.table(frame, name, caption)
    return Table(1, name, caption, shown.markdown())
