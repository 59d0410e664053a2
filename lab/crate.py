"""A packed campaign as an RO-Crate: what it holds, in words that programs of others read.

``ro-crate-metadata.json`` is schema.org's vocabulary as JSON-LD, by RO-Crate 1.1. Each section is a
dataset, its archive a file of it, its measuring an action with the software as instruments; what
was found are variables with their confidence intervals. Of people it tells those who are named as
authors, and of machines the versions of what ran on them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rocrate.model import ContextEntity, Dataset, Entity
from rocrate.rocrate import ROCrate

from analysis.claims.claim import Outcome
from analysis.results.manifests import measured_sections
from analysis.tables.packed import archives_of, requests_path
from analysis.tables.provenance import each_manifest, summarise
from records.files.atomic import write_json
from records.manifest import Manifest
from records.text.visible import visible
from records.text.words import counted
from remote.campaign.record import RECORD
from remote.hosts.provision.prepare import PROGRAMS

METADATA = "ro-crate-metadata.json"
VERSION = "1.1"
_TIDY, _README = "tidy", "README.md"
_LAB = "middleware-lab"
_SPDX = "https://spdx.org/licenses/"
_FACTS = (*PROGRAMS, "kernel", "generator")  # of hosts, as manifests have them


def write_crate(
    campaigns: Sequence[Path],
    claims: Iterable[Outcome],
    *,
    authors: Mapping[str, str],
    licence: str,
) -> None:
    """Write the metadata of a packed campaign into its folder, whole or not at all.

    Parameters are those of `crate_of`.
    """
    document = crate_of(campaigns, claims, authors=authors, licence=licence)
    write_json(campaigns[0] / METADATA, document)


def crate_of(
    campaigns: Sequence[Path],
    claims: Iterable[Outcome],
    *,
    authors: Mapping[str, str],
    licence: str,
) -> dict[str, Any]:
    """Describe a packed campaign.

    Parameters
    ----------
    campaigns : its folder, which holds runs, and those of the campaigns within it.
    claims : about it; those without a number are left out.
    authors : whom it names as such: identifier, such as an ORCID iD, to name.
    licence : under which it is handed on, an identifier of SPDX such as ``MIT``.

    Raises
    ------
    ParseError
        A manifest is damaged.
    """
    campaign = campaigns[0]
    crate = ROCrate(version=VERSION)
    _tell_campaign(crate, campaign)
    _tell_terms(crate, authors, licence)
    for folder in campaigns:
        for section in measured_sections(folder):
            _tell_section(crate, campaign, folder, section)
    for number, outcome in enumerate(claims, start=1):
        if not math.isnan(outcome.estimate.value):
            _tell_claim(crate, f"#claim-{number}", outcome)
    document: dict[str, Any] = crate.metadata.generate()
    return document


def _tell_campaign(crate: ROCrate, campaign: Path) -> None:
    """Tell what the whole is, and of the files that belong to no section."""
    told, sections = summarise(list(each_manifest(campaign))), len(measured_sections(campaign))
    root = crate.root_dataset
    root["name"] = f"Campaign {visible(campaign.name)} of the Middleware Lab"
    root["description"] = (
        f"{counted(told.num_accepted, 'accepted run')} in {counted(sections, 'section')}, "
        f"profile {', '.join(told.profiles)}: load on a memcached middleware, measured to be "
        "explained by queueing theory. Manifests of runs, their raw files, and tidy tables."
    )
    if told.period is not None:
        root["datePublished"] = f"{told.period[1]:%Y-%m-%d}"  # not before, and the same each time
    for name, title, kind in (
        (RECORD, "The choices that the campaign was begun with", "application/json"),
        (_README, "What is special about the campaign", "text/markdown"),
    ):
        if (campaign / name).is_file():
            crate.add_file(dest_path=name, properties={"name": title, "encodingFormat": kind})
    if (campaign / _TIDY).is_dir():
        title = "Tidy tables of all sections, made of their runs: Parquet in zip files"
        crate.add_dataset(dest_path=f"{_TIDY}/", properties={"name": title})


def _tell_terms(crate: ROCrate, authors: Mapping[str, str], licence: str) -> None:
    """Tell who made it, as far as that is said, and what others may do with it."""
    terms = {"@type": "CreativeWork", "name": licence, "description": f"SPDX: {licence}"}
    crate.root_dataset["license"] = _add(crate, f"{_SPDX}{quote(licence)}", terms)
    for one, name in authors.items():
        person = _add(crate, one, {"@type": "Person", "name": name})
        crate.root_dataset.append_to("author", person, compact=True)


def _tell_section(crate: ROCrate, campaign: Path, folder: Path, section: str) -> None:
    """Tell of a section: its runs, their archive, when and with what they were measured."""
    manifests = list(each_manifest(folder, [section]))
    loaded = [manifest for manifest in manifests if manifest.generator] or manifests
    told = summarise(manifests)
    path = (folder / section).relative_to(campaign).as_posix()
    dataset: Dataset = crate.add_dataset(dest_path=f"{path}/")
    dataset["name"] = f"Section {path}: {visible(loaded[0].title or 'runs')}"
    dataset["description"] = (
        f"{counted(told.num_accepted, 'accepted run')}, "
        f"{told.num_discarded} rejected or failed: the manifests of all."
    )
    for archive in archives_of(folder, section):
        of_requests = archive == requests_path(folder, section)
        packed = {
            "name": f"{'Followed requests' if of_requests else 'Raw files'} of section {path}",
            "encodingFormat": "application/x-xz",
            "contentSize": str(archive.stat().st_size),
        }
        where = archive.relative_to(campaign).as_posix()
        dataset.append_to(
            "hasPart", crate.add_file(dest_path=where, properties=packed), compact=True
        )
    measuring = _add(
        crate,
        f"#measuring-{quote(path)}",
        {"@type": "CreateAction", "name": f"Measuring of section {path}"},
    )
    if told.period is not None:
        measuring["startTime"], measuring["endTime"] = (time.isoformat() for time in told.period)
    software = dict(program for manifest in manifests for program in _software(manifest))
    for one, about in software.items():
        measuring.append_to("instrument", _add(crate, one, about), compact=True)
    measuring["result"] = dataset
    crate.root_dataset.append_to("mentions", measuring, compact=True)


def _software(manifest: Manifest) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield identifier and description of each program that took part in a run."""
    control = manifest.control
    packages = dict(control.packages)
    changed = " with local changes" if manifest.git.dirty else ""
    commit = visible(f"commit {manifest.git.commit}{changed}")
    lab = _program(_LAB, commit)
    lab[1]["softwareVersion"] = visible(str(packages.pop(_LAB, commit)))
    yield lab
    for name, version in {"python": control.python, **packages}.items():
        if version:
            yield _program(name, version)
    for facts in manifest.hosts.values():
        for name in _FACTS:
            if name in facts:
                yield _program(name, facts[name])


