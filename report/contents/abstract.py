"""The report's first page: what was measured, the findings that matter most, and one figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from analysis.chapters.abstract.findings import FINDINGS, answer, evidence
from analysis.chapters.abstract.plots import plot_overview
from analysis.chapters.abstract.systems import capacities, times_at_smallest_load
from analysis.claims.claim import Outcome
from analysis.claims.measurements import Measurements
from analysis.figures import present
from analysis.tables.provenance import Provenance
from records.text.words import counted
from report.contents.notebook import Figure, Part, Prose, Section
from report.contents.numbering import kinds_of_parts

PATH = Path("index.ipynb")
LETTER = "S"
OVERVIEW = "97-overview"
CAPTION = (
    "Throughput at the largest load beside its asymptotic bound, with 95 % confidence intervals, "
    "and the time of a set at the smallest load; with the most workers that were measured."
)


def abstract(
    measured: Measurements,
    outcomes: Sequence[Outcome],
    provenance: Provenance,
    chapters: Sequence[Section],
) -> Section:
    """Write the first page about a campaign.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Of all claims about the campaign.
    chapters : sequence of Section
        Those that hold the claims' evidence; what is not in them is not linked.
    """
    shown = kinds_of_parts(chapters)
    by_id = {outcome.claim.id: outcome for outcome in outcomes}
    parts: list[Part] = [Prose(1, _text(measured, by_id, provenance, shown), of_data=True)]
    if (figure := _overview(measured)) is not None:
        parts.append(figure)
    return Section(PATH, LETTER, tuple(parts))


def _text(
    measured: Measurements,
    outcomes: dict[str, Outcome],
    provenance: Provenance,
    shown: dict[str, str],
) -> str:
    lines = [f"# {LETTER} Summary", _introduction(provenance)]
    for finding in FINDINGS:
        sentences = answer(finding, outcomes, measured) or ["*Not measured.*"]
        links = [
            f"[{shown[name]}](#{name})" for name in evidence(finding, outcomes) if name in shown
        ]
        where = f" ({', '.join(links)})" if links else ""
        lines.append(f"**{finding.question}** {' '.join(sentences)}{where}")
    return "\n\n".join(lines)


def _introduction(provenance: Provenance) -> str:
    hosts = " and ".join(provenance.fleets)
    return (
        "This report measures a memcached middleware: a proxy whose workers take requests of "
        "closed-loop clients from one queue and send gets to one memcached server, and sets to "
        f"all. It rests on {counted(provenance.num_accepted, 'accepted run')} of campaign "
        f"{provenance.campaign}, on {hosts}. Square brackets hold 95 % confidence intervals over "
        "repetitions. Statements that this campaign does not support are in italics."
    )


def _overview(measured: Measurements) -> Figure | None:
    reached, times = capacities(measured), times_at_smallest_load(measured)
    if reached.empty or times.empty:
        return None
    shown = present.figure(plot_overview(reached, times), OVERVIEW, CAPTION)
    bundle, _ = shown.interactive()
    return Figure(1, OVERVIEW, CAPTION, bundle[present.PLOTLY_MIME], None, shown.footnote)
