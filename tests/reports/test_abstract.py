"""The first page about the reference campaign, which has measured all that it is about."""

import pytest

from analysis.chapters.abstract.systems import SYSTEMS
from analysis.chapters.claims import claims_of, measurements_of
from analysis.tables.provenance import read_provenance
from records.paths import REFERENCE
from report.contents.abstract import abstract


@pytest.mark.selected
def test_all_questions_are_answered_and_the_figure_has_all_systems():
    outcomes = claims_of(REFERENCE)
    section = abstract(measurements_of(REFERENCE), outcomes, read_provenance(REFERENCE), [])
    prose, figure = section.parts
    assert "Not measured" not in prose.markdown
    assert "{" not in prose.markdown.replace("_{max}", "")
    drawn = {name for trace in figure.spec["data"] for name in trace["y"]}
    assert drawn == set(SYSTEMS.values())
