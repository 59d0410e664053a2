import numpy as np
import pandas as pd
import pytest

from analysis.text.formatting import (
    collapsed,
    format_column,
    heading,
    plus_minus,
    with_intervals,
)

THIN = "\N{NARROW NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("throughput_ops_per_s", "Throughput (op/s)"),
        ("client_response_time_ms", "Client response time (ms)"),
        ("num_clients", "Clients"),
        ("study_num_clients", "Study clients"),
        ("interarrival_time_s", "Interarrival time (s)"),
        ("link_rate_mbit_per_s", "Link rate (Mbit/s)"),
        ("throughput_ci95_ops_per_s", "Throughput 95 % CI (op/s)"),
        ("client_response_time_ms_mean", "Client response time mean (ms)"),
        ("throughput_ops_per_s_ci_low", "Throughput CI low (op/s)"),
        ("schmid2018_mbit_per_s", "Schmid 2018 (Mbit/s)"),
        ("workers", "Workers"),
        ("hits", "Hits"),
        ("Measured (op/s)", "Measured (op/s)"),
        (64, "64"),
    ],
)
def test_heading_puts_the_unit_in_parentheses(column, expected):
    assert heading(column) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([2912.34, 17345.6], ["2912", "17346"]),
        ([0.91, 2.345, 40.26], ["0.91", "2.35", "40.26"]),
        ([0.0123, -0.5], ["0.012", "\N{MINUS SIGN}0.500"]),
        ([0.0, 0.0], ["0", "0"]),
        ([1.5, np.nan, np.inf], ["1.50", "\N{EN DASH}", "inf"]),
    ],
)
def test_decimals_of_a_column_follow_its_median(values, expected):
    assert [text.replace(THIN, "") for text in format_column(pd.Series(values))] == expected


def test_truth_values_and_text_are_spelled_out():
    assert format_column(pd.Series([True, False])) == ["yes", "no"]
    assert format_column(pd.Series(["get-only", None])) == ["get-only", "\N{EN DASH}"]


def test_means_and_their_sd_are_joined():
    frame = pd.DataFrame(
        {
            "workers": [8, 64],
            "throughput_ops_per_s": [6779.0, 11406.0],
            "throughput_sd_ops_per_s": [98.0, float("nan")],
            "queue_length": [19.2, 1.8],
            "queue_length_sd": [0.1, 0.2],
        }
    )
    joined = plus_minus(frame)
    assert joined.columns.tolist() == ["workers", "throughput_ops_per_s", "queue_length"]
    texts = joined["throughput_ops_per_s"].str.replace("\N{NARROW NO-BREAK SPACE}", " ").tolist()
    assert texts == ["6 779 ± 98", "11 406"]
    assert joined["queue_length"].tolist()[0].startswith("19.2 ± 0.1")


def test_rows_that_differ_in_one_column_alone_are_joined():
    frame = pd.DataFrame(
        {"workload": ["get", "get", "set"], "workers": [8, 64, 8], "most": [1.0, 1.0, 2.0]}
    )
    rows = collapsed(frame, "workers").to_dict("list")
    assert rows == {"workload": ["get", "set"], "workers": ["8, 64", "8"], "most": [1.0, 2.0]}


def test_a_column_without_any_level_is_left_out():
    frame = pd.DataFrame({"workload": ["set", "get"], "regime": ["", ""], "throughput": [1, 2]})
    assert list(collapsed(frame, "regime")) == ["workload", "throughput"]


def test_numbers_stand_with_their_intervals():
    frame = pd.DataFrame(
        {
            "x_ops_per_s": [1000.0, 2000.0, 3000.0],
            "x_ci_low_ops_per_s": [990.0, 1900.0, np.nan],
            "x_ci_high_ops_per_s": [1010.0, np.inf, np.nan],
            "other_ms": [1.0, 2.0, 3.0],
        }
    )
    table = with_intervals(frame)
    assert list(table) == ["x_ops_per_s", "other_ms"]
    texts = [text.replace(THIN, "") for text in table["x_ops_per_s"]]
    assert texts == ["1000 (990 to 1010)", "at least 1900", "3000"]
