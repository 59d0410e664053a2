import pytest

from analysis.chapters.abstract.findings import (
    FINDINGS,
    Finding,
    Number,
    Sentence,
    answer,
    change,
    share,
)
from analysis.chapters.claims import CHAPTERS
from analysis.claims.claim import Outcome
from analysis.claims.measurements import Measurements, NotMeasured
from analysis.statistics.estimates import exact, mean_of, ratio_of

NOTHING = Measurements({})
CLAIM = next(one for one in CHAPTERS[2].claims if one.id.endswith("one-server-gets-fill-links"))


def told(sentence, *outcomes):
    finding = Finding("What?", (sentence,))
    return answer(finding, {one.claim.id: one for one in outcomes}, NOTHING)


def test_findings_rest_on_claims_that_there_are():
    known = {claim.id for chapter in CHAPTERS.values() for claim in chapter.claims}
    for finding in FINDINGS:
        assert set(finding.claims()) <= known
        for sentence in finding.sentences:
            for name in sentence.numbers:
                assert f"{{{name}}}" in sentence.text


def test_a_sentence_has_the_numbers_of_its_claims_where_they_are_supported():
    busy = Sentence("They are {busy} utilized.", {"busy": Number(CLAIM.id, share)})
    outcome = Outcome(CLAIM, mean_of([0.96, 0.97, 0.98]))
    (text,) = told(busy, outcome)
    assert text.startswith("They are 97\N{NO-BREAK SPACE}% [")


@pytest.mark.parametrize(
    ("estimate", "words"),
    [
        (mean_of([0.5, 0.51, 0.52]), "*Refuted: With one server"),
        (mean_of([0.5, 1.0]), "*Undecided: With one server"),
        (mean_of([]), "*Not measured: With one server"),
    ],
)
def test_where_a_claim_is_not_supported_its_statement_and_verdict_stand_instead(estimate, words):
    text = "Links limit reads ({busy})."
    for claims, numbers in (((CLAIM.id,), {}), ((), {"busy": Number(CLAIM.id, share)})):
        (instead,) = told(Sentence(text, numbers, claims), Outcome(CLAIM, estimate))
        assert instead.startswith(words)
        assert "Links limit" not in instead


def test_what_cannot_be_computed_is_left_out():
    def unknown(measured):
        raise NotMeasured

    assert told(Sentence("It takes {time}.", {"time": Number(unknown, share)})) == []


def test_numbers_have_their_intervals_and_true_minus_signs():
    assert change(exact(0.99999)) == "0.0\N{NO-BREAK SPACE}%"
    text = change(ratio_of([88, 89, 90], [100, 101, 99]))
    assert text.startswith("\N{MINUS SIGN}11.0\N{NO-BREAK SPACE}% [\N{MINUS SIGN}")
    low, high = text.replace("\N{MINUS SIGN}", "-").split("[")[1].rstrip("]").split(", ")
    assert float(low) < -11 < float(high)
