"""Printed numbers are counted once, none that was measured is left out, and 10 % is 10 %."""

import pandas as pd
import pytest

from analysis.chapters.published_results.counterparts.compared import KEY
from analysis.chapters.published_results.counterparts.judged import MEASURED, judged_counterparts
from analysis.chapters.published_results.counterparts.numbers import (
    Counts,
    comparable_numbers,
    counts,
    is_near,
    is_time,
    sets_without_emulation,
)
from analysis.chapters.published_results.counterparts.page import page
from analysis.chapters.published_results.counterparts.printed_numbers import Quantity
from analysis.paths import DATA, REFERENCE
from analysis.studies.machines.on_the_lab import sets_on_the_lab
from analysis.studies.machines.printed_sets import STUDIES, set_cells
from analysis.studies.printed import published_table

slow = pytest.mark.slow  # reads what chapter 10 reads


@pytest.fixture(scope="module")
def numbers():
    return comparable_numbers(REFERENCE)


@pytest.fixture(scope="module")
def judged():
    return judged_counterparts(REFERENCE)


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
def test_sets_without_emulated_processors_are_the_same_cells(numbers):
    plain = sets_without_emulation(REFERENCE)
    on_machines = numbers[numbers["campaign"].isin(STUDIES)]
    assert not plain.duplicated(KEY).any()
    assert set(map(tuple, plain[KEY].to_numpy())) <= set(map(tuple, on_machines[KEY].to_numpy()))
    assert set(plain["campaign"]) == {"reference"}
    assert plain["near"].mean() < on_machines["near"].mean()


@slow
def test_sets_that_a_text_alone_prints_are_counted(numbers):
    text = numbers[(numbers["table"] == "prose") & (numbers["workload"] == "set")]
    assert sorted(text["printed"]) == [13816, 14550]


@slow
def test_khalils_middleware_is_compared_although_it_is_adverse(numbers):
    his = numbers[(numbers["study"] == "khalil2016") & ~numbers["fitted"]]
    assert dict(zip(his["quantity"], his["printed"], strict=True)) == {
        Quantity.THROUGHPUT: 10000,
        Quantity.RESPONSE_TIME: 20,
    }
    assert not his["near"].any()
    assert his["cell"].str.contains("192 clients, 3 servers, .* R = 3").all()


@slow
def test_response_times_are_compared_under_the_same_number_of_clients(numbers):
    """Where clients do not think, both keep R = N / X, so that the ratios are reciprocal."""
    of_schmid = numbers[numbers["table"].isin(["t07_2k4_write", "t08_2k4_read"])]
    ratios = of_schmid.pivot_table("ratio", ["table", "cell"], "quantity")
    product = ratios[Quantity.THROUGHPUT] * ratios[Quantity.RESPONSE_TIME]
    assert product.to_numpy() == pytest.approx(1, abs=0.03)
    fitted = of_schmid.pivot_table("fitted", ["table", "cell"], "quantity")
    assert (fitted[Quantity.THROUGHPUT] == fitted[Quantity.RESPONSE_TIME]).all()


@slow
def test_settings_of_the_lab_are_no_confirmation(numbers):
    bandwidths = numbers[numbers["quantity"] == Quantity.BANDWIDTH]
    assert bandwidths["fitted"].all()
    count = counts(numbers)
    assert count.every > count.near > count.near_and_free > 0
    assert count.every > count.free > count.near_and_free


@slow
def test_rows_of_the_page_add_up_to_its_counts(judged, numbers):
    measured = judged[judged["verdict"].isin(MEASURED)]
    for times, own in numbers.groupby(is_time(numbers)):
        rows = measured[is_time(measured) == times]
        free = rows[~rows["fitted"].astype(bool)]
        assert counts(own) == Counts(
            every=rows["numbers"].sum(),
            near=rows["near"].sum(),
            free=free["numbers"].sum(),
            near_and_free=free["near"].sum(),
        )


@slow
def test_the_page_begins_with_three_numbers(judged, numbers):
    text = page(judged, numbers, sets_without_emulation(REFERENCE), "refuted")
    count = counts(numbers[~is_time(numbers)])
    for number in (count.every, count.near, count.near_and_free):
        assert f"- **{number}**" in text.split("Response times")[0]
    differ = text.split("## Numbers that differ")[1].split("\n## ")[0]
    assert differ.count("\n| ") - 2 == (~numbers["near"]).sum()
    assert "10 000 op/s | 32 125 op/s" in differ.replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "it is a diagram" not in text


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
