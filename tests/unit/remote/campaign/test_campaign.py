import dataclasses
import gzip
import hashlib
import json
import os
import re
import shutil
import socket

import pytest
import yaml

from records.manifest import UnfinishedManifest
from records.paths import DATA
from remote.campaign import Campaign
from remote.campaign.attempts import measure_once
from remote.campaign.controller import Controller
from remote.campaign.record import RECORD, Record
from remote.campaign.states import LOCK
from remote.errors import ConfigError
from remote.experiment.lengths import Durations
from remote.experiment.manifest import read_manifest
from remote.experiment.section_file import SECTIONS_DIR
from remote.experiment.storing import Collected, store
from remote.hosts.inventory import Inventory
from tests.helpers.campaign import build_campaign, build_run
from tests.helpers.power_loss import Disk
from tests.helpers.sessions import GOOD_JOB, ScriptedSession

K = {"2.1": 1.0, "3.1": 1.0}
RECORD_OF_OTHERS = {
    "profile": "quick",
    "seed": 1,
    "fleet": "local",
    "conditions": {
        "fleet": "local-lab",
        "section 2.1": {
            "time_dilation": 1.0,
            "hosts": {"clients": 3, "middlewares": 0, "servers": 1},
            "constants": {"value_bytes": 4096},
            "follows": {},
            "pauses": [],
            "durations": None,
            "precision": None,
        },
    },
}
SECONDS = {"repetitions": 1, "stable_s": 1, "warm_up_s": 0, "cool_down_s": 0}


@pytest.fixture
def opened(tmp_path):
    return Campaign.open("test", profile="smoke", data_dir=tmp_path)


def test_campaign_keeps_its_seed_and_refuses_another_profile_or_fleet(opened, tmp_path):
    opened.path.mkdir()
    record(opened).extend(opened.path, inventory(tmp_path), [opened.runs("2.1")[0].section], K)
    assert Campaign.open("test", data_dir=tmp_path).seed == opened.seed
    with pytest.raises(ConfigError, match="begun with profile `smoke`, not `paper`"):
        Campaign.open("test", profile="paper", data_dir=tmp_path)
    with pytest.raises(ConfigError, match=r"begun with fleet `local`, not `azure.yml`"):
        Campaign.open("test", fleet="azure.yml", data_dir=tmp_path)


def test_campaign_refuses_other_links_or_durations_than_it_was_begun_with(opened, tmp_path):
    opened.path.mkdir()
    section, other = (opened.runs(name)[0].section for name in ("2.1", "3.1"))
    record(opened).extend(opened.path, inventory(tmp_path), [section], K)
    record(opened).extend(opened.path, inventory(tmp_path), [section, other], K)
    with pytest.raises(ConfigError, match=r"section 2.1 is not what .*'time_dilation': 1.0"):
        record(opened).extend(opened.path, inventory(tmp_path), [section], {"2.1": 4.0})
    with pytest.raises(ConfigError, match="topology is not what the campaign was begun with"):
        record(opened).extend(opened.path, inventory(tmp_path, rate=50), [section], K)
    durations = Durations(repetitions=3, stable_s=60)
    changed = dataclasses.replace(section, durations=durations, precision=None)
    with pytest.raises(ConfigError, match=r"section 2.1 is not what the campaign was begun with"):
        record(opened).extend(opened.path, inventory(tmp_path), [changed], K)


def test_damaged_record_is_named(opened, tmp_path):
    opened.path.mkdir()
    (opened.path / RECORD).write_text('{"profile": "smo')
    with pytest.raises(ConfigError, match=r"campaign.json: no readable record of a campaign"):
        Campaign.open("test", data_dir=tmp_path)


@pytest.mark.parametrize(
    ("change", "mistakes"),
    [
        ({"profile": "../paper", "seed": "1"}, ["profile must be one of", "seed must be a whole"]),
        ({"fleet": "a\x1b[2J.yml"}, ["fleet must be a name, or a path of printable"]),
        (
            {"conditions": {"section ../../x": {}, "section 2.1": {}}},
            [r"conditions: unknown section ../../x; known are"],
        ),
        (
            {"time_dilation": -1, "hosts": {"servers": -1}, "constants": {"workers": "many"}},
            [
                "3 mistakes",
                "conditions.section 2.1.time_dilation must be a number 0.01 to 1000, got -1",
                "conditions.section 2.1.hosts.servers must be a whole number >= 0, got -1",
                "conditions.section 2.1.constants.workers must be",
            ],
        ),
        ({"constants": {"key_prefix": "../x; y"}}, ["section 2.1.constants.key_prefix must be"]),
        ({"pauses": [{"server": 0, "at_s": 1, "for_s": 1}]}, ["pauses[1].server must be a whole"]),
        (
            {"middlewares": {"../x": {"name": "../x", "title": "x", "command": "x"}}},
            ["middlewares must be called by its name, letters"],
        ),
        ({"durations": {"repetitions": 20_000}}, ["repetitions must be a whole number 1 to 1000"]),
        ({"precision": ...}, ["section 2.1 needs durations and time_dilation"]),
        (
            {"precision": ..., "time_dilation": None, "durations": SECONDS},
            ["section 2.1 needs durations and time_dilation"],
        ),
        ({"fleet": "x" * (5 << 20)}, ["has more than 4194304 bytes"]),
    ],
)
def test_records_of_others_are_held_to_the_rules_of_section_files(opened, change, mistakes):
    opened.path.mkdir()
    record = json.loads(json.dumps(RECORD_OF_OTHERS))
    whole = set(change) & set(record)
    changed = record if whole else record["conditions"]["section 2.1"]
    changed |= change
    for name in [name for name, value in changed.items() if value is ...]:
        del changed[name]
    (opened.path / RECORD).write_text(json.dumps(record))
    with pytest.raises(ConfigError, match="no readable record of a campaign") as error:
        Record.read(opened.path)
    for mistake in mistakes:
        assert mistake in str(error.value)
    assert "\x1b" not in str(error.value)


