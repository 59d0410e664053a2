"""The claims of chapter 7, on a synthetic campaign that saturates where its links do."""

import pandas as pd
import pytest

from analysis.chapters.queueing_models import claims as chapter
from analysis.claims.findings import Findings
from analysis.claims.rules import Verdict

pytestmark = pytest.mark.slow

SECTIONS = ("3.1", "3.2")


@pytest.fixture(scope="module")
def tables(synthetic):
    return {name: synthetic(name) for name in ("0", *SECTIONS)}


def claims(held):
    found = Findings(held)
    chapter.check(found)
    return {claim.statement: claim for claim in found.claims}


def test_cells_that_judge_are_split_by_whether_a_full_link_is_expected(tables):
    full, others = [claim for claim in claims(tables).values() if claim.section == "7.2"]
    assert (full.estimate.value, others.estimate.value) == (1, 0.8)
    assert others.instead == "1 of 5 miss: set 192 clients 8 workers"


def test_other_sections_are_predicted_from_3_1(tables):
    (claim,) = [c for c in claims(tables).values() if c.section == "7.6"]
    assert claim.instead.startswith("2 of 4 miss: ")  # the largest load of 3.2, two workloads


def test_claims_are_the_same_whatever_was_measured(tables):
    everything, one, none = claims(tables), claims({"3.1": tables["3.1"]}), claims({})
    assert list(everything) == list(one) == list(none)
    assert {claim.verdict for claim in none.values()} == {Verdict.UNDECIDED}
    assert all(len(statement) <= 120 for statement in everything)
    assert all(len(claim.quantity) <= 80 for claim in everything.values())


def open_arrivals(monkeypatch, **errors):
    """Return the claims of 7.5 about stations whose models have these errors at each rate."""
    frames = {
        station: pd.concat(
            pd.DataFrame(
                {"model": model, "arrival_rate_per_s": [100, 200, 300], "relative_error": own}
            )
            for model, own in models.items()
        )
        for station, models in errors.items()
    }
    monkeypatch.setattr(chapter, "compare_open", lambda station: frames[station])
    monkeypatch.setattr(chapter, "link_center", lambda tables: "link")
    monkeypatch.setattr(chapter, "workers_center", lambda tables, workers: f"w{workers}")
    found = Findings({"7": object()})
    chapter._open_arrivals(found)
    return found.claims


def test_errors_of_open_queues_do_not_cancel_over_rates(monkeypatch):
    link = {"M/M/1": [0.5, 0.6, None], "M/D/1": [-0.4, 0.5, 0.1]}
    one = {"M/G/1": [0.3, 0.0, -0.3], "M/M/1": [0.0, 0.0, 0.0]}
    _, worker, workers = open_arrivals(monkeypatch, link=link, w1=one, w8={"M/M/8": [0.1, 0, -0.1]})
    assert worker.told == "refuted: 2 of 3 miss: 100 requests/s, 300 requests/s"
    assert workers.told == "supported"


def test_a_link_is_judged_at_rates_that_both_models_predict(monkeypatch):
    link = {"M/M/1": [0.6, 0.6, None], "M/D/1": [-0.4, 0.5, 9.0]}
    near = {"M/G/1": [0.0] * 3, "M/M/8": [0.0] * 3}
    (nearer, *_) = open_arrivals(monkeypatch, link=link, w1=near, w8=near)
    assert nearer.estimate.value == 0.5  # 0.6 is further below 1 than 1.6 is above it
    assert nearer.told == "refuted: 1 of 2 miss: 100 requests/s"
