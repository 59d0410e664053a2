"""What hosts of the lab must see in order to run this project."""

import sys
from pathlib import Path

import pytest

from remote.providers.local_lab.project_paths import PROJECT, controllers_paths, paths_to


@pytest.fixture
def place(tmp_path):
    return tmp_path.resolve()


def test_links_are_followed_and_named(place):
    (place / "versions" / "3.11.7").mkdir(parents=True)
    (place / "versions" / "3.11").symlink_to("3.11.7")
    (place / "a b").symlink_to(place / "versions")
    assert paths_to([place / "a b" / "3.11"]) == [
        place / "versions" / "3.11.7",
        place / "a b",
        place / "versions" / "3.11",
    ]


def test_what_lies_within_another_path_is_left_out(place):
    (place / "project" / ".venv").mkdir(parents=True)
    (place / "project" / "link").symlink_to(".venv")
    (place / "project-2").mkdir()
    wanted = [place / "project" / "link", place / "project", place / "project-2"]
    assert paths_to(wanted) == [place / "project", place / "project-2"]


def test_parents_in_links_and_what_is_not_there(place):
    (place / "deep" / "er").mkdir(parents=True)
    (place / "deep" / "up").symlink_to("../deep/er")
    assert paths_to([place / "deep" / "up", place / "nothing"]) == [
        place / "deep" / "er",
        place / "deep" / "up",
    ]


def test_project_environment_and_python_are_among_them():
    paths = controllers_paths()
    for needed in (PROJECT, Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable)):
        real = needed.resolve()
        assert any(real == path or path in real.parents for path in paths)
