"""Every figure that the committed notebooks show."""

import nbformat
import plotly.graph_objects as go

from analysis.figures.present import PLOTLY_MIME
from report.make import numbered_notebooks


def shown_figures() -> dict[str, go.Figure]:
    """Return name to figure, as `03-1-load`."""
    return {
        output.metadata["mwlab"]["name"]: go.Figure(output.data[PLOTLY_MIME])
        for path in numbered_notebooks()
        for cell in nbformat.read(path, as_version=4).cells
        for output in cell.get("outputs", [])
        if PLOTLY_MIME in output.get("data", {})
    }
