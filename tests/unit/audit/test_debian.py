"""Debian's packages are those that are installed, with the licences that they tell."""

import shutil

import pytest

from audit import debian
from audit.__main__ import PROJECT

SCRIPT = PROJECT / "remote" / "hosts" / "provision" / "debian.sh"


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("dpkg-query"), reason="not Debian")
def test_what_the_lab_asks_for_is_listed_with_what_it_depends_on():
    found = {package.name: package for package in debian.of_debian(SCRIPT, "lab")}
    assert found["memcached"].version
    assert "BSD" in found["memcached"].licences
    assert "libc6" in found
    assert "openjdk-21-jdk-headless" not in found or shutil.which("javac")
    assert found["libc6"].url.startswith("pkg:deb/debian/libc6@")


def test_elsewhere_there_are_none(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert list(debian.of_debian(SCRIPT, "lab")) == []


@pytest.mark.parametrize(
    ("text", "licences"),
    [
        ("License: BSD-3-clause\n text\n\nLicense: MIT\n\nLicense: MIT\n", "BSD-3-clause; MIT"),
        ("This is free software.\n", "see {folder}/tool/copyright"),
        (None, None),
    ],
)
def test_licences_are_those_of_a_packages_files(tmp_path, monkeypatch, text, licences):
    monkeypatch.setattr(debian, "DOCUMENTATION", tmp_path)
    if text is not None:
        (tmp_path / "tool").mkdir()
        (tmp_path / "tool" / "copyright").write_text(text, encoding="utf-8")
    assert debian._licences("tool") == (licences and licences.format(folder=tmp_path))
