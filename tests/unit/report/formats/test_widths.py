import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.formats.widths import SIZES_PT, WIDTH_PT, _body_em, _heading_em, _widths, fit


def test_a_no_break_space_keeps_a_word_together():
    rows = [["Study", "Reason"], ["Yenicelik\N{NO-BREAK SPACE}2018", "word " * 60]]
    layout = fit(rows)
    least = _widths([_heading_em("Yenicelik 2018")], layout.size_pt)[0]
    assert layout.shares[0] * WIDTH_PT >= least


def test_capitals_need_more_room():
    def share(word):
        return fit([[word, "Reason"], ["1", "word " * 60]]).shares[0]

    assert share("M/M/1") > share("CPU/1") > share("cpu/1")


def test_rows_stay_on_one_line_where_a_smaller_font_makes_that_possible():
    line = "so many words that they fill a line alone"
    layout = fit([["a heading of several words that is broken"] * 3, [line] * 3])
    assert layout.size_pt < SIZES_PT[0]
    needed = _widths([_body_em(line)], layout.size_pt)[0]
    assert all(share * WIDTH_PT >= needed * (1 - 1e-9) for share in layout.shares)


def test_the_longest_text_gets_the_most_room():
    rows = [["claim", "measured", "verdict"], ["word " * 30, "0.98 [0.97, 0.99]", "supported"]]
    claim, measured, verdict = fit(rows).shares
    assert claim > 0.6
    assert measured > verdict


cell = st.text(alphabet="ab ", max_size=40)


@given(
    st.integers(1, 30).flatmap(
        lambda n: st.lists(st.lists(cell, min_size=n, max_size=n), min_size=1)
    )
)
def test_a_layout_never_leaves_the_page(rows):
    layout = fit(rows)
    if layout is None:
        return
    columns = list(zip(*rows, strict=True))
    words = [
        max((_heading_em(w) for text in column for w in text.split()), default=0)
        for column in columns
    ]
    least = _widths(words, layout.size_pt)
    if layout.shares:
        assert sum(layout.shares) == pytest.approx(1)
        for share, low in zip(layout.shares, least, strict=True):
            assert share * WIDTH_PT >= low * (1 - 1e-9)
    else:
        whole = [max([_heading_em(first), *map(_body_em, rest)]) for first, *rest in columns]
        assert sum(_widths(whole, layout.size_pt)) <= WIDTH_PT
