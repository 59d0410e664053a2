"""What manifests say of the files in an archive, kept with these files: checksums and jobs."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analysis.tables.run import MANIFEST, TRANSCRIPT, read_manifest
from analysis.unpacking import gunzip
from analysis.whole_files import as_json, write_json

TRANSCRIPTS = "transcripts.json.gz"  # in a section's archive: those of all its runs, by folder


def own_manifests(section_dir: Path) -> dict[Path, dict[str, Any]]:
    """Return the manifests of a section that `write_json` wrote, and so can write again."""
    told = {path: read_manifest(path.parent) for path in section_dir.glob(f"*/*/{MANIFEST}")}
    return {path: told[path] for path in sorted(told) if path.read_bytes() == as_json(told[path])}


def write_manifests(manifests: Mapping[Path, Mapping[str, Any]]) -> None:
    """Write the manifests that are not there as they are given."""
    for path, manifest in manifests.items():
        if path.read_bytes() != as_json(manifest):
            write_json(path, manifest)


def shortened(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest whose transcript is empty; what is in it keeps its place."""
    return {name: type(v)() if name in TRANSCRIPT else v for name, v in manifest.items()}


def transcripts_of(section_dir: Path, manifests: Mapping[Path, Mapping[str, Any]]) -> bytes:
    """Return the content of `TRANSCRIPTS`."""
    told = {
        _run(path, section_dir): {name: manifest[name] for name in TRANSCRIPT if name in manifest}
        for path, manifest in manifests.items()
    }
    return gzip.compress(as_json(told), mtime=0)


def lengthened(section_dir: Path, transcripts: bytes) -> dict[Path, dict[str, Any]]:
    """Return the manifests that were `shortened`, as they were; nothing else of them is changed.

    Raises
    ------
    ValueError, TypeError
        The content is no such file.
    """
    told = json.loads(gunzip(transcripts))
    return {
        path: {
            **read_manifest(path.parent),
            **{k: told[run][k] for k in TRANSCRIPT if k in told[run]},
        }
        for path in section_dir.glob(f"*/*/{MANIFEST}")
        if (run := _run(path, section_dir)) in told
    }


def _run(path: Path, section_dir: Path) -> str:
    return str(path.parent.relative_to(section_dir))
