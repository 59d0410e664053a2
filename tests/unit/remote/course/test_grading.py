"""A submission is graded by what is measured once, on a made-up lab."""

import json

import pytest
from click.testing import CliRunner

from lab.cli import main
from remote.course import grading
from remote.course.assignment import CHANGES, WORKERS, draw
from remote.course.grading import grading_study, is_missing, measure_missing, read_measured
from remote.course.submission import write_submission
from remote.errors import ConfigError
from remote.providers.local_lab import LocalLab
from tests.helpers.sensitivity import FakeLab

POWERS = {WORKERS: 0.9, "delay": 0.8}
RIGHT = {
    "assignment": 17,
    "bottleneck": WORKERS,
    "bottleneck_gain": (1.4, 1.5),
    "capacity_ops_per_s": (2850, 2950),
    "change": "s1 link",
    "change_gain": (0.98, 1.02),
}


def lab():
    return FakeLab(powers=POWERS, within=0.01, between=0.003)


@pytest.fixture
def study(tmp_path):
    return grading_study(draw(17), tmp_path)


def test_the_system_and_its_changes_are_measured_once(study):
    first = lab()
    measure_missing(study, print, first)
    measured = read_measured(study)
    assert len(measured.throughputs) == 1 + len(CHANGES)
    assert measured.gain(WORKERS).value == pytest.approx(1.5**0.9, rel=0.02)
    assert {name for name, _ in first.runs} == {case.name for case in study.cases}
    assert not is_missing(study)
    again = lab()
    measure_missing(study, print, again)
    assert again.runs == []
    assert read_measured(study) == measured


def test_what_was_interrupted_goes_on(study):
    with pytest.raises(KeyboardInterrupt):
        measure_missing(study, print, FakeLab(powers=POWERS, breaks_after=5))
    with pytest.raises(ConfigError, match="nothing of it was measured that counts"):
        read_measured(study)
    measure_missing(study, print, lab())
    assert not is_missing(study)


@pytest.fixture
def graded(tmp_path, monkeypatch):
    """`lab grade`, on a course that was measured already and without any lab."""
    study = grading_study(draw(17), tmp_path / "course")
    measure_missing(study, print, lab())
    monkeypatch.setattr(grading, "grading_study", lambda assignment: study)

    def no_lab(*_):
        raise AssertionError("a lab is asked for, though all is measured")

    monkeypatch.setattr(LocalLab, "is_running", no_lab)

    def run(*options, **changes):
        write_submission(tmp_path / "mine.toml", **RIGHT | changes)
        command = ["grade", str(tmp_path / "mine.toml"), "--seed", "17", *options]
        return CliRunner().invoke(main, command)

    return run


def test_marks_are_told_with_evidence(graded):
    result = graded()
    assert "4 of 4 statements are right" in result.output
    assert "workers gains 1.4" in result.output
    assert result.exit_code == 0


def test_a_wrong_statement_is_the_exit_status(graded):
    result = graded("--json", capacity_ops_per_s=(100, 110))
    marks = json.loads(result.output)["marks"]
    assert [one["verdict"] for one in marks] == ["right", "right", "wrong", "right"]
    assert result.exit_code == 1


def test_a_submission_about_a_system_of_the_students_choice_is_refused(graded, monkeypatch):
    def nothing_is_measured(*_):
        raise AssertionError("a study is begun")

    monkeypatch.setattr(grading, "measure_missing", nothing_is_measured)
    result = graded(assignment=23)
    assert result.exit_code == 1
    assert "is about assignment 23, and this student was given 17" in result.output
    assert "statements" not in result.output


def test_a_malformed_submission_is_told_and_nothing_is_measured(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("assignment = 'one'")
    result = CliRunner().invoke(main, ["grade", str(path), "--seed", "17"])
    assert result.exit_code == 1
    assert "assignment must be a whole number" in result.output


def test_a_section_file_is_written_without_a_lab(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        result = CliRunner().invoke(main, ["assign", "--seed", "17", "--dry-run"])
        assert result.exit_code == 0
    path = tmp_path / "assignment-17.toml"
    assert "clients_per_thread = [1, 4, 12, 24]" in path.read_text()
    path.write_text("mine = 1")
    result = CliRunner().invoke(main, ["assign", "--seed", "17", "--dry-run"])
    assert "there is another file of this name" in result.output
    assert path.read_text() == "mine = 1"
