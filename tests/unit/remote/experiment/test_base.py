import pytest

from remote.errors import ConfigError
from remote.experiment.base import on_base
from remote.experiment.section_file import read_section, section_of

FIND = "throughput with p99 < 5 ms"
BASE = {
    "title": "Base",
    "hosts": {"clients": 3, "servers": 1},
    "factors": {"workload": ["set", "get"], "workers": [8, 64]},
    "extra": {"workers": [128]},
    "profiles": {
        "smoke": {
            "repetitions": 2,
            "stable_s": 3,
            "factors": {"workload": ["get"], "workers": [8]},
        },
        "paper": {"precision": {"throughput": 0.01}, "time_dilation": "auto"},
    },
}


def test_factors_take_the_place_of_those_of_the_base_and_of_its_profiles():
    merged = on_base({"factors": {"workers": [16]}}, BASE)
    assert merged["factors"] == {"workload": ["set", "get"], "workers": [16]}
    assert merged["extra"] == {}
    assert merged["profiles"]["smoke"]["factors"] == {"workload": ["get"]}


def test_precision_takes_the_place_of_seconds_and_repetitions():
    merged = on_base({"precision": {"throughput": 0.05}}, BASE)
    assert merged["profiles"] == {
        "smoke": {"factors": BASE["profiles"]["smoke"]["factors"]},
        "paper": {"time_dilation": "auto"},
    }


def test_a_profile_of_its_own_is_that_of_the_file():
    merged = on_base({"precision": {}, "profiles": {"smoke": {"stable_s": 1}}}, BASE)
    assert merged["profiles"]["smoke"] == {"stable_s": 1}


def test_a_search_on_a_shipped_section_takes_a_few_lines(tmp_path):
    document = {
        "base": "3.1",
        "find": FIND,
        "factors": {"workers": [64]},
        "precision": {"p99": 0.1},
    }
    section = section_of(tmp_path / "mine.toml", document, "smoke")
    base = read_section("3.1", "smoke")
    assert section.find is not None and section.find.text() == FIND
    assert section.factors == {**base.factors, "workers": (64,)}
    assert (section.hosts, section.constants) == (base.hosts, base.constants)
    assert section.precision is not None and dict(section.precision.goals) == {"p99": 0.1}


@pytest.mark.parametrize("base", ["3.7", "../sections/3.1", ""])
def test_a_base_that_is_not_shipped_is_refused(tmp_path, base):
    with pytest.raises(ConfigError, match=r"base must be one of 0, 2\.1, .* got"):
        section_of(tmp_path / "mine.toml", {"base": base, "find": FIND}, "smoke")


@pytest.mark.parametrize(
    "said", [{"generator": {"value_bytes": 8}}, {"factors": {"value_bytes": [8]}}]
)
def test_constants_and_factors_take_the_place_of_constants(said):
    constants = {"value_bytes": 4096, "key_count": 100}
    base = {**BASE, "generator": constants, "profiles": {"smoke": {"generator": constants}}}
    merged = on_base(said, base)
    assert merged["generator"] == {"key_count": 100, **said.get("generator", {})}
    assert merged["profiles"]["smoke"]["generator"] == {"key_count": 100}
