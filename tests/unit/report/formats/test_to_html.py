import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from report.contents.notebook import Prose, Section, read_section
from report.export import export
from report.formats.pages import html_files

TABLE = "| Clients | Response time (ms) |\n|---:|---:|\n| 6 | 1.5 |"


class Elements(HTMLParser):
    """Collects (tag, attributes) of a page."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def all(self, tag, attribute):
        return [about.get(attribute) for name, about in self.found if name == tag]


@pytest.fixture
def sections(cells, write):
    figure = cells.figure("02-1-a", "Drops of $N$ < 3 & more.")
    figure.outputs[0].metadata["mwlab"]["footnote"] = "Campaign smoke: 3 runs."
    two = write(
        cells.markdown(
            "# 2 Two\n\n## 2.1 One server\n\nSee [Figure](#02-1-a): $X = \\frac{N}{R}$."
        ),
        figure,
        cells.table("02-1-t", TABLE),
        name="02-two.ipynb",
    )
    three = write(
        cells.markdown("# 3 Three\n\nAs [Table](02-two.ipynb#02-1-t), [2.1](02-two.ipynb)."),
        name="03-three.ipynb",
    )
    return [read_section(two), read_section(three)]


@pytest.fixture
def pages(sections, provenance):
    files = html_files(sections, provenance, "Lab", "A subtitle")
    return {name: text.decode() for name, text in files.items() if name.endswith(".html")}


def test_links_within_and_between_pages_show_numbers(pages):
    assert re.search(r'<a\s+href="#02-1-a">Figure.2\.1</a>', pages["02-two.html"])
    assert re.search(r'<a\s+href="02-two.html#02-1-t">Table.2\.1</a>', pages["03-three.html"])
    assert 'href="02-two.html#02-two:title"' in pages["03-three.html"]


def test_every_link_and_file_of_a_page_is_there(sections, provenance, tmp_path):
    exported = export(sections, provenance, tmp_path)
    for page in exported.html.parent.glob("*.html"):
        elements = Elements(page.read_text())
        ids = {about["id"] for _, about in elements.found if "id" in about}
        wanted = [*elements.all("a", "href"), *elements.all("img", "src")]
        wanted += [*elements.all("script", "src"), *elements.all("link", "href")]
        for link in filter(None, wanted):
            path, _, anchor = link.partition("#")
            assert not path.startswith(("http:", "https:", "//")), link
            if path.startswith("data:"):
                continue
            target = (page.parent / path) if path else page
            assert target.is_file(), link
            if anchor and not path:
                assert anchor in ids, link
            elif anchor:
                assert f'id="{anchor}"' in target.read_text(), link


def test_figure_has_data_drawing_and_words(pages):
    page = pages["02-two.html"]
    elements = Elements(page)
    (plot,) = [about for _, about in elements.found if about.get("class") == "plot"]
    assert plot["aria-label"] == "Figure 2.1. Drops of N < 3 & more."
    (spec,) = re.findall(r'<script type="application/json" class="spec">(.*?)</script>', page)
    assert json.loads(spec)["data"][0]["name"] == "get"
    assert elements.all("img", "alt") == ["Figure 2.1. Drops of N < 3 & more."]
    assert "Campaign smoke: 3 runs." in page


def test_formulas_are_mathml_and_tables_have_heads_and_captions(pages):
    page = pages["02-two.html"]
    assert "<mfrac>" in page
    assert page.count('<th scope="col"') == 2
    assert re.search(r"<caption[^>]*><strong>Table 2\.1\.</strong> A caption\.", page)


def test_a_table_is_a_file_beside_the_pages(sections, provenance):
    files = html_files(sections, provenance, "Lab", "A subtitle")
    page = files["02-two.html"].decode()
    assert 'href="figures/02-1-t.csv" download aria-label="Table 2.1 as CSV"' in page
    headings, first, *_ = files["figures/02-1-t.csv"].decode().splitlines()
    assert headings.count(",") == first.count(",") == 1


def test_a_summary_stands_on_the_first_page(sections, provenance):
    claims = Section(Path("index.ipynb"), "S", (Prose(1, "# S What was found\n\nAll holds."),))
    files = html_files([claims, *sections], provenance, "Lab", "A subtitle")
    assert next(name for name in files if name.endswith(".html")) == "index.html"
    first = files["index.html"].decode()
    assert first.index("All holds.") < first.index("<h2>Contents</h2>")
    assert "Contents</a></li>" not in first


def test_pages_lead_to_each_other(pages):
    def turning(name):
        return re.findall(r'<a rel="(\w+)" href="([^"]+)"', pages[name])[:2]

    assert turning("02-two.html") == [("prev", "index.html"), ("next", "03-three.html")]
    assert turning("03-three.html")[0] == ("prev", "02-two.html")
    assert 'href="02-two.html" aria-current="page"' in pages["02-two.html"]
