"""`python -m report.check`: the committed notebooks, executed anew, show what they show.

Tables and texts are compared as they are written, figures by the data that they draw.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
import numpy as np
import pandas as pd

from report.contents.drawn_data import drawn_data
from report.contents.notebook import Figure, Part, Prose, ReportError, Section, read_section
from report.execute import Job, execute
from report.make import numbered_notebooks

TOLERANCE = 1e-6  # of numbers in figures; other processors round other last digits


def differences(committed: Section, executed: Section) -> Iterator[str]:
    """Yield what an executed notebook shows otherwise than the committed one, a line each."""
    before, after = list(_named(committed)), list(_named(executed))
    if [name for name, _ in before] != [name for name, _ in after]:
        yield f"{committed.path.name}: shows other figures, tables or texts than it did"
        return
    for (name, old), (_, new) in zip(before, after, strict=True):
        if not _same(old, new):
            yield f"{committed.path.name}, cell {old.cell}: {name} has changed"


def check(notebooks: Sequence[Path], progress: Callable[[str], None] = print) -> list[str]:
    """Execute notebooks as they are committed and return how what they show differs.

    Raises
    ------
    ReportError
        A notebook failed, or was committed without its outputs.
    """
    with TemporaryDirectory(prefix="notebooks-") as folder:
        jobs = [
            Job(path=path, notebook=nbformat.read(path, as_version=4))  # type: ignore[no-untyped-call]
            for path in notebooks
        ]
        executed = execute(jobs, {}, Path(folder), progress)
        pairs = zip(notebooks, executed, strict=True)
        return [
            line
            for committed, again in pairs
            for line in differences(read_section(committed), read_section(again))
        ]


def _named(section: Section) -> Iterator[tuple[str, Part]]:
    for part in section.parts:
        yield "a text" if isinstance(part, Prose) else part.name, part


def _same(old: Part, new: Part) -> bool:
    if isinstance(old, Figure) and isinstance(new, Figure):
        told = (old.caption, old.footnote) == (new.caption, new.footnote)
        if old.spec is None or new.spec is None:
            return told and old.svg == new.svg
        return told and _same_data(drawn_data(old.spec), drawn_data(new.spec))
    return old == new


def _same_data(old: pd.DataFrame, new: pd.DataFrame) -> bool:
    if list(old) != list(new) or len(old) != len(new):
        return False
    return all(_same_column(old[name], new[name]) for name in old)


def _same_column(old: pd.Series, new: pd.Series) -> bool:
    before, after = (pd.to_numeric(column, errors="coerce") for column in (old, new))
    near = np.isclose(before, after, rtol=TOLERANCE, atol=0)
    missing = old.isna() & new.isna()
    return bool((near | missing | (old.astype(str) == new.astype(str))).all())


def main() -> None:
    """Check all numbered notebooks; exit with 1 where one shows something else."""
    try:
        found = check(numbered_notebooks())
    except ReportError as exc:
        found = [str(exc)]
    for line in found:
        print(line, file=sys.stderr)
    if found:
        print("If this is as it should be, `make notebooks` writes them anew.", file=sys.stderr)
        sys.exit(1)
    print("The notebooks show what they showed when they were committed.")


if __name__ == "__main__":
    main()
