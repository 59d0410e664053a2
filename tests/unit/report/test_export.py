import csv
import json
import re
from dataclasses import replace

import pandas as pd
import pytest
import typst

from report import export as exporting
from report.contents.notebook import ReportError, read_section
from report.export import document, export

TABLE = "| Clients | Response time (ms) |\n|---:|---:|\n" + "| 6 | 1.5 |\n" * 100
WIDE = "\n".join(
    f"| {' | '.join(row)} |" for row in (["Interactive law"] * 9, ["---"] * 9, ["1"] * 9)
)


@pytest.fixture
def notebooks(cells, write):
    two = write(
        cells.markdown("# 2 Baseline\n\nAs $X = N/R$, see [Figure](#02-1-throughput).[^1]"),
        cells.markdown(
            "## 2.1 One server\n\n[^1]: Jain 1991.\n\n---\n\n> quoted\n\n```\ncode\n```"
        ),
        cells.figure("02-1-throughput", "Throughput of $N$ clients."),
        cells.table("02-1-long", TABLE, "Longer than a page."),
        name="02-baseline.ipynb",
    )
    three = write(
        cells.markdown("# 3 With middleware\n\n## 3.1 One middleware"),
        cells.figure("03-1-throughput", "Back to [Section 2](02-baseline.ipynb)."),
        cells.table("03-1-wide", WIDE, "Wide."),
        name="03-middleware.ipynb",
    )
    return [two, three]


@pytest.fixture
def query(notebooks, provenance):
    files = document([read_section(path) for path in notebooks], provenance)
    return lambda selector: json.loads(typst.query(files, selector))


def map_sections(paths):
    return [read_section(path) for path in paths]


def text_of(element):
    """All text inside an element of typst's document."""
    if isinstance(element, dict):
        own = [element["text"]] if isinstance(element.get("text"), str) else []
        inner = [text_of(value) for key, value in element.items() if key != "text"]
        return "".join(own + inner) + (" " if element.get("func") in ("space", "h") else "")
    if isinstance(element, list):
        return "".join(text_of(child) for child in element)
    return ""


def test_export_writes_figures_their_data_and_the_report(notebooks, provenance, tmp_path):
    exported = export(map_sections(notebooks), provenance, tmp_path / "figures")
    assert [path.name for path in exported.figures] == [
        "02-1-throughput.svg",
        "03-1-throughput.svg",
    ]
    with (tmp_path / "figures" / "02-1-throughput.csv").open() as stream:
        assert next(csv.reader(stream)) == ["trace", "x_axis", "y_axis", "x", "y"]
    pdf = exported.pdf.read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert b"(Middleware Lab)" in pdf
    # Title, contents, two sections with a long table.
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 4
    assert b"/Subtype/Image" not in pdf.replace(b" ", b"")


def test_nothing_is_written_when_a_notebook_is_unfit(notebooks, provenance, cells, write, tmp_path):
    bad = write(cells.markdown("# 4 Bad"), cells.code(count=None), name="04-bad.ipynb")
    with pytest.raises(ReportError, match=r"04-bad\.ipynb, cell 2"):
        export(map_sections([*notebooks, bad]), provenance, tmp_path / "figures")
    assert not (tmp_path / "figures").exists()


def test_figures_without_a_drawing_are_drawn(cells, write, provenance, tmp_path, monkeypatch):
    sizes = []

    def draw(spec, width_px, height_px):
        sizes.append((width_px, height_px))
        return '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360"/>'

    monkeypatch.setattr(exporting, "draw_svg", draw)
    spec = {"data": [], "layout": {"width": 640, "height": 360}}
    path = write(cells.markdown("# 2 Two"), cells.figure("02-a", svg=None, spec=spec))
    export([read_section(path)], provenance, tmp_path)
    assert sizes == [(640, 360)]
    assert "640" in (tmp_path / "02-a.svg").read_text()


def test_footnote_stands_below_the_caption(cells, write, provenance):
    tagged = cells.figure("02-a")
    tagged.outputs[0].metadata["mwlab"]["footnote"] = "Campaign smoke: 3 runs."
    path = write(cells.markdown("# 2 Two"), tagged)
    files = document([read_section(path)], provenance)
    (found,) = json.loads(typst.query(files, 'figure.where(kind: "lab-figure")'))
    assert text_of(found["caption"]["body"]).endswith("Campaign smoke: 3 runs.")


def test_stale_files_of_ours_go_and_those_of_others_stay(notebooks, provenance, tmp_path):
    folder = tmp_path / "figures"
    first, second = map_sections(notebooks)
    export([first, second], provenance, folder)
    (folder / "mine.svg").write_text("<svg/>")
    export([first], provenance, folder)
    names = {path.name for path in folder.rglob("*") if path.is_file()}
    assert {"02-1-throughput.svg", "02-1-throughput.csv", "mine.svg", "report.pdf"} <= names
    assert not {name for name in names if name.startswith("03-")}


@pytest.mark.parametrize(("wanted", "other"), [("pdf", "html"), ("html", "pdf")])
def test_one_format_alone(notebooks, provenance, tmp_path, wanted, other):
    exported = export(map_sections(notebooks), provenance, tmp_path, [wanted])
    assert getattr(exported, wanted).is_file()
    assert getattr(exported, other) is None


def test_pages_of_the_web_alone_and_tables_stand_beside_the_pages(notebooks, provenance, tmp_path):
    first, second = map_sections(notebooks)
    sections = [first, replace(second, web_only=True)]
    tables = {"runs.csv": pd.DataFrame({"section": ["2.1"]})}
    exported = export(sections, provenance, tmp_path, tables=tables)
    assert (exported.html.parent / "03-middleware.html").is_file()
    assert (exported.html.parent / "runs.csv").read_text() == "section\n2.1\n"
    headings = json.loads(typst.query(document([first], provenance), "heading"))
    assert "3 With middleware" not in [text_of(entry["body"]) for entry in headings]
