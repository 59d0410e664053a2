"""Runs notebooks from top to bottom, as a reader would by "Run all cells"."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import nbformat
import papermill
from nbclient.exceptions import DeadKernelError
from papermill.exceptions import PapermillExecutionError

from report.notebook import ReportError, numbered_cells

KERNEL = "python3"


def execute(
    notebooks: Sequence[Path],
    parameters: Mapping[str, object],
    folder: Path,
    progress: Callable[[str], None],
) -> list[Path]:
    """Execute notebooks one after the other.

    Parameters
    ----------
    notebooks : sequence of Path
        The notebooks; they are left as they are.
    parameters : mapping
        Values for the cell tagged `parameters`.
    folder : Path
        Where the executed notebooks go, under the same names.
    progress : callable
        Takes a line of text before each notebook: which one, and how much longer it takes, as far
        as an earlier execution tells.

    Returns
    -------
    list of Path
        The executed notebooks.

    Raises
    ------
    ReportError
        A cell ended with an error. The notebook is kept as far as it got.
    """
    folder.mkdir(parents=True, exist_ok=True)
    executed = [folder / notebook.name for notebook in notebooks]
    expected_s = [_duration_s(path) for path in executed]
    for index, (notebook, target) in enumerate(zip(notebooks, executed, strict=True)):
        left_s = sum(expected_s[index:])
        estimate = f", about {left_s:.0f} s to go" if all(expected_s[index:]) else ""
        progress(f"[{index + 1}/{len(notebooks)}] executing {notebook.name}{estimate}")
        _execute_one(notebook, target, parameters)
    return executed


def _execute_one(notebook: Path, target: Path, parameters: Mapping[str, object]) -> None:
    try:
        papermill.execute_notebook(
            notebook,
            target,
            parameters=dict(parameters),
            kernel_name=KERNEL,
            language="python",
            cwd=notebook.parent,
            progress_bar=False,
            # The kernel's own remarks are no part of the notebook.
            extra_arguments=["--log-level=CRITICAL"],
        )
    except PapermillExecutionError as exc:
        message = f"ended with {exc.ename}: {exc.evalue}; kept as far as it got in {target}"
        raise ReportError(notebook, _failed_cell(target), message) from exc
    except DeadKernelError as exc:
        message = f"its kernel died; kept as far as it got in {target}"
        raise ReportError(notebook, None, message) from exc


def _failed_cell(path: Path) -> int | None:
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    for number, cell in numbered_cells(notebook):
        if any(output.output_type == "error" for output in cell.get("outputs", [])):
            return number
    return None


def _duration_s(path: Path) -> float:
    """Return how long the execution that made this notebook took, 0 if there was none."""
    try:
        recorded = json.loads(path.read_text())["metadata"]["papermill"]["duration"]
    except (OSError, ValueError, KeyError):
        return 0.0
    return float(recorded or 0.0)
