import gzip
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.results import ParseError, read_memtier_json
from analysis.results.histograms import histogram_percentiles

DATA = Path(__file__).parents[3] / "data" / "memtier"


@pytest.mark.parametrize(
    ("file", "request_type", "requests", "throughput", "response_time_ms"),
    [
        ("1.2.17/get-only.json", "get", math.nan, 2889.83, 1.38),
        ("1.4.0/set-only.json", "set", 25356, 5070.42, 0.787),
        ("2.3.1/get-only.json", "get", 14445, 2888.33, 1.382),
        ("2.3.1/interrupted.json", "total", 10854, 5458.76, 0.730),
    ],
)
def test_totals_are_those_of_the_tool(file, request_type, requests, throughput, response_time_ms):
    row = read_memtier_json(DATA / file).run.totals.loc[request_type]
    np.testing.assert_equal(row["requests"], requests)
    assert row["reported_throughput_ops_per_s"] == throughput
    assert row["response_time_ms"] == pytest.approx(response_time_ms, abs=5e-4)


@pytest.mark.parametrize("version", ["1.2.17", "1.3.0", "1.4.0", "2.3.1"])
def test_misses_are_counted_as_keys(version):
    get_misses = read_memtier_json(DATA / version / "get-misses.json").run.totals.loc["get"]
    assert get_misses["hits_per_s"] == 0
    assert get_misses["misses_per_s"] == get_misses["reported_throughput_ops_per_s"]
    multi_get = read_memtier_json(DATA / version / "mixed-multiget6.json").run.totals.loc["get"]
    assert multi_get["hits_per_s"] == pytest.approx(
        6 * multi_get["reported_throughput_ops_per_s"], abs=0.1
    )


@pytest.mark.parametrize("version", ["1.4.0", "2.3.1"])
@pytest.mark.parametrize("name", ["set-only", "get-only", "mixed-multiget6", "get-misses"])
def test_histogram_gives_the_percentiles_that_the_tool_prints(version, name):
    path = DATA / version / f"{name}.json"
    run = read_memtier_json(path).run
    section = json.loads(path.read_text())["ALL STATS"]
    for kind, histogram in run.histograms.items():
        printed = section[f"{kind.capitalize()}s"]["Percentile Latencies"]
        expected = [printed["p50.00"], printed["p99.00"], printed["p99.90"]]
        assert histogram_percentiles(histogram, [50, 99, 99.9]).tolist() == expected
        assert histogram["count"].sum() == run.totals.loc[kind, "requests"]


def test_aggregate_of_runs_has_percentiles_although_the_tool_prints_empty_ones():
    aggregate = read_memtier_json(DATA / "2.3.1" / "runs2.json").runs[2]
    assert aggregate.histograms["total"]["count"].sum() == 43364
    medians = aggregate.percentiles.query("percentile == 50").set_index("request_type")
    assert medians.loc["total", "response_time_ms"] == pytest.approx(0.703, rel=0.02)


def test_drop_in_reads_like_memtier_and_adds_what_only_it_knows():
    run = read_memtier_json(DATA / "drop-in" / "mixed-multiget6.json").run
    assert run.extras["Error replies"]["Sets"] == 0
    assert run.totals.loc["total", "misses_per_s"] == 0
    assert run.seconds["requests"].sum() == run.totals.loc["total", "requests"]
    assert run.histograms["total"]["count"].sum() == run.totals.loc["total", "requests"]
    assert not read_memtier_json(DATA / "2.3.1" / "get-only.json").run.extras


def test_drop_in_tells_of_operations_that_memtier_does_not_have(tmp_path):
    document = json.loads((DATA / "drop-in" / "mixed-multiget6.json").read_text())
    section = document["ALL STATS"]
    section |= {"Touches": section.pop("Gets"), "Cas": section.pop("Sets")}
    document["middleware-lab"]["Runs"][0]["Error replies"] |= {"Gets": 1, "Touches": 2}
    path = tmp_path / "memtier.json"
    path.write_text(json.dumps(document))
    run = read_memtier_json(path).run
    assert {"touch", "cas", "total"} <= set(run.totals.index)
    assert run.error_replies == 3


def test_seconds_add_up_to_the_total():
    run = read_memtier_json(DATA / "2.3.1" / "mixed-multiget6.json").run
    assert run.started_epoch_ms == 1795224150292
    assert run.seconds["second"].tolist() == [0, 1, 2, 3, 4, 5] * 2
    assert run.seconds["requests"].sum() == run.totals.loc["total", "requests"]
    assert run.seconds["bytes_in"].sum() > run.seconds["requests"].sum() * 4096 / 2


def test_unset_extremes_of_a_second_are_missing():
    last = read_memtier_json(DATA / "1.4.0" / "mixed-multiget6.json").run.seconds.iloc[-1]
    assert last["requests"] == 2
    assert math.isnan(last["response_time_min_ms"])
    assert math.isnan(last["response_time_max_ms"])


