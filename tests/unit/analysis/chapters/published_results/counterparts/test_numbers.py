"""Printed numbers are counted once, none that was measured is left out, and 10 % is 10 %."""

import pandas as pd
import pytest

from analysis.chapters.published_results.counterparts.comparisons import KEY
from analysis.chapters.published_results.counterparts.numbers import (
    Counts,
    comparable_numbers,
    counts,
    is_near,
)
from analysis.chapters.published_results.counterparts.printed_numbers import Quantity
from analysis.studies.machines.on_the_lab import sets_on_the_lab
from analysis.studies.machines.printed_sets import STUDIES, set_cells
from analysis.studies.printed import published_table
from records.paths import DATA, REFERENCE

slow = pytest.mark.slow  # reads what chapter 10 reads


@pytest.fixture(scope="module")
def numbers():
    return comparable_numbers(REFERENCE)


@slow
def test_each_printed_number_counts_once(numbers):
    assert not numbers.duplicated(KEY).any()
    largest = published_table("su2015", "t6_interactive")["X_meas_req_s"].max()
    assert (numbers["printed"] == largest).sum() == 1  # the whole system, and 200 clients


@slow
def test_every_set_that_a_study_prints_is_counted(numbers):
    """Those that no emulated machine has are compared with the reference campaign."""
    sets = numbers[(numbers["workload"] == "set") & (numbers["quantity"] == Quantity.THROUGHPUT)]
    in_tables = sets[sets["table"] != "prose"]
    assert in_tables.groupby("study").size().to_dict() == (
        set_cells().groupby("study").size().to_dict()
    )
    on_machines = sets[sets["campaign"].isin(STUDIES)]
    assert len(on_machines) == len(sets_on_the_lab(DATA))
    without = on_machines["cell"].str.startswith("no middleware")
    assert (on_machines["fitted"] == ~without).all()
    others = in_tables[in_tables["campaign"] == "reference"]
    assert set(others["cell"]) == {"no middleware, 2 servers"}


@slow
def test_response_times_are_compared_under_the_same_number_of_clients(numbers):
    """Where clients do not think, both keep R = N / X, so that the ratios are reciprocal."""
    of_schmid = numbers[numbers["table"].isin(["t07_2k4_write", "t08_2k4_read"])]
    ratios = of_schmid.pivot_table("ratio", ["table", "cell"], "quantity")
    product = ratios[Quantity.THROUGHPUT] * ratios[Quantity.RESPONSE_TIME]
    assert product.to_numpy() == pytest.approx(1, abs=0.03)
    fitted = of_schmid.pivot_table("fitted", ["table", "cell"], "quantity")
    assert (fitted[Quantity.THROUGHPUT] == fitted[Quantity.RESPONSE_TIME]).all()


def test_counts_of_known_numbers():
    known = pd.DataFrame({"near": [True, True, False, True], "fitted": [True, False, False, False]})
    assert counts(known) == Counts(every=4, near=3, free=3, near_and_free=2)


@pytest.mark.parametrize(
    ("ours", "printed", "near"),
    [
        (110, 100, True),
        (90, 100, True),
        (110.1, 100, False),
        (89.9, 100, False),
        (-0.0039, 0.0065, False),  # inside a tolerance of 0.03, and of the other sign
        (0.0002, 0.0, False),  # rounds to what is printed
        (0.0, 0.0, True),
        (-95, -100, True),
    ],
)
def test_within_ten_percent_is_of_the_printed_number(ours, printed, near):
    assert is_near(pd.Series([ours]), pd.Series([printed])).item() is near
