"""What a manifest says of the project's own state, and what a damaged one is refused for."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from analysis.results.manifests import PACKED_MANIFESTS, packed_bytes
from analysis.tables.packed import pack
from records.manifest import Manifest
from records.manifest_entries import Git
from records.paths import DATA
from remote.errors import ConfigError
from remote.experiment.manifest import git_state, read_manifest, require_whole_manifests
from tests.helpers.campaign import build_run, seal


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one commit."""
    (tmp_path / "code.py").write_text("a = 1\n")
    (tmp_path / "data").mkdir()
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "Begin"]):
        subprocess.run(["git", "-C", tmp_path, *command], check=True)
    return tmp_path


def test_measured_data_is_no_change_of_the_project(project: Path) -> None:
    (project / "data" / "runs.csv").write_text("1\n")
    (project / "figures").mkdir()
    (project / "figures" / "one.svg").write_text("<svg/>")
    state = git_state(project)
    assert state.dirty is False
    assert len(state.commit) == 40


@pytest.mark.parametrize("name", ["code.py", "new.py", "remote/data/new.py"])
def test_changed_and_new_files_are(project: Path, name: str) -> None:
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text("a = 2\n")
    assert git_state(project).dirty is True


def test_outside_a_repository_nothing_is_known(tmp_path: Path) -> None:
    assert git_state(tmp_path) == Git(commit="unknown", dirty=True)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "9" * 5000, "{"])
def test_a_manifest_that_cannot_be_read_is_an_error_that_names_it(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(ConfigError, match=r"manifest\.json: no readable manifest"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("target", [None, "/dev/zero", "elsewhere"])
def test_a_manifest_that_is_no_regular_file_is_not_read(tmp_path: Path, target: str | None) -> None:
    (tmp_path / "elsewhere").write_text('{"format": 1}')
    if target is None:
        os.mkfifo(tmp_path / "manifest.json")
    else:
        (tmp_path / "manifest.json").symlink_to(target)
    with pytest.raises(ConfigError, match=r"manifest\.json: .*(no|not a) regular file"):
        read_manifest(tmp_path)


def test_every_shipped_manifest_is_whole() -> None:
    require_whole_manifests(DATA)


NOTHING = object()
JOB = {"host": "c1", "name": "a", "command": "a", "exit_status": 0, "started_at_s": 1}
EMPTY: dict[str, Any] = {"files": {}, "jobs": []}
PAUSE = {"host": "s1", "began_epoch_s": 0, "ended_epoch_s": 1e14}


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        *((name, NOTHING, f"{name} is missing") for name in ("git", "profile", "topology")),
        *((name, None, f"{name} must be") for name in ("git", "roles")),
        ("window", None, "window is missing"),
        ("settings", NOTHING, "settings is missing"),
        ("section", "../../3.1", "section must be 3.1, as its folder is"),
        ("num_clients", 0, "num_clients must be a whole number >= 1"),
        ("think_time_s", -5, "think_time_s.* must be a number 0 to 604800"),
        ("roles", [], "roles must be a table"),
        ("roles.clients", ["../x"], r"roles\.clients\[1\] must be the name of a host"),
        ("roles.others", ["x"], "unknown others"),
        ("jobs", [{**JOB, "command": 5}], r"jobs\[1\]\.command must be text"),
        ("git", {"commit": "a"}, r"git\.dirty is missing"),
        ("hosts", {"c1": 5}, r"hosts\.c1 must be a table"),
        ("generator", {"version": 1}, r"generator\.name is missing"),
        ("started_at", "x", "started_at must be a time with its zone"),
        ("files", {"a\0b": {}}, "a plain path below the run's folder"),
        ("topology.time_dilation", 0, r"topology\.time_dilation must be a number > 0"),
        ("topology.time_dilation", 10**400, r"topology\.time_dilation must be a number of at most"),
        ("durations.stable_s", 10**9, r"durations\.stable_s must be a whole number 0 to 604800"),
        ("durations.stable_s", float("nan"), r"durations\.stable_s must be a number of at most 1e"),
        (
            "plan",
            {"x": [1, float("inf")]},
            r"plan\.x\[2\] must be a number of at most .*, got inf",
        ),
        ("plan", {"x\ud800": 1}, "must be text of whole characters"),
        ("title", "\ud800", "title must be text of whole characters"),
        ("pauses", [PAUSE], r"pauses\[1\] must end at most 604800 s after it began"),
    ],
)
def test_a_damaged_manifest_is_refused_by_its_place(
    tmp_path: Path, place: str, value: Any, said: str
) -> None:
    run = build_run(tmp_path, "3.1", {"workload": "get", "clients_per_thread": 8, "workers": 8})
    seal(run)
    require_whole_manifests(tmp_path)
    manifest = json.loads((run / "manifest.json").read_text())
    *tables, name = place.split(".")
    table = manifest[tables[0]] if tables else manifest
    table[name] = value
    if value is NOTHING:
        del table[name]
    (run / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ConfigError, match=rf"rep-1/manifest\.json: {said}|{said}") as refused:
        require_whole_manifests(tmp_path)
    assert str(run / "manifest.json") in str(refused.value)


def test_a_manifest_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    deep = '{"format": 1, "plan": ' + '{"a": ' * 500 + "1" + "}" * 501
    (tmp_path / "manifest.json").write_text(deep)
    with pytest.raises(ConfigError, match="nested deeper than 50 levels"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hosts": [1]}, "hosts must be a table"),
        ({"plan": {"x": float("inf")}}, r"plan\.x must be a number of at most"),
        ({"format": 2}, "not a manifest of format 1"),
        ({"files": {"../a": {}}}, "a plain path below the run's folder"),
    ],
)
def test_packed_manifests_are_held_to_the_same(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    run = build_run(tmp_path, "3.1", {"workload": "get", "clients_per_thread": 8, "workers": 8})
    manifest = json.loads((run / "manifest.json").read_text())
    pack(tmp_path, "3.1")
    require_whole_manifests(tmp_path)
    short = Manifest.read({name: EMPTY.get(name, value) for name, value in manifest.items()})
    assert read_manifest(run) == read_manifest(run / "manifest.json") == short
    name = str(run.relative_to(tmp_path / "3.1"))
    content = packed_bytes({name: {**manifest, **change}})
    (tmp_path / "3.1" / PACKED_MANIFESTS).write_bytes(content)
    with pytest.raises(ConfigError, match=rf"rep-1.*: {said}|{said}"):
        require_whole_manifests(tmp_path)
