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

from analysis.chapters.claims import Judged, judge_chapters
from analysis.claims.claim import Kind, Outcome
from analysis.claims.rules import Verdict
from analysis.lab.measured_study import find_studies
from analysis.tables.provenance import each_manifest
from records.files.atomic import write_whole
from records.paths import PROJECT, REFERENCE
from records.text.markdown import code_block, escape_cell, table
from records.text.words import MISSING
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
    judged = judge_chapters(campaign_dir)
    notebooks = {section.number: section for section in map(read_section, numbered_notebooks())}
    chapters = [
        (notebooks[number], chapter, _manifests(campaign_dir, chapter.asked))
        for number, chapter in judged.items()
    ]
    asked = dict.fromkeys(name for chapter in judged.values() for name in chapter.asked)
    everything = _manifests(campaign_dir, list(asked))
    rows = [
        (_link(notebook), _counted(chapter.outcomes), *_cost(manifests))
        for notebook, chapter, manifests in chapters
    ]
    rows.append(("all, what several need measured once", "", *_cost(everything)))
    overview = table(("chapter", "findings supported", "runs", "time"), rows)
    return "\n\n".join([overview, *(_chapter(*chapter) for chapter in chapters)])


def _chapter(notebook: Section, judged: Judged, manifests: Sequence[Any]) -> str:
    runs, time = _cost(manifests)
    parts = [f"### {_link(notebook)}"]
    if judged.asked:
        parts += [code_block("\n".join(_commands(judged.asked))), f"{runs} runs, {time}."]
    else:
        parts += [
            "None of it is of this campaign: the numbers are those that the studies print.",
            _MACHINES,
        ]
    kinds = {part.name: type(part) for part in notebook.parts if not isinstance(part, Prose)}
    rows = [
        (
            f"`{outcome.claim.id}`",
            outcome.claim.section,
            str(outcome.claim.kind),
            escape_cell(outcome.claim.statement),
            escape_cell(outcome.claim.rule.text),
            str(outcome.verdict),
            f"{kinds[outcome.claim.see].__name__} `{outcome.claim.see}`",
        )
        for outcome in sorted(judged.outcomes, key=lambda one: one.claim.kind != Kind.FINDING)
    ]
    headings = ("id", "section", "kind", "claim", "supported if", "in the reference", "shown by")
    return "\n\n".join([*parts, table(headings, rows)])


def _commands(asked: Sequence[str]) -> Iterator[str]:
    """Yield what measures the sections and studies that a chapter's claims ask for."""
    sections = sorted(name for name in asked if not _is_study(name))
    if sections:
        yield f".venv/bin/lab run {' '.join(sections)} {MEASURING} --campaign {MINE}"
    for name in filter(_is_study, asked):
        yield f".venv/bin/{study_command(name, MINE)} {MEASURING}"


def _is_study(name: str) -> bool:
    return "/" in name


def _manifests(campaign_dir: Path, asked: Sequence[str]) -> list[Any]:
    """Return the manifests of all attempts at sections and studies."""
    studies = find_studies(campaign_dir)
    cases = [case for name in asked if name in studies for case in sorted(studies[name].iterdir())]
    sections = [name for name in asked if not _is_study(name)]
    found = list(each_manifest(campaign_dir, sections))
    return found + [manifest for case in cases for manifest in each_manifest(case)]


def _cost(manifests: Sequence[Any]) -> tuple[str, str]:
    """Return how many attempts there were, and the time that all phases of them took."""
    minutes = round(sum(total_phases(manifests).values()) / _S_PER_MIN)
    return str(len(manifests)), f"{timedelta(minutes=minutes)}".removesuffix(":00") + " h"


def _counted(outcomes: Sequence[Outcome]) -> str:
    findings = [one for one in outcomes if one.claim.kind == Kind.FINDING]
    supported = sum(one.verdict == Verdict.SUPPORTED for one in findings)
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
