import json
import math
import re
from pathlib import Path

import pytest

from analysis.results import ParseError, read_iperf3

DATA = Path(__file__).parents[3] / "data" / "iperf3"


def test_bandwidth_is_what_arrived():
    result = read_iperf3(DATA / "ok.json")
    end = json.loads((DATA / "ok.json").read_text())["end"]
    assert result.bandwidth_mbit_per_s == end["sum_received"]["bits_per_second"] / 1e6
    assert result.retransmits == end["sum_sent"]["retransmits"]
    assert result.remote_host == "127.0.0.1"
    assert result.intervals["omitted"].tolist() == [True, False, False, False]
    counted = result.intervals[~result.intervals["omitted"]]
    assert counted["bandwidth_mbit_per_s"].mean() == pytest.approx(
        result.bandwidth_mbit_per_s, rel=0.05
    )


def test_failed_test_is_an_error_although_the_exit_status_was_0():
    with pytest.raises(ParseError, match="the test failed: unable to connect to server: Conn"):
        read_iperf3(DATA / "refused.json")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sum_received", "sum", "sum_received"),
        ('"bits_per_second":\t', '"bits_per_second":\t-', "bits_per_second must be >= 0, got -"),
    ],
)
def test_a_field_that_is_missing_or_negative_is_named(tmp_path, old, new, message):
    path = tmp_path / "damaged.json"
    path.write_text((DATA / "ok.json").read_text().replace(old, new))
    with pytest.raises(ParseError, match=message):
        read_iperf3(path)


def test_sender_that_does_not_count_retransmits(tmp_path):
    path = tmp_path / "bsd.json"
    path.write_text(re.sub(r'"retransmits":\s*\d+,', "", (DATA / "ok.json").read_text()))
    result = read_iperf3(path)
    assert math.isnan(result.retransmits)
    assert result.intervals["retransmits"].isna().all()
    assert result.bandwidth_mbit_per_s == read_iperf3(DATA / "ok.json").bandwidth_mbit_per_s


WARNING = "warning: JSON data length overflow\n"


@pytest.mark.parametrize(
    "text",
    ["{0}\n\n{0}\n", WARNING + "{0}" + WARNING + "{0}"],
)
def test_copies_and_text_around_the_document_are_passed_over(tmp_path, text):
    document = (DATA / "ok.json").read_text()
    path = tmp_path / "text.json"
    path.write_text(text.replace("{0}", document))
    result = read_iperf3(path)
    assert result.bandwidth_mbit_per_s == read_iperf3(DATA / "ok.json").bandwidth_mbit_per_s
    path.write_text(text.replace("{0}", document.rstrip()))
    assert len(read_iperf3(path).intervals) == 4


def test_documents_that_differ_are_an_error(tmp_path):
    document = (DATA / "ok.json").read_text()
    path = tmp_path / "twice.json"
    other = document.replace("127.0.0.1", "127.0.0.2")
    path.write_text(document + other)
    with pytest.raises(ParseError, match="two different documents: put each test into a file"):
        read_iperf3(path)


def test_second_copy_that_is_cut_is_an_error(tmp_path):
    document = (DATA / "ok.json").read_text()
    path = tmp_path / "cut.json"
    path.write_text(document + document[:500])
    with pytest.raises(ParseError, match=r"cut\.json:\d{3}: not a complete JSON document"):
        read_iperf3(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{refused}{refused}", "the test failed: unable to connect to server: Connection refused"),
        ("{ok}iperf3: error - control socket has closed\n", "the test failed: control socket has"),
        ("iperf3: error - unable to connect\n", "the test failed: unable to connect"),
        (
            "Connecting to host c1, port 5201\n",
            r":1: .* the first is 'Connecting to host c1, port 5201'; record with iperf3 --json",
        ),
    ],
)
def test_failures_and_text_alone_are_named(tmp_path, text, message):
    for name in ("ok", "refused"):
        text = text.replace(f"{{{name}}}", (DATA / f"{name}.json").read_text())
    path = tmp_path / "failed.json"
    path.write_text(text)
    with pytest.raises(ParseError, match=message):
        read_iperf3(path)
