"""Read the files of one run of an import: what clients, middlewares and hosts recorded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.imports.client_files import ClientFile, of_connections, of_json, of_stdout
from analysis.imports.sorting import FoundFile, RunFiles, file_table, label
from analysis.results import (
    IperfResult,
    ParseError,
    PingResult,
    read_dstat,
    read_iperf2,
    read_iperf3,
    read_ping,
)
from analysis.results.memtier.connections import MemtierConnection, read_memtier_connection
from analysis.results.middleware_logs import MiddlewareLog, read_middleware_log
from records.import_plan import (
    CONNECTIONS,
    DSTAT,
    JSON,
    MIDDLEWARE_READERS,
    STDOUT,
    ImportPlan,
)

_LETTERS = {"clients": "c", "middlewares": "m", "servers": "s"}
_LOAD = ("cpu_steal_percent", "net_send_bytes_per_s", "net_receive_bytes_per_s")


@dataclass(frozen=True, kw_only=True, eq=False)
class RunContents:
    """All that the files of one run contain.

    Attributes
    ----------
    clients : instances of the load generator, by label; one kind of file each.
    connections : number of files of single connections.
    middlewares, loads : by host.
    pings, bandwidths : by (source, target).
    unreadable : file to what is wrong with it.
    """

    files: RunFiles
    clients: list[ClientFile] = field(default_factory=list)
    connections: int = 0
    middlewares: dict[str, MiddlewareLog] = field(default_factory=dict)
    loads: dict[str, pd.DataFrame] = field(default_factory=dict)
    pings: dict[tuple[str, str], PingResult] = field(default_factory=dict)
    bandwidths: dict[tuple[str, str], IperfResult] = field(default_factory=dict)
    unreadable: dict[Path, str] = field(default_factory=dict)

    def of_reader(self, *readers: str) -> list[ClientFile]:
        """Return the client files of the first of some readers that has any."""
        for reader in readers:
            if found := [one for one in self.clients if one.reader == reader]:
                return found
        return []


def read_contents(plan: ImportPlan, files: RunFiles) -> RunContents:
    """Read every file of a run; what cannot be read is noted and left out."""
    contents = RunContents(files=files)
    connections: dict[str, list[MemtierConnection]] = {}
    for file in files.files:
        try:
            _read(plan, file, contents, connections)
        except ParseError as exc:
            contents.unreadable[file.path] = (
                exc.message if exc.line_number is None else f"line {exc.line_number}: {exc.message}"
            )
    for instance, parts in connections.items():
        contents.clients.append(of_connections(instance, parts))
    return contents


def _read(
    plan: ImportPlan,
    file: FoundFile,
    contents: RunContents,
    connections: dict[str, list[MemtierConnection]],
) -> None:
    table = file_table(plan, file)
    instance = "-".join(file.groups[n] for n in ("host", "instance") if n in file.groups) or "1"
    if table.reader == STDOUT:
        contents.clients.append(of_stdout(instance, file.path))
    elif table.reader == JSON:
        contents.clients.append(of_json(instance, file.path))
    elif table.reader == CONNECTIONS:
        connections.setdefault(instance, []).append(read_memtier_connection(file.path))
    elif table.reader in MIDDLEWARE_READERS:
        name = f"m{file.groups.get('host') or file.groups.get('instance') or '1'}"
        contents.middlewares[_new(name, contents.middlewares, file)] = read_middleware_log(
            file.path, table
        )
    elif table.reader == DSTAT:
        role = file.groups.get("role", "")
        name = host_name(table.roles, f"{role}{file.groups.get('host', '')}")
        contents.loads[_new(name, contents.loads, file)] = _load(file.path)
    else:
        ends = tuple(host_name(table.roles, file.groups.get(n, n)) for n in ("source", "target"))
        pair = (ends[0], ends[1])
        if table.reader == "ping":
            contents.pings[pair] = read_ping(file.path)
        else:
            is_new = table.reader == "iperf3"
            contents.bandwidths[pair] = (
                read_iperf3(file.path) if is_new else read_iperf2(file.path)[0]
            )


def _new(name: str, known: Mapping[str, object], file: FoundFile) -> str:
    if name in known:
        message = f"a second file of {name} ({label(file.groups)}): let a group `host` number it"
        raise ParseError(file.path, None, message)
    return name


def host_name(roles: Mapping[str, str], text: str) -> str:
    """Return our name of a host, such as m1 for ``mw1`` where ``mw`` is middlewares."""
    prefix, number = re.fullmatch(r"(.*?)(\d*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    return f"{_LETTERS[roles[prefix]]}{number}" if prefix in roles else text or "host"


def hosts_of(role: str, names: list[str], expected: int | None) -> list[str]:
    """Return as many hosts of a role as the settings state, those first that files name."""
    letter = _LETTERS[role]
    found = {name for name in names if re.fullmatch(rf"{letter}\d*", name)}
    spare = (f"{letter}{number}" for number in range(1, 1000))
    while expected is not None and len(found) < expected:
        found.add(next(name for name in spare if name not in found))
    return sorted(found, key=lambda name: (len(name), name))[:expected]


def _load(path: Path) -> pd.DataFrame:
    """Read a monitor; seconds are counted from its first row, columns that it lacks are missing."""
    load = read_dstat(path)
    if "cpu_idle_percent" not in load:
        raise ParseError(path, None, "no CPU usage in it")
    lacking = {name: np.nan for name in _LOAD if name not in load}
    return load.assign(**lacking, epoch_s=np.arange(len(load)) + 0.5)
