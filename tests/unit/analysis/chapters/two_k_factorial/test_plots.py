import pandas as pd
import pytest

from analysis.chapters.two_k_factorial.plots import plot_interactions, plot_residuals
from analysis.statistics.factorial.designs import analyse_designs

RUNS = pd.DataFrame({"workload": "set", "servers": [1, 1, 3, 3], "workers": [8, 32] * 2})
RUNS = RUNS.assign(repetition=1, y=[1.0, 2.0, 3.0, 5.0])


def test_interactions_need_two_factors():
    with pytest.raises(ValueError, match="at least 2 factors"):
        plot_interactions(RUNS, RUNS, ["workers"], response="y")


def test_residuals_need_repetitions():
    found = analyse_designs(RUNS, ["servers", "workers"], {"throughput": "y"}, "additive")
    with pytest.raises(ValueError, match="residuals need repetitions, got r = 1"):
        plot_residuals(
            {"additive": (found, found)}, {"throughput": "op/s"}, response="throughput",
            model="additive",
        )  # fmt: skip
