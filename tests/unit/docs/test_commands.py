"""Every command of the documentation is one that there is; what needs no lab is done.

All others are held against the commands' own parsers, the Makefile and the programs' help.
"""

import re
import subprocess

import pytest
from click.testing import CliRunner

from lab.cli import main
from manual.commands import above, targets
from manual.commands import commands as lab_commands
from records.paths import PROJECT
from remote.experiment.section_file import SECTIONS_DIR
from tests.helpers.documents import blocks, commands, guides, spans, text_of

OTHERS = {"python", "sed", "createdb", "export"}  # programs that are not of the project
NAMED = ("notebooks/20-mine.ipynb",)  # files that a reader has made by then


def is_done(words):
    """Tell whether a command needs nothing that a clone does not have."""
    return words[0] == "lab" and "--dry-run" in words


EVERY = [
    pytest.param(page, words, id=f"{page.stem}: {' '.join(words)}")
    for page in guides()
    for words in commands(text_of(page))
]
DONE = [one for one in EVERY if is_done(one.values[1])]


def make_files(page, folder):
    """Put what a page tells its readers to write into a folder."""
    tables = blocks(text_of(page), "toml")
    (folder / "mine.toml").write_text(tables[0] if tables else "")
    for name in NAMED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


@pytest.mark.parametrize(("page", "words"), EVERY)
def test_a_command_is_one_that_there_is(page, words, tmp_path, monkeypatch):
    if words[0] == "lab":
        make_files(page, tmp_path)
        monkeypatch.chdir(tmp_path)
        command = lab_commands()[words[1]]
        command.make_context(words[1], words[2:], parent=above())
    elif words[0] == "make":
        run = ["make", "--dry-run", *words[1:]]
        done = subprocess.run(run, cwd=PROJECT, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        variables = {word.partition("=")[0] for word in words[1:] if "=" in word}
        assert variables <= set(re.findall(r"\$\((\w+)\)", (PROJECT / "Makefile").read_text()))
    elif words[0].startswith("middleware-kotlin/bin/"):
        told = (PROJECT / "docs/reference/programs.md").read_text()
        assert [word for word in words if word.startswith("-") and f"{word} " not in told] == []
    else:
        assert words[0] in OTHERS


@pytest.mark.parametrize(("page", "words"), EVERY)
def test_sections_that_are_measured_are_there(page, words):
    if words[:2] != ["lab", "run"]:
        return
    end = next((n for n, word in enumerate(words) if word.startswith("-")), len(words))
    own = {name for name in ("mine.toml", "assignment-17.toml") if name in text_of(page)}
    for section in set(words[2:end]) - own:
        assert (SECTIONS_DIR / f"{section}.toml").is_file() or (PROJECT / section).is_file()


@pytest.mark.parametrize(("page", "words"), DONE)
def test_what_needs_no_lab_is_done(page, words, tmp_path, monkeypatch):
    make_files(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, words[1:])
    assert done.exit_code == 0, done.output
    assert done.output


@pytest.mark.parametrize("page", guides(), ids=lambda page: page.stem)
def test_commands_in_sentences_are_there(page):
    text = text_of(page)
    assert {words[1] for words in spans(text, "make")} <= set(targets())
    for words in spans(text, "lab"):
        command = lab_commands()[words[1]]
        known = {name for parameter in command.params for name in parameter.opts}
        free = command.context_settings.get("ignore_unknown_options", False)
        options = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert free or options <= known | {"--help"}, " ".join(words)
