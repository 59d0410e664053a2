"""Write docs/artifact.md, for those who evaluate the artifact: `make artifact`.

Each claim, the commands that measure what it is about, the time that they took in the reference
campaign, and the figure or table that shows it. Made of what checks the claims, of the notebooks
and of manifests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from analysis.chapters.claims import findings_of
from analysis.claims.claim import Claim, Kind
from analysis.claims.findings import Findings
from analysis.claims.rules import Verdict
from analysis.lab.measured_study import held_studies
from analysis.paths import PROJECT, REFERENCE
from analysis.tables.provenance import each_manifest
from analysis.text.formatting import MISSING
from analysis.text.markdown import code_block, escape_cell, table
from analysis.whole_files import write_whole
from remote.phases import total_phases
from report.contents.absent import study_command
from report.contents.notebook import Prose, Section, read_section
from report.make import numbered_notebooks

DOCUMENT = PROJECT / "docs" / "artifact.md"
BEGIN, END = "<!-- claims of make artifact -->\n", "<!-- end of claims -->"
MINE = "mine"
MEASURING = "--own-lab --profile quick"
_MACHINES = (
    "What the lab does with the studies' processors is of "
    "[campaigns of their own](../examples/studies-machines/README.md)."
)
_S_PER_MIN = 60


def claims_text(campaign_dir: Path) -> str:
    """Return the generated part of the page.

    Parameters
    ----------
    campaign_dir : Path
        The campaign whose times and verdicts are told; it holds what all chapters are about.

    Raises
    ------
    ReportError
        A notebook was not executed to its end.
    ParseError
        A manifest, or a file that tables are made of, is damaged.
    """
    found = findings_of(campaign_dir)
    notebooks = {section.number: section for section in map(read_section, numbered_notebooks())}
    chapters = [
        (notebooks[number], findings, _manifests(campaign_dir, list(findings.asked)))
        for number, findings in found.items()
    ]
    asked = dict.fromkeys(name for findings in found.values() for name in findings.asked)
    everything = _manifests(campaign_dir, list(asked))
    rows = [
        (_link(notebook), _counted(findings.claims), *_cost(manifests))
        for notebook, findings, manifests in chapters
    ]
    rows.append(("all, what several need measured once", "", *_cost(everything)))
    overview = table(("chapter", "findings supported", "runs", "time"), rows)
    return "\n\n".join([overview, *(_chapter(*chapter) for chapter in chapters)])


def _chapter(notebook: Section, found: Findings, manifests: Sequence[Any]) -> str:
    runs, time = _cost(manifests)
    parts = [f"### {_link(notebook)}"]
    if found.asked:
        parts += [code_block("\n".join(_commands(found))), f"{runs} runs, {time}."]
    else:
        parts += [
            "None of it is of this campaign: the numbers are those that the studies print.",
            _MACHINES,
        ]
    kinds = {part.name: type(part) for part in notebook.parts if not isinstance(part, Prose)}
    rows = [
        (
            claim.section,
            str(claim.kind),
            escape_cell(claim.statement),
            escape_cell(claim.rule.text),
            str(claim.verdict),
            f"{kinds[claim.see].__name__} `{claim.see}`",
        )
        for claim in sorted(found.claims, key=lambda claim: claim.kind != Kind.FINDING)
    ]
    headings = ("section", "kind", "claim", "supported if", "in the reference", "shown by")
    return "\n\n".join([*parts, table(headings, rows)])


def _commands(found: Findings) -> Iterator[str]:
    """Yield what measures the sections and studies that a chapter's claims ask for."""
    sections = sorted(name for name in found.asked if not _is_study(name))
    if sections:
        yield f".venv/bin/lab run {' '.join(sections)} {MEASURING} --campaign {MINE}"
    for name in filter(_is_study, found.asked):
        yield f".venv/bin/{study_command(name, MINE)} {MEASURING}"


def _is_study(name: str) -> bool:
    return "/" in name


def _manifests(campaign_dir: Path, asked: Sequence[str]) -> list[Any]:
    """Return the manifests of all attempts at sections and studies."""
    studies = held_studies(campaign_dir)
    cases = [case for name in asked if name in studies for case in sorted(studies[name].iterdir())]
    sections = [name for name in asked if not _is_study(name)]
    found = list(each_manifest(campaign_dir, sections))
    return found + [manifest for case in cases for manifest in each_manifest(case)]


def _cost(manifests: Sequence[Any]) -> tuple[str, str]:
    """Return how many attempts there were, and the time that all phases of them took."""
    minutes = round(sum(total_phases(manifests).values()) / _S_PER_MIN)
    return str(len(manifests)), f"{timedelta(minutes=minutes)}".removesuffix(":00") + " h"


def _counted(claims: Sequence[Claim]) -> str:
    findings = [claim for claim in claims if claim.kind == Kind.FINDING]
    supported = sum(claim.verdict == Verdict.SUPPORTED for claim in findings)
    return f"{supported} of {len(findings)}" if findings else MISSING


def _link(notebook: Section) -> str:
    """Return a notebook's title, that leads to it."""
    title = next(part.markdown for part in notebook.parts if isinstance(part, Prose))
    return f"[{title.splitlines()[0].removeprefix('# ')}](../notebooks/{notebook.path.name})"


def main() -> None:
    """Write the page anew."""
    before, rest = DOCUMENT.read_text().split(BEGIN)
    text = f"{before}{BEGIN}\n{claims_text(REFERENCE)}\n\n{END}{rest.split(END)[1]}"
    write_whole(DOCUMENT, text.encode())
    click.echo(f"{DOCUMENT}: written")


if __name__ == "__main__":
    main()
