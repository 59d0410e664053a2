import tomllib

import pytest

from records.objective import Objective
from remote.campaign.search_file import as_toml, parse_levels, search_document
from remote.errors import ConfigError
from remote.experiment.section_file import read_section, section_of

FIND = Objective.parse("throughput with p99 < 5 ms")
FACTORS = ("workload", "clients_per_thread", "workers", "sharded")


def test_options_are_the_factors_of_the_section():
    words = ["--workers", "64", "--workers=8", "--workload", "get", "--sharded", "true"]
    assert parse_levels(words, FACTORS) == {
        "workers": [64, 8],
        "workload": ["get"],
        "sharded": [True],
    }
    assert parse_levels([], FACTORS) == {}


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (["--worker", "64"], r"--worker: no factor of the section; its factors are --clients-per-"),
        (["workers", "64"], "no factor of the section"),
        (["--arrival-rate-per-s", "9"], "no factor of the section"),
        (["--workers"], "--workers: a level is missing"),
    ],
)
def test_wrong_options_are_told(words, rule):
    with pytest.raises(ConfigError, match=rule):
        parse_levels(words, (*FACTORS, "arrival_rate_per_s"))


def test_searches_take_the_largest_number_of_connections_and_all_other_levels(tmp_path):
    base = read_section("3.1", "smoke")
    document = search_document(base, [], FIND, {"workers": [64]})
    section = section_of(tmp_path / "find.toml", document, "smoke")
    assert section.factors == {
        "workload": base.factors["workload"],
        "clients_per_thread": (max(base.factors["clients_per_thread"]),),
        "workers": (64,),
    }
    assert section.precision is not None
    assert dict(section.precision.goals) == {"throughput": 0.05, "p99": 0.1}


def test_parts_are_searched_without_their_rates(tmp_path):
    base = read_section("7", "smoke")
    parts = ["direct", "one-worker", "eight-workers"]
    document = search_document(base, parts, FIND, {})
    section = section_of(tmp_path / "find.toml", tomllib.loads(as_toml(document)), "smoke")
    assert section.configs() == [
        {"workload": "get", "num_middlewares": 0},
        {"workload": "set", "num_middlewares": 1, "workers": 1},
        {"workload": "set", "num_middlewares": 1, "workers": 8},
    ]
