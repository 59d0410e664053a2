"""What a packed campaign leaves out: who measured it, on which machines."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from analysis.tables.run import MANIFEST, read_manifest
from analysis.unpacking import Unreadable, gunzip
from remote.campaign.record import Record
from remote.campaign.sharing.stand_ins import MACHINES, StandIns

_CONTROLLER = "controller"
_WITHOUT_TEXTS = ("config", "files", "hosts", "plan", "settings")  # of a manifest
_BINARY = ".hlog.gz"  # histograms, with times and numbers alone
_MOST_TOLD = 12
_PINGED = re.compile(r"PING (\S+?) ?\(([^\s()]+)\)")
_LOCAL = re.compile(r'"local_host":\s*"([^"]+)"')
_DISTANT = re.compile(r'"remote_host":\s*"([^"]+)"')
_FOLDER = re.compile(r"(?:^|\s)(/\S+)/bin/(?:dool|memtier_benchmark)\b")
_OF_THE_LAB = "/run/middleware-lab/work"


class LeftOut:
    """Rewrites what is packed of one campaign, and tells what it left out.

    It implements `analysis.tables.packed.Rewriter`.

    Raises
    ------
    ParseError
        A manifest is damaged.
    """

    def __init__(self, campaign_dir: Path) -> None:
        places: dict[str, tuple[str, int]] = {}
        known: dict[str, str] = {}
        folders: set[str] = set()
        for path in sorted(campaign_dir.glob(f"*/*/*/{MANIFEST}")):
            manifest = read_manifest(path.parent)
            for role, hosts in manifest.get("roles", {}).items():
                places |= {host: (role, place) for place, host in enumerate(hosts, 1)}
            commands = " ".join(job.get("command", "") for job in manifest.get("jobs", []))
            folders |= set(_FOLDER.findall(commands)) - {_OF_THE_LAB}
            known |= dict(_addresses(path.parent))
        self._stand_ins = StandIns(places, known, frozenset(folders))

    def file(self, path: PurePath, content: bytes) -> bytes:
        """Return a compressed file of a run, ``<host>/...``, as it is handed on."""
        plain = None if path.name.endswith(_BINARY) else _uncompressed(content)
        if plain is None:
            return content
        text = plain.decode("utf-8", "surrogateescape")
        shared = self._stand_ins.text(text, path.parts[0]).encode("utf-8", "surrogateescape")
        return content if shared == plain else gzip.compress(shared, mtime=0)

    def manifest(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Return a manifest as it is handed on."""
        shared = {
            name: value if name in _WITHOUT_TEXTS else self._walked(value)
            for name, value in manifest.items()
        }
        if host := manifest.get("control", {}).get("host"):
            shared["control"]["host"] = self._stand_ins.remember(MACHINES, host, _CONTROLLER)
        return shared

    def told(self) -> Iterator[str]:
        """Say what was left out, by kind, for whoever knows it anyway."""
        for kind, found in self._stand_ins.found.items():
            pairs = [f"{one} is {stand_in}" for one, stand_in in found.items()]
            rest = f", and {len(pairs) - _MOST_TOLD} more" if len(pairs) > _MOST_TOLD else ""
            yield f"left out: {len(pairs)} {kind}: {', '.join(pairs[:_MOST_TOLD])}{rest}"
        if self._stand_ins.has_lab_addresses:
            yield "kept: addresses of the local lab, 198.18.x.x, which no machine elsewhere has"

    def _walked(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._stand_ins.text(value)
        if isinstance(value, Mapping):
            return {name: self._walked(one) for name, one in value.items()}
        return [self._walked(one) for one in value] if isinstance(value, list) else value


def leave_out_of_record(campaign_dir: Path) -> None:
    """Leave out of a campaign's record the folders that the inventory stands in."""
    record = Record.read(campaign_dir)
    if record is not None and record.fleet != (name := Path(record.fleet).name):
        replace(record, fleet=name).write(campaign_dir)


def _addresses(run: Path) -> Iterator[tuple[str, str]]:
    """Yield addresses and whose they are: files are named after the host that was reached."""
    for path in run.glob("*/ping-*.gz"):
        target = path.name.removeprefix("ping-").removesuffix(".gz").rpartition(".")[0]
        if found := _PINGED.match(_text(path)):
            yield from ((address, target) for address in found.groups())
    for path in run.glob("*/iperf3-*.json.gz"):
        target = path.name.removeprefix("iperf3-").removesuffix(".json.gz")
        text = _text(path)
        yield from ((address, path.parent.name) for address in _LOCAL.findall(text))
        yield from ((address, target) for address in _DISTANT.findall(text))


def _text(path: Path) -> str:
    return (_uncompressed(path.read_bytes()) or b"").decode("utf-8", "replace")


def _uncompressed(content: bytes) -> bytes | None:
    """Return what was compressed, None for a damaged file, of which `lab verify` tells."""
    try:
        return gunzip(content)
    except Unreadable:
        return None
