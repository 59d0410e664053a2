import pandas as pd
import plotly.graph_objects as go
import pytest

from analysis.figures import drawing, present
from tests.helpers.campaign import build_campaign

FRAME = pd.DataFrame(
    {
        "num_clients": [6, 48],
        "throughput_ops_per_s": [2912.3, 2898.1],
        "workload": ["get", "set|get<n>"],
    }
)


@pytest.fixture
def drawn(monkeypatch):
    """Replace chromium; records the sizes asked for."""
    sizes = []

    def draw(spec, width_px, height_px):
        sizes.append((width_px, height_px))
        return "<svg/>"

    monkeypatch.setattr(present, "draw_svg", draw)
    return sizes


def test_footnote_tells_the_runs_that_a_figure_shows(drawn, monkeypatch, tmp_path):
    build_campaign(tmp_path / "trial", sections=["2.1"], clients_per_thread=[1], repetitions=2)
    monkeypatch.setattr(present, "_source", None)
    present.cite(tmp_path / "trial", "2.1")
    whole = present.figure(go.Figure(), "02-a", "c").footnote
    part = present.figure(go.Figure(layout={"meta": {"runs": 2}}), "02-a", "c").footnote
    assert whole.startswith("Campaign trial: out of 4 runs; memtier_benchmark 2.3.1; time")
    assert part.startswith("Campaign trial: 2 runs;")
    present.cite(tmp_path / "trial")
    assert present.figure(go.Figure(), "02-a", "c").footnote == ""


def test_static_size_follows_layout_then_template(drawn):
    template = go.layout.Template(layout={"width": 640, "height": 360})
    for layout in ({}, {"template": template}, {"template": template, "height": 500}):
        present.figure(go.Figure(layout=layout), "02-a", "c")._repr_mimebundle_()
    # Without a template of its own a figure has plotly's, which names no size.
    assert drawn == [(present.WIDTH_PX, present.HEIGHT_PX), (640, 360), (640, 500)]


def test_figure_without_chromium_stays_interactive_and_warns(monkeypatch):
    def draw(*_):
        raise drawing.DrawingError("chromium is not installed: `apt-get install chromium`")

    monkeypatch.setattr(present, "draw_svg", draw)
    with pytest.warns(UserWarning, match="figures are interactive only.*apt-get install chromium"):
        data, _ = present.figure(go.Figure(), "02-a", "c")._repr_mimebundle_()
    assert present.PLOTLY_MIME in data
    assert "image/svg+xml" not in data


def test_table_formats_and_aligns_its_columns():
    data, metadata = present.table(
        FRAME, "02-1-summary", "Two points.", {"throughput_ops_per_s": ".1f"}
    )._repr_mimebundle_()
    header, rule, first, second = data["text/markdown"].splitlines()
    assert [cell.strip() for cell in header.strip("|").split("|")] == [
        "Clients",
        "Throughput (op/s)",
        "Workload",
    ]
    assert rule.count("-:") == 2
    assert "2912.3" in first
    assert r"set\|get\<n>" in second
    assert '<td style="text-align: right">2912.3</td>' in data["text/html"]
    assert "<caption>Two points.</caption>" in data["text/html"]
    assert metadata["mwlab"]["kind"] == "table"


def test_table_shows_a_named_index_and_hides_an_unnamed_one():
    named = present.table(FRAME.set_index(["workload", "num_clients"]), "02-a", "c")
    assert named.headings == ["Workload", "Clients", "Throughput (op/s)"]
    assert present.table(FRAME, "02-a", "c").headings == [
        "Clients",
        "Throughput (op/s)",
        "Workload",
    ]


def test_a_table_names_the_rows_that_are_meant_for_paper():
    table = present.table(FRAME, "02-a", "c", printed=pd.Series([pd.NA, True], dtype="boolean"))
    assert table.metadata()["mwlab"]["printed"] == [1]
    assert "printed" not in present.table(FRAME, "02-a", "c").metadata()["mwlab"]


def test_least_middle_and_most_of_the_levels_are_found_in_any_order():
    levels = pd.Series([128, 8, 16, 64, 32, 8, pd.NA], dtype="Int64")
    chosen = present.least_middle_most(levels)
    assert levels[chosen].tolist() == [128, 8, 32, 8]
    assert present.least_middle_most(pd.Series([64, 64])).all()
    assert not present.least_middle_most(pd.Series([pd.NA], dtype="Int64")).any()


@pytest.mark.parametrize("name", ["throughput", "2-throughput", "02-Throughput", "02_throughput"])
def test_names_that_make_no_file_or_link_are_rejected(name):
    with pytest.raises(ValueError, match="is named like '02-1-throughput'"):
        present.figure(go.Figure(), name, "c")


def test_shown_figure_publishes_its_caption_for_readers(drawn, monkeypatch):
    published = []
    monkeypatch.setattr(
        present, "display", lambda data, metadata, raw: published.append((data, metadata))
    )
    present.figure(go.Figure(), "02-a", "What it shows.")._ipython_display_()
    (_, first), (caption, second) = published
    assert first["mwlab"]["kind"] == "figure"
    assert caption["text/markdown"] == "*What it shows.*"
    assert second["mwlab"]["kind"] == "caption"


def test_tables_show_control_characters_and_begin_no_formula():
    frame = pd.DataFrame({"error": ["\x1b[2J$\\frac{1}{2}$\r<b>"]})
    data, _ = present.table(frame, "02-1-errors", "Errors.")._repr_mimebundle_()
    assert data["text/plain"].endswith("\\x1b[2J$\\frac{1}{2}$\\r<b>")
    assert "x1b[2J<span>$</span><span>\\</span>frac{1}{2}" in data["text/html"]
    assert "r&lt;b&gt;</td>" in data["text/html"]
    assert not {"\x1b", "\r"} & set("".join(data.values()))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("02-a", " "), "table 02-a needs a caption"),
        (("02-a", "c", {"latency_ms": ".1f"}), "table 02-a has no column latency_ms"),
    ],
)
def test_a_table_without_a_caption_or_a_column_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        present.table(FRAME, *arguments)
