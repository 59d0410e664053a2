"""Executed notebooks made by hand, as papermill would leave them."""

from datetime import UTC, datetime

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from analysis.tables.provenance import Provenance

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360"><path d="M0,0L9,9"/></svg>'
SPEC = {"data": [{"type": "scatter", "name": "get", "x": [1, 2], "y": [3.0, 4.0]}], "layout": {}}


def tag(kind, name, caption):
    return {"mwlab": {"kind": kind, "name": name, "caption": caption}}


class Cells:
    """Cells of executed notebooks."""

    def markdown(self, text, tags=()):
        return new_markdown_cell(text, metadata={"tags": list(tags)})

    def code(self, *outputs, count=1, tags=()):
        return new_code_cell(
            "show()",
            outputs=list(outputs),
            execution_count=count,
            metadata={"tags": list(tags)},
        )

    def figure(self, name, caption="A caption.", svg=SVG, spec=SPEC):
        data = {"text/plain": name}
        if svg:
            data["image/svg+xml"] = svg
        if spec:
            data["application/vnd.plotly.v1+json"] = spec
        return self.code(new_output("display_data", data, metadata=tag("figure", name, caption)))

    def table(self, name, markdown, caption="A caption."):
        data = {"text/markdown": markdown, "text/html": "<table></table>"}
        return self.code(new_output("display_data", data, metadata=tag("table", name, caption)))

    def shows(self, data):
        return self.code(new_output("display_data", data))


@pytest.fixture
def cells():
    return Cells()


@pytest.fixture
def write(tmp_path):
    """Write cells as a notebook; returns its path."""

    def _write(*cells, name="02-baseline.ipynb"):
        path = tmp_path / name
        nbformat.write(new_notebook(cells=list(cells)), path)
        return path

    return _write


@pytest.fixture
def provenance():
    return Provenance(
        campaign="smoke",
        profiles=("smoke",),
        fleets=("local-lab (azure, time dilation 1)",),
        generators=("memtier_benchmark 2.3.1",),
        commits=("0123456789",),
        time_dilations=(1.0,),
        period=(
            datetime(2026, 11, 21, 2, 10, tzinfo=UTC),
            datetime(2026, 11, 21, 2, 24, tzinfo=UTC),
        ),
        num_accepted=40,
        num_discarded=2,
    )
