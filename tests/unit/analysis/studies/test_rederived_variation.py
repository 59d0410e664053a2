import numpy as np
import pytest

from analysis.statistics.factorial import MEAN
from analysis.studies.printed import published_table
from analysis.studies.rederived_variation import (
    cetin_design,
    cetin_read_cells,
    cetin_runs,
    logarithm_table,
    throughput_effects,
)


@pytest.fixture(scope="module")
def derived():
    return cetin_design()


def test_only_the_largest_shares_of_the_sets_do_not_follow(derived):
    off = derived[~derived["agrees"]]
    assert off["quantity"].tolist() == ["fraction C", "fraction C"]
    assert off["table"].tolist() == ["t10_mult_write_throughput", "t12_addi_write_throughput"]


def test_effects_of_table_12_are_those_of_his_runs(derived):
    own = derived[derived["table"] == "t12_addi_write_throughput"].set_index("quantity")
    assert own.loc["q A", "rederived"] == pytest.approx(689.14, abs=0.01)
    assert len(cetin_runs()) == 24


def test_numbers_that_an_input_was_read_from_are_marked(derived):
    assert derived.loc[derived["inferred"], "quantity"].tolist() == ["q B", "q C", "q B"]


def test_read_cells_have_the_effects_of_both_models():
    cells = cetin_read_cells()
    assert cells["throughput"].mean() == pytest.approx(5627.8, abs=0.1)
    one = cells.loc[cells["servers"] == -1, "throughput"]
    assert one.between(2945, 2960).all()
    of_c = (np.log(cells["throughput"]) * cells["workers"]).mean()
    assert of_c == pytest.approx(0.0345, abs=2e-4)


@pytest.mark.parametrize("workload", ["get", "set"])
def test_effects_of_schmid_and_their_intervals_are_as_printed(workload):
    result = throughput_effects("schmid2018", workload)
    name = {"get": "t08_2k4_read", "set": "t07_2k4_write"}[workload]
    printed = published_table("schmid2018", name).query("response_variable == 'throughput'")
    printed = printed.set_index("factor")
    mean = printed.loc[MEAN, "effect"]
    # his A are servers, his B middlewares
    assert result.effects.loc["B", "effect"] == pytest.approx(
        100 * printed.loc["A", "effect"] / mean
    )
    assert result.effects.loc["A", "ci_high"] * mean / 100 == pytest.approx(
        printed.loc["B", "ci95_hi"], abs=1
    )


def test_gets_of_cetin_have_no_interval():
    assert throughput_effects("cetin2018", "get").effects["ci_low"].isna().all()
    with pytest.raises(ValueError, match="no 2\\^3 design of 'su2015'"):
        throughput_effects("su2015", "get")


def test_logarithms_of_response_time_have_the_opposite_sign():
    table = logarithm_table().set_index("effect")
    assert table["Gets: ln X"].to_numpy() == pytest.approx(
        -table["Gets: ln R"].to_numpy(), abs=2e-3
    )
    assert table.loc["B", "Sets: ln R"] == 0.0963
