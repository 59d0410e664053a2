"""Figures and tables as the notebooks show them and the report exports them.

A displayed object carries several representations: the interactive figure where JavaScript runs,
a drawing or plain text where it does not. Its output metadata, ``{"mwlab": {"kind", "name",
"caption", "footnote"}}``, tells the exporter what to number and caption.
"""

from __future__ import annotations

import html
import json
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from IPython.display import display
from tabulate import tabulate

from analysis.claims.claim import Kind, Outcome, claims_table
from analysis.claims.rules import Verdict
from analysis.figures.drawing import DrawingError, draw_svg
from analysis.figures.panels import runs_of
from analysis.tables.provenance import Provenance, read_provenance
from analysis.text.formatting import Format, format_column, heading, is_number
from records.text.markdown import escape_cell
from records.text.visible import visible

PLOTLY_MIME = "application/vnd.plotly.v1+json"
METADATA_KEY = "mwlab"
# In the environment: notebooks are executed without a reader, their figures `DRAWN`, or only their
# `DATA` kept for whoever draws them later. Where it is not set, there is a reader with controls.
FIGURES, DRAWN, DATA = "MWLAB_FIGURES", "drawn", "data"
# A small toolbar, which leaves the titles of panels free.
CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"],
}
WIDTH_PX = 720
HEIGHT_PX = 360

Bundle = tuple[dict[str, Any], dict[str, Any]]

_source: Provenance | None = None  # of the figures shown from now on, in this kernel


def cite(campaign_dir: Path, *sections: str) -> None:
    """Tell what the figures shown from here on are made from; their footnotes say so.

    Parameters
    ----------
    sections : str
        The sections whose runs they show, such as "2.1"; none for figures that show no runs.
    """
    global _source
    _source = read_provenance(campaign_dir, sections) if sections else None


class _Shown:
    """What figures and tables share: a checked name, a caption, how they are displayed."""

    kind: str
    name: str
    caption: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\d\d(-[a-z0-9]+)+", self.name):
            raise ValueError(
                f"a {self.kind} is named like '02-1-throughput' "
                f"(notebook number, then words joined by '-'), got {self.name!r}"
            )
        if not self.caption.strip():
            raise ValueError(f"{self.kind} {self.name} needs a caption")

    def metadata(self) -> dict[str, Any]:
        """Return the output metadata that tells the exporter what this is."""
        return {METADATA_KEY: {"kind": self.kind, "name": self.name, "caption": self.caption}}


@dataclass(frozen=True)
class ShownFigure(_Shown):
    """A plotly figure with its name and caption; made by `figure`."""

    figure: go.Figure
    name: str
    caption: str
    footnote: str = field(default="", kw_only=True)
    kind = "figure"

    def metadata(self) -> dict[str, Any]:
        """Return the output metadata, which holds the footnote, too."""
        about = super().metadata()
        about[METADATA_KEY]["footnote"] = self.footnote
        return about

    def interactive(self) -> Bundle:
        """Return the figure as data, without the drawing, which takes a fraction of a second."""
        spec = {**json.loads(self.figure.to_json()), "config": CONFIG}
        told = f"Figure {self.name}: {self.caption}"
        return {PLOTLY_MIME: spec, "text/plain": told}, self.metadata()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Bundle:
        bundle, metadata = self.interactive()
        if os.environ.get(FIGURES) != DATA:
            spec = bundle[PLOTLY_MIME]
            try:
                bundle["image/svg+xml"] = draw_svg(spec, *static_size(spec))
            except DrawingError as exc:
                warnings.warn(f"figures are interactive only: {exc}", stacklevel=2)
        return bundle, metadata

    def _ipython_display_(self) -> None:
        _publish_with_caption(self)

    def live_outputs(self) -> tuple[dict[str, Any], ...]:
        """Return the figure, without the drawing, and its caption as outputs of a cell."""
        return tuple(
            {"output_type": "display_data", "data": data, "metadata": metadata}
            for data, metadata in (self.interactive(), _caption(self))
        )


@dataclass(frozen=True)
class ShownDrawing(_Shown):
    """An SVG drawing with its name and caption; made by `drawing`."""

    svg: str
    name: str
    caption: str
    footnote = ""
    kind = "figure"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Bundle:
        text = f"Figure {self.name}: {self.caption}"
        return {"image/svg+xml": self.svg, "text/plain": text}, self.metadata()

    def _ipython_display_(self) -> None:
        _publish_with_caption(self)


@dataclass(frozen=True)
class ShownTable(_Shown):
    """A formatted table with its name and caption; made by `table`."""

    headings: list[str]
    columns: list[list[str]]
    alignments: list[str]
    name: str
    caption: str
    printed: list[int] | None = None
    kind = "table"

    def metadata(self) -> dict[str, Any]:
        """Return the output metadata, which names the rows that are meant for paper, too."""
        about = super().metadata()
        if self.printed is not None:
            about[METADATA_KEY]["printed"] = self.printed
        return about

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Bundle:
        bundle = {
            "text/html": self._html(),
            "text/markdown": self.markdown(),
            "text/plain": f"{self.caption}\n\n{self._text('simple', str)}",
        }
        return bundle, self.metadata()

    def markdown(self) -> str:
        """Return the table as markdown."""
        return self._text("pipe", escape_cell)

    def _rows(self) -> list[tuple[str, ...]]:
        return list(zip(*self.columns, strict=True))

    def _text(self, style: str, escape: Any) -> str:
        return tabulate(
            [[escape(cell) for cell in row] for row in self._rows()],
            headers=[escape(text) for text in self.headings],
            colalign=self.alignments,
            tablefmt=style,
            disable_numparse=True,
        )

    def _html(self) -> str:
        head = self._html_row("th", tuple(self.headings))
        body = "".join(self._html_row("td", row) for row in self._rows())
        return (
            f"<table><caption>{html.escape(self.caption)}</caption>"
            f"<thead>{head}</thead><tbody>{body}</tbody></table>"
        )

    def _html_row(self, tag: str, cells: tuple[str, ...]) -> str:
        return "".join(
            [
                "<tr>",
                *(
                    f'<{tag} style="text-align: {alignment}">{_html_cell(cell)}</{tag}>'
                    for cell, alignment in zip(cells, self.alignments, strict=True)
                ),
                "</tr>",
            ]
        )


