"""Verdicts follow from the campaign's numbers and the studies'."""

import pandas as pd
import pytest

from analysis.claims.counterparts.compared import COMPARISONS, compared
from analysis.claims.counterparts.judged import (
    NOT_MEASURED,
    Counterpart,
    judged_counterparts,
    together,
)
from analysis.claims.counterparts.listed import listed_counterparts
from tests.helpers.campaign import build_campaign

pytestmark = pytest.mark.slow  # chapter 10, which `make test` checks, shows the same


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A campaign of section 2.1 alone: its gets are the studies', its sets Schmid's alone."""
    return judged_counterparts(
        build_campaign(
            tmp_path_factory.mktemp("one"), sections=["2.1"], clients_per_thread=(12, 32)
        )
    )


def of(judged: pd.DataFrame, study: str, place: str) -> pd.Series:
    (row,) = judged[(judged["study"] == study) & (judged["place"] == place)].to_dict("records")
    return row


def test_nothing_that_is_listed_gets_lost(judged):
    listed = listed_counterparts()
    assert judged[["study", "place", "see"]].equals(listed[["study", "place", "see"]])
    assert set(judged["verdict"]) <= set(Counterpart)


def test_numbers_within_ten_percent_are_reproduced(judged):
    row = of(judged, "schmid2018", "table 2")
    assert (row["numbers"], row["near"]) == (2, 2)
    assert (row["verdict"], row["reason"]) == (Counterpart.REPRODUCED, "")
    assert 0.9 <= row["ratio_from"] <= row["ratio_to"] <= 1.1


def test_others_differ_for_a_reason_with_its_verdict(judged):
    row = of(judged, "yenicelik2018", "section 2.3, table")
    assert (row["numbers"], row["near"]) == (2, 1)
    assert row["verdict"] == Counterpart.UNEXPLAINED
    assert row["reason"].startswith("2.1: One server: the three clients' links limit sets (")


def test_a_figure_is_of_its_section_and_workload(judged):
    gets = of(judged, "yenicelik2018", "figures of section 2.1, gets")
    assert (gets["numbers"], gets["verdict"]) == (1, Counterpart.REPRODUCED)


def test_what_was_not_measured_cannot_be_compared(judged):
    row = of(judged, "schmid2018", "table 6")
    assert (row["verdict"], row["reason"]) == (Counterpart.CANNOT, NOT_MEASURED)
    assert pd.isna(row["numbers"])


def test_what_follows_from_printed_numbers_needs_no_campaign(judged):
    row = of(judged, "su2015", "table 5")
    assert row["verdict"] == Counterpart.REPRODUCED
    assert row["reason"] == "from the study's own numbers"


def test_rows_of_one_verdict_stand_together(judged):
    table = together(judged)
    assert len(table) < len(judged) / 2
    conditions = table[table["verdict"].str.endswith("it holds conditions and no results")]
    assert len(conditions) == 4  # all studies but Su's print them
    assert conditions["places"].iloc[0].startswith("section 2.1, configuration table; section 2.2,")


def test_an_empty_campaign_is_compared_with_nothing(tmp_path):
    for name, (sections, _) in COMPARISONS.items():
        assert compared(name, tmp_path).empty == bool(sections), name
    with pytest.raises(ValueError, match="comparison must be one of"):
        compared("everything", tmp_path)
