"""The manifest of an imported run."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analysis.imports.checks import whole_checks
from analysis.imports.reading import RunContents, hosts_of
from analysis.imports.sorting import RunFiles
from analysis.imports.tables import length_s
from records.import_plan import CONNECTIONS, ImportPlan
from records.manifest import Manifest
from records.manifest_entries import (
    Durations,
    Generator,
    Git,
    Imported,
    MiddlewareUnderTest,
    Roles,
    Topology,
)
from records.settings import DEFAULTS, FACTORS, SETTINGS, Level, Settings
from records.verdict import ACCEPTED, REJECTED, Check, Window

PROFILE = "paper"  # the one that has the studies' configurations
_OF_GENERATORS = ("instances_per_client", "threads_per_instance")
"""Settings that are a factor of a section only if no other factors determine their levels."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where runs are imported from, into which campaign, by which commit of this project."""

    plan: ImportPlan
    campaign: str
    git: Git


def factors_of(plan: ImportPlan, section: str, runs: Sequence[RunFiles]) -> list[str]:
    """Return the settings that vary in a section, or that its entry in the plan is chosen by."""
    groups = plan.sections[section]
    chosen = {n for n in SETTINGS if (plan.factors[n].group if n in plan.factors else n) in groups}
    found = [
        name
        for name in FACTORS
        if name not in _OF_GENERATORS
        and (name in chosen or name == "workload" or len({r.levels.get(name) for r in runs}) > 1)
    ]
    for name in _OF_GENERATORS:
        pairs = {(tuple(r.levels.get(f) for f in found), r.levels.get(name)) for r in runs}
        if len(pairs) > len({others for others, _ in pairs}):
            found.append(name)
    first = ("workload", "clients_per_thread")
    return [*(n for n in first if n in found), *(n for n in found if n not in first)]


def settings_of(contents: RunContents) -> Settings:
    """Return all settings of a run, those of load generators from their files where need be."""
    run, clients = contents.files, contents.clients
    levels = dict(run.levels)
    told = next((one for one in clients if one.threads), None)
    if told:
        levels.setdefault("threads_per_instance", told.threads or 1)
        levels.setdefault("clients_per_thread", told.clients_per_thread or 1)
    num_files = len({one.instance for one in clients if one.reader != CONNECTIONS})
    num_files = num_files or len({one.instance for one in clients}) or 1
    hosts = run.client_hosts
    if hosts is None:
        named = {file.groups["host"] for file in run.files if "instance" in file.groups
                 and "host" in file.groups}  # fmt: skip
        per_host = levels.get("instances_per_client")
        hosts = num_files // int(per_host) if per_host else len(named) or 1
    levels.setdefault("instances_per_client", max(1, num_files // max(1, hosts)))
    levels.setdefault("num_middlewares", len(contents.middlewares))
    changes: dict[str, Any] = levels
    return replace(DEFAULTS, client_hosts=max(1, hosts), **changes)


def manifest_of(
    source: Source, contents: RunContents, settings: Settings, factors: Collection[str]
) -> Manifest:
    """Return the manifest of a run, without the checks that need its tables."""
    plan, run = source.plan, contents.files
    cut = plan.window
    length = length_s(contents) or run.duration_s
    length = length or max((one.duration_s or 0 for one in contents.clients), default=0)
    checks = list(whole_checks(contents, settings, run.duration_s))
    stable_s = length - cut.warm_up_s - cut.cool_down_s
    if stable_s <= 0:
        detail = f"{length} s are all cut: window.warm_up_s and window.cool_down_s"
        checks.append(Check(name="window_covered", passed=False, detail=detail))
    is_whole = all(check.passed for check in checks)
    levels: dict[str, Level] = {**run.levels, **_inferred(settings)}
    names = [*contents.loads, *contents.middlewares, *_ends(contents)]
    window = Window(
        start_epoch_s=cut.warm_up_s,
        stable_s=max(0, stable_s),
        end_epoch_s=cut.warm_up_s + max(0, stable_s),
        warm_up_s=cut.warm_up_s,
        cool_down_s=cut.cool_down_s,
    )
    roles = Roles(
        clients=hosts_of("clients", names, settings.client_hosts),
        middlewares=hosts_of("middlewares", names, settings.num_middlewares),
        servers=hosts_of("servers", names, settings.num_servers),
    )
    return Manifest(
        status=ACCEPTED if is_whole else REJECTED,
        checks=checks,
        window=window,
        attempt=1,
        repetition=run.repetition,
        campaign=source.campaign,
        section=run.section,
        title=plan.title,
        profile=PROFILE,
        fleet=plan.fleet,
        git=source.git,
        topology=Topology(
            name="not emulated",
            time_dilation=1.0,
            rates_mbit_per_s={
                host: plan.links_mbit_per_s[role]
                for role, hosts in roles.by_name.items()
                if role in plan.links_mbit_per_s
                for host in hosts
            },
        ),
        config={name: levels[name] for name in factors if name in levels},
        imported=Imported(title=plan.title, files=len(run.files)),
        settings=levels,
        roles=roles,
        generator=Generator(name=plan.generator, version="as its files state no version"),
        middleware=MiddlewareUnderTest(name=settings.middleware),
        targets={},
        instances_per_client=settings.instances_per_client,
        threads_per_instance=settings.threads_per_instance,
        num_clients=settings.num_clients,
        value_bytes=settings.value_bytes,
        think_time_s=settings.known_think_time_s,
        durations=Durations(
            warm_up_s=cut.warm_up_s, stable_s=max(0, stable_s), cool_down_s=cut.cool_down_s
        ),
    )


def _inferred(settings: Settings) -> dict[str, Level]:
    """Return the settings that files state where no path does."""
    names = ("clients_per_thread", *_OF_GENERATORS, "num_middlewares")
    return {name: getattr(settings, name) for name in names}


def _ends(contents: RunContents) -> list[str]:
    return [end for pair in (*contents.pings, *contents.bandwidths) for end in pair]
