"""Text of others that could steer a terminal."""

import pytest

from records.text.visible import shortened, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, ümlaut, 日本\n\tindented", "plain, ümlaut, 日本\n\tindented"),
        ("\x1b[2J\x1b]0;owned\x07", r"\x1b[2J\x1b]0;owned\x07"),
        ("good\rbad\x9b", r"good\rbad\x9b"),
        ("\u202efdp.exe\u200b\ufeff", r"\u202efdp.exe\u200b\ufeff"),
        ("\udce9", r"\udce9"),
    ],
)
def test_what_would_not_be_seen_is_written_out(text, shown):
    assert visible(text) == shown


def test_the_middle_of_a_long_text_is_left_out():
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefghij", 4) == "ab... [6 more] ...ij"
