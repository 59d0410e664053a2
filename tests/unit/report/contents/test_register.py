from pathlib import Path

from analysis.claims.claim import Claim, Kind
from analysis.claims.measurements import Measurements
from analysis.claims.rules import at_least
from analysis.statistics.estimates import mean_of
from report.contents.notebook import Section, Table
from report.contents.register import register


def outcome(statement, values, see="02-1-load", section="2.1", kind=Kind.FINDING):
    claim = Claim(
        id=f"writes.{statement.lower()[:-1]}",
        section=section,
        statement=statement,
        quantity="utilization",
        rule=at_least(0.9),
        see=see,
        compute=lambda measured: mean_of(values),
        kind=kind,
    )
    return claim.judge(Measurements({}))


def test_register_counts_verdicts_and_links_every_claim_to_its_evidence():
    numbers = {"One.": [1, 1], "Two.": [1, 1], "Three.": [0, 0]}
    claims = [outcome(statement, values) for statement, values in numbers.items()]
    claims.append(outcome("Four.", [], see="03-1-load"))
    claims += [
        outcome(name, [], section=section) for name, section in (("Five.", "6"), ("Six.", "8"))
    ]
    chapter = Section(Path("02-baseline.ipynb"), 2, (Table(3, "02-1-load", "Load.", "| a |"),))
    claims.append(outcome("Law.", [1, 1], kind=Kind.VALIDITY))
    text, table, checks_text, checks = register(claims, [chapter]).parts
    assert "Of 6, 2 are supported, 1 refuted and 3 undecided." in text.markdown
    assert "Of 1, 1 are supported, 0 refuted and 0 undecided." in checks_text.markdown
    assert "Law." in checks.markdown
    assert "Law." not in table.markdown
    assert "2 are left out: nothing was measured of sections 6, 8." in text.markdown
    rows = table.markdown.split("\n")[2:]
    assert [row.count("[Table](#02-1-load)") for row in rows] == [1, 1, 1, 0]
    for row, words in zip(rows, ("supported", "supported", "refuted", "undecided"), strict=True):
        assert words in row
    assert "not measured" in rows[-1]
    assert "Five" not in table.markdown
