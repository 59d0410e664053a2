from analysis.claims.claim import Claim
from analysis.claims.rules import at_least
from analysis.statistics.estimates import mean_of
from report.contents.summary import summary


def claim(statement, values):
    return Claim(
        section="2.1",
        statement=statement,
        quantity="utilization",
        rule=at_least(0.9),
        estimate=mean_of(values),
    )


def test_summary_counts_verdicts_and_shows_every_claim():
    numbers = {"One.": [1, 1], "Two.": [1, 1], "Three.": [0, 0], "Four.": []}
    claims = [claim(statement, values) for statement, values in numbers.items()]
    text, table = summary(claims, {"2.1": "02-baseline.ipynb"}).parts
    assert "4 claims" in text.markdown
    assert "2 hold, of 1 the contrary was found, and 1 cannot be told" in text.markdown
    assert [line.count("One.") for line in table.markdown.split("\n")].count(1) == 1
    assert table.markdown.count("| [2.1](02-baseline.ipynb) |") == 4
    for words in ("Three.", "does not hold", "cannot be told", "not measured"):
        assert words in table.markdown