def test_a_record_follows_no_requests_of_a_section_without_any(opened):
    opened.path.mkdir()
    record = json.loads(json.dumps(RECORD_OF_OTHERS))
    section = record["conditions"].pop("section 2.1")
    record["conditions"]["section 0"] = section | {"constants": {"follow": 5}}
    (opened.path / RECORD).write_text(json.dumps(record))
    with pytest.raises(
        ConfigError, match=r"campaign.json: .*section 0.constants.follow: section 0 "
    ):
        opened.runs("0")


SHIPPED = sorted({*DATA.glob(f"*/{RECORD}"), *(DATA / "reference").rglob(RECORD)})


def test_there_are_records_of_shipped_campaigns():
    assert len(SHIPPED) > 30


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.parent.relative_to(DATA)))
def test_records_of_shipped_campaigns_go_on_as_they_were_begun(path, tmp_path):
    record = Record.read(path.parent)
    record.extended(path.parent, record.conditions).write(tmp_path)
    old, new = (json.loads((folder / RECORD).read_text()) for folder in (path.parent, tmp_path))
    assert json.dumps(new, sort_keys=True) == json.dumps(old, sort_keys=True)
    for name, condition in record.conditions.items():
        if not isinstance(condition, str):
            hosts = {"hosts": {"clients": 99}} if "section" in name else {"rtt_ms": 99.0}
            with pytest.raises(ConfigError, match=f"{name} is not what the campaign was begun"):
                record.extended(path.parent, {name: condition.model_copy(update=hosts)})


def record(campaign):
    return Record(profile=campaign.profile, seed=campaign.seed, fleet=campaign.fleet)


def controller(campaign):
    return Controller(path=campaign.path, begun=record(campaign))


def inventory(folder, rate=100):
    path = folder / "inventory.yml"
    host = {"s1": {"mwlab_rate_mbit_per_s": rate}}
    path.write_text(yaml.safe_dump({"all": {"children": {"servers": {"hosts": host}}}}))
    return Inventory.read(path)


@pytest.mark.parametrize("name", ["", "..", "a/b", "published", "-x"])
def test_campaign_refuses_names_that_are_no_folder_of_its_own(tmp_path, name):
    with pytest.raises(ConfigError, match="a campaign's name consists of"):
        Campaign.open(name, data_dir=tmp_path)


def test_campaign_refuses_an_unknown_profile(tmp_path):
    with pytest.raises(ConfigError, match="no profile `huge`; there are smoke, quick, paper"):
        Campaign.open("test", profile="huge", data_dir=tmp_path)


def test_accepted_run_is_done_and_its_files_are_in_the_manifest(opened):
    run, *others = opened.runs("0")
    assert measure_once(ScriptedSession(GOOD_JOB), run, UnfinishedManifest()) == ""
    assert opened.missing("0") == others
    manifest = read_manifest(run.folder)
    packed = (run.folder / "c1/ping-s1.txt.gz").read_bytes()
    assert gzip.decompress(packed) == b"rtt"
    entry = manifest.files["c1/ping-s1.txt.gz"]
    assert dict(entry) == {"sha256": hashlib.sha256(packed).hexdigest(), "bytes": len(packed)}
    assert manifest.status == "accepted"
    assert manifest.started_at <= manifest.finished_at


def test_an_accepted_run_is_on_the_disk_before_hosts_remove_its_files(opened, monkeypatch):
    disk = Disk(opened.path.parent, monkeypatch)
    session = ScriptedSession(GOOD_JOB)
    assert measure_once(session, opened.runs("0")[0], UnfinishedManifest()) == ""
    assert list(opened.path.rglob("manifest.json"))
    assert disk.lost() == []


def test_finished_campaign_needs_no_host(opened):
    for run in opened.runs("0"):
        store(run, Collected(manifest=UnfinishedManifest()))
    opened.measure("0")


