"""docs/artifact.md tells what claims, notebooks and the reference campaign tell."""

import re

import pytest

from analysis.chapters.claims import CHAPTERS
from records.paths import REFERENCE
from records.section import PROFILES
from report import artifact


@pytest.fixture(scope="module")
def text():
    return artifact.claims_text(REFERENCE)


def test_the_page_is_what_they_tell(text):
    """Where it is not: `make artifact`, then commit."""
    page = artifact.DOCUMENT.read_text()
    assert page.split(artifact.BEGIN)[1].split(artifact.END)[0].strip() == text


def test_every_chapter_is_there_with_time_and_command(text):
    parts = text.split("\n### ")[1:]
    assert len(parts) == len(CHAPTERS)
    for part in parts:
        measured = re.search(r"^(\d+) runs, (?:\d+ days?, )?\d+:\d\d h\.$", part, re.M)
        assert "None of it is of this campaign" in part or int(measured[1]) > 0
        assert part.count("| Figure `") + part.count("| Table `") > 0


def test_commands_are_those_of_lab(text):
    commands = re.findall(r"^\.venv/bin/lab (\w+) .*--profile (\w+) --campaign mine", text, re.M)
    assert commands
    assert {name for name, _ in commands} == {"run"}
    assert {profile for _, profile in commands} <= set(PROFILES)
    assert "lab sensitivity 4.1 --workload set" in text


def test_sections_that_claims_compare_with_are_measured_too(text):
    (writes,) = (part for part in text.split("\n### ") if part.startswith("[4 "))
    assert ".venv/bin/lab run 3.2 4.1 " in writes
