import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.formats.widths import LANDSCAPE_PT, PORTRAIT_PT, READABLE_EM, _length_em, _widths, fit


def test_small_table_keeps_the_largest_size_and_its_natural_widths():
    layout = fit([["Clients", "Throughput (op/s)"], ["6", "2912"]])
    assert (layout.size_pt, layout.landscape, layout.shares) == (9.5, False, ())


def test_long_cells_share_the_page_and_no_word_is_cut():
    rows = [["Parameter", "Meaning"], ["clients_per_thread", "word " * 60]]
    layout = fit(rows)
    assert sum(layout.shares) == pytest.approx(1)
    assert layout.shares[0] * PORTRAIT_PT >= _widths([_length_em("clients_per_thread")], 9.5)[0]
    assert layout.shares[1] > layout.shares[0]


def test_a_no_break_space_keeps_a_word_together():
    rows = [["Study", "Reason"], ["Yenicelik\N{NO-BREAK SPACE}2018", "word " * 60]]
    layout = fit(rows)
    least = _widths([_length_em("Yenicelik 2018")], layout.size_pt)[0]
    assert layout.shares[0] * PORTRAIT_PT >= least


def test_capitals_need_more_room():
    def share(word):
        return fit([[word, "Reason"], ["1", "word " * 60]]).shares[0]

    assert share("M/M/1") > share("CPU/1") > share("cpu/1")


def test_a_column_of_sentences_is_not_squeezed():
    rows = [["interactive"] * 6 + ["Reason"], ["1"] * 6 + ["a word and another " * 10]]
    layout = fit(rows)
    assert layout.size_pt < 9.5
    assert layout.shares[-1] * PORTRAIT_PT >= _widths([READABLE_EM], layout.size_pt)[0]


def test_table_that_gets_too_small_upright_is_turned():
    layout = fit([["configuration"] * 12])
    assert layout.landscape
    assert layout.size_pt < 9


def test_table_wider_than_any_page_has_no_layout():
    assert fit([["configuration"] * 40]) is None


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
        max((_length_em(w) for text in column for w in text.split()), default=0)
        for column in columns
    ]
    page_pt = LANDSCAPE_PT if layout.landscape else PORTRAIT_PT
    least = _widths(words, layout.size_pt)
    if layout.shares:
        assert sum(layout.shares) == pytest.approx(1)
        for share, low in zip(layout.shares, least, strict=True):
            assert share * page_pt >= low * (1 - 1e-9)
    else:
        whole = [max(map(_length_em, column)) for column in columns]
        assert sum(_widths(whole, layout.size_pt)) <= page_pt
