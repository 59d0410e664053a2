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


@pytest.mark.parametrize("length", [0, 1, 500, 2000, -3])
def test_cut_file_is_an_error(tmp_path, length):
    path = tmp_path / "cut.json"
    path.write_text((DATA / "ok.json").read_text()[:length])
    with pytest.raises(ParseError, match=r"cut\.json:\d+: not a complete JSON document"):
        read_iperf3(path)


def test_missing_field_is_an_error(tmp_path):
    path = tmp_path / "udp.json"
    path.write_text((DATA / "ok.json").read_text().replace("sum_received", "sum"))
    with pytest.raises(ParseError, match="sum_received"):
        read_iperf3(path)


def test_negative_bandwidth_is_an_error(tmp_path):
    path = tmp_path / "damaged.json"
    path.write_text(
        (DATA / "ok.json").read_text().replace('"bits_per_second":\t', '"bits_per_second":\t-')
    )
    with pytest.raises(ParseError, match="bits_per_second must be >= 0, got -"):
        read_iperf3(path)


def test_sender_that_does_not_count_retransmits(tmp_path):
    path = tmp_path / "bsd.json"
    path.write_text(re.sub(r'"retransmits":\s*\d+,', "", (DATA / "ok.json").read_text()))
    result = read_iperf3(path)
    assert math.isnan(result.retransmits)
    assert result.intervals["retransmits"].isna().all()
    assert result.bandwidth_mbit_per_s == read_iperf3(DATA / "ok.json").bandwidth_mbit_per_s


def test_test_without_intervals_has_their_columns(tmp_path):
    document = json.loads((DATA / "ok.json").read_text()) | {"intervals": []}
    path = tmp_path / "short.json"
    path.write_text(json.dumps(document))
    assert read_iperf3(path).intervals["omitted"].empty
