import math
from pathlib import Path

import pytest

from analysis.results import IperfResult, ParseError, read_iperf2

CLIENT = """\
student@c1:~$ iperf -c s1
------------------------------------------------------------
Client connecting to s1, TCP port 5001
TCP window size: 45.0 KByte (default)
------------------------------------------------------------
[  3] local 10.0.0.10 port 38522 connected with 10.0.0.4 port 5001
[ ID] Interval       Transfer     Bandwidth
[  3]  0.0-10.0 sec   956 MBytes   801 Mbits/sec
"""
SERVER = """\
Server listening on TCP port 5001
[  4] local 10.0.0.4 port 5001 connected with 10.0.0.10 port 38522
[ ID] Interval       Transfer     Bandwidth
[  4]  0.0-10.0 sec   956 MBytes   799 Mbits/sec
[  5] local 10.0.0.4 port 5001 connected with 10.0.0.10 port 38556
[  5]  0.0-10.0 sec   963 MBytes   805 Mbits/sec
[  4] local 10.0.0.4 port 5001 connected with 10.0.0.9 port 38648
[  4]  0.0-10.1 sec   241 MBytes   201 Mbits/sec
"""
PARALLEL = """\
[  1] local 10.0.0.10%eth0 port 41746 connected with 10.0.0.4 port 5001 (icwnd/mss/irtt=14/1448/35)
[  2] local 10.0.0.10%eth0 port 41750 connected with 10.0.0.4 port 5001 (icwnd/mss/irtt=14/1448/13)
[ ID] Interval       Transfer     Bandwidth
[  2] 0.0000-1.0000 sec  1.25 MBytes  10.5 Mbits/sec
[  1] 0.0000-1.0000 sec  1.25 MBytes  10.5 Mbits/sec
[SUM] 0.0000-1.0000 sec  2.50 MBytes  21.0 Mbits/sec
[  2] 1.0000-2.0000 sec  1.25 MBytes  10.5 Mbits/sec
[  1] 1.0000-2.0000 sec  1.25 MBytes  10.5 Mbits/sec
[SUM] 1.0000-2.0000 sec  2.50 MBytes  21.0 Mbits/sec
[  2] 0.0000-2.0119 sec  2.63 MBytes  10.9 Mbits/sec
[  1] 0.0000-2.0115 sec  2.63 MBytes  10.9 Mbits/sec
[SUM] 0.0000-2.0006 sec  5.25 MBytes  22.0 Mbits/sec
[ CT] final connect times (min/avg/max/stdev) = 0.062/0.072/0.081/13.435 ms (tot/err) = 2/0
"""
UDP = """\
Client connecting to 10.0.0.4, UDP port 5001
[  3] local 10.0.0.10 port 57939 connected with 10.0.0.4 port 5001
[ ID] Interval       Transfer     Bandwidth
[  3]  0.0-10.0 sec   125 MBytes   105 Mbits/sec
[  3] Sent 89165 datagrams
[  3] Server Report:
[  3]  0.0-10.0 sec   119 MBytes   100 Mbits/sec   0.022 ms   27/89165 (0%)
[  3]  0.0-10.0 sec  1 datagrams received out-of-order
"""
BOTH_WAYS = """\
[  4] local 10.0.0.10 port 43958 connected with 10.0.0.4 port 5001
[  5] local 10.0.0.10 port 5001 connected with 10.0.0.4 port 43960
[  4]  0.0-10.0 sec   120 MBytes   100 Mbits/sec
[  5]  0.0-10.0 sec   240 MBytes   200 Mbits/sec
[SUM]  0.0-10.0 sec   360 MBytes   300 Mbits/sec
"""
CSV = """\
20161124093010,10.0.0.10,38522,10.0.0.4,5001,3,0.0-1.0,1310720,10485760
20161124093011,10.0.0.10,38522,10.0.0.4,5001,3,1.0-2.0,1310720,10485760
20161124093011,10.0.0.10,38522,10.0.0.4,5001,3,0.0-2.0,2621440,10480000
"""
CSV_PARALLEL = """\
20161124093010,10.0.0.10,38522,10.0.0.4,5001,4,0.0-2.0,2621440,10485760
20161124093010,10.0.0.10,38524,10.0.0.4,5001,3,0.0-2.0,2621440,10485760
20161124093010,10.0.0.10,0,10.0.0.4,5001,-1,0.0-2.0,5242880,20971000
"""


def read(tmp_path: Path, text: str) -> list[IperfResult]:
    path = tmp_path / "iperf.txt"
    path.write_text(text)
    return read_iperf2(path)