def _html_cell(text: str) -> str:
    """Write a text as HTML in which notebooks, too, see no formula: none reaches over a tag."""
    return re.sub(r"[$\\]", r"<span>\g<0></span>", html.escape(text))


def figure(fig: go.Figure, name: str, caption: str) -> ShownFigure:
    """Show a figure in a notebook and give it a place in the report.

    Parameters
    ----------
    fig : plotly Figure
        Static drawings are as large as its layout (or template) says, else 720 x 360 px.
    name : str
        File name and link target, such as "02-1-throughput". Markdown cells refer to it by
        ``[Figure](#02-1-throughput)``; the report puts in the number.
    caption : str
        One or two sentences of markdown: what is drawn, what the error bars are. Where it comes
        from is added as a footnote (see `cite`); the plots count the runs in `layout.meta`.
    """
    runs = runs_of(fig)
    footnote = _source.footnote(sum(runs.values()) if runs else None) if _source else ""
    if runs:
        fig.update_layout(meta={"runs": sum(runs.values())})
    return ShownFigure(fig, name, caption, footnote=footnote)


def drawing(svg: str | Path, name: str, caption: str) -> ShownDrawing:
    """Show an SVG drawing, such as a diagram of the system, as a figure of the report.

    Parameters
    ----------
    svg : str or Path
        The drawing, or the file that holds it. Its text is best set in the fonts of the figures.
    """
    return ShownDrawing(svg.read_text() if isinstance(svg, Path) else svg, name, caption)


def table(
    frame: pd.DataFrame,
    name: str,
    caption: str,
    formats: Mapping[str, Format] | None = None,
    printed: pd.Series | None = None,
) -> ShownTable:
    """Show a table in a notebook and give it a place in the report.

    Parameters
    ----------
    frame : DataFrame
        Columns named with their units, `throughput_ops_per_s` becomes "Throughput (op/s)". A
        named index becomes the first columns, an unnamed one is left out.
    name, caption : str
        As for `figure`; referred to by ``[Table](#02-1-summary)``.
    printed : Series of bool, optional
        The rows that the PDF shows, the first twelve by default; HTML and CSV hold all.
    """
    formats = formats or {}
    named = [level for level in frame.index.names if level is not None]
    frame = frame.reset_index(level=named) if named else frame
    if unknown := set(formats) - set(frame.columns):
        raise ValueError(f"table {name} has no column {', '.join(sorted(map(str, unknown)))}")
    return ShownTable(
        headings=[heading(column) for column in frame.columns],
        columns=[
            [visible(text) for text in format_column(frame[column], formats.get(column))]
            for column in frame.columns
        ],
        alignments=["right" if is_number(frame[column]) else "left" for column in frame.columns],
        name=name,
        caption=caption,
        printed=None if printed is None else np.flatnonzero(printed.fillna(False)).tolist(),
    )


def least_middle_most(levels: pd.Series) -> pd.Series:
    """Return which rows have the least, the middle or the largest of the levels of a factor."""
    distinct = np.sort(levels.dropna().unique())
    return levels.isin(distinct[[0, (len(distinct) - 1) // 2, -1]] if len(distinct) else [])


def answer(outcomes: Sequence[Outcome], name: str) -> ShownTable:
    """Show the findings of a chapter, and those of its validity checks that are not supported."""
    caption = (
        "Findings, and validity checks that are not supported: the quantity, its measured value "
        "with the 95 % confidence interval, and the verdict."
    )
    columns = ["section", "claim", "quantity", "measured", "verdict"]
    shown = [
        outcome
        for outcome in outcomes
        if outcome.claim.kind == Kind.FINDING or outcome.verdict != Verdict.SUPPORTED
    ]
    return table(claims_table(shown or outcomes)[columns], name, caption)


def static_size(spec: Mapping[str, Any]) -> tuple[int, int]:
    """Width and height, in px, of a figure's static drawing."""
    layout = spec.get("layout", {})
    template = layout.get("template", {}).get("layout", {})
    width = layout.get("width") or template.get("width") or WIDTH_PX
    height = layout.get("height") or template.get("height") or HEIGHT_PX
    return int(width), int(height)


def _publish_with_caption(shown: ShownFigure | ShownDrawing) -> None:
    """Display a figure and, for those who read the notebook, its caption beneath it."""
    _publish(*shown._repr_mimebundle_())
    _publish(*_caption(shown))


def _caption(shown: ShownFigure | ShownDrawing) -> Bundle:
    footnote = f"\n\n{escape_cell(shown.footnote)}" if shown.footnote else ""
    markdown = f"*{shown.caption}*{footnote}"
    return (
        {"text/markdown": markdown, "text/plain": f"{shown.caption} {shown.footnote}".strip()},
        {METADATA_KEY: {"kind": "caption", "name": shown.name}},
    )


def _publish(data: dict[str, Any], metadata: dict[str, Any]) -> None:
    display(data, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]