def test_several_runs_stand_side_by_side():
    result = read_memtier_json(DATA / "2.3.1" / "runs2.json")
    assert [run.title for run in result.runs] == [
        "BEST RUN RESULTS",
        "WORST RUN RESULTS",
        "AGGREGATED AVERAGE RESULTS (2 runs)",
    ]
    assert result.runs[2].started_epoch_ms is None
    with pytest.raises(ValueError, match="one run expected, got"):
        _ = result.run


@pytest.mark.parametrize("version", ["1.2.17", "1.3.0", "1.4.0"])
def test_refused_run_has_no_response_time(version):
    run = read_memtier_json(DATA / version / "refused.json").run
    assert run.totals["response_time_ms"].isna().all()
    assert (run.totals["reported_throughput_ops_per_s"] == 0).all()
    assert run.percentiles.empty
    assert run.seconds.empty


def test_killed_run_is_an_error_with_path_and_line():
    path = DATA / "2.3.1" / "refused.json"
    with pytest.raises(ParseError, match=r"refused\.json:\d+: not a complete JSON") as caught:
        read_memtier_json(path)
    assert caught.value.path == path


def edit(tmp_path: Path, pattern: str, replacement: str) -> Path:
    text = (DATA / "2.3.1" / "get-only.json").read_text()
    edited = re.sub(pattern, replacement, text)
    assert edited != text
    path = tmp_path / "edited.json"
    path.write_text(edited)
    return path


@pytest.mark.parametrize("literal", ["-nan", "nan", "inf", "-inf", "null", "NaN"])
def test_numbers_that_are_not_finite_are_missing(tmp_path, literal):
    path = edit(tmp_path, r'"Misses/sec": 0\.00', f'"Misses/sec": {literal}')
    run = read_memtier_json(path).run
    assert run.totals["misses_per_s"].isna().all()
    assert run.totals.loc["get", "requests"] == 14445


def test_nan_inside_a_string_stays(tmp_path):
    path = edit(tmp_path, r'"key_prefix": "memtier-"', r'"key_prefix": "a: -nan, \\"inf\\""')
    assert read_memtier_json(path).configuration["key_prefix"] == 'a: -nan, "inf"'


def test_cut_total_response_time_is_computed_from_the_rows(tmp_path):
    path = edit(tmp_path, r'(?s)("Totals":.*?"Latency": )1\.382', r"\g<1>1.000")
    assert read_memtier_json(path).run.totals.loc["total", "response_time_ms"] == 1.382


@pytest.mark.parametrize(
    ("pattern", "replacement", "message"),
    [
        (r'"Ops/sec": [\d.]+', '"Ops/sec": "fast"', "'Ops/sec' must be a number >= 0, got 'fast'"),
        (r'"Count": 14445', '"Count": 14454', "'get' has a 'Count' of 14454, but the seconds"),
        (
            r'(?s)("Totals":.*?)"Count": 14445',
            r'\1"Count": 14454',
            "'Totals' has a 'Count' of 14454, but the request types add up to 14445",
        ),
        (r'"Compressed Histogram": "HIST', '"Compressed Histogram": "XXXX', "HdrHistogram"),
        (r'"Totals"', '"Sums"', "no results section"),
    ],
)
def test_damage_is_an_error_that_names_the_field(tmp_path, pattern, replacement, message):
    path = edit(tmp_path, pattern, replacement)
    with pytest.raises(ParseError, match=re.escape(message)):
        read_memtier_json(path)


WHOLE = {
    "plain": (DATA / "2.3.1" / "get-only.json").read_bytes(),
    "gzip": gzip.compress((DATA / "2.3.1" / "get-only.json").read_bytes()),
    "old": (DATA / "1.3.0" / "get-only.json").read_bytes(),
}


@settings(max_examples=60, deadline=None)
@given(form=st.sampled_from(sorted(WHOLE)), share=st.floats(0, 1))
def test_cut_anywhere_gives_the_whole_result_or_an_error(tmp_path_factory, form, share):
    whole = WHOLE[form]
    path = tmp_path_factory.getbasetemp() / f"cut-{form}"
    path.write_bytes(whole[: int(share * len(whole))])
    try:
        totals = read_memtier_json(path).run.totals
    except ParseError as error:
        assert str(path) in str(error)
    else:
        path.write_bytes(whole)
        assert totals.equals(read_memtier_json(path).run.totals)


def test_percentiles_of_old_versions_come_from_the_distribution():
    percentiles = read_memtier_json(DATA / "1.2.17" / "get-only.json").run.percentiles
    assert percentiles["request_type"].unique() == ["get"]
    assert percentiles["response_time_ms"].tolist() == [1.4, 1.4, 1.4, 1.5, 1.6, 2.2]
