"""Read text files that may be compressed, with one kind of error for whatever goes wrong."""

import gzip
import math
import zlib
from pathlib import Path

from analysis.parsing.errors import ParseError

_GZIP_MAGIC = b"\x1f\x8b"


def read_text(path: Path) -> str:
    """Return the text of a file, plain or gzip (told by its first bytes, not its name).

    Raises
    ------
    ParseError
        The file is missing, the compressed stream is cut or damaged, or the text is not UTF-8.
    """
    try:
        data = path.read_bytes()
        if data.startswith(_GZIP_MAGIC):
            data = gzip.decompress(data)
        return data.decode("utf-8")
    except FileNotFoundError as exc:
        raise ParseError(path, None, "file is missing") from exc
    except (EOFError, gzip.BadGzipFile, zlib.error) as exc:
        raise ParseError(path, None, f"compressed file is cut or damaged: {exc}") from exc
    except UnicodeDecodeError as exc:
        line_number = data.count(b"\n", 0, exc.start) + 1
        raise ParseError(path, line_number, f"not text: byte {data[exc.start]:#04x}") from exc


def parse_finite(text: str) -> float:
    """Parse a number; ValueError for what is none, for infinity and for NaN."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"not a finite number: {text!r}")
    return number


def find_file(directory: Path, name: str) -> Path:
    """Path of `name` in a folder, or of `name`.gz when only that exists."""
    compressed = directory / f"{name}.gz"
    return compressed if compressed.exists() else directory / name
