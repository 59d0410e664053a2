"""The claims of chapter 12, on made-up throughputs that follow powers of what is changed."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.chapters.what_limits_it.claims import FULL_SYSTEM, chapter
from analysis.claims.measurements import Measurements
from analysis.claims.rules import Verdict
from analysis.lab.measured_study import MeasuredStudy
from records.sensitivity import (
    AS_IT_IS,
    DELAY,
    MACHINE_BY_DILATION,
    THROUGHPUT,
    WORKERS,
    factors_of,
)
from tests.helpers.limits import made_up

TRUTH = {
    "server link rate": 0.6, DELAY: 0.3, MACHINE_BY_DILATION: 0.1, "client link rate": 0.0,
    WORKERS: 0.2,
}  # fmt: skip
SUM, MODEL, BUSIEST = "sum-to-1", "predicts-elasticities", "helps-most"


def study(powers, predicted=None, **limits):
    rng = np.random.default_rng(3)
    cells = [(AS_IT_IS, 1.0, 0.0)]
    cells += [(name, f, power) for name, power in powers.items() for f in factors_of(0.2)]
    rows = [
        (name, factor, 2900 * factor**power * (1 + 0.002 * rng.normal()))
        for name, factor, power in cells
        for _ in range(4)
    ]
    throughputs = pd.DataFrame(rows, columns=["parameter", "factor", THROUGHPUT])
    made = MeasuredStudy(
        folder=Path("made-up"),
        throughputs=throughputs,
        factors=dict.fromkeys(powers, factors_of(0.2)),
    )
    vars(made).update(tables=made_up(**limits), predicted=predicted or {})
    return made


def verdicts(own):
    judged = chapter.judge(Measurements({}, {FULL_SYSTEM: own} if own else {}))
    own = [one for one in judged if one.claim.section == "12.1"]
    return {next(s for s in (SUM, MODEL, BUSIEST) if one.claim.id.endswith(s)): one for one in own}


def test_claims_hold_where_rates_sum_to_1_and_the_model_is_near():
    claims = verdicts(study(TRUTH, {**TRUTH, DELAY: 0.35}, links={"servers": 0.9}))
    assert {claim.verdict for claim in claims.values()} == {Verdict.SUPPORTED}
    assert claims[SUM].estimate.value == pytest.approx(1, abs=0.03)
    assert claims[BUSIEST].estimate.value == pytest.approx(0.3, abs=0.03)


def test_a_rate_that_was_not_changed_lacks_in_the_sum():
    lacking = {name: power for name, power in TRUTH.items() if name != DELAY}
    assert verdicts(study(lacking))[SUM].verdict == Verdict.REFUTED


def test_the_busiest_resource_need_not_be_the_one_that_helps():
    claims = verdicts(study(TRUTH, dict.fromkeys(TRUTH, 0.9), cpu=80.0))
    assert claims[BUSIEST].verdict == claims[MODEL].verdict == Verdict.REFUTED
    assert claims[BUSIEST].estimate.value == pytest.approx(0.1 - 0.6, abs=0.03)


def test_without_a_model_or_a_study_nothing_can_be_told():
    assert verdicts(study(TRUTH))[MODEL].verdict == Verdict.UNDECIDED
    assert {claim.verdict for claim in verdicts(None).values()} == {Verdict.UNDECIDED}
