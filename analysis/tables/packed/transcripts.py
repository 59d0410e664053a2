"""What manifests say of the files in an archive, kept with these files: checksums and jobs."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, Protocol

from analysis.tables.run import MANIFEST, TRANSCRIPT, read_manifest
from analysis.unpacking import gunzip
from analysis.whole_files import as_json, write_json

Entry = dict[str, Any]  # what a manifest says of a file
TRANSCRIPTS = "transcripts.json.gz"  # in a section's archive: those of all its runs, by folder


class Rewriter(Protocol):
    """What becomes of a campaign when it is packed."""

    def file(self, path: PurePath, content: bytes) -> bytes:
        """Return a file of a run, ``<host>/...``, as it is packed."""

    def manifest(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Return a manifest as it then is; the checksums of files are seen to."""


def whole_manifests(
    section_dir: Path,
    rewriter: Rewriter | None,
    rewritten: Mapping[str, tuple[Entry, Entry]],
) -> dict[Path, dict[str, Any]]:
    """Return the manifests of a section that can be written again, as they then are.

    Those are all if they are rewritten, and otherwise those that were written by this project.

    Parameters
    ----------
    rewritten
        Path in the section of each file that was rewritten to what manifests say of it, before and
        after; of files that were damaged before they say so still.
    """
    found = {}
    for path in sorted(section_dir.glob(f"*/*/{MANIFEST}")):
        manifest = read_manifest(path.parent)
        if rewriter is None:
            if path.read_bytes() == as_json(manifest):
                found[path] = manifest
            continue
        found[path] = rewriter.manifest(manifest)
        for name, known in manifest.get("files", {}).items():
            stands = str((path.parent / name).relative_to(section_dir))
            before, after = rewritten.get(stands, (None, None))
            if known == before:
                found[path]["files"] = {**found[path]["files"], name: after}
    return found


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
