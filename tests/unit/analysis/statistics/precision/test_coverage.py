"""Small versions of `make coverage`, and its table as it is documented."""

import re

import measure_coverage as measure
import numpy as np
import pytest
from simulated_sections import cells_until_known

from analysis.claims.rules import at_least
from analysis.statistics.estimates import mean_of

CAMPAIGNS = 60
SMALLEST = 0.93 - 3 * np.sqrt(0.93 * 0.07 / CAMPAIGNS)
SLOW = (
    "M/M/1",
    "closed network",
    "usable",
    "nominal",
    "knee",
    "numbers of",
    "sets that",
)  # seconds each: one of them is in the small version
QUICK = [
    setting
    for setting in measure.SETTINGS
    if not setting.name.startswith(SLOW) and (setting.goal, setting.repetitions) == (0.05, (2, 6))
]


@pytest.mark.slow
@pytest.mark.parametrize("setting", QUICK, ids=lambda setting: setting.name)
def test_intervals_hold_the_truth(setting):
    found, _ = measure.shares(setting, CAMPAIGNS)
    for share in found[: setting.held_to]:
        assert share.held >= SMALLEST * share.campaigns, share


@pytest.mark.slow
@pytest.mark.parametrize("repetitions", [(2, 6), (3, 10)])
@pytest.mark.parametrize("spread", [0.5, 1.0])
def test_p_values_hold_for_campaigns_that_stop_by_themselves(spread, repetitions):
    """Of truths on the edge of a range at most 5 % are clearly inside at 5 %."""
    rng = np.random.default_rng(1)
    campaigns, wrong = 1000, 0
    for _ in range(campaigns):
        (runs,) = cells_until_known(rng, (1,), (spread,), 0.05, repetitions)
        estimate = mean_of(runs)
        wrong += estimate.value > 1 and at_least(1).p_value(estimate) <= 0.05
    assert wrong <= campaigns * 0.05 + 3 * np.sqrt(campaigns * 0.05 * 0.95)


def test_a_system_of_another_mean_is_not_covered(monkeypatch):
    """What is held against a wrong truth must be seen to fail."""
    wrong = measure.Autoregressive(correlation=0.8, truth=1.1)
    monkeypatch.setitem(measure.SYSTEMS, "AR(1), 0.8", wrong)
    setting = measure.Setting(name="AR(1), 0.8", goal=0.05, repetitions=(2, 6))
    found, _ = measure.shares(setting, 20)
    assert measure.short(setting, found)


DOCUMENTED = measure.DOCUMENT.read_text().split(measure.BEGIN)[1].split(measure.END)[0]


@pytest.mark.parametrize("setting", measure.SETTINGS, ids=str)
def test_every_kind_is_documented_with_enough(setting):
    fewest, most = setting.repetitions
    rows = re.findall(
        rf"^\| {re.escape(setting.name)}(?:: ([^|]+))? \| {100 * setting.goal:g} % "
        rf"\| {fewest} to {most} \| ([\d.]+) %",
        DOCUMENTED,
        re.M,
    )
    shares = [float(share) for _, share in rows]
    assert len(shares) == (3 if setting.between else 1 if setting.unlike is None else 2)
    assert min(shares[: setting.held_to]) >= 100 * measure.LEAST
