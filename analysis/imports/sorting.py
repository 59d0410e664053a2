"""Which file belongs to which run, by the paths and the patterns of a plan."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from records.documents import rule_of
from records.import_plan import (
    CLIENT_HOSTS,
    DURATION,
    OF_FILES,
    OF_RUNS,
    REPETITION,
    FileTable,
    ImportPlan,
)
from records.settings import RULES, SETTINGS, Level


class PlanError(ValueError):
    """The plan does not fit the files: states the place in the plan, and the first path."""


@dataclass(frozen=True, kw_only=True)
class FoundFile:
    """One file of a run: `kind` is its table in the plan, `groups` what its path states."""

    path: Path
    kind: str
    groups: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class RunFiles:
    """The files of one repetition of one configuration.

    Attributes
    ----------
    levels : all settings that paths and constants state.
    client_hosts, duration_s : None where nothing states them; `duration_s` is the run's length.
    """

    section: str
    levels: Mapping[str, Level]
    client_hosts: int | None
    repetition: int
    duration_s: int | None
    files: tuple[FoundFile, ...]


@dataclass(frozen=True, kw_only=True)
class Sorted:
    """All files of a folder.

    Attributes
    ----------
    ignored : number of files that `path.ignore` names.
    skipped : file to the reason why no run has it.
    """

    runs: list[RunFiles]
    ignored: int
    skipped: Mapping[Path, str]


def sort_files(plan: ImportPlan, folder: Path) -> Sorted:
    """Sort the files of a folder into runs.

    Raises
    ------
    PlanError
        A path matches no pattern, a level is wrong, or two sections have one run.
    """
    names = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path.is_file()]
    if not names:
        raise PlanError(f"{folder} is no folder with files")
    wanted = [n for n in names if not any(re.fullmatch(one, n) for one in plan.path.ignore)]
    skipped: dict[Path, str] = {}
    runs: dict[tuple[object, ...], RunFiles] = {}
    files: dict[tuple[object, ...], list[FoundFile]] = defaultdict(list)
    for name in wanted:
        file = _matched(plan, folder, name)
        sections = [section for section in plan.sections if _has(plan, section, file.groups)]
        if len(sections) > 1:
            raise PlanError(f"sections: {' and '.join(sections)} both have {name}")
        if not sections:
            skipped[file.path] = "no section has it"
            continue
        run = _run(plan, sections[0], name, file.groups)
        key = (run.section, tuple(run.levels.items()), run.client_hosts, run.repetition)
        runs.setdefault(key, run)
        files[key].append(file)
    from_0 = any(run.repetition == 0 for run in runs.values())
    return Sorted(
        runs=[
            replace(run, files=tuple(files[key]), repetition=run.repetition + from_0)
            for key, run in runs.items()
        ],
        ignored=len(names) - len(wanted),
        skipped=skipped,
    )


def _run(plan: ImportPlan, section: str, name: str, groups: Mapping[str, str]) -> RunFiles:
    """Return the run of a file, without its files."""
    told = {group: _whole(name, groups[group], group) for group in OF_RUNS if group in groups}
    return RunFiles(
        section=section,
        levels=_levels(plan, name, groups),
        client_hosts=told.get(CLIENT_HOSTS),
        repetition=told.get(REPETITION, 1),
        duration_s=told.get(DURATION, plan.duration_s),
        files=(),
    )


def _matched(plan: ImportPlan, folder: Path, name: str) -> FoundFile:
    """Match the path of a file, then the rest of it to one kind of file."""
    start = re.match(plan.path.pattern, name)
    if start is None:
        raise PlanError(
            f"path.pattern: the first path that does not match is {name}{_reach(plan, name)}; "
            "correct the pattern, or name such paths in path.ignore"
        )
    rest = name[start.end() :]
    found = [
        (kind, match)
        for kind, table in plan.files.items()
        if (match := re.fullmatch(table.name, rest))
    ]
    if not found:
        kinds = ", ".join(f"files.{kind}" for kind in plan.files)
        raise PlanError(
            f"no `name` of {kinds} matches {rest!r}; the first such path is {name}; "
            "correct a name, or name such paths in path.ignore"
        )
    if len(found) > 1:
        kinds = " and ".join(f"files.{kind}.name" for kind, _ in found)
        raise PlanError(f"{kinds} both match {name}")
    kind, match = found[0]
    groups = {**start.groupdict(), **match.groupdict()}
    return FoundFile(
        path=folder / name,
        kind=kind,
        groups={group: text for group, text in groups.items() if text is not None},
    )


def _reach(plan: ImportPlan, name: str) -> str:
    """Say how far the pattern matches, part by part of the path."""
    reached, pattern = "", plan.path.pattern
    for at in (at for at, letter in enumerate(pattern) if letter == "/"):
        try:
            match = re.match(pattern[: at + 1], name)
        except re.error:
            continue  # within a group
        if match:
            reached = match.group()
    return f" (its beginning {reached} does)" if reached else ""


def _has(plan: ImportPlan, section: str, groups: Mapping[str, str]) -> bool:
    return all(groups.get(name) in texts for name, texts in plan.sections[section].items())


def _levels(plan: ImportPlan, name: str, groups: Mapping[str, str]) -> dict[str, Level]:
    """Return the levels of all settings, in the order of the register."""
    found: dict[str, Level] = dict(plan.constants)
    for setting in SETTINGS:
        table = plan.factors.get(setting)
        group = (table.group if table else "") or setting
        if group not in groups or (table is None and setting not in groups):
            continue
        level = _level(plan, setting, groups[group], name)
        if level is not None:
            found[setting] = level
    return {setting: found[setting] for setting in SETTINGS if setting in found}


def _level(plan: ImportPlan, setting: str, text: str, name: str) -> Level | None:
    """Return the level that a text states; None where the configuration has no such setting."""
    table = plan.factors.get(setting)
    level: Level | None = None
    if table and (text in table.levels or "*" in table.levels):
        level = table.levels.get(text, table.levels.get("*"))
    elif text in plan.path.absent:
        return None
    candidates = (
        [level] if level is not None else list(_readings(text, table.scale if table else 1))
    )
    for candidate in candidates:
        try:
            accepted: Level = TypeAdapter(RULES[setting]).validate_python(candidate)
        except ValidationError:
            continue
        return accepted
    raise PlanError(
        f"{setting} must be {rule_of(RULES[setting])}, got {level if level is not None else text!r}"
        f" in {name}: state what the text means in factors.{setting}.levels, or in path.absent"
    )


def _readings(text: str, scale: float) -> Iterator[Level]:
    """Yield what a text may mean: a whole number, a number, true or false, or itself."""
    try:
        number = float(text) * scale
        if number.is_integer():
            yield int(number)
        yield number
    except (ValueError, OverflowError):
        pass
    if text.lower() in ("true", "false"):
        yield text.lower() == "true"
    yield text


def _whole(name: str, text: str, group: str) -> int:
    if not text.isdecimal():
        raise PlanError(f"the group {group!r} must be a whole number, got {text!r} in {name}")
    return int(text)


def file_table(plan: ImportPlan, file: FoundFile) -> FileTable:
    """Return what the plan states of a file."""
    return plan.files[file.kind]


def label(groups: Mapping[str, str]) -> str:
    """Name a file among those of its run, by its groups."""
    return "-".join(groups[name] for name in OF_FILES if groups.get(name))
