import pytest

from analysis.results import ParseError
from analysis.results.counters import read_cpu_time, read_interfaces

HEADER = "epoch 1000.5 uptime 50.00 ticks 100 cores 2\n"
INTERFACES = """\
1795266862.784022921
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo c
    lo:   67098     240    0    0    0     0          0         0    67098     240    0 0 0 0 0 0
  eth0: 3049977807  865994    0    3    0     0          0         0 307526595 1492332 0 7 0 0 0 0
"""


@pytest.mark.parametrize(
    ("rows", "of_machine"),
    [
        ("50.00 2000000000\n52.00 3000000000\n", False),
        ("50.00 usage_usec 2000000\n52.00 usage_usec 3000000\n", False),
        (
            "50.00 cpu  100 50 50 9999 77 0 0 0 0 0\n52.00 cpu  150 100 50 19999 88 0 0 0 0 0\n",
            True,
        ),
    ],
)
def test_cpu_time_is_read_from_every_source(tmp_path, rows, of_machine):
    path = tmp_path / "cpu-time.out"
    path.write_text(HEADER + rows)
    cpu_time = read_cpu_time(path)
    assert cpu_time.seconds["epoch_s"].tolist() == [1000.5, 1002.5]
    assert cpu_time.seconds["cpu_s"].tolist() == [2.0, 3.0]
    assert (cpu_time.cores, cpu_time.of_machine) == (2, of_machine)
    assert cpu_time.used_s(1000, 1003) == (1.0, 2.0)
    with pytest.raises(ValueError, match="no two readings"):
        cpu_time.used_s(1001, 1003)


def test_reading_that_was_cut_short_is_left_out_and_a_foreign_one_is_named(tmp_path):
    path = tmp_path / "cpu-time.out"
    path.write_text(HEADER + "50.00 2000000000\n51.")
    assert len(read_cpu_time(path).seconds) == 1
    path.write_text(HEADER + "50.00 2000000000\n51.00 20")
    assert read_cpu_time(path).seconds["cpu_s"].tolist() == [2.0]
    path.write_text(HEADER + "50.00 what is this\n51.00 2000000000\n")
    with pytest.raises(ParseError, match=r"cpu-time\.out"):
        read_cpu_time(path)
    path.write_text("")
    with pytest.raises(ParseError, match="does not begin with epoch"):
        read_cpu_time(path)


def test_interfaces_are_counted_both_ways(tmp_path):
    path = tmp_path / "interfaces.txt"
    path.write_text(INTERFACES)
    eth0 = read_interfaces(path).loc["eth0"]
    assert eth0["receive_bytes"] == 3049977807
    assert eth0["receive_drops"] == 3
    assert eth0["send_packets"] == 1492332
    assert eth0["send_drops"] == 7
    path.write_text(INTERFACES.replace("67098     240    0    0", "67098     240"))
    with pytest.raises(ParseError, match="14 counters of lo"):
        read_interfaces(path)
    for titles in INTERFACES.splitlines(keepends=True)[1:3]:
        path.write_text(INTERFACES.replace(titles, ""))
        with pytest.raises(ParseError, match="the two lines of titles are missing"):
            read_interfaces(path)
