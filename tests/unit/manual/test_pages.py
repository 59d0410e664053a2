"""The pages that are made from the code say what the code says now."""

import pytest

from analysis.tables.frames import NAMES
from manual.__main__ import FOLDER, PAGES
from manual.columns import columns
from manual.docstrings import attributes_of, field_docstrings, summary_of
from manual.programs import PROGRAMS
from manual.section_files import TABLES
from records.documents import parse, rule_of
from records.section import LoadFile
from records.settings import RULES, SETTINGS, Settings

JAR = PROGRAMS.parent / "target" / "middleware.jar"


class Plain:
    """What it is.

    And more of ``it``.

    Attributes
    ----------
    one, other : the first,
        which goes on.
    third
        Below its name.

    Notes
    -----
    four : is none.
    """


class Extended(Plain):
    """A base's come first.

    Parameters
    ----------
    fifth : the last.
    """


@pytest.mark.parametrize("name", [name for name in PAGES if name != "programs.md"])
def test_a_committed_page_is_what_make_manual_writes(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == PAGES[name](), "run `make manual`"


@pytest.mark.skipif(not JAR.is_file(), reason="`make jar` has not built the programs")
def test_the_committed_options_are_those_of_the_programs():
    assert (FOLDER / "programs.md").read_text(encoding="utf-8") == PAGES["programs.md"]()


def test_no_other_page_says_that_it_is_made():
    made = {path.name for path in FOLDER.glob("*.md") if "`make manual`" in path.read_text()}
    assert made == set(PAGES)


def test_docstrings_are_read_with_their_bases():
    words = {"one": "the first, which goes on.", "other": "the first, which goes on."}
    assert attributes_of(Plain) == {**words, "third": "Below its name."}
    assert attributes_of(Extended) == {**attributes_of(Plain), "fifth": "the last."}
    assert summary_of(Plain) == "What it is.\n\nAnd more of `it`."


@pytest.mark.parametrize("kind", TABLES.values())
def test_every_key_of_a_section_file_is_told(kind):
    assert set(attributes_of(kind)) == set(kind.model_fields)


def test_every_setting_is_told():
    assert set(field_docstrings(Settings)) == {"client_hosts", *SETTINGS}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_rule_is_that_of_the_message(name):
    table = "factors" if SETTINGS[name].varies else SETTINGS[name].table
    levels = [{}] if SETTINGS[name].varies else {}
    with pytest.raises(ValueError, match=name) as caught:
        parse(LoadFile, {table: {name: levels}})
    assert f"must be {rule_of(RULES[name])}, got" in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_tables_have_columns(name):
    assert columns(name)
