from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.results import ParseError, read_dstat

DATA = Path(__file__).parents[3] / "data" / "dool"
DSTAT_0_7_2 = """\
"Dstat 0.7.2 CSV output"
"Author:","Dag Wieers <dag@wieers.com>",,,,"URL:","http://dag.wieers.com/home-made/dstat/"
"Host:","s1",,,,"User:","root"
"Cmdline:","dstat -tcn --output s1.csv 1",,,,"Date:","31 Dec 2017 23:59:58 UTC"

"system","total cpu usage",,,,,,"net/total",
"time","usr","sys","idl","wai","hiq","siq","recv","send"
31-12 23:59:58,0.173,0.123,99.670,0.009,0.0,0.026,22395.765,51954.426
31-12 23:59:59,1.0,2.0,90.0,3.0,0.0,4.0,60.0,130.0
01-01 00:00:00,2.0,2.0,90.0,2.0,0.0,4.0,61.0,106.0
"""
DSTAT_0_7_4 = """\
"Dstat 0.7.4 CSV output"
"Author:","Dag Wieers <dag@wieers.com>",,,,"URL:","http://dag.wieers.com/home-made/dstat/"
"Host:","s1",,,,"User:","root"
"Cmdline:","dstat -T --epoch -N total,eth0 -C 0,total -c -n --output a.csv",,,,"Date:","21 Nov 2026"
"epoch","epoch","cpu0 usage",,,,,"total cpu usage",,,,,"net/total",,"net/eth0",
"epoch","epoch","usr","sys","idl","wai","stl","usr","sys","idl","wai","stl","net/total:recv",\
"net/total:send","net/eth0:recv","net/eth0:send"
1795222550.156,1795222550.156,9,9,82,0,0,8,8,84,0,0,1,2,3,4
1795222551.156,1795222551.156,16.6,9.2,70.5,0.7,3,8.5,8,84,0,0,1000,2000,900,1900,,,
"""
PCP = """\
"pcp-dstat 4.3.2 CSV Output"
"Author:","PCP team <pcp@groups.io> and Dag Wieers <dag@wieers.com>",,,,"URL:","https://pcp.io/"
"Host:","s1",,,,"User:","root"
"Cmdline:","dstat -tcn --output pcp.csv 1",,,,"Date:","21 Nov 2026 00:55:45 CET"
"system","total usage",,,,,"net/total",,
"time","total usage:usr","total usage:sys","total usage:idl","total usage:wai","total usage:stl",\
"net/total:recv","net/total:send",
21-11 00:55:45,1,1,98,0,0,10,20,
\x1b[0;33m21-11 00:55:46\x1b[0m,11,1,88,0,0,110,120,
"""


