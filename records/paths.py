"""Where the project keeps its files. Only paths: no reading, no writing."""

from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
DATA = PROJECT / "data"
PUBLISHED = DATA / "published"
REFERENCE = DATA / "reference"
FIGURES = PROJECT / "figures"
BUILD = PROJECT / "build"
MIDDLEWARES = "middlewares"
"""Folder of a campaign that holds the campaigns of other middlewares."""


def campaign_dir(campaign: str) -> Path:
    """Folder of one measured campaign, ``data/<campaign>``."""
    return DATA / campaign
