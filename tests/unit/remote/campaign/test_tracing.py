"""`lab run --trace`: which requests a campaign follows, and what it is held to once begun."""

import re

import pytest
from click.testing import CliRunner

from lab.cli import main
from lab.shared_options import parse_one_of
from remote.campaign import Campaign
from remote.campaign.record import Record, conditions_of
from remote.errors import ConfigError
from remote.experiment.section_file import read_section
from remote.hosts.inventory import Inventory
from remote.services.middleware_file import middleware_file, read_middleware_file

INVENTORY = "all: {children: {servers: {hosts: {s1: {}}}}}"


def follow_of(campaign, section):
    plan = campaign.plan(section)
    (one_of,) = {plan.settings(config).follow for config in plan.configs()}
    return one_of


@pytest.fixture
def opened(tmp_path):
    def opened(follow=None, **how):
        return Campaign.open("test", data_dir=tmp_path, follow=follow, **how)

    return opened


@pytest.fixture
def begin(tmp_path, opened):
    """Begin a campaign with what it plans of a section."""

    def begin(section, follow=None):
        campaign = opened(follow)
        (tmp_path / "inventory.yml").write_text(INVENTORY)
        inventory = Inventory.read(tmp_path / "inventory.yml")
        plan = campaign.plan(section)
        conditions = conditions_of(inventory, [plan], {section: 1.0})
        campaign.path.mkdir(exist_ok=True)
        Record(profile="smoke", seed=1, fleet="local", conditions=conditions).write(campaign.path)

    return begin


@pytest.mark.parametrize(("text", "one_of"), [("1/1", 1), ("1/100", 100), ("none", 0)])
def test_one_of_so_many_is_asked_for(text, one_of):
    assert parse_one_of(text) == one_of


@pytest.mark.parametrize("text", ["1/0", "2/3", "abc", "1/-5", "1/1.5", "100", "", "1/01", "1/ 5"])
def test_what_is_no_share_is_refused_before_anything_is_done(text):
    result = CliRunner().invoke(main, ["run", "8", "--trace", text, "--dry-run"])
    assert result.exit_code == 1
    assert "--trace: must be 1/N, one of N requests" in result.output
    assert repr(text) in result.output


@pytest.mark.parametrize("section", ["0", "2.1"])
def test_a_section_without_a_middleware_is_refused(opened, section):
    rule = rf"{section}\.toml: section {section} has no middleware .* measure it without --trace"
    with pytest.raises(ConfigError, match=rule):
        opened(100).plan(section)
    assert opened(0).plan(section) == opened().plan(section)


@pytest.mark.parametrize(
    ("begun_with", "follow", "was", "wanted"),
    [(0, 100, "none", "1/100"), (50, 100, "1/50", "1/100"), (50, 0, "1/50", "none")],
)
def test_runs_that_are_there_stay_what_they_are(begin, opened, begun_with, follow, was, wanted):
    begin("8", begun_with)
    rule = f"section 8 was begun with --trace {was}, .* with --trace {wanted} in another campaign"
    with pytest.raises(ConfigError, match=f"campaign.json: {rule}, such as `--campaign test-trace"):
        opened(follow).missing("8")
    assert follow_of(opened(follow), "3.1") == (follow or None)


@pytest.mark.parametrize("begun_with", [None, 0, 50])
def test_a_campaign_goes_on_as_it_was_begun_without_being_told_again(begin, opened, begun_with):
    """Whatever section files say by then; so campaigns of before go on, too."""
    begin("8", begun_with)
    expected = {None: 20, 0: None, 50: 50}[begun_with]
    assert follow_of(opened(), "8") == expected
    assert follow_of(opened(begun_with), "8") == expected
    record = Record.read(opened().path)
    assert record is not None
    begun = record.section("8")
    assert begun is not None
    assert dict(opened().plan("8").constants) == begun.constants


def test_the_reference_is_not_measured_in_another_way():
    how = ["--campaign", "reference", "--profile", "quick", "--dry-run"]
    result = CliRunner().invoke(main, ["run", "8", "--trace", "1/7", *how])
    assert result.exit_code == 1
    assert "section 8 was begun with --trace" in result.output


def test_another_middleware_is_followed_by_packets(opened):
    campaign = opened(100, middleware="nutcracker")
    plan = campaign.plan("3.1")
    (observed,) = {plan.settings(config).observed for config in plan.configs()}
    assert (follow_of(campaign, "3.1"), observed) == (100, "packets")


def test_what_tells_statistics_but_follows_nothing_is_followed_by_packets(tmp_path):
    shipped = middleware_file("mwlab", []).read_text()
    text = re.sub(r"\{% if follow %\}.*\{% endif %\}\n", "", shipped)
    assert text != shipped
    (tmp_path / "mine.toml").write_text(text)
    assert not read_middleware_file(tmp_path / "mine.toml").follows
    (tmp_path / "own.toml").write_text('base = "8"\n[middleware]\nmiddleware = "mine"\n')
    section = read_section("own", "smoke", folder=tmp_path)
    assert section.settings(section.configs()[0]).observed == "packets"
    (tmp_path / "own.toml").write_text('base = "4.1"\n[middleware]\nmiddleware = "mine"\n')
    section = read_section("own", "smoke", folder=tmp_path)
    assert section.settings(section.configs()[0]).observed == "none"
