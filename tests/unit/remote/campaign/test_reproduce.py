"""Runs of others measured again: what a manifest asks for, and what is refused."""

import dataclasses
import json

import pytest

from remote.campaign.reproduce import changed_conditions, plan_of
from remote.errors import ConfigError
from remote.experiment.section_file import read_section
from remote.services.middleware_file import FOLDER, read_middleware_file
from tests.helpers.manifests import manifest_of


def document_of(section):
    """What `lab reproduce` needs of a manifest, of one configuration."""
    return {
        "plan": dataclasses.asdict(section),
        "settings": {},
        "config": section.configs()[3],
        "topology": {"time_dilation": 4.0},
        "durations": {"warm_up_s": 2, "stable_s": 41, "cool_down_s": 1},
        "results": {},
    }


def plan(document, path, repetitions=1):
    return plan_of(manifest_of(**json.loads(json.dumps(document))), path, repetitions=repetitions)


def test_one_configuration_is_planned_from_its_manifest(tmp_path):
    section = read_section("3.1", "quick")
    document = document_of(section)
    config = document["config"]
    made = plan(document, tmp_path, repetitions=2)
    assert made.configs() == [config]
    assert made.durations.repetitions == 2
    assert document["durations"] == dataclasses.asdict(made.durations.of_clock(4.0))
    assert made.precision is None
    assert made.time_dilation == 4
    assert made.settings(config) == section.settings(config)
    with pytest.raises(ConfigError, match="holds no plan and no settings and no config"):
        plan({}, tmp_path)
    with pytest.raises(ConfigError, match="the plan of its section is damaged"):
        plan({**document, "plan": {"name": "3.1"}}, tmp_path)
    with pytest.raises(ConfigError, match="clients of one middleware are more than"):
        plan({**document, "config": {**config, "clients_per_thread": 9999}}, tmp_path)


def test_runs_that_were_heated_are_heated_as_long(tmp_path):
    section = read_section("q2", "quick")
    heat_s = section.heat_s
    assert heat_s > 0
    lengths = {"warm_up_s": heat_s + 2, "stable_s": 9, "cool_down_s": 0}
    document = {**document_of(section), "durations": lengths}
    made = plan(document, tmp_path)
    assert made.heat_s == heat_s
    assert dataclasses.asdict(made.durations.of_clock(4.0)) == lengths
    assert made.durations.warm_up_s == 0.5
    short = {**document, "durations": {**lengths, "warm_up_s": heat_s - 1}}
    with pytest.raises(ConfigError, match=f"warm_up_s is shorter than the {heat_s} s of heating"):
        plan(short, tmp_path)


def test_only_conditions_that_differ_are_named():
    original = manifest_of(fleet="local", hosts={"c1": {"kernel": "6.1", "cores": "2"}})
    hosts, generator = {"c1": {"kernel": "6.2", "cores": "2"}}, {"name": "a", "version": "1"}
    again = manifest_of(fleet="local", hosts=hosts, generator=generator)
    assert changed_conditions(original, again) == [
        ("hosts.c1.kernel", "6.1", "6.2"),
        ("generator.name", None, "a"),
        ("generator.version", None, "1"),
    ]
    assert changed_conditions(original, original) == []


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("plan.name", "../../x", r"plan\.name must be letters.* got '\.\./\.\./x'"),
        ("plan.name", "middlewares", r"plan\.name must be"),
        ("plan.profile", "../x", r"plan\.profile must be one of"),
        ("plan.constants.key_prefix", "a; rm -rf /", r"plan\.constants\.key_prefix must be"),
        ("plan.constants.shell", "x", r"plan\.constants: unknown shell"),
        ("plan.hosts.../x", 1, r"must be one of clients"),
        ("config.workload", "../../x", r"config\.workload must be one of"),
        ("config.../../x", 1, r"config: unknown \.\./\.\./x"),
        ("topology.time_dilation", float("nan"), r"time_dilation must be a number"),
        ("durations.stable_s", 0, r"durations\.stable_s must be a number 0\.01 to 604800"),
        ("durations.stable_s", float("inf"), r"durations\.stable_s must be a whole number"),
        ("durations.stable_s", 10**400, r"durations\.stable_s must be a whole number"),
        ("plan.pauses", [{"server": 1, "at_s": 1e300, "for_s": 1}], r"pauses\[1\]\.at_s must be"),
        ("plan.precision.heat_s", -(10**9), r"plan\.heat_s must be a whole number 0 to 604800"),
        ("results.client_throughput_ops_per_s", 0, r"results\.client_throughput_ops_per_s must be"),
    ],
)
def test_what_no_section_file_may_say_no_manifest_may(tmp_path, place, value, said):
    document = json.loads(json.dumps(document_of(read_section("3.1", "quick"))))
    first, _, name = place.partition(".")
    table = document[first]
    if name.split(".")[0] in ("constants", "hosts", "precision"):
        inner, _, name = name.partition(".")
        table = table[inner]
    table[name] = value
    with pytest.raises((ConfigError, ValueError), match=said):
        plan(document, tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "../x"}, r"middlewares\.nutcracker: must be called by its name"),
        ({"files": {"../../.ssh/authorized_keys": "0" * 64}}, r"files\[1\] must be a plain file"),
        ({"configuration": {"/etc/cron.d/x": "* * * * * root x"}}, "must be a plain file name"),
        ({"signal": "TERM; reboot"}, r"signal must be a signal such as TERM"),
    ],
)
def test_middlewares_of_a_manifest_are_held_to_the_rules_of_their_files(tmp_path, change, said):
    document = document_of(read_section("3.1", "quick"))
    middleware = read_middleware_file(FOLDER / "nutcracker.toml")
    told = dataclasses.asdict(dataclasses.replace(middleware, **change))
    document["plan"]["middlewares"] = {"nutcracker": told}
    with pytest.raises(ConfigError, match=said):
        plan(document, tmp_path)
