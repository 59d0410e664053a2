import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from report.contents.measured import measured_sections, sections_of, showable
from report.contents.notebook import LEFT_OUT


@pytest.mark.parametrize(
    ("source", "sections"),
    [
        ('measured.measure("2.1")', ["2.1"]),
        ('campaign.measure("2.1", "2.2", progress=False)\nx = 1', ["2.1", "2.2"]),
        ("measured.measure(*names)", []),
        ('%run "x"', []),
        ('print("2.1")', []),
    ],
)
def test_sections_of_a_cell_are_what_it_measures(source, sections):
    assert sections_of(source) == sections


@pytest.fixture
def notebook():
    return new_notebook(
        cells=[
            new_markdown_cell("# 2 Baseline"),
            new_code_cell("import analysis"),
            new_code_cell('measured.measure("2.1")'),
            new_markdown_cell("## 2.1 One server"),
            new_code_cell('measured.measure("2.2")'),
            new_markdown_cell("## 2.2 Two servers"),
            new_code_cell("show()"),
        ]
    )


def sources(notebook):
    return [cell.source for cell in notebook.cells]


def test_what_is_measured_stays_as_it_is(notebook):
    assert sources(showable(notebook, "smoke", measured_sections(notebook))) == sources(notebook)


def test_a_note_stands_for_a_section_that_is_not_measured(notebook):
    shown = showable(notebook, "smoke", {"2.1"})
    assert sources(shown)[:4] == sources(notebook)[:4]
    (note,) = shown.cells[4:]
    assert note.source.startswith("> **Not measured.** Campaign smoke holds no accepted run of")
    assert "`lab run 2.2 --campaign smoke`" in note.source
    assert note.metadata[LEFT_OUT] == ["2.2"]


def test_later_sections_are_shown_all_the_same(notebook):
    shown = showable(notebook, "smoke", {"2.2"})
    assert "## 2.1 One server" not in sources(shown)
    assert sources(shown)[-3:] == sources(notebook)[-3:]
