"""The error that a reader raises when a file differs from what its tool writes."""

from pathlib import Path

from records.text.visible import shortened


class ParseError(ValueError):
    """A tool's output is damaged, cut or foreign: where, and what is wrong there.

    Lines are counted from 1; the line is None when the file as a whole is wrong.
    """

    def __init__(self, path: Path, line_number: int | None, message: str):
        place = str(path) if line_number is None else f"{path}:{line_number}"
        super().__init__(shortened(f"{place}: {message}"))
        self.path = path
        self.line_number = line_number
        self.message = message
