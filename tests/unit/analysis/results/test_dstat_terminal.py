from pathlib import Path

import pandas as pd
import pytest

from analysis.results import ParseError, read_dstat

DSTAT = """\
You did not select any stats, using -cdngy by default.
----total-cpu-usage---- -dsk/total- -net/total- ---paging-- ---system--
usr sys idl wai hiq siq| read  writ| recv  send|  in   out | int   csw
  1   1  98   0   0   0|  12k 1.5M|   0     0 |   0     0 | 100   200
 11   2  80   3   0   4|1024B   2k|  84B 1.5M|   0    4k|1469  3333
 12   2  80   2   0   4|   0     0 |   1G   12k|   0     0 | 12k   13k
"""
TIMED = """\
----system---- --total-cpu-usage-- -net/total- ---net/lo--
     time     |usr sys idl wai stl| recv  send: recv  send
31-12 23:59:58| 68  10  20   0   1|   0     0 :   0     0
31-12 23:59:59| 94   6   0   0   1| 120B  240B:   1k    2k
01-01 00:00:00| 93   6   0   0   1|   0     0 :   0     0
"""
DOOL = """\
Using default plugins: cpu, disk, net, load
┄┄total┄cpu┄usage┄┄┬┄dsk/total┄┬┄net/total┄┬┄┄┄┄┄┄memory┄usage┄┄┄┄┄┬┄┄epoch┄┄┄
usr sys idl wai stl│ read  writ│ recv  send│ used  free  cach  avai│  epoch
 68  10  20   0   1│9112k   13M│   0     0 │ 572M 19.7G 2860M 23.0G│1795909526
 44   4  49   0   2│  80k    8M│ 800{b}    0 │ 567M 19.7G 2865M 23.0G│1795909527
"""


def read(tmp_path: Path, text: str, **options) -> pd.DataFrame:
    path = tmp_path / "dstat.txt"
    path.write_text(text)
    return read_dstat(path, **options)


def test_rounded_numbers_and_their_units(tmp_path):
    frame = read(tmp_path, DSTAT)
    assert frame["cpu_user_percent"].tolist() == [11, 12]
    assert frame["cpu_softirq_percent"].tolist() == [4, 4]
    assert frame["disk_read_bytes_per_s"].tolist() == [1024, 0]
    assert frame["disk_write_bytes_per_s"].tolist() == [2048, 0]
    assert frame["net_receive_bytes_per_s"].tolist() == [84, 1024**3]
    assert frame["net_send_bytes_per_s"].tolist() == [1.5 * 1024**2, 12 * 1024]
    assert frame["paging_out_bytes_per_s"].tolist() == [4096, 0]
    assert frame["system_interrupts_per_s"].tolist() == [1469, 12_000]
    assert not {"epoch_s", "local_time", "time"} & set(frame)


def test_titles_of_pcp_and_of_one_group(tmp_path):
    pcp = DSTAT.replace("----total-cpu-usage----", "------total-usage------")
    assert read(tmp_path, pcp).equals(read(tmp_path, DSTAT))
    frame = read(tmp_path, "-net/total-\n recv  send\n   0     0\n  84B   1k\n$ exit\n")
    assert frame.to_numpy().tolist() == [[84, 1024]]


def test_titles_are_repeated_every_screenful(tmp_path):
    lines = DSTAT.splitlines(keepends=True)
    again = "".join([*lines[:5], *lines[1:3], lines[5]])
    assert read(tmp_path, again).equals(read(tmp_path, DSTAT))


def test_last_recording_counts(tmp_path):
    first = DSTAT.replace(" 11   2", " 99   2")
    text = f"{first}^C\ns@host:~$ dstat | tee log\n{DSTAT}s@host:~$ exit\n"
    assert read(tmp_path, text).equals(read(tmp_path, DSTAT))
    other = f"s@host:~$ dstat -tcn\n{TIMED}"
    assert read(tmp_path, DSTAT + other).equals(read(tmp_path, TIMED))


def test_colours_and_rows_that_were_overwritten(tmp_path):
    lines = DSTAT.splitlines()
    rows = [f"\x1b[0;0m\x1b[2K\x1b[s\x1b[0;37m{row}\x1b[1;30m" for row in lines[3:]]
    rows[2] = f"\x1b[0m 77{lines[5][3:]}\x1b[2K\x1b[0G{rows[2]}"
    titles = lines[1].replace(" ", "\x1b[0;34m \x1b[0;34m")
    text = "\r\n".join([f"\x1b[7l{titles}", lines[2], *rows, ""])
    assert read(tmp_path, text).equals(read(tmp_path, DSTAT))


def test_late_and_narrow_rows(tmp_path):
    lines = DSTAT.splitlines()
    lines[4] += " missed 2 ticks"
    lines.insert(4, "Terminal width too small, trimming output.")
    lines[1:3] = [f"{lines[1]}>", f"{lines[2]}>"]
    text = "\n".join([*lines[:-1], f"{lines[-1]}>", ""])
    assert read(tmp_path, text).equals(read(tmp_path, DSTAT))


def test_time_has_no_year_unless_told(tmp_path):
    assert read(tmp_path, TIMED)["time"].tolist() == ["31-12 23:59:59", "01-01 00:00:00"]
    times = read(tmp_path, TIMED, year=2017)["local_time"]
    assert times.tolist() == [pd.Timestamp("2017-12-31 23:59:59"), pd.Timestamp("2018-01-01")]


