"""A campaign opens each section file once, however many runs are measured of it."""

import os
import re
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from click.testing import CliRunner

import remote.campaign
from lab.cli import main
from remote.campaign import Campaign, controller
from remote.experiment import section_file
from tests.helpers.sessions import GOOD_JOB, ScriptedFleet

SECTION = """
[hosts]
clients = 1
servers = 1
[generator]
value_bytes = 4096
[factors]
workload = ["get", "set"]
clients_per_thread = [1, 2]
[profiles.smoke]
repetitions = 2
stable_s = 3
"""


class Session:
    """Measures every run at once and well."""

    def __init__(self, *_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def measure(self, run, collected):
        collected.manifest.jobs = [GOOD_JOB]


@pytest.fixture
def fleet(tmp_path, monkeypatch):
    """An inventory whose hosts answer everything."""
    path = tmp_path / "hosts.yml"
    groups = {role: {"hosts": {name: {}}} for role, name in (("clients", "c1"), ("servers", "s1"))}
    path.write_text(yaml.safe_dump({"all": {"children": groups}}))

    @contextmanager
    def sole_controller(inventory, hosts, purpose):
        fleet = ScriptedFleet()
        fleet.inventory = inventory
        yield SimpleNamespace(fleet=fleet, require=lambda **_: None)

    monkeypatch.setattr(controller, "sole_controller", sole_controller)
    monkeypatch.setattr(controller, "provision", lambda *_, **__: {})
    monkeypatch.setattr(controller, "SESSIONS", {"load": Session})
    return str(path)


@pytest.fixture
def read(monkeypatch):
    """How often each section file was read."""
    counted, read_toml = Counter(), section_file.read_toml

    def counting(path):
        counted[path.name] += 1
        return read_toml(path)

    monkeypatch.setattr(section_file, "read_toml", counting)
    return counted


@pytest.fixture
def sections(tmp_path):
    paths = [tmp_path / f"{name}.toml" for name in ("one", "two")]
    for path in paths:
        path.write_text(SECTION)
    return [str(path) for path in paths]


def test_measuring_opens_each_section_file_once(tmp_path, fleet, read, sections):
    campaign = Campaign.open("test", fleet=fleet, data_dir=tmp_path)
    assert campaign.measure(*sections, progress=False) == []
    assert read == {"one.toml": 1, "two.toml": 1}
    assert len(list(campaign.path.glob("*/*/rep-*"))) == 16


def test_lab_run_opens_each_section_file_once(tmp_path, fleet, read, sections, monkeypatch):
    monkeypatch.setitem(Campaign.open.__func__.__kwdefaults__, "data_dir", tmp_path)
    result = CliRunner().invoke(main, ["run", *sections, "--campaign", "test", "--fleet", fleet])
    assert "16 of 16 runs are done" in result.output
    assert read == {"one.toml": 1, "two.toml": 1}


def test_a_section_file_that_is_written_anew_is_read_again(tmp_path, read, sections):
    campaign = Campaign.open("test", data_dir=tmp_path)
    assert campaign.plan(sections[0]).fixed.repetitions == 2
    path = tmp_path / "one.toml"
    path.write_text(SECTION.replace("repetitions = 2", "repetitions = 5"))
    os.utime(path, ns=(0, 0))
    assert campaign.plan(sections[0]).fixed.repetitions == 5
    assert read == {"one.toml": 2}


def test_the_docstring_names_modules_in_the_order_in_which_they_are_called(
    tmp_path, fleet, sections
):
    named = re.findall(r"^    (\S+) {2,}", remote.campaign.__doc__, re.M)
    campaign = Campaign.open("test", fleet=fleet, data_dir=tmp_path)
    called = {}

    def note(frame, event, _):
        if event == "call":
            called.setdefault(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        campaign.measure(*sections, progress=False)
    finally:
        sys.setprofile(None)
    package = Path(remote.campaign.__file__).parent
    paths = [file for name in named for file in (package / name, package.parent / name)]
    called = [file for file in called if Path(file).with_suffix("") in paths]
    assert called == sorted(called, key=lambda file: paths.index(Path(file).with_suffix("")))
    faked = {"hosts/provision", "experiment/sessions/load"}
    assert len(called) == len(named) - len(faked)
