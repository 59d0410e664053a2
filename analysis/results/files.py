"""Read text, JSON and CSV, perhaps compressed, with one error for whatever goes wrong."""

import csv
import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from analysis.results.errors import ParseError
from records.files.unpacking import Unreadable, gunzip

BYTE_ORDER_MARK = "\ufeff"
_GZIP_MAGIC = b"\x1f\x8b"
_OBJECT = re.compile(r"^[ \t]*\{|(?<=\})\s*\{", re.MULTILINE)


def read_text(path: Path) -> str:
    """Return the text of a file, plain or gzip (recognized by its first bytes, not its name).

    Lines end in a line feed alone, whatever they end in in the file; a byte order mark at the
    beginning is left out.

    Raises
    ------
    ParseError
        The file is missing or cannot be read, what is compressed is cut, damaged or too large, or
        the text is not UTF-8.
    """
    try:
        data = path.read_bytes()
        if data.startswith(_GZIP_MAGIC):
            data = gunzip(data)
        return data.decode("utf-8").removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")
    except FileNotFoundError as exc:
        raise ParseError(path, None, "file is missing") from exc
    except Unreadable as exc:
        raise ParseError(path, None, str(exc)) from exc
    except OSError as exc:
        raise ParseError(path, None, f"file cannot be read: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        line_number = data.count(b"\n", 0, exc.start) + 1
        raise ParseError(path, line_number, f"not text: byte {data[exc.start]:#04x}") from exc


def parse_json(path: Path, text: str) -> dict[str, Any]:
    """Parse the text of a file as a JSON object; NaN and infinity become None."""
    with _json_errors(path):
        document = _json_decoder().decode(text)
    if not isinstance(document, dict):
        raise ParseError(path, 1, "not a JSON object")
    return document


def find_json(path: Path, text: str) -> list[dict[str, Any]]:
    """Parse every JSON object of a text that begins a line; text around the objects is skipped."""
    decoder, documents, end = _json_decoder(), [], 0
    while match := _OBJECT.search(text, end):
        with _json_errors(path):
            document, end = decoder.raw_decode(text, match.end() - 1)
        documents.append(document)
    return documents


def _json_decoder() -> json.JSONDecoder:
    return json.JSONDecoder(parse_constant=lambda _: None, parse_float=parse_finite)


@contextmanager
def _json_errors(path: Path) -> Iterator[None]:
    """Turn the errors of a JSON decoder into ParseError."""
    try:
        yield
    except json.JSONDecodeError as exc:
        raise ParseError(path, exc.lineno, f"not a complete JSON document: {exc.msg}") from exc
    except (ValueError, RecursionError) as exc:  # numbers beyond any size, endless brackets
        raise ParseError(path, None, f"not JSON of a tool: {exc}") from exc


def split_cells(path: Path, line_number: int, line: str) -> list[str]:
    """Split a line of CSV; ParseError where its quoting is damaged."""
    try:
        return next(csv.reader([line]), [])
    except csv.Error as exc:
        raise ParseError(path, line_number, f"not a line of CSV: {exc}") from exc


def parse_finite(text: str) -> float:
    """Parse a number; ValueError for what is none, for infinity and for NaN."""
    number = float(text)
    if not math.isfinite(number) or "_" in text:  # Python reads 1_0 as 10
        raise ValueError(f"not a finite number: {text!r}")
    return number


def parse_count(text: str) -> int:
    """Parse a whole number >= 0, digits alone; ValueError otherwise."""
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(f"not a whole number >= 0: {text!r}")
    return int(text)


def find_file(directory: Path, name: str) -> Path:
    """Path of `name` in a folder, or of `name`.gz when only that exists."""
    compressed = directory / f"{name}.gz"
    return compressed if compressed.exists() else directory / name
