import pytest

from report.contents.notebook import ReportError, read_section
from report.formats.to_typst import translate

TITLE = "# 2 Baseline"
NARROW = "| Clients | Throughput (op/s) |\n|---:|---:|\n| 6 | 2 912 |"


@pytest.fixture
def typst_of(cells, write):
    """Translate one notebook made of markdown and other cells."""

    def _typst_of(*parts):
        made = [cells.markdown(part) if isinstance(part, str) else part for part in parts]
        return translate([read_section(write(*made))])

    return _typst_of


def test_headings_keep_the_numbers_of_the_notebook(typst_of):
    text = typst_of(TITLE, "## 2.1 One server", "### Configuration")
    assert "= 2#h(0.7em)Baseline\n<02-baseline:title>" in text
    assert "== 2.1#h(0.7em)One server\n<02-baseline:2.1-one-server>" in text
    assert "#heading(level: 3, outlined: false, bookmarked: true)[Configuration]" in text
    assert '#label("02-baseline:configuration")' in text


def long_table(headings, count):
    lines = [headings, ["---"] * len(headings)]
    lines += [[f"row{n}"] + [str(n)] * (len(headings) - 1) for n in range(count)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def test_long_tables_are_cut_to_twelve_rows_and_say_so(typst_of, cells):
    text = typst_of(TITLE, cells.table("02-1-t", long_table(["a", "b", "c"], 15)))
    assert "[row11]" in text
    assert "[row12]" not in text
    assert "12 of 15 rows; the HTML report shows all." in text


def test_a_table_shows_the_rows_that_are_meant_for_paper(typst_of, cells):
    cell = cells.table("02-1-t", long_table(["a", "b", "c"], 15))
    cell.outputs[0].metadata["mwlab"]["printed"] = [3, 14]
    text = typst_of(TITLE, cell)
    assert "[row3]" in text
    assert "[row14]" in text
    assert "[row4]" not in text
    assert "2 of 15 rows" in text


@pytest.mark.parametrize("printed", [[], list(range(15))])
def test_a_table_shows_twelve_rows_if_none_or_more_are_meant_for_paper(typst_of, cells, printed):
    cell = cells.table("02-1-t", long_table(["a", "b", "c"], 15))
    cell.outputs[0].metadata["mwlab"]["printed"] = printed
    assert "12 of 15 rows" in typst_of(TITLE, cell)


def test_a_long_table_of_two_columns_is_folded_whole(typst_of, cells):
    text = typst_of(TITLE, cells.table("02-1-t", long_table(["a", "b"], 15)))
    assert all(f"[row{n}]" in text for n in range(15))
    assert text.index("[row8]") < text.index("[row1]")
    assert "rows; the HTML" not in text


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (["# Baseline"], "cell 1: the one title of this notebook is '# 2 ...', got '# Baseline'"),
        ([TITLE, "# 2 Again"], "cell 2: the one title"),
        (["Only text."], "02-baseline.ipynb: has no title: begin with '# 2 ...'"),
        ([TITLE, "## 3.1 One server"], "cell 2: heading '3.1 One server' is not numbered within"),
    ],
)
def test_headings_outside_the_notebooks_number_are_refused(typst_of, parts, message):
    with pytest.raises(ReportError) as caught:
        typst_of(*parts)
    assert message in str(caught.value)


def test_formulas_are_typeset(typst_of):
    text = typst_of(TITLE, "The law $X = N/(R+Z)$:\n\n$$\nU_k = \\frac{\\lambda}{m\\mu}\n$$")
    assert "$X = N \\/ \\( R + Z \\)$" in text
    assert "$ U_k = frac(lambda, m mu) $" in text


def test_formula_that_cannot_be_read_is_located(typst_of):
    with pytest.raises(ReportError, match="cell 3: cannot be typeset"):
        typst_of(TITLE, "Fine: $x$.", "Broken: $\\unheard{x}$.")


