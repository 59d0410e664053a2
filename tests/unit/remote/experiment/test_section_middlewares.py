"""Sections with other middlewares than this project's own."""

import json
from dataclasses import asdict

import pytest

from records.documents import parse
from remote.campaign.record import Record, conditions_of
from remote.errors import ConfigError
from remote.experiment.rules import require_possible
from remote.experiment.section import Section, slug, with_middleware
from remote.experiment.section_file import SECTIONS_DIR, read_section
from remote.hosts.inventory import Inventory
from remote.services.middleware_file import own_middleware, read_middleware_file

MINE = """
command = "mine {{ address }}:{{ port }} {{ workers }} {{ servers | join(',') }}"
fixed = { routing = "hash" }
"""
COMPARED = """
[hosts]
clients = 1
middlewares = 1
servers = 2
[factors]
workload = ["set"]
clients_per_thread = [1]
middleware = ["mwlab", "nutcracker", "mine"]
workers = [8, 64]
sharded = [false, true]
[precision]
throughput = 0.1
"""


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.toml").write_text(MINE)
    return read_middleware_file(tmp_path / "mine.toml")


def read(folder, text):
    (folder / "mine.toml").write_text(MINE)
    (folder / "compared.toml").write_text(text)
    return read_section("compared", "smoke", folder=folder)


def test_levels_that_cannot_be_told_are_left_out(tmp_path):
    section = read(tmp_path, COMPARED)
    names = [
        slug(config).removeprefix("workload=set_clients_per_thread=1_")
        for config in section.configs()
    ]
    assert names == [
        *(
            f"middleware=mwlab_workers={workers}_sharded={sharded}"
            for workers in (8, 64)
            for sharded in ("false", "true")
        ),
        "middleware=nutcracker",
        "middleware=mine_workers=8",
        "middleware=mine_workers=64",
    ]


def test_settings_are_those_that_a_middleware_has(tmp_path):
    section = read(tmp_path, COMPARED)
    own, nutcracker, mine = (
        next(section.settings(c) for c in section.configs() if c["middleware"] == name)
        for name in ("mwlab", "nutcracker", "mine")
    )
    assert (own.observed, own.copies) == ("none", 2)
    assert (nutcracker.observed, nutcracker.workers, nutcracker.copies) == ("packets", None, 1)
    assert (mine.observed, mine.workers, mine.routing) == ("packets", 8, "hash")


def test_black_boxes_need_not_be_observed(tmp_path):
    assert read(tmp_path, COMPARED).is_observed
    section = read(tmp_path, COMPARED + '[middleware]\nobserved = "none"\n')
    assert {section.settings(config).observed for config in section.configs()} == {"none"}
    assert not section.is_observed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"mwlab", "nutcracker", "mine"', '"mwlab", "other"'), "no middleware `other`"),
        (
            ('"mwlab", "nutcracker", "mine"', '"nutcracker", "haproxy"'),
            "workers: nutcracker, haproxy cannot",
        ),
        (("workers = [8, 64]\n", ""), "middleware=mwlab.*: workers must be given"),
        (('"mwlab", "nutcracker", "mine"', '"../mine"'), r"middleware\[1\] must be the name of"),
        (("middlewares = 1", "middlewares = 0"), "there is no middleware to set it on"),
    ],
)
def test_mistakes_are_told(tmp_path, change, message):
    with pytest.raises(ConfigError, match=message):
        read(tmp_path, COMPARED.replace(*change))


def test_wrong_fixed_settings_are_told(tmp_path):
    (tmp_path / "compared.toml").write_text(COMPARED)
    (tmp_path / "mine.toml").write_text(MINE.replace('"hash"', '"random"'))
    with pytest.raises(ConfigError, match=r"mine.toml: fixed\.routing must be one of round-robin"):
        read_section("compared", "smoke", folder=tmp_path)


@pytest.mark.parametrize("name", ["3.1", "3.2", "4.1", "4.4", "5.1", "5.2", "6", "7", "8", "9"])
@pytest.mark.parametrize("profile", ["smoke", "quick", "paper"])
def test_every_section_can_be_measured_with_another(mine, name, profile):
    section = read_section(name, profile)
    if "middleware" in section.factors or not section.hosts["middlewares"]:
        return
    other = with_middleware(section, mine)
    require_possible(other, SECTIONS_DIR / f"{name}.toml")
    proxied = [one for one in map(other.settings, other.configs()) if one.num_middlewares]
    assert {(one.middleware, one.routing, one.observed) for one in proxied} == {
        ("mine", "hash", "packets")
    }
    assert with_middleware(section, own_middleware()) is section


def test_a_section_without_middleware_or_with_its_own_is_refused(tmp_path, mine):
    with pytest.raises(ValueError, match=r"section 2\.1 has no middleware"):
        with_middleware(read_section("2.1", "smoke"), mine)
    with pytest.raises(ValueError, match="says itself which middleware"):
        with_middleware(read(tmp_path, COMPARED), mine)


def test_plans_and_records_hold_the_middleware(tmp_path, mine, unshaped):
    section = with_middleware(read_section("3.1", "smoke"), mine)
    again = parse(Section, json.loads(json.dumps(asdict(section))))
    assert again.middlewares == {"mine": mine}
    assert again.configs() == section.configs()
    conditions = conditions_of(unshaped, [section], {"3.1": 1.0})
    record = Record(profile="smoke", seed=1, fleet="local").extended(tmp_path, conditions)
    record.extended(tmp_path, conditions)
    changed = with_middleware(
        read_section("3.1", "smoke"),
        read_middleware_file(_other(tmp_path)),
    )
    with pytest.raises(ConfigError, match=r"section 3\.1 is not what the campaign was begun with"):
        record.extended(tmp_path, conditions_of(unshaped, [changed], {"3.1": 1.0}))


def _other(folder):
    (folder / "mine.toml").write_text(MINE.replace("mine ", "mine --faster "))
    return folder / "mine.toml"


@pytest.fixture
def unshaped(tmp_path):
    return Inventory(
        path=tmp_path / "inventory.toml", hosts=(), fleet="any", topology="any", time_dilation=1
    )
