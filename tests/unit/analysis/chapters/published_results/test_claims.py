"""Claims of chapter 10 about campaigns on the studies' machines."""

from analysis.chapters.published_results import claims
from analysis.claims.measurements import Measurements
from records.paths import DATA


def replicas(monkeypatch, data):
    monkeypatch.setattr(claims, "DATA", data)
    return claims.chapter.claims[-1].judge(Measurements({}))


def test_what_replicas_cost_is_judged_by_the_campaign_on_khalils_machines(monkeypatch):
    claim = replicas(monkeypatch, DATA)
    assert (
        claim.claim.rule.text == "0.303 within 10\N{NO-BREAK SPACE}%"
    )  # he prints 10 000 and 33 000
    assert 0.9 < claim.estimate.value < 1.1
    assert claim.told.startswith("refuted: workers 1.00 busy")


def test_without_that_campaign_what_replicas_cost_is_undecided(monkeypatch, tmp_path):
    claim = replicas(monkeypatch, tmp_path)
    assert claim.told == "undecided: no campaign of examples/studies-machines"
