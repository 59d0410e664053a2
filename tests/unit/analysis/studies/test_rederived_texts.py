import pytest

from analysis.studies.rederived_texts import schmid_numbers, schmid_utilizations, yenicelik_ratios


def test_schmids_utilizations_follow_from_cpus_and_threads():
    derived = schmid_utilizations().set_index("quantity")
    assert derived["agrees"].all()
    assert len(derived) == 12 + 3 + 1
    of_middleware = derived.loc["utilization of the middleware, section 3.1 (%)"]
    assert of_middleware["rederived"] == 38 / 8 + 17
    shared = "visit ratio, server, 3 servers, non-sharded get"
    assert derived.loc[shared, "rederived"] == pytest.approx(1 / 3)


def test_schmids_sums_and_intervals_follow():
    derived = schmid_numbers().set_index("quantity")
    assert derived.index[~derived["agrees"]].tolist() == ["queue length, section 3.1"]
    assert derived.loc["lower bound, 72 clients (op/s)", "rederived"] == pytest.approx(13641, abs=1)


def test_yenicelik_says_that_sets_wait_longer_and_his_table_that_gets_do():
    one, two = yenicelik_ratios().to_dict("records")
    assert not one["agrees"]
    assert one["rederived"] < 1
    assert two["agrees"]
