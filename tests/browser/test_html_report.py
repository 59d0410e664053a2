"""The HTML report opens from a folder: figures drawn, pages linked, nothing fetched, no error."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from analysis.tables.provenance import Provenance
from report.contents.notebook import Figure, Prose, Section, Table
from report.export import export
from tests.helpers.shown_figures import shown_figures

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360"><path d="M0,0L9,9"/></svg>'


@pytest.fixture(scope="module")
def first_page(tmp_path_factory):
    """Export every figure of the notebooks in one section, text and a table in another."""
    figures = [
        Figure(2, f"02-{name}", f"Shows {name}.", json.loads(figure.to_json()), SVG)
        for name, figure in shown_figures().items()
    ]
    two = (Prose(1, "# 2 Figures\n\n## 2.1 All\n\n$X = \\frac{N}{R + Z}$"), *figures)
    table = Table(2, "03-table", "A table.", "| Clients |\n|---:|\n| 6 |")
    link = "As in [Figure](02-figures.ipynb#02-03-1-load)."
    three = (Prose(1, f"# 3 Text\n\n{link}"), table)
    sections = [Section(Path("02-figures.ipynb"), 2, two), Section(Path("03-text.ipynb"), 3, three)]
    moment = datetime(2026, 11, 21, tzinfo=UTC)
    provenance = Provenance(
        campaign="smoke", profiles=("smoke",), fleets=("local-lab",), generators=("memtier",),
        commits=("0123456789",), time_dilations=(1.0,), period=(moment, moment),
        num_accepted=3, num_discarded=0,
    )  # fmt: skip
    return export(sections, provenance, tmp_path_factory.mktemp("figures"), ["html"]).html


def test_every_figure_is_drawn_offline_without_an_error(open_page, first_page):
    opened = open_page((first_page.parent / "02-figures.html").as_uri())
    page = opened.page
    plots = page.locator("div.plot")
    page.wait_for_function(
        "document.querySelectorAll('.js-plotly-plot .main-svg').length >= "
        "document.querySelectorAll('div.plot').length"
    )
    for index in range(plots.count()):
        plot = plots.nth(index)
        assert plot.is_visible()
        assert plot.get_attribute("aria-label").startswith("Figure 2.")
        assert plot.locator(".trace, .bars .points, .shapelayer path").count() > 0
        assert plot.bounding_box()["width"] > 400
    assert page.locator("math mfrac").count() == 1
    assert opened.problems == []
    assert opened.outside("file://") == []


def test_pages_are_turned_and_references_followed(open_page, first_page):
    opened = open_page(first_page.as_uri())
    page = opened.page
    page.get_by_role("link", name="2 Figures →").first.click()
    assert page.title() == "2 Figures - Middleware Lab"
    page.get_by_role("link", name="3 Text →").first.click()
    assert page.get_by_role("columnheader", name="Clients").get_attribute("scope") == "col"
    page.get_by_role("link", name="Figure 2.").click()
    assert page.url.endswith("02-figures.html#02-03-1-load")
    page.get_by_role("link", name="← Contents").first.click()
    assert page.get_by_role("heading", name="Contents").is_visible()
    assert page.get_by_role("link", name="2.1 All").first.is_visible()
    assert opened.problems == []


def test_drawings_take_the_place_of_figures_without_javascript(open_page, first_page):
    page = open_page((first_page.parent / "02-figures.html").as_uri(), javascript=False).page
    drawings = page.locator("figure img")
    assert drawings.count() == page.locator("figure").count() > 0
    for index in range(drawings.count()):
        assert drawings.nth(index).is_visible()
        assert drawings.nth(index).get_attribute("alt").startswith("Figure 2.")
        assert drawings.nth(index).evaluate("image => image.naturalWidth") > 0


def test_page_can_be_used_from_the_keyboard(open_page, first_page):
    page = open_page(first_page.as_uri()).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the text"
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("#main$"))