PCP_6_2 = """\
"pcp-dstat 6.2.0 CSV Output"
"Author:","PCP team <pcp@groups.io> and Dag Wieers <dag@wieers.com>",,,,"URL:","https://pcp.io/"
"Host:","s1",,,,"User:","root"
"Cmdline:","pcp-dstat --epoch -c -l --output out.csv",,,,"Date:","17 Sep 2024 00:51:58 UTC"
"epoch","total usage",,,,,"load avg",,
"epoch","total usage:usr","total usage:sys","total usage:idl","total usage:wai","total usage:stl",\
"1m","5m","15m"
1726534318,,0.060,0.080,0.030,,,,
1726534319,0.250,0,99.967,0,0,0.060,0.080,0.030
1726534320,0.500,0,99.967,0,0,0.060,,0.030
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "dstat.csv"
    path.write_text(text)
    return path


def test_dool_row_is_bound_by_name_and_the_first_is_dropped():
    frame = read_dstat(DATA / "bytes.csv")
    lines = (DATA / "bytes.csv").read_text().splitlines()
    assert len(frame) == len(lines) - 6 - 1
    cells = lines[7].split(",")
    row = frame.iloc[0]
    assert row["epoch_s"] == float(cells[0])
    assert row["cpu_idle_percent"] == float(cells[3])
    assert row["disk_write_bytes_per_s"] == float(cells[7])
    assert row["memory_available_bytes"] == float(cells[15])


@pytest.mark.parametrize(
    ("version", "options", "factor"),
    [
        ("1.2.0", "--bits", 1),
        ("0.9.9", "", 1),
        ("1.3.0", "", 8),
        ("1.3.4", "--byte", 1),
        ("1.3.4", "--bytes --bits", 8),
        ("1.3.8", "--dstat", 1),
        ("1.10.0", "", 8),
    ],
)
def test_dool_writes_bits_since_1_3_0(tmp_path, version, options, factor):
    text = (DATA / "bits.csv").read_text()
    text = text.replace("dool 1.3.8", f"dool {version}").replace("--net", f"--net {options}")
    cells = text.splitlines()[7].split(",")
    frame = read_dstat(write(tmp_path, text))
    assert frame.loc[0, "net_receive_bytes_per_s"] == float(cells[6]) / factor


def received(tmp_path: Path, text: str) -> list[float]:
    return read_dstat(write(tmp_path, text))["net_receive_bytes_per_s"].tolist()


def without_banner(text: str) -> str:
    """Leave the first two lines out: a program writes neither into a file that exists."""
    return "\n\n" + text.split("\n", 2)[2]


BITS = (DATA / "bits.csv").read_text()  # dool 1.3.8: 6320 and 25 600 bits a second
DSTAT = DSTAT_0_7_2.replace("\n\n", "\n")
ELSEWHERE = BITS.replace('"dool --epoch', '"/opt/my tools/dool --epoch')
IN_BYTES = BITS.replace("--net", "--net --bytes")


@pytest.mark.parametrize(
    ("text", "bytes_per_s"),
    [
        *((above + BITS, [790.0, 3200.0]) for above in ("\n", "Too small\n", "\n\ufeff", DSTAT)),
        (DSTAT + IN_BYTES, [6320.0, 25600.0]),
        *((BITS + between + DSTAT, [60.0, 61.0]) for between in ("", "\n\n", "\ufeff")),
        (BITS + without_banner(BITS), [790.0, 3200.0]),
        (DSTAT + without_banner(DSTAT), [60.0, 61.0]),
        (BITS + without_banner(ELSEWHERE), [790.0, 3200.0]),
        (without_banner(IN_BYTES), [6320.0, 25600.0]),
        (BITS.split("\n")[0] + "\n" + DSTAT, [60.0, 61.0]),
    ],
)
def test_unit_of_the_last_recording_is_that_of_the_program_that_wrote_it(
    tmp_path, text, bytes_per_s
):
    assert received(tmp_path, text) == bytes_per_s


@pytest.mark.parametrize(
    "text",
    [
        DSTAT + without_banner(BITS),
        BITS + without_banner(DSTAT),
        without_banner(BITS),
        BITS.replace("dool 1.3.8 CSV", "dool new CSV"),
    ],
    ids=["dool-after-dstat", "dstat-after-dool", "dool", "no-version"],
)
def test_unknown_unit_is_an_error_in_columns_of_disk_and_network(tmp_path, text):
    path = write(tmp_path, text)
    with pytest.raises(ParseError, match=r'bits or bytes: .* "Dstat .* or "dool 1\.3\.8 CSV out'):
        read_dstat(path)
    with pytest.raises(ParseError, match="bits or bytes"):
        read_dstat(path, columns=["net_send_bytes_per_s"])
    assert len(read_dstat(path, columns=["cpu_user_percent"])) == 2


@pytest.mark.parametrize("program", ["Dstat 0.7.4 CSV output", "pcp-dstat 6.2.0 CSV Output"])
def test_other_programs_write_bytes_even_with_bits(tmp_path, program):
    text = DSTAT_0_7_2.replace("Dstat 0.7.2 CSV output", program).replace("-tcn", "-tcn --bits")
    assert read_dstat(write(tmp_path, text))["net_send_bytes_per_s"].tolist() == [130.0, 106.0]


def test_first_row_is_not_parsed(tmp_path):
    text = PCP_6_2.replace(",,0.030\n", ",0.080,0.030\n")
    frame = read_dstat(write(tmp_path, text))
    assert frame["epoch_s"].tolist() == [1726534319, 1726534320]
    assert frame["cpu_user_percent"].tolist() == [0.25, 0.5]
    damaged = text.replace("1726534318,,", '"17\x00265,')
    assert read_dstat(write(tmp_path, damaged)).equals(frame)


def test_empty_cell_matters_only_in_columns_that_are_asked_for(tmp_path):
    path = write(tmp_path, PCP_6_2)
    frame = read_dstat(path, columns=["cpu_user_percent", "load_15m"])
    assert list(frame) == ["epoch_s", "cpu_user_percent", "load_15m"]
    assert frame["load_15m"].tolist() == [0.03, 0.03]
    with pytest.raises(ParseError, match=r"csv:9: load_5m must be a number, got ''; correct or"):
        read_dstat(path)
    with pytest.raises(ParseError, match="no column disk_read_bytes_per_s was recorded"):
        read_dstat(path, columns=["disk_read_bytes_per_s"])


def test_year_turns_between_the_row_that_is_dropped_and_the_next(tmp_path):
    text = DSTAT_0_7_2.replace("31-12 23:59:59,1.0,2.0,90.0,3.0,0.0,4.0,60.0,130.0\n", "")
    assert read_dstat(write(tmp_path, text))["epoch_s"].tolist() == [1514764800.0]


def test_dool_without_epoch_gets_it_from_the_date_in_utc():
    frame = read_dstat(DATA / "default.csv")
    assert frame["epoch_s"].tolist() == [1795228663.0, 1795228664.0]
    assert frame["load_15m"].tolist() == [0.1, 0.1]


def test_last_recording_of_an_appended_file_counts():
    assert read_dstat(DATA / "appended.csv")["epoch_s"].tolist() == [1795229268.6, 1795229269.6]


def test_dstat_0_7_2_has_six_cpu_columns_and_the_year_turns(tmp_path):
    frame = read_dstat(write(tmp_path, DSTAT_0_7_2))
    assert frame["cpu_softirq_percent"].tolist() == [4.0, 4.0]
    assert frame["net_send_bytes_per_s"].tolist() == [130.0, 106.0]
    assert frame["epoch_s"].diff().iloc[1] == 1.0


def test_dstat_0_7_4_devices_stand_in_the_names(tmp_path):
    frame = read_dstat(write(tmp_path, DSTAT_0_7_4))
    assert frame.columns[0] == "epoch_s"
    assert frame.loc[0, ["cpu_0_user_percent", "cpu_user_percent"]].tolist() == [16.6, 8.5]
    assert frame.loc[0, "net_receive_bytes_per_s"] == 1000
    assert frame.loc[0, "net_eth0_send_bytes_per_s"] == 1900


def test_pcp_has_local_time_colours_and_stray_columns(tmp_path):
    frame = read_dstat(write(tmp_path, PCP))
    assert frame.loc[0, "local_time"] == pd.Timestamp("2026-11-21 00:55:46")
    assert "epoch_s" not in frame
    assert frame.loc[0, "cpu_user_percent"] == 11
    assert frame.loc[0, "net_send_bytes_per_s"] == 120


def test_last_row_with_too_few_cells_is_dropped(tmp_path):
    whole = (DATA / "bytes.csv").read_text()
    expected = read_dstat(DATA / "bytes.csv").iloc[:-1]
    for cut in (whole.rpartition(",")[0], whole[: whole.rindex("\n", 0, -1) + 3]):
        assert read_dstat(write(tmp_path, f"{cut}\n")).equals(expected)


def test_last_cell_of_a_row_that_is_cut_is_an_error_where_it_is_asked_for(tmp_path):
    text = DSTAT_0_7_2.replace("90.0,3.0,0.0,4.0,60.0,130.0\n", "9\n")
    path = write(tmp_path, text)
    assert read_dstat(path, columns=["cpu_system_percent"])["cpu_system_percent"].tolist() == [2, 2]
    with pytest.raises(ParseError, match=r"csv:9: .* the row ends in cpu_idle_percent, which may"):
        read_dstat(path, columns=["cpu_idle_percent"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"Host:"', '"Machine:"', r":1: no Host line"),
        (",60.0,130.0", "", r":9: 9 cells expected, got 7: the row ends before net_rec"),
        ("130.0\n01", "130.0,7,8,9\n01", r"dstat\.csv:9: 9 cells expected, got 12"),
        ("60.0", "sixty", r":9: net_receive_bytes_per_s must be a number, got 'sixty'; cor"),
        ("2017", "", "no year in the date"),
        ("31-12 23:59:59", "yesterday", r":9: time must be like .*; correct or delete"),
    ],
)
def test_damage_is_an_error_with_the_line(tmp_path, old, new, message):
    text = DSTAT_0_7_2.replace(old, new)
    with pytest.raises(ParseError, match=message):
        read_dstat(write(tmp_path, text))


@settings(max_examples=60, deadline=None)
@given(share=st.floats(0, 1))
def test_cut_anywhere_gives_a_prefix_or_an_error(tmp_path_factory, share):
    text = (DATA / "bytes.csv").read_text()
    path = tmp_path_factory.getbasetemp() / "cut.csv"
    path.write_text(text[: int(share * len(text))])
    try:
        frame = read_dstat(path)
    except ParseError as error:
        assert str(path) in str(error)
    else:
        whole = read_dstat(DATA / "bytes.csv")
        assert frame.to_numpy().tolist() == whole.iloc[: len(frame)].to_numpy().tolist()