def bandwidths(tmp_path: Path, text: str) -> list[float]:
    return [result.bandwidth_mbit_per_s for result in read(tmp_path, text)]


def test_a_client_tells_what_it_sent(tmp_path):
    (result,) = read(tmp_path, CLIENT)
    assert result.bandwidth_mbit_per_s == 801
    assert (result.local_host, result.remote_host) == ("10.0.0.10", "10.0.0.4")
    assert math.isnan(result.retransmits)
    assert result.intervals["omitted"].empty


def test_every_test_of_a_log_is_read(tmp_path):
    assert bandwidths(tmp_path, f"{SERVER}\n\n# client\n{CLIENT}{CLIENT}") == [
        *(799, 805, 201),
        *(801, 801),
    ]
    assert [result.remote_host for result in read(tmp_path, SERVER)][1:] == [
        "10.0.0.10",
        "10.0.0.9",
    ]


def test_parallel_connections_are_one_test_whose_total_counts(tmp_path):
    (result,) = read(tmp_path, PARALLEL)
    assert result.bandwidth_mbit_per_s == 22
    assert result.local_host == "10.0.0.10"
    assert result.intervals["start_s"].tolist() == [0, 1]
    assert result.intervals["bandwidth_mbit_per_s"].tolist() == [21, 21]
    assert bandwidths(tmp_path, PARALLEL + PARALLEL) == [22, 22]


def test_parallel_connections_without_a_total_are_added(tmp_path):
    text = "".join(line for line in PARALLEL.splitlines(True) if "SUM" not in line)
    (result,) = read(tmp_path, text)
    assert result.bandwidth_mbit_per_s == pytest.approx(21.8)
    assert result.intervals.empty


@pytest.mark.parametrize(
    ("rate", "mbit_per_s"),
    [
        ("8.01 Gbits/sec", 8010),
        ("1331 KBytes/sec", 1331 * 1024 * 8 / 1e6),
        ("95.5 MBytes/sec", 95.5 * 1024**2 * 8 / 1e6),
        ("125 Bytes/sec", 0.001),
    ],
)
def test_bits_are_thousands_and_bytes_are_powers_of_two(tmp_path, rate, mbit_per_s):
    text = CLIENT.replace("801 Mbits/sec", rate)
    assert bandwidths(tmp_path, text) == pytest.approx([mbit_per_s])


def test_udp_counts_what_arrived(tmp_path):
    assert bandwidths(tmp_path, UDP) == [100]
    lines = UDP.splitlines(keepends=True)
    assert bandwidths(tmp_path, "".join([*lines[:4], *lines[5:], lines[4]])) == [100]
    with pytest.raises(ParseError, match=r"txt:2: the server's report .* measure again or delete"):
        read(tmp_path, "".join(lines[:5]))


def test_both_ways_are_two_tests(tmp_path):
    assert bandwidths(tmp_path, BOTH_WAYS) == [100, 200]


def test_csv(tmp_path):
    (result,) = read(tmp_path, CSV)
    assert result.bandwidth_mbit_per_s == 10.48
    assert result.intervals["end_s"].tolist() == [1, 2]
    assert (result.local_host, result.remote_host) == ("10.0.0.10", "10.0.0.4")
    assert bandwidths(tmp_path, CSV + CSV.replace(",38522,", ",38526,")) == [10.48, 10.48]
    udp = CSV.replace("\n", ",0.002,0,182,0.000,0\n")
    assert bandwidths(tmp_path, udp) == [10.48]
    assert bandwidths(tmp_path, CSV_PARALLEL) == [20.971]
    with pytest.raises(ParseError, match="several tests with a total: keep each in its own file"):
        read(tmp_path, CSV_PARALLEL + CSV_PARALLEL.replace(",3852", ",3853"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no report of iperf 2"),
        (CLIENT.rpartition("[  3]")[0] + CLIENT, r"txt:6: no report over its whole length: the te"),
        (CLIENT.replace("801 Mbits", "8x1 Mbits"), r"txt:8: not a whole report: .*8x1 Mbits/sec"),
        (CLIENT.replace("connected", "linked"), r"txt:8: no line .* hosts of connection \[3\]"),
        (CSV.replace("10480000", "1048x"), r"txt:3: not a whole report: '2016.*"),
        ('{\n"start": {}}\n', "output of iperf3: .* read it with read_iperf3"),
        (
            "[  5]   0.00-3.00   sec  7.53 GBytes  21.5 Gbits/sec    6             sender\n",
            "output of iperf3: record with iperf3 --json",
        ),
    ],
)
def test_failure_and_damage_are_errors(tmp_path, text, message):
    with pytest.raises(ParseError, match=message):
        read(tmp_path, text)
