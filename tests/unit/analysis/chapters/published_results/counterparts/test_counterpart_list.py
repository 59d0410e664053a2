"""The list of counterparts is whole, and leads to what is there."""

import re
from collections import Counter

import pytest

from analysis.chapters.published_results.counterparts import counterpart_list
from analysis.chapters.published_results.counterparts.counterpart_list import (
    notebook_of,
    read_counterparts,
)
from analysis.studies.printed import published_index
from records.paths import PROJECT

NAME = re.compile(r'name=\\"(\d\d-[a-z0-9-]+)\\"')


@pytest.fixture(scope="module")
def rows():
    return read_counterparts()


def test_every_table_of_every_study_is_listed_once(rows):
    index = published_index()
    tables = Counter(zip(index["study"], index["table"], strict=True))
    found = rows[rows["table"] != ""]
    assert Counter(zip(found["study"], found["table"], strict=True)) == tables
    assert (rows[["study", "place", "shows", "see"]] != "").all().all()


def test_every_counterpart_is_in_its_notebook(rows):
    for see in rows["see"].unique():
        text = (PROJECT / "notebooks" / notebook_of(see)).read_text()
        assert see in NAME.findall(text), see


def test_a_table_that_the_index_lacks_is_named(monkeypatch):
    monkeypatch.setattr(
        counterpart_list,
        "published_index",
        lambda: published_index().query("table != 't03_workers'"),
    )
    with pytest.raises(ValueError, match=r"counterparts\.csv: no table 't03_workers' of 'schmid"):
        read_counterparts()


def test_a_notebook_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="no notebook 77 for the counterpart '77-1-load'"):
        notebook_of("77-1-load")
