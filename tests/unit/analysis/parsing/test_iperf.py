import json
from pathlib import Path

import pytest

from analysis.parsing import ParseError, read_iperf3

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
