"""Submissions come from anybody: what is wrong with them is told, and nothing in them is run."""

import os
import re

import pytest

from records.paths import PROJECT
from remote.course.submission import LARGEST_BYTES, read_submission, write_submission
from remote.errors import ConfigError

KINDS = ("python", "toml")  # of code in the documentation
GOOD = """
assignment = 17
[bottleneck]
resource = "s2 link"
gain = { low = 1.3, high = 1.5 }
[capacity_ops_per_s]
low = 950
high = 1050.5
[change]
of = "workers"
gain = { low = 0.97, high = 1.03 }
"""


def written(folder, text):
    path = folder / "mine.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("was", "becomes", "told"),
    [
        ("assignment = 17", "", "assignment is missing"),
        ("17", "-1", "assignment must be a whole number >= 0, got -1"),
        ("17", '"17; rm -rf /"', "assignment must be a whole number >= 0"),
        ('"s2 link"', '"the network"', "bottleneck.resource must be one of middleware link"),
        ('"workers"', '"s2 link"', "change.of must be something other than the bottleneck"),
        ("low = 950", "low = 2000", "capacity_ops_per_s goes from low to high, got 2000 to 1050.5"),
        ("low = 950", f"low = {10**400}", "capacity_ops_per_s.low must be a number of at m"),
        ("17", f"0x{'f' * 5000}", "assignment must be a number of at most 1e"),
        ("17", f"{{ {'.'.join('a' * 4000)} = 1 }}", "is nested deeper than 50 levels"),
        ("[change]", "[change", "not TOML"),
        ("assignment = 17", "assignment = 17\nmarks = 'right'", "unknown marks; known are"),
        ("assignment = 17", f"x = {'[' * 5000}", "mine.toml"),
        ("assignment = 17", f"# {'x' * LARGEST_BYTES}", "has more than 16384 bytes"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, was, becomes, told):
    path = written(tmp_path, GOOD.replace(was, becomes, 1))
    with pytest.raises(ConfigError) as caught:
        read_submission(path)
    assert told in str(caught.value)
    assert "mine.toml" in str(caught.value)


def test_all_mistakes_are_told_at_once(tmp_path):
    text = GOOD.replace("17", "1.5").replace('"s2 link"', "2")
    with pytest.raises(ConfigError, match="2 mistakes"):
        read_submission(written(tmp_path, text))


def test_no_file_and_no_text_are_told(tmp_path):
    with pytest.raises(ConfigError, match="No such file"):
        read_submission(tmp_path / "none.toml")
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not UTF-8"):
        read_submission(tmp_path / "mine.toml")
    with pytest.raises(ConfigError, match="is not a regular file"):
        read_submission(tmp_path)
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(ConfigError, match="is not a regular file"):
        read_submission(tmp_path / "pipe.toml")


def stated(**changes):
    fields = {
        "assignment": 17,
        "bottleneck": "s2 link",
        "bottleneck_gain": (1.3, 1.5),
        "capacity_ops_per_s": (950, 1050),
        "change": "workers",
        "change_gain": (0.97, 1.03),
    }
    return fields | changes


def test_what_a_notebook_writes_is_read_again(tmp_path):
    path = tmp_path / "submission.toml"
    assert write_submission(path, **stated()) == read_submission(path)


def test_the_documentation_shows_one_submission_in_both_ways(tmp_path, monkeypatch):
    text = (PROJECT / "docs" / "course.md").read_text()
    (call,), (by_hand,) = (re.findall(rf"```{kind}\n(.*?)```", text, re.S) for kind in KINDS)
    monkeypatch.chdir(tmp_path)
    exec(call, {})
    assert read_submission(tmp_path / "submission.toml") == read_submission(
        written(tmp_path, by_hand)
    )


def test_a_notebook_is_told_of_mistakes_before_anything_is_written(tmp_path):
    path = tmp_path / "submission.toml"
    with pytest.raises(ConfigError, match=r"bottleneck\.resource must be one of"):
        write_submission(path, **stated(bottleneck="the network"))
    assert not path.exists()
