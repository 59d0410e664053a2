from pathlib import Path

from analysis.claims.claim import Claim
from analysis.claims.rules import at_least
from analysis.statistics.estimates import mean_of
from report.contents.notebook import Section, Table
from report.contents.summary import summary


def claim(statement, values, see="02-1-load", section="2.1"):
    return Claim(
        section=section,
        statement=statement,
        quantity="utilization",
        rule=at_least(0.9),
        estimate=mean_of(values),
        see=see,
    )


def test_summary_counts_verdicts_and_links_every_claim_to_its_evidence():
    numbers = {"One.": [1, 1], "Two.": [1, 1], "Three.": [0, 0]}
    claims = [claim(statement, values) for statement, values in numbers.items()]
    claims.append(claim("Four.", [], see="03-1-load"))
    claims += [
        claim(name, [], section=section) for name, section in (("Five.", "6"), ("Six.", "8"))
    ]
    chapter = Section(Path("02-baseline.ipynb"), 2, (Table(3, "02-1-load", "Load.", "| a |"),))
    text, table = summary(claims, [chapter]).parts
    assert "6 claims" in text.markdown
    assert "2 hold, of 1 the contrary was found, 3 cannot be told" in text.markdown
    assert "2 are left out: nothing was measured of sections 6, 8." in text.markdown
    rows = table.markdown.split("\n")[2:]
    assert [row.count("[Table](#02-1-load)") for row in rows] == [1, 1, 1, 0]
    for row, words in zip(rows, ("holds", "holds", "does not hold", "cannot be told"), strict=True):
        assert words in row
    assert "not measured" in rows[-1]
    assert "Five" not in table.markdown


def test_summary_of_a_campaign_that_has_measured_everything_leaves_nothing_out():
    text, _ = summary([claim("One.", [1, 1])], []).parts
    assert "left out" not in text.markdown
