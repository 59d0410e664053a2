from remote.describe import configuration_table
from remote.section import Section


def test_configuration_table_multiplies_out_the_clients():
    table = configuration_table(Section.read("3.1", "paper")).set_index("parameter")["value"]
    assert table["Total number of clients"] == "6, 12, 24, 48, 72, 96, 144, 192, 288"
    assert table["Worker threads per middleware"] == "8, 16, 32, 64, 128"
    assert table["Workload"] == "write-only (set) and read-only (get)"
    assert table["Repetitions"] == "4, 60 s stable each"


def test_configuration_table_without_middleware_says_none():
    table = configuration_table(Section.read("2.1", "smoke")).set_index("parameter")["value"]
    assert table["Number of middlewares"] == table["Worker threads per middleware"] == "none"
