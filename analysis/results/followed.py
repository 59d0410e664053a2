"""Read the stamps of followed requests, and the pauses of the programs that wrote the stamps.

``memtier-0-followed.csv`` of the generator has a line for each followed request with a reply::

    client,number,server,operation,keys,intended_ns,sent_ns,first_byte_ns,last_byte_ns,outcome
    198.18.0.11:40312,688,198.18.0.21:11212,get,1,,1795231822004118532,1795231822006120011,...

``followed.csv`` of the middleware has `;` between the values of several servers::

    client,number,request_type,first_byte_ns,enqueued_ns,dequeued_ns,worker,replied_ns,servers,...
    198.18.0.11:40312,688,get,1795231822004618532,1795231822004620011,1795231822004630517,5,...

``packets/followed.csv`` is computed from packets that were captured on the host of a middleware or
a server. On a server the last five columns are absent, and the clients are the middlewares'
connections::

    client,number,request_type,first_byte_ns,replied_ns,servers,connections,numbers,sent_ns,...
    198.18.0.11:40312,688,get,1795231822004600107,1795231822006018225,198.18.0.31:11211,...

``pauses.csv`` of generator and middleware::

    start_ns,length_ns,cause
    1795231822004118532,5000000,gc: Copy
    1795231823104118532,3120011,hiccup

Stamps are nanoseconds since 1970 by the clock of the program's host. A last line without its line
end is cut, and is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from analysis.results.errors import ParseError
from analysis.results.files import parse_count, read_text, split_cells


def _counts(text: str) -> tuple[int, ...]:
    return tuple(parse_count(part) for part in text.split(";")) if text else ()


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(";")) if text else ()


def _count_or_none(text: str) -> int | None:
    return parse_count(text) if text else None


_Columns = Mapping[str, Callable[[str], object]]  # of a file, each with what its cells are read by
_GENERATOR: _Columns = {
    "client": str,
    "number": parse_count,
    "server": str,
    "operation": str,
    "keys": parse_count,
    "intended_ns": _count_or_none,
    "sent_ns": parse_count,
    "first_byte_ns": parse_count,
    "last_byte_ns": parse_count,
    "outcome": str,
}
_TYPES = {str: "str", parse_count: "int64", _count_or_none: "Int64"}
_OF_EACH_SERVER = ("servers", "sent_ns", "answered_ns")
_MIDDLEWARE: _Columns = {
    "client": str,
    "number": parse_count,
    "request_type": str,
    "first_byte_ns": parse_count,
    "enqueued_ns": parse_count,
    "dequeued_ns": parse_count,
    "worker": parse_count,
    "replied_ns": parse_count,
    "servers": _names,
    "sent_ns": _counts,
    "answered_ns": _counts,
}
CALLS_OF_PACKETS = ("servers", "connections", "numbers", "sent_ns", "answered_ns")
_PACKETS: _Columns = {
    "client": str,
    "number": parse_count,
    "request_type": str,
    "first_byte_ns": parse_count,
    "replied_ns": parse_count,
    "servers": _names,
    "connections": _names,
    "numbers": _counts,
    "sent_ns": _counts,
    "answered_ns": _counts,
}
_PAUSES: _Columns = {
    "start_ns": parse_count,
    "length_ns": parse_count,
    "cause": str,
}


def read_followed_by_generator(path: Path | str) -> pd.DataFrame:
    """Read the requests that a generator followed, plain or gzip.

    Columns: `client` (``ip:port``), `number` (of the request on its connection, from 0), `server`,
    `operation`, `keys`, `intended_ns` (missing where nothing said when to send), `sent_ns`,
    `first_byte_ns`, `last_byte_ns` (of the reply), `outcome`.
    """
    return _read(Path(path), _GENERATOR)


def read_followed_by_middleware(path: Path | str) -> pd.DataFrame:
    """Read the requests that a middleware followed, plain or gzip.

    Columns: `client` and `number` as in `read_followed_by_generator`, `request_type`,
    `first_byte_ns`, `enqueued_ns`, `dequeued_ns`, `worker`, `replied_ns`; `servers`, `sent_ns`,
    `answered_ns` are tuples of equal length, empty where no server was asked.
    """
    return _read_with_calls(Path(path), _MIDDLEWARE, _OF_EACH_SERVER)


def read_followed_by_packets(path: Path | str) -> pd.DataFrame:
    """Read the followed requests that passed a host's interface, plain or gzip.

    Columns: `client` and `number` as in `read_followed_by_generator`, `request_type`,
    `first_byte_ns` (of the request), `replied_ns` (last byte of the reply). On a middleware's host,
    one tuple element for each server that the middleware asked: `servers`, `connections` (address
    of the middleware's end), `numbers` (of the request on that connection), `sent_ns`,
    `answered_ns`. On a server's host these tuples are empty.
    """
    return _read_with_calls(Path(path), _PACKETS, CALLS_OF_PACKETS)


def read_pauses(path: Path | str) -> pd.DataFrame:
    """Read the pauses of a generator or a middleware, plain or gzip.

    Columns: `start_ns`, `length_ns`, `cause` (``gc: <collector>`` or ``hiccup``).
    """
    return _read(Path(path), _PAUSES)


def _read(path: Path, columns: _Columns) -> pd.DataFrame:
    lines = read_text(path).split("\n")[:-1]
    header = split_cells(path, 1, lines[0]) if lines else []
    if header != list(columns):
        raise ParseError(path, 1, f"columns {', '.join(columns)} expected, got {header}")
    rows = [_row(path, number, line, columns) for number, line in enumerate(lines[1:], 2)]
    types = {name: _TYPES[parse] for name, parse in columns.items() if parse in _TYPES}
    return pd.DataFrame(rows, columns=header, dtype=object).astype(types)


def _read_with_calls(path: Path, columns: _Columns, of_calls: Sequence[str]) -> pd.DataFrame:
    frame = _read(path, columns)
    for line_number, parts in enumerate(zip(*(frame[n] for n in of_calls), strict=True), 2):
        if len({len(part) for part in parts}) > 1:
            names = ", ".join(of_calls)
            raise ParseError(path, line_number, f"{names} have different numbers of servers")
    return frame


def _row(path: Path, line_number: int, line: str, columns: _Columns) -> list[object]:
    cells = split_cells(path, line_number, line)
    if len(cells) != len(columns):
        raise ParseError(path, line_number, f"{len(columns)} cells expected, got {len(cells)}")
    try:
        return [parse(cell) for parse, cell in zip(columns.values(), cells, strict=True)]
    except ValueError as exc:
        raise ParseError(path, line_number, str(exc)) from exc
