"""The claims of chapter 7, on a synthetic campaign that saturates where its links do."""

import pandas as pd
import pytest

from analysis.chapters.queueing_models import claims as chapter
from analysis.claims.measurements import Measurements
from analysis.claims.rules import Verdict

pytestmark = pytest.mark.slow

SECTIONS = ("3.1", "3.2")


@pytest.fixture(scope="module")
def tables(synthetic):
    return {name: synthetic(name) for name in ("0", *SECTIONS)}


def claims(held):
    return chapter.chapter.judge(Measurements(held))


def test_cells_that_judge_are_split_by_whether_a_full_link_is_expected(tables):
    full, others = [one for one in claims(tables) if one.claim.section == "7.2"]
    assert (full.estimate.value, others.estimate.value) == (1, 0.8)
    assert others.instead == "1 of 5 miss: set 192 clients 8 workers"


def test_other_sections_are_predicted_from_3_1(tables):
    (claim,) = [one for one in claims(tables) if one.claim.section == "7.6"]
    assert claim.instead.startswith("2 of 4 miss: ")  # the largest load of 3.2, two workloads


@pytest.mark.parametrize("sections", [[], ["3.1"]])
def test_what_was_not_measured_is_undecided(tables, sections):
    judged = claims({name: tables[name] for name in sections})
    told = {one.claim.section for one in judged if one.verdict is not Verdict.UNDECIDED}
    assert told <= ({"7.1", "7.2"} if sections else set())


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
    measured = Measurements({"7": object()})
    return [own.judge(measured) for own in chapter.chapter.claims if own.section == "7.5"]


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
