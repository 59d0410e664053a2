"""Transcripts of manifests: checksums and jobs of the files in an archive, kept with the files."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analysis.results import ParseError
from analysis.results.manifests import TRANSCRIPT, read_document
from records.files.atomic import as_json
from records.files.unpacking import gunzip

TRANSCRIPTS = "transcripts.json.gz"  # in a section's archive: those of all its runs, by folder


def shortened(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest whose transcript is empty; what is in it keeps its place."""
    return {name: type(v)() if name in TRANSCRIPT else v for name, v in manifest.items()}


def transcripts_of(manifests: Mapping[str, Mapping[str, Any]]) -> bytes:
    """Return the content of `TRANSCRIPTS`."""
    told = {
        run: {name: manifest[name] for name in TRANSCRIPT if name in manifest}
        for run, manifest in manifests.items()
    }
    return gzip.compress(as_json(told), mtime=0)


def parse_transcripts(source: Path, content: bytes) -> dict[str, dict[str, Any]]:
    """Return the transcripts in an archive, by the folders of runs."""
    try:
        told = json.loads(gunzip(content))
        if isinstance(told, dict) and all(isinstance(one, dict) for one in told.values()):
            return told
        raise ValueError("it is no table of tables")
    except (ValueError, RecursionError) as exc:
        message = f"{TRANSCRIPTS} in it tells of no runs: {exc}"
        raise ParseError(source, None, message) from exc


def lengthened(folder: Path, transcript: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest of a run with its transcript; nothing else of it is changed."""
    return {
        **read_document(folder),
        **{name: transcript[name] for name in TRANSCRIPT if name in transcript},
    }