def test_hosts_on_public_addresses_are_refused_before_anything_is_begun(tmp_path):
    hosts = {"clients": ["c1", "c2", "c3"], "servers": ["s1", "s2", "s3"], "middlewares": ["m1"]}
    names = [name for role in hosts.values() for name in role]
    addresses = {name: f"8.8.8.{number}" for number, name in enumerate(names, 1)}
    groups = {
        role: {"hosts": {name: {"ansible_host": addresses[name]} for name in names}}
        for role, names in hosts.items()
    }
    path = tmp_path / "azure.yml"
    path.write_text(yaml.safe_dump({"all": {"children": groups}}))
    campaign = Campaign.open("test", fleet=str(path), data_dir=tmp_path)
    with pytest.raises(ConfigError, match=r"s1 on 8\.8\.8\.4.* would listen .* --allow-public"):
        campaign.measure("2.1")
    assert not campaign.path.exists()


def test_second_controller_is_kept_out_and_leftovers_are_cleared(opened, tmp_path, monkeypatch):
    monkeypatch.setattr("remote.hosts.lease.Leases.take_free", lambda leases, hosts: [])
    run = opened.runs("0")[0]
    run.partial.mkdir(parents=True)
    leftovers = [run.partial, *(opened.path / name for name in ("campaign.json.4f.partial",))]
    leftovers += [
        run.folder.with_name(name) for name in ("rep-1.running", "rep-1.running.1.partial")
    ]
    for file in leftovers[1:]:
        file.touch()
    other = Campaign.open("other", data_dir=tmp_path)
    with controller(opened).alone(inventory(tmp_path), []):
        assert not any(leftover.exists() for leftover in leftovers)
        told = (
            rf"another process \({os.getpid()} on {socket.gethostname()}, since .*\) measures this"
        )
        with pytest.raises(ConfigError, match=told):
            controller(opened).alone(inventory(tmp_path), []).__enter__()
        with pytest.raises(ConfigError, match="another process measures on this fleet"):
            controller(other).alone(inventory(tmp_path), []).__enter__()
    assert (opened.path / LOCK).read_text() == ""


def test_run_with_a_damaged_manifest_is_not_taken_for_done(opened):
    run = opened.runs("0")[0]
    run.folder.mkdir(parents=True)
    (run.folder / "manifest.json").write_text("")
    with pytest.raises(ConfigError, match="no readable manifest"):
        opened.missing("0")


def test_fleet_none_shows_a_campaign_in_its_own_profile_and_measures_nothing(tmp_path):
    (tmp_path / "done").mkdir()
    Record(profile="quick", seed=7, fleet="local").write(tmp_path / "done")
    shown = Campaign.open("done", profile="smoke", fleet="none", data_dir=tmp_path)
    assert (shown.profile, shown.seed) == ("quick", 7)
    assert shown.missing("2.1")
    shown.measure("2.1")
    with pytest.raises(ConfigError, match="no such campaign, and fleet `none` measures nothing"):
        Campaign.open("other", fleet="none", data_dir=tmp_path)


def own_section(folder, name="mine", title="Mine"):
    path = folder / f"{name}.toml"
    text = (SECTIONS_DIR / "2.1.toml").read_text()
    path.write_text(re.sub('title = ".*"', f'title = "{title}"', text))
    return path


def test_a_section_of_the_users_own_is_planned_from_its_path_and_kept(opened, tmp_path):
    path = own_section(tmp_path)
    (first, *_) = opened.runs(str(path))
    assert first.folder.parent.parent == opened.path / "mine"
    ((file, folder),) = opened.opened(str(path)).own_files()
    assert (file, folder) == (path, opened.path / "sections")
    folder.mkdir(parents=True)
    path.rename(folder / path.name)
    assert opened.plan("mine").title == "Mine"
    assert opened.runs("mine")[0].folder == first.folder


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("2.1", "there is a section `2.1` already: rename the file"),
        ("tidy", "is none of middlewares, raw, sections, sensitivity, tidy, what-if"),
        ("my own", "its name consists of letters"),
        ("..", "its name consists of letters"),
    ],
)
def test_a_section_of_the_users_own_needs_a_name_of_its_own(opened, tmp_path, name, reason):
    path = own_section(tmp_path, name)
    with pytest.raises(ConfigError, match=re.escape(reason)) as caught:
        opened.runs(str(path))
    assert str(path) in str(caught.value)


def test_a_section_file_that_is_not_there_is_named(opened, tmp_path):
    with pytest.raises(ConfigError, match=r"nothing\.toml"):
        opened.runs(str(tmp_path / "nothing.toml"))


def test_plan_and_states_are_those_that_are_told_apart(tmp_path):
    campaign = build_campaign(tmp_path / "test", sections=["2.1"], clients_per_thread=[1])
    config = {"workload": "get", "clients_per_thread": 16}
    first = build_run(campaign, "2.1", config, status="rejected")
    for attempt in (2, 3):
        again = first.with_name(f"rep-1.rejected-{attempt}")
        shutil.copytree(first, again)
        manifest = json.loads((again / "manifest.json").read_text())
        (again / "manifest.json").write_text(json.dumps({**manifest, "attempt": attempt}))
    section = Campaign.open("test", fleet="none", data_dir=tmp_path).opened("2.1")
    plan, states = section.plan_and_states(None)
    assert plan == section.plan(None)
    assert states == section.states(None)
    assert [state.run.label for state in states if state.is_given_up] == [
        "2.1 workload=get_clients_per_thread=16 rep 1"
    ]
