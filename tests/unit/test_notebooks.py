"""The notebooks run top to bottom on a finished campaign, without a host, and become the report."""

import ast
import os
import re
import shutil
from pathlib import Path

import nbformat
import pytest

from remote.campaign import DATA_DIR
from report.make import make_report
from tests.helpers.campaign import build_campaign, build_network_runs

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("[0-9][0-9]-*.ipynb"))
MEASURES = re.compile(r"measured\.measure\(|measure_study\(")
MEASURING = [path for path in NOTEBOOKS if MEASURES.search(path.read_text())]
MOST_CELLS, MOST_FIGURES, MOST_WORDS = 30, 8, 930
FIGURE = r"present\.figure\(|explore\("
LONGEST_CELL = 12  # lines beside imports; longer ones compute, which belongs into analysis/


@pytest.fixture(scope="module")
def campaign():
    """A synthetic campaign that holds every run of the smoke profile, removed afterwards."""
    folder = DATA_DIR / f"test-notebooks-{os.getpid()}"
    try:
        build_campaign(folder, clients_per_thread=(1, 8, 32))
        build_campaign(folder, sections=("2.2",), clients_per_thread=(2, 16))
        build_campaign(folder, sections=("3.2",), clients_per_thread=(32,), workers=(64,))
        build_campaign(folder, sections=("4.1",), clients_per_thread=(8, 32))
        build_campaign(folder, sections=("4.4", "5.1", "5.2"))
        build_network_runs(folder)
        yield folder.name
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.filterwarnings("default")  # not ours: kernels are started by papermill
def test_notebooks_become_one_report(campaign, tmp_path):
    exported = make_report(campaign, tmp_path, notebooks=NOTEBOOKS)
    assert exported.pdf.read_bytes().startswith(b"%PDF-")
    for path in exported.html.parent.glob("0[02345]-*.html"):
        assert "<strong>Not measured.</strong>" not in path.read_text()
    names = {path.stem for path in exported.figures}
    assert {"00-1-network", "02-1-load", "02-2-load", "03-1-load", "03-2-queue"} <= names
    for path in exported.figures:
        assert "<image" not in path.read_text(), f"{path.name} holds a raster image"
        assert path.with_suffix(".csv").stat().st_size > 0


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
