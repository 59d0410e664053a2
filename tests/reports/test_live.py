"""While a campaign is being measured its pages show each chapter that is complete."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from analysis.results import ParseError
from remote.campaign import Campaign
from report import live
from report.live import LiveReport
from tests.helpers.campaign import build_campaign

pytestmark = pytest.mark.filterwarnings("default")  # not ours: kernels are started by papermill
PARAMETERS = new_code_cell('fleet = campaign = profile = ""', metadata={"tags": ["parameters"]})


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setattr(live, "EXECUTED", tmp_path / "build")
    monkeypatch.setattr(live, "DATA", tmp_path / "data")
    books = [
        _notebook(tmp_path / "02-baseline.ipynb", "2.1"),
        _notebook(tmp_path / "03-middlewares.ipynb", "3.1", "3.2"),
        _notebook(tmp_path / "10-studies.ipynb"),
    ]
    monkeypatch.setattr(live, "numbered_notebooks", lambda: books)
    return tmp_path / "data"


def _notebook(path, *sections):
    measures = "\n".join(f'measured.measure("{section}")' for section in sections)
    opening = (
        "from remote.campaign import Campaign\nfrom pathlib import Path\n"
        f"data = Path({str(path.parent / 'data')!r})\n"
        "measured = Campaign.open(campaign, fleet=fleet, data_dir=data)"
    )
    title = new_markdown_cell(f"# {int(path.name[:2])} Chapter of {path.stem}")
    cells = [title, PARAMETERS, new_code_cell(opening), new_code_cell(measures or "0")]
    nbformat.write(new_notebook(cells=cells), path)
    return path


@pytest.mark.selected
def test_pages_grow_by_each_chapter_that_is_complete(data, tmp_path):
    build_campaign(data / "trial", sections=["2.1"], clients_per_thread=[1])
    campaign = Campaign.open("trial", fleet="none", data_dir=data)
    report = LiveReport(campaign, ["2.1", "3.1", "3.2"], tmp_path / "out")
    first = report.add("2.1")
    assert "2 sections to come" in first.read_text()
    assert "Chapter of 02-baseline" in first.with_name("02-baseline.html").read_text()
    build_campaign(data / "trial", sections=["3.1"], clients_per_thread=[1], workers=[8])
    assert report.add("3.1") is None  # its chapter has another section
    build_campaign(data / "trial", sections=["3.2"], clients_per_thread=[1], workers=[8])
    assert "0 sections to come" in report.add("3.2").read_text()
    pages = {page.name for page in first.parent.glob("*.html")}
    assert pages == {"index.html", "02-baseline.html", "03-middlewares.html"}


def test_chapter_that_fails_leaves_the_pages_as_they_were(data, tmp_path):
    build_campaign(data / "trial", sections=["2.1", "3.1"], clients_per_thread=[1], workers=[8])
    campaign = Campaign.open("trial", fleet="none", data_dir=data)
    report = LiveReport(campaign, ["2.1", "3.1"], tmp_path / "out")
    first = report.add("2.1")
    before = first.read_text()
    (manifest, *_) = (data / "trial" / "3.1").glob("*/rep-1/manifest.json")
    manifest.write_text("{")
    with pytest.raises(ParseError, match="not a complete JSON document"):
        report.add("3.1")
    assert first.read_text() == before
