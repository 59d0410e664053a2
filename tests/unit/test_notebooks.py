"""The notebooks hold text and calls only, refer to their figures, and are short."""

import ast
import re
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("[0-9][0-9]-*.ipynb"))
MEASURES = re.compile(r"measured\.measure\(|measure_study\(")
MEASURING = [path for path in NOTEBOOKS if MEASURES.search(path.read_text())]
MOST_CELLS, MOST_FIGURES, MOST_WORDS = 30, 8, 1000
FIGURE = r"present\.figure\(|explore\("
LONGEST_CELL = 12  # lines beside imports; longer ones compute, which belongs into analysis/


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_only_tells_and_calls(path):
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    (parameters,) = [c for c in code if "parameters" in c.metadata.get("tags", [])]
    if path in MEASURING:
        *first, last = parameters.source.splitlines()
        first += [] if last == 'middleware = "mwlab"' else [last]
        assert first == ['fleet = "none"', 'profile = "quick"', 'campaign = "reference"']
    assert code[0] is parameters
    for cell in code:
        tree = ast.parse(cell.source)
        imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        imported = sum(node.end_lineno - node.lineno + 1 for node in imports)
        assert len(cell.source.splitlines()) - imported <= LONGEST_CELL, cell.source
        for node in ast.walk(tree):
            assert not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda), cell.source


@pytest.mark.parametrize("path", MEASURING, ids=lambda path: path.stem)
def test_every_figure_and_table_is_referred_to_in_the_text(path):
    notebook = nbformat.read(path, as_version=4)
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    names = re.findall(r'name="(\d\d-[a-z0-9-]+)"', code)
    missing = [name for name in names if f"](#{name})" not in prose]
    assert names
    assert not missing, f"write [Figure](#{missing[0]}) or [Table](#{missing[0]}) where it is told"


@pytest.mark.parametrize("path", MEASURING, ids=lambda path: path.stem)
def test_figures_of_a_campaign_say_where_they_come_from(path):
    notebook = nbformat.read(path, as_version=4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    citing = [
        number for number, source in enumerate(code) if "present.cite(measured.path" in source
    ]
    showing = [
        n for n, source in enumerate(code) if re.search(r"present\.figure\(|explore\(", source)
    ]
    assert not showing or citing[0] <= showing[0]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_short(path):
    notebook = nbformat.read(path, as_version=4)
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert len(notebook.cells) <= MOST_CELLS
    assert sum(len(text.split()) for text in prose) <= MOST_WORDS
    assert sum(len(re.findall(FIGURE, c)) for c in code) <= MOST_FIGURES


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_text_is_written_by_hand(path):
    """What depends on the data is a claim, a table or a figure, never a sentence made by code."""
    notebook = nbformat.read(path, as_version=4)
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        assert not re.search(r"\b(Markdown|HTML|Latex|display|print)\(", cell.source), cell.source
