from dataclasses import replace

from remote.experiment.describe import configuration_table
from remote.experiment.section_file import read_section


def test_configuration_table_multiplies_out_the_clients():
    table = configuration_table(read_section("3.1", "paper")).set_index("parameter")["value"]
    assert table["Total number of clients"] == "6, 12, 24, 48, 72, 96, 144, 192, 288"
    assert table["Worker threads per middleware"] == "8, 16, 32, 64, 128"
    assert table["Workload"] == "write-only (set) and read-only (get)"
    assert table["Repetitions"] == "4 to 10, until throughput ±1 %, p99 ±10 %"
    assert table["Key space"] == "10\N{NARROW NO-BREAK SPACE}000 keys"


def test_configuration_table_marks_levels_that_no_study_had():
    section = replace(read_section("5.1", "paper"), extra={"multi_get_keys": (54, 81)})
    table = configuration_table(section).set_index("parameter")["value"]
    assert table["Multi-get size"] == "1, 3, 6, 9, 18, 27, 54+, 81+"
    assert table["Multi-get behaviour"] == "sharded"
    assert table["Total number of clients"] == "12"


def test_configuration_table_tells_arrivals_replicas_and_pauses():
    tables = {
        name: configuration_table(read_section(name, "smoke")).set_index("parameter")["value"]
        for name in ("7", "8", "9")
    }
    assert tables["7"]["Arrival rate (per s)"] == "410, 870, 1968, 2465"
    assert tables["7"]["Number of middlewares"] == "none, 1"
    assert (
        tables["8"]["Server pauses"] == "server 1 at 1.25 s for 0.25 s; server 2 at 3 s for 0.625 s"
    )
    assert tables["9"]["Replicas of each key"] == "1, 3"
    assert tables["9"]["Key size"] == "16 B"
