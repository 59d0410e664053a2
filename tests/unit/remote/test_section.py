from pathlib import Path

import pytest

from remote.errors import ConfigError
from remote.section import PROFILES, SECTIONS_DIR, Section, slug

MINIMAL = """
title = "A section"
[hosts]
clients = 3
servers = 1
[factors]
workload = ["set", "get"]
clients_per_thread = [1, 2]
[profiles.smoke]
repetitions = 2
warm_up_s = 1
stable_s = 3
factors.clients_per_thread = [8]
"""


def read(folder: Path, text: str) -> Section:
    (folder / "x.toml").write_text(text)
    return Section.read("x", "smoke", folder=folder)


def test_section_profile_replaces_the_levels_of_a_factor(tmp_path):
    section = read(tmp_path, MINIMAL)
    assert section.configs() == [
        {"workload": "set", "clients_per_thread": 8},
        {"workload": "get", "clients_per_thread": 8},
    ]
    assert section.durations.total_s == 4
    assert section.hosts == {"clients": 3, "middlewares": 0, "servers": 1}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"set", "get"', '"put"', "factors.workload: 'put' is none of"),
        ("[1, 2]", "[]", "factors.clients_per_thread must be a list of distinct levels"),
        ("= [8]", "= [8, 8]", "distinct levels"),
        ("= [8]", "= [0]", "each level must be a whole number >= 1, got 0"),
        ("= [8]", '= ["8"]', "each level must be a whole number >= 1, got '8'"),
        ("stable_s = 3", "stable_s = 0", "profiles.smoke.stable_s must be a whole number >= 1"),
        ("stable_s = 3", "stable = 3", "profiles.smoke: unknown stable; known are cool_down_s"),
        ("stable_s = 3", "", "profiles.smoke: .*missing.*stable_s"),
        ("clients = 3", "clients = -1", "hosts.clients must be a whole number >= 0, got -1"),
        ("servers = 1", "server = 1", "hosts: unknown server"),
        ('title = "A section"', 'titel = "x"', "the top level: unknown titel"),
        ('title = "A section"', 'title = "x', "not TOML"),
        ('title = "A section"', 'kind = "disk"', "kind must be `load` or `network`, got 'disk'"),
    ],
)
def test_section_names_file_place_and_rule_of_a_mistake(tmp_path, old, new, message):
    with pytest.raises(ConfigError, match=message) as error:
        read(tmp_path, MINIMAL.replace(old, new))
    assert str(tmp_path / "x.toml") in str(error.value)


def test_section_that_does_not_exist_lists_those_that_do(tmp_path):
    (tmp_path / "2.1.toml").write_text(MINIMAL)
    with pytest.raises(ConfigError, match=r"no section `9.9`; there are 2.1"):
        Section.read("9.9", "smoke", folder=tmp_path)


def test_section_profile_that_does_not_exist_lists_those_that_do(tmp_path):
    (tmp_path / "2.1.toml").write_text(MINIMAL)
    with pytest.raises(ConfigError, match="no profile `huge`; there are smoke"):
        Section.read("2.1", "huge", folder=tmp_path)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("path", sorted(SECTIONS_DIR.glob("*.toml")), ids=lambda p: p.stem)
def test_every_shipped_section_is_valid_in_every_profile(path, profile):
    assert Section.read(path.stem, profile).configs()


def test_paper_profile_has_the_levels_of_the_studies():
    section = Section.read("3.1", "paper")
    assert section.factors["clients_per_thread"] == (1, 2, 4, 8, 12, 16, 24, 32, 48)
    assert section.factors["workers"] == (8, 16, 32, 64, 128)
    assert (section.durations.repetitions, section.durations.stable_s) == (4, 60)


def test_slug_lists_factors_in_their_order():
    assert slug({"workload": "get", "workers": 8}) == "workload=get_workers=8"
