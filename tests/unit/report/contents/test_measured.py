import ast
import builtins
import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from analysis.chapters.what_limits_it.claims import BLACK_BOX, FULL_SYSTEM
from report.contents.absent import sections_of
from report.contents.measured import measured_sections, showable
from report.contents.notebook import LEFT_OUT
from report.make import numbered_notebooks


@pytest.mark.parametrize(
    ("source", "sections"),
    [
        ('measured.measure("2.1")', ["2.1"]),
        ('campaign.measure("2.1", "2.2", progress=False)\nx = 1', ["2.1", "2.2"]),
        ("measured.measure(*names)", []),
        ('x = measure_study(measured, "3.1", {"workers": 8})', ["sensitivity/3.1-workers=8"]),
        (
            'measure_study(measured, "3.1", {"workload": "get"}, middleware="mine")',
            ["middlewares/mine/sensitivity/3.1-workload=get"],
        ),
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
            new_code_cell('measured.measure("2.2")\ntables = 1'),
            new_markdown_cell(
                "## 2.2 Two servers\n\nAs [Figure](#02-2-load) shows, and [Figure](#02-1-load)."
            ),
            new_code_cell('show(tables, name="02-2-load")'),
        ]
    )


def sources(notebook):
    return [cell.source for cell in notebook.cells]


def test_a_note_stands_for_a_section_that_is_not_measured(notebook):
    shown = showable(notebook, "smoke", {"2.1"})
    assert sources(shown)[:4] == sources(notebook)[:4]
    note, heading = shown.cells[4:]
    assert note.source.startswith("> **Not measured.** Campaign smoke holds no accepted run of")
    assert "`lab run 2.2 --campaign smoke`" in note.source
    assert note.metadata[LEFT_OUT] == ["2.2"]
    assert heading.source == (
        "## 2.2 Two servers\n\nAs *figure (not measured)* shows, and [Figure](#02-1-load)."
    )


def test_a_note_stands_for_elasticities_that_are_not_measured():
    study = 'measure_study(one, "3.1", {"workload": "get", "clients_per_thread": 8}'
    cells = [f"full = {study})", f"box = {study}, middleware='mine')", "print(box)"]
    notebook = new_notebook(cells=[new_code_cell(source) for source in cells])
    name = "sensitivity/3.1-workload=get_clients_per_thread=8"
    first, second = showable(notebook, "smoke", {name}).cells
    assert first.source == cells[0]
    levels = "--workload get --clients-per-thread 8"
    command = f"`lab sensitivity 3.1 {levels} --campaign smoke/middlewares/mine` measures it."
    assert second.source.endswith(command)
    assert second.metadata[LEFT_OUT] == [f"middlewares/mine/{name}"]


def test_the_chapter_of_elasticities_shows_those_that_its_claims_are_of():
    (path,) = [path for path in numbered_notebooks() if path.name.startswith("12-")]
    assert measured_sections(nbformat.read(path, as_version=4)) == [FULL_SYSTEM, BLACK_BOX]


def test_what_is_made_of_something_that_is_not_measured_is_left_out_too():
    cells = [
        'one = 1\nmeasured.measure("0", "3.1")\ntables = 2',
        'other = one\nmeasured.measure("3.2")',
        "print(other)",
        "tables = 4",
        "print(tables)",
    ]
    notebook = new_notebook(cells=[new_code_cell(source) for source in cells])
    first, second, *rest = showable(notebook, "smoke", {"3.1", "3.2"}).cells
    assert [first.metadata[LEFT_OUT], second.metadata[LEFT_OUT]] == [["0"], ["0"]]
    assert [cell.source for cell in rest] == cells[3:]
    shown = showable(notebook, "smoke", {"0", "3.1"})
    code = [cell.source for cell in shown.cells if cell.cell_type == "code"]
    assert code == [cells[0], *cells[3:]]


def test_a_name_that_a_cell_sets_itself_is_not_what_was_left_out():
    cells = [
        'measured.measure("3.2")\ncells = 1',
        "cells = both\nprint([cell for cell in cells])",
        "print(cells)",
    ]
    notebook = new_notebook(cells=[new_code_cell(source) for source in cells])
    shown = showable(notebook, "smoke", set())
    assert [cell.source for cell in shown.cells[1:]] == cells[1:]


SECTIONS = ("0", "2.1", "2.2", "3.1", "3.2", "4.1", "4.4", "5.1", "5.2", "6", "7", "8", "9")


@pytest.mark.parametrize("path", numbered_notebooks(), ids=lambda path: path.stem)
@pytest.mark.parametrize("section", SECTIONS)
def test_a_campaign_of_one_section_needs_nothing_that_is_left_out(path, section):
    shown = showable(nbformat.read(path, as_version=4), "one", {section})
    known = {*dir(builtins), "get_ipython"}
    for cell in (cell for cell in shown.cells if cell.cell_type == "code"):
        names = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Name)]
        known |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
        imports = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.alias)]
        known |= {(node.asname or node.name).partition(".")[0] for node in imports}
        functions = [n for n in ast.walk(ast.parse(cell.source)) if isinstance(n, ast.FunctionDef)]
        known |= {node.name for node in functions}
        known |= {
            argument.arg
            for n in ast.walk(ast.parse(cell.source))
            if isinstance(n, ast.arguments)
            for argument in n.args
        }
        missing = {node.id for node in names} - known
        assert missing == set(), cell.source
        if not sections_of(cell.source):
            asked = set(re.findall(r'measured\.path, ?"([\d.]+)"', cell.source))
            assert "load_tables" in cell.source or asked <= {section}, cell.source
