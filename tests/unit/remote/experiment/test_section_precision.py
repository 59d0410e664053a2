"""Sections that ask for precision in place of time."""

import pytest

from records.campaign import SectionConditions
from remote.campaign.record import Record
from remote.errors import ConfigError
from remote.experiment.precision import Precision
from remote.experiment.section_file import BUDGET_S, REPETITIONS, read_section

ASKING = """
[hosts]
clients = 3
servers = 1
[precision]
throughput = 0.05
[factors]
workload = ["get"]
clients_per_thread = [1, 2]
"""
PROFILE = "\n[profiles.smoke]\n"


def read(folder, text, profile="smoke"):
    (folder / "x.toml").write_text(text)
    return read_section("x", profile, folder=folder)


def test_a_goal_alone_is_enough_in_every_profile(tmp_path):
    for profile in ("smoke", "quick", "paper"):
        section = read(tmp_path, ASKING, profile)
        assert section.precision == Precision(
            goals={"throughput": 0.05}, repetitions=REPETITIONS, budget_s=BUDGET_S
        )
        assert section.durations is None
        assert section.repetitions == REPETITIONS
        assert section.longest_s == BUDGET_S


def test_a_profile_changes_what_it_names_of_the_precision(tmp_path):
    text = ASKING.replace("0.05", "0.05\nbudget_s = 60")
    more = "precision = { p99 = 0.1, repetitions = [2, 4] }"
    assert read(tmp_path, text + PROFILE + more).precision == Precision(
        goals={"throughput": 0.05, "p99": 0.1}, repetitions=(2, 4), budget_s=60
    )


def test_a_profile_that_has_durations_is_measured_for_a_time(tmp_path):
    section = read(tmp_path, ASKING + PROFILE + "repetitions = 2\nstable_s = 0.5\nwarm_up_s = 1")
    assert section.precision is None
    assert section.repetitions == (2, 2)
    lengths = section.fixed.of_clock(16)
    assert (lengths.stable_s, lengths.warm_up_s, lengths.total_s) == (8, 16, 24)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            ASKING + PROFILE + "stable_s = 3\nprecision = { p99 = 0.1 }",
            "profiles.smoke has stable_s beside precision",
        ),
        (ASKING + PROFILE + "stable_s = 3", "profiles.smoke.repetitions is missing"),
        (ASKING.replace("throughput = 0.05", "budget_s = 9"), "precision must name at least one"),
        (ASKING.replace("0.05", "0"), "precision.throughput must be a number 0.001 to 1"),
        (ASKING.replace("0.05", "0.05\nrepetitions = [5, 3]"), "the fewest and the most, two"),
        (ASKING.replace("0.05", "0.05\nbudget_s = 99999"), "lets keys expire after 9999 s"),
        (
            ASKING + PROFILE + "pauses = [{ server = 1, at_s = 1, for_s = 1 }]",
            "a run with pauses needs stable_s",
        ),
        (
            'time_dilation = "auto"\n' + ASKING + PROFILE + "repetitions = 2\nstable_s = 3",
            r"time_dilation `auto` needs \[precision\]",
        ),
        ('time_dilation = "best"\n' + ASKING, "time_dilation must be a number .* or `auto`"),
        (
            'find = "throughput with p99 < 5 ms"\n' + ASKING + PROFILE + "repetitions = 2\n"
            "stable_s = 3",
            r"find needs \[precision\]",
        ),
        ('find = "throughput with p99 < 0 ms"\n' + ASKING, "find must be such as `throughput with"),
        (
            'find = "throughput with p99 < 5 ms"\n'
            + ASKING.replace("[1, 2]", "[1, 2]\narrival_rate_per_s = [100]"),
            "arrival_rate_per_s is what find searches for",
        ),
    ],
)
def test_section_names_what_does_not_go_with_precision(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message) as error:
        read(tmp_path, text)
    assert str(tmp_path / "x.toml") in str(error.value)


BEGUN = {
    "time_dilation": 10,
    "hosts": {"clients": 3, "middlewares": 1, "servers": 1},
    "constants": {},
    "follows": {},
    "pauses": [{"server": 1, "at_s": 5, "for_s": 1}],
    "durations": {"repetitions": 3, "stable_s": 8, "warm_up_s": 2, "cool_down_s": 1},
}


def test_a_campaign_of_before_keeps_its_seconds_of_the_clock(tmp_path):
    shipped = read_section("3.1", "quick")
    begun = {**BEGUN, "constants": dict(shipped.constants)}
    record = Record(profile="quick", seed=1, fleet="local", conditions={"section 3.1": begun})
    section = record.as_begun(tmp_path, shipped)
    assert section.precision is None
    assert section.time_dilation == 10
    lengths = section.fixed.of_clock(10)
    assert (lengths.warm_up_s, lengths.stable_s, lengths.cool_down_s) == (2, 8, 1)
    assert section.pauses[0].at_s == 0.5
    assert record.as_begun(tmp_path, read_section("2.1", "quick")) == read_section("2.1", "quick")


def test_a_campaign_of_before_goes_on_as_it_was_begun_but_on_the_same_hosts(tmp_path):
    shipped = read_section("3.1", "quick")
    begun = {**BEGUN, "constants": dict(shipped.constants)}
    record = Record(profile="quick", seed=1, fleet="local", conditions={"section 3.1": begun})
    now = SectionConditions(**{**begun, "precision": None, "durations": None})
    assert record.extended(tmp_path, {"section 3.1": now}).section("3.1") == record.section("3.1")
    other = now.model_copy(update={"hosts": {**begun["hosts"], "clients": 2}})
    with pytest.raises(ConfigError, match=r"section 3\.1 is not what the campaign was begun with"):
        record.extended(tmp_path, {"section 3.1": other})
