"""Manifests of runs that have no folder."""

from typing import Any

from records.manifest import Manifest


def manifest_of(**entries: Any) -> Manifest:
    """Return a manifest with these entries, and besides what none is without."""
    return Manifest.read({"format": 1, "status": "accepted", "attempt": 1, **entries})