def _program(name: str, version: str) -> tuple[str, dict[str, Any]]:
    about = {"@type": "SoftwareApplication", "name": visible(name), "version": visible(version)}
    return f"#{quote(f'{name} {version}', safe='')}", about


def _tell_claim(crate: ROCrate, identifier: str, outcome: Outcome) -> None:
    """Tell what was found as a variable of its section, or of the campaign if it is of several."""
    claim, (low, high) = outcome.claim, outcome.estimate.interval()
    numbers = {"value": outcome.estimate.value, "minValue": low, "maxValue": high}
    found = _add(
        crate,
        identifier,
        {
            "@type": "PropertyValue",
            "name": claim.statement,
            "description": (
                f"{claim.quantity}; claimed: {claim.rule.text}; verdict: {outcome.verdict}; "
                f"shown by: {claim.see} of the report"
            ),
            **{term: number for term, number in numbers.items() if not math.isnan(number)},
        },
    )
    of = crate.get(f"{claim.section}/") or crate.root_dataset
    of.append_to("variableMeasured", found, compact=True)


def _add(crate: ROCrate, identifier: str, properties: dict[str, Any]) -> Entity:
    """Add what is no file, or return what is there by that name."""
    known = crate.get(identifier)
    return known or crate.add(ContextEntity(crate, identifier, properties=properties))
