import pytest

from records.text.markdown import code_block, escape_all, escape_cell


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a < b: `read < file | wc`", r"a \< b: `read < file \| wc`"),
        ("a ` b < c", r"a ` b \< c"),  # one backtick begins no code
        ("```<b>`", r"```\<b>`"),  # nor do runs of unequal length
        ("``a`b<c``", "``a`b<c``"),
        ("\\`<b>`", "\\\\`<b>`"),  # code, which a backslash does not undo
        (r"`\|<b>`", r"\`\\\|\<b>\`"),
        ("$x$", r"\$x\$"),
        ("two\nlines\rand \x1b[2J", r"two lines\\rand \\x1b[2J"),
        ("[03-3](#03-3-load)", "[03-3](#03-3-load)"),
        ("[x](javascript:alert(1))", r"[x\](javascript:alert(1))"),
        ("![x](http://192.0.2.1/p.png)", r"\![x\](http://192.0.2.1/p.png)"),
    ],
)
def test_cells_hold_code_and_links_within_the_report_and_nothing_else(text, cell):
    assert escape_cell(text) == cell


def test_texts_that_are_not_markdown_keep_their_words():
    assert escape_all("c1: `x` *failed*\n<b>") == r"c1\: \`x\` \*failed\* \<b\>"


def test_blocks_of_code_end_where_they_should():
    assert code_block("echo ```\n# no heading") == "````\necho ```\n# no heading\n````"
    assert code_block("\x1b[2J") == "```\n\\x1b[2J\n```"
