from pathlib import Path

from analysis.chapters.abstract.findings import FINDINGS
from analysis.chapters.claims import CHAPTERS
from analysis.claims.measurements import Measurements
from analysis.tables.provenance import summarise
from report.contents.abstract import abstract
from report.contents.notebook import Section, Table
from tests.unit.report.contents.test_appendix import DIRECT

NOTHING = Measurements({})


def test_a_campaign_that_measured_nothing_of_a_question_says_so():
    outcomes = [one for chapter in CHAPTERS.values() for one in chapter.judge(NOTHING)]
    chapter = Section(Path("02-one.ipynb"), 2, (Table(3, "02-1-limits", "Limits.", "| a |"),))
    (prose,) = abstract(NOTHING, outcomes, summarise([DIRECT]), [chapter]).parts
    _, introduction, *answers = prose.markdown.split("\n\n")
    assert "1 accepted run of campaign trial" in introduction
    assert len(answers) == len(FINDINGS)
    for finding, text in zip(FINDINGS, answers, strict=True):
        if "studies" not in finding.question:  # these have campaigns of their own
            assert text.startswith(f"**{finding.question}** *Not measured")
    assert [text.count("[Table](#02-1-limits)") for text in answers] == [0, 0, 1, 0, 0, 0, 0, 0]
