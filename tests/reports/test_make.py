"""A campaign with holes becomes a report that names them."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from report import make
from report.make import make_report
from tests.helpers.campaign import build_campaign, build_run

pytestmark = pytest.mark.filterwarnings("default")  # not ours: kernels are started by papermill
PARAMETERS = new_code_cell('fleet = campaign = profile = ""', metadata={"tags": ["parameters"]})
OPEN = "from remote.campaign import Campaign\nfrom pathlib import Path\n"


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setattr(make, "EXECUTED", tmp_path / "build")
    return tmp_path / "data"


@pytest.fixture
def write_notebook(tmp_path, data):
    def _write(name, section, *markdown):
        opening = (
            f"{OPEN}measured = Campaign.open(campaign, fleet=fleet, data_dir=Path({str(data)!r}))"
        )
        cells = [
            new_markdown_cell(f"# {int(name[:2])} Title"),
            PARAMETERS,
            new_code_cell(opening),
            new_code_cell(f'measured.measure("{section}")\nassert fleet == "none"'),
            *map(new_markdown_cell, markdown),
        ]
        path = tmp_path / name
        nbformat.write(new_notebook(cells=cells), path)
        return path

    return _write


def text_of(exported):
    pages = sorted(exported.html.parent.glob("*.html"))
    return {page.name: page.read_text() for page in pages}


@pytest.mark.selected
def test_report_says_what_is_not_measured_and_what_is_missing(data, write_notebook, tmp_path):
    build_campaign(data / "trial", sections=["2.1"], clients_per_thread=[1], repetitions=2)
    config = {"workload": "get", "clients_per_thread": 16}
    build_run(data / "trial", "2.1", config, status="rejected")
    two = write_notebook(
        "02-two.ipynb", "2.1", "## 2.1 Here", "As [Section 3](03-three.ipynb#Gone)."
    )
    three = write_notebook("03-three.ipynb", "3.1", "## 3.1 Gone")
    exported = make_report(
        "trial", tmp_path / "out", notebooks=[two, three], data=data, progress=lambda _: None
    )
    pages = text_of(exported)
    assert "Not measured." in pages["03-three.html"]
    assert "2.1 Here" in pages["02-two.html"]
    assert "2.1 workload=set_clients_per_thread=16 rep 1" in pages["02-two.html"]
    assert "4 accepted, 1 rejected or failed" in pages["configurations.html"]
    assert "no_misses" in pages["appendix.html"]
    runs = (exported.html.parent / "runs.csv").read_text()
    assert "clients_per_thread=16" in runs
    assert exported.pdf.read_bytes().startswith(b"%PDF-")
