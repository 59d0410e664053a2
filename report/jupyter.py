"""The export from JupyterLab: the same command in a process of its own, with links to its files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from IPython.display import FileLink, display

from records.paths import FIGURES, PROJECT
from report.export import PAGES, REPORT
from report.formats.pages import INDEX


def export_report(campaign: str, *options: str) -> None:
    """Write figures and report of a campaign, as `lab export` does, and show links to them.

    Parameters
    ----------
    campaign : str
        A measured campaign, a folder of ``data/``.
    options : str
        Further options of `lab export`, such as ``--pdf``.

    Raises
    ------
    RuntimeError
        The export failed; what it said stands above.
    """
    command = [sys.executable, "-u", "-m", "lab", "export", "--campaign", campaign, *options]
    with subprocess.Popen(
        command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                print(line, end="")
        except KeyboardInterrupt:
            process.terminate()
            raise
    if process.returncode:
        raise RuntimeError(f"the report was not written (exit status {process.returncode})")
    for path in (FIGURES / REPORT, FIGURES / PAGES / INDEX):
        if path.is_file():
            display(FileLink(_from_here(path)))  # type: ignore[no-untyped-call]


def _from_here(path: Path) -> str:
    """Return the path as JupyterLab resolves links: seen from the notebook's folder."""
    return os.path.relpath(path, Path.cwd())
