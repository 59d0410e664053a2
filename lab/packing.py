"""The commands of `lab` that make a campaign ready to be handed on, and undo it."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import click

from analysis.chapters.claims import ABOUT_RUNS, judge_chapters
from analysis.claims.claim import Outcome
from analysis.results import ParseError
from analysis.results.manifests import loose_sections, measured_sections
from analysis.tables import packed
from lab.crate import METADATA, write_crate
from lab.say import say
from records.paths import DATA
from remote.campaign.plain_files import require_plain_files
from remote.campaign.record import RECORD
from remote.campaign.states import sole
from remote.errors import ConfigError
from remote.experiment.manifest import require_whole_manifests

_AUTHOR = re.compile(r"(?P<name>[^<>\s][^<>]*?)(?: <(?P<iri>https?://[^\s<>]+)>)?")
_LICENCE = re.compile(r"[A-Za-z0-9.+-]+")


def _parsed_authors(_: click.Context, __: click.Parameter, told: tuple[str, ...]) -> dict[str, str]:
    """Return identifier and name of each author; those without identifier are numbered."""
    authors = {}
    for number, text in enumerate(told, start=1):
        found = _AUTHOR.fullmatch(text)
        if found is None:
            raise click.BadParameter(f"{text!r}: such as 'NAME' or 'NAME <https://orcid.org/...>'")
        authors[found["iri"] or f"#author-{number}"] = found["name"]
    return authors


def _parsed_licence(_: click.Context, __: click.Parameter, told: str | None) -> str:
    """Return an identifier of SPDX, that of this project by default."""
    if told is None:
        return str(metadata.metadata("middleware-lab")["License-Expression"])
    if not _LICENCE.fullmatch(told):
        raise click.BadParameter(f"{told!r}: an identifier of spdx.org/licenses, such as CC-BY-4.0")
    return told


@click.argument("name")
@click.option(
    "--author",
    "authors",
    multiple=True,
    metavar="'NAME <IRI>'",
    callback=_parsed_authors,
    help="Name an author, with an ORCID iD or another identifier if there is one; repeatable.",
)
@click.option(
    "--license",
    "licence",
    metavar="SPDX",
    callback=_parsed_licence,
    help="Hand it on under this licence, such as CC-BY-4.0.  [default: that of this project]",
)
def pack(name: str, authors: dict[str, str], licence: str) -> None:
    """Put the files of all runs of campaign NAME into one archive per section, to hand it on.

    Notebooks read the campaign as before; `lab unpack` puts the files back. Nothing in them is
    changed: files and manifests tell addresses and names of hosts, users and their folders. Look
    at them before you hand the campaign on.

    ro-crate-metadata.json tells programs of others what the campaign holds and what was found;
    its authors only if they are named here.
    """
    campaigns = _with_changes(name)
    for path in campaigns:
        with sole(path):
            _pack(path)
    if measured_sections(campaigns[0]):
        with sole(campaigns[0]):
            claims = _claims_about(campaigns[0])
            write_crate(campaigns, claims, authors=authors, licence=licence)


def _pack(path: Path) -> None:
    """Pack one campaign, and tell of it."""
    (path / METADATA).unlink(missing_ok=True)
    require_whole_manifests(path)
    for section in loose_sections(path):
        done = packed.pack(path, section)
        say(
            f"{path.relative_to(DATA)}: section {section}: {done.files} files, "
            f"{done.bytes_before / 1e6:.1f} MB in {done.bytes_after / 1e6:.1f} MB"
        )


def _claims_about(path: Path) -> list[Outcome]:
    """Return the claims that runs bear on; none, and say why, where they cannot be read."""
    try:
        judged = judge_chapters(path, ABOUT_RUNS).values()
    except ParseError as exc:  # it was measured so
        say(f"{path.relative_to(DATA)}: {METADATA} is without claims: {exc}")
        return []
    return [outcome for one in judged for outcome in one.outcomes]


@click.argument("name")
def unpack(name: str) -> None:
    """Put the files of campaign NAME, which was packed, back into the folders of its runs."""
    campaigns = _with_changes(name)
    for path in campaigns:
        with sole(path):
            (path / METADATA).unlink(missing_ok=True)
            for section in packed.packed_sections(path):
                files = packed.unpack(path, section)
                say(f"{path.relative_to(DATA)}: section {section}: {files} files")
    for path in campaigns:
        packed.require_files(path, measured_sections(path))


def _with_changes(name: str) -> list[Path]:
    """Return the folders of a campaign and all its changes; ConfigError if it is unusable."""
    path = DATA / name
    if not path.is_relative_to(DATA) or ".." in path.parts:
        raise ConfigError(path, f"is no campaign's name: move the folder into {DATA} first")
    if not (path / RECORD).is_file():
        raise ConfigError(path, "no such campaign")
    require_plain_files(path)
    below = ("what-if", "middlewares", "sensitivity/*", "middlewares/*/sensitivity/*")
    return [path, *sorted(r.parent for b in below for r in path.glob(f"{b}/*/{RECORD}"))]