@pytest.mark.parametrize(
    "titles", ["-net/total- ---net/lo--", "-net/total----net/lo--"], ids=["plain", "coloured"]
)
def test_devices_stand_in_the_names(tmp_path, titles):
    frame = read(tmp_path, TIMED.replace("-net/total- ---net/lo--", titles))
    assert frame.loc[0, "net_send_bytes_per_s"] == 240
    assert frame.loc[0, "net_lo_receive_bytes_per_s"] == 1024


def test_dool_counts_in_bits_unless_its_units_are_those_of_bytes(tmp_path):
    bits = read(tmp_path, DOOL.format(b="b"))
    assert bits["epoch_s"].tolist() == [1795909527]
    assert bits["net_receive_bytes_per_s"].tolist() == [100]
    assert bits["disk_read_bytes_per_s"].tolist() == [10_000]
    assert bits["memory_used_bytes"].tolist() == [567 * 1024**2]
    no_unit = DOOL.format(b=" ").replace("┄", "-").replace("┬", "|").replace("│", "|")
    assert read(tmp_path, no_unit)["disk_write_bytes_per_s"].tolist() == [1_000_000]
    in_bytes = read(tmp_path, DOOL.format(b="B").replace("80k", "80K"))
    assert in_bytes["net_receive_bytes_per_s"].tolist() == [800]
    assert in_bytes["disk_read_bytes_per_s"].tolist() == [80 * 1024]


def test_dstat_counts_in_bits_when_asked(tmp_path):
    frame = read(tmp_path, TIMED.replace("B", "b"))
    assert frame.loc[0, ["net_receive_bytes_per_s", "net_lo_send_bytes_per_s"]].tolist() == [
        15,
        250,
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (" 11   2", " 11  2x", r"txt:5: cpu_system_percent must be a number, got '2x'; correct or"),
        (
            " 11   2",
            "  11   ",
            r"txt:5: cpu_user_percent must be a number, got '11 +80 .*'; correct",
        ),
        (
            "|1469  3333\n",
            "\n",
            r"txt:5: 14 cells expected, got 12: the row ends before system_int",
        ),
        ("usr sys", "one two", r"txt:1: no Host line, .* and no column titles"),
    ],
)
def test_damage_names_line_column_and_remedy(tmp_path, old, new, message):
    text = DSTAT.replace(old, new)
    if "two" in new:
        text = "".join(line for line in text.splitlines(True) if "csw" not in line)
    with pytest.raises(ParseError, match=message):
        read(tmp_path, text)


INTERRUPTED = [
    " 13",
    " 13   2  80   2   0   4|  392k",
    " 13   2  80   2   0   4|  392k 40",
    " 13   2  80   2   0   4| 392k 4096B|",
    " 13   2  80   2   0   4| 392k 4096B|  84B 1.5M|   0    4k|1469",
    " 13   2  80   2   0   4| 392k 4096B|  84B 1.5M|   0    4k|1469  333",
]


@pytest.mark.parametrize("row", INTERRUPTED)
def test_last_row_that_was_interrupted_is_dropped(tmp_path, row):
    whole = read(tmp_path, DSTAT)
    for end in ("^C\n", "^C\ns@host:~$ exit\n", "\x1b[0m^C\x1b[0m\r\n"):
        assert read(tmp_path, f"{DSTAT}{row}{end}").equals(whole)
    for row in INTERRUPTED[:-1]:
        assert read(tmp_path, f"{DSTAT}{row}\ns@host:~$ exit\n").equals(whole)


def test_last_row_that_was_complete_when_the_tool_was_interrupted_counts(tmp_path):
    assert read(tmp_path, f"{DSTAT[:-1]}^C\n").equals(read(tmp_path, DSTAT))
    zeros = DSTAT.replace(" 12k   13k\n", "   0     0 ^C\n")
    assert read(tmp_path, zeros)["system_interrupts_per_s"].tolist() == [1469, 0]
    (row,) = read(tmp_path, "-net/total-\n recv  send\n   0     0 \n  84B    1k^C\n").to_numpy()
    assert row.tolist() == [84, 1024]


@pytest.mark.parametrize(
    ("row", "column", "message"),
    [
        (INTERRUPTED[1], "disk_read_bytes_per_s", "the row ends in disk_read_bytes_per_s, which"),
        (INTERRUPTED[4], "system_interrupts_per_s", "the row ends in system_interrupts_per_s, whi"),
        (
            " 13   2  80   2   0   4|  392k     |  84B 1.5M|   0    4k|1469  3333",
            "disk_read_bytes_per_s",
            "disk_read_bytes_per_s must be a number, got '392k in place of 2 cells'; correct or",
        ),
    ],
)
def test_cut_cells_of_a_row_that_counts_are_an_error_where_asked_for(
    tmp_path, row, column, message
):
    lines = DSTAT.splitlines()
    text = "\n".join([*lines[:5], row, lines[5], ""])
    with pytest.raises(ParseError, match=f"txt:6: .*{message}"):
        read(tmp_path, text, columns=[column])
    assert read(tmp_path, text, columns=["cpu_user_percent"])["cpu_user_percent"].tolist() == [
        *(11, 13, 12)
    ]