@pytest.mark.parametrize(
    ("markdown", "message"),
    [
        ("a <b>bold</b> word", "holds HTML, write it as markdown: <b>"),
        ("\\begin{align} x \\end{align}", r"put the formula between \$\$ and \$\$"),
        ("![A diagram](diagram.svg)", "holds an image without a number"),
    ],
)
def test_what_would_be_lost_is_refused(typst_of, markdown, message):
    with pytest.raises(ReportError, match=f"cell 2: {message}"):
        typst_of(TITLE, markdown)


def test_figures_and_tables_are_numbered_by_section(cells, typst_of):
    text = typst_of(
        TITLE,
        cells.figure("02-1-a", "First, with $N$."),
        cells.table("02-1-t", NARROW),
        cells.figure("02-1-b"),
    )
    assert (
        '#lab-figure("02-1-a.svg", "Figure 2.1", 480.0pt, "First, with N.", footnote: "")[\n'
        in text
    )
    assert '#lab-figure("02-1-b.svg", "Figure 2.2", 480.0pt, "A caption.", footnote: "")[' in text
    assert '#lab-table("Table 2.1", size: 8.5pt, breakable: false, tight: false)[' in text
    assert "] <02-1-t>" in text


def test_tables_are_tables_aligned_with_a_header(cells, typst_of):
    text = typst_of(TITLE, cells.table("02-1-t", NARROW))
    assert "table.header([Clients], [Throughput (op/s)],)" in text
    assert "align: (right,right,)" in text
    assert "[6], [2 912]," in text


def test_table_too_wide_for_any_page_is_refused(cells, typst_of):
    headings = [f"Measure{index}" for index in range(40)]
    wide = "\n".join(f"| {' | '.join(row)} |" for row in (headings, ["---:"] * 40, ["1"] * 40))
    with pytest.raises(ReportError, match="cell 2: holds a table too wide for a page"):
        typst_of(TITLE, cells.table("02-1-t", wide))


def test_links_to_figures_show_their_number(cells, typst_of):
    text = typst_of(
        TITLE,
        "See [Figure](#02-1-a), [Table](#02-1-t) and [this plot](#02-1-a).",
        cells.figure("02-1-a"),
        cells.table("02-1-t", NARROW),
    )
    assert "#link(<02-1-a>)[Figure~2.1]" in text
    assert "#link(<02-1-t>)[Table~2.1]" in text
    assert "#link(<02-1-a>)[this plot]" in text


def test_links_between_notebooks_stay_inside_the_report(cells, write):
    two = write(cells.markdown("# 2 Two\n\n## 2.1 One server (direct)"), name="02-two.ipynb")
    three = write(
        cells.markdown(
            "# 3 Three\n\n[Section 2](02-two.ipynb), [2.1](02-two.ipynb#2.1-One-server-(direct)), "
            "[Section 4](04-four.ipynb), [memcached](https://memcached.org)"
        ),
        name="03-three.ipynb",
    )
    text = translate([read_section(two), read_section(three)])
    assert "#link(<02-two:title>)[Section 2]" in text
    assert "#link(<02-two:2.1-one-server-direct>)[2.1]" in text
    assert '#link("https://memcached.org")[memcached]' in text
    # Section 4 is not exported with these: its text stays, without a link.
    assert "Section 4," in text
    assert "04-four" not in text


@pytest.mark.parametrize("link", ["[Figure](#02-9-x)", "[below](#No-such-heading)"])
def test_link_to_nothing_is_refused(typst_of, link):
    with pytest.raises(ReportError, match=r"cell 2: links to .*, which is not in the report"):
        typst_of(TITLE, link)


def test_name_used_twice_is_refused(cells, typst_of):
    with pytest.raises(ReportError, match="cell 3: the name 02-1-a is used twice"):
        typst_of(TITLE, cells.figure("02-1-a"), cells.figure("02-1-a"))
