"""The commands behind a campaign's runs, from their manifests, for the report's appendix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from records.manifest import Manifest
from records.manifest_entries import JobOutcome
from records.verdict import ACCEPTED
from remote.services import memcached
from remote.services.memtier import prefill
from remote.services.monitors import MONITORS, monitor_of
from remote.services.postgresql import Cluster


def under_load(manifests: Sequence[Manifest]) -> list[Manifest]:
    """Return those of runs that put load on the system, not those that measure its network."""
    return [manifest for manifest in manifests if manifest.generator]


def examples(manifests: Sequence[Manifest]) -> Iterator[Manifest]:
    """Yield a run at the largest load of each topology: numbers of hosts, kind of measurement."""
    accepted = [m for m in manifests if m.status == ACCEPTED] or list(manifests)
    topologies: dict[tuple[object, ...], list[Manifest]] = {}
    for manifest in accepted:
        sizes = tuple(len(hosts) for hosts in manifest.roles.by_name.values())
        kind = manifest.config.get("kind")
        topologies.setdefault((*sizes, kind), []).append(manifest)
    for own in topologies.values():
        yield max(own, key=lambda manifest: manifest.num_clients)


def run_commands(manifest: Manifest) -> str:
    """Return what ran on one host of each role, monitors left out where there was a load."""
    loaded = bool(under_load([manifest]))
    return "\n\n".join(
        f"{job.host}$ {job.command}"
        for job in _jobs(manifest)
        if not (loaded and monitor_of(job.name))
    )


def monitor_commands(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield what each monitor records, and its command as it ran on one host."""
    told = set()
    for job in _jobs(manifest):
        monitor = monitor_of(job.name)
        if monitor and monitor not in told:
            told.add(monitor)
            yield MONITORS[monitor], f"{job.host}$ {job.command}"


def server_commands(manifest: Manifest) -> str:
    """Return how a server is started and filled; runs do not record it, for it is done before."""
    settings = manifest.all_settings
    if settings.uses_queues:
        return _database_commands(manifest)
    fill = prefill("memtier_benchmark", "SERVER", memcached.PORT, settings)
    return f"server$ {memcached.command('SERVER', user='lab')}\n\nclient$ {fill}"


def _database_commands(manifest: Manifest) -> str:
    """Return how a database is made and started; nothing where middlewares echo."""
    if not manifest.roles.databases:
        return ""
    cluster = Cluster.of(manifest.all_settings, manifest.topology.time_dilation)
    options = " ".join(f"-c {name}={value}" for name, value in cluster.options("DATABASE").items())
    return (
        "database$ initdb --pgdata=data --auth=trust --encoding=UTF8 --locale=C --no-sync\n\n"
        f"database$ postgres -D data {options}"
    )


def named_jobs(error: str, manifest: Manifest) -> str:
    """Put the names of jobs in the place of their commands in an error."""
    jobs = sorted(manifest.jobs, key=lambda job: len(job.command), reverse=True)
    for job in jobs:
        error = error.replace(job.command, job.name)
    return error


def _jobs(manifest: Manifest) -> list[JobOutcome]:
    """Jobs of the first host of each role, by host and name."""
    first = [hosts[0] for hosts in manifest.roles.by_name.values() if hosts]
    jobs = [job for job in manifest.jobs if job.host in first]
    return sorted(jobs, key=lambda job: (job.host, job.name))
