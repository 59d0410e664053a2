"""Measuring one configuration under load: servers, middlewares, monitors, generators, in order."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial

from records.manifest_entries import Pause, Start
from remote.errors import RemoteError
from remote.experiment.queues import transactions
from remote.experiment.queues.databases import counts, logs
from remote.experiment.queues.messages import send_messages
from remote.experiment.run import Run
from remote.experiment.section import Section
from remote.experiment.section_file import KEPT
from remote.experiment.sessions import generators
from remote.experiment.sessions.captures import Captures
from remote.experiment.sessions.prefill import Prefill
from remote.experiment.sessions.program_options import generator_command, middleware_launch
from remote.experiment.sessions.setup import Setup
from remote.experiment.storing import END, START, Collected
from remote.hosts.connection import Connection
from remote.hosts.group import TRANSFERS_AT_ONCE, Fleet, in_parallel
from remote.hosts.host import Host
from remote.hosts.jobs import (
    FOLDER_MARK,
    Job,
    RunningJobs,
    StartLeads,
    Task,
    job_folder,
    remove_job_folder,
)
from remote.hosts.provision import Tools
from remote.phases import MEASURING
from remote.services.memcached import Servers, parse_spans
from remote.services.middleware import bring, start_middlewares
from remote.services.middleware_file import kept_folder
from remote.services.monitors import Monitors, read_counters
from remote.services.postgresql import Cluster, Databases

GENERATOR_GRACE_S = 15.0
START_LIMIT_S = 60.0  # more than hosts are ever given until they start together
MIDDLEWARE_MARGIN_S = 120.0
JOB_FILES = (".pid", ".sid", ".exit", ".part", ".lock", FOLDER_MARK)


class LoadSession:
    """memcached on the servers, up for all runs of a section; use as a context manager.

    Databases are up for as long as runs need them alike.

    Parameters
    ----------
    undilated : within it the lab is as fast as it is without time dilation; servers and databases
        are filled so, and JVMs heated.

    Raises
    ------
    RemoteError, ConfigError
        A host cannot be reached, a program does not start, the fleet lacks hosts, or its generators
        cannot do what the section asks for.
    """

    def __init__(
        self,
        fleet: Fleet,
        section: Section,
        tools: Mapping[str, Tools],
        *,
        undilated: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext,
    ) -> None:
        self.fleet = fleet
        self.section = section
        self.tools = tools

        def take(role: str, count: int) -> tuple[Host, ...]:
            """Return hosts as their connections know them, however quotas have changed since."""
            return tuple(fleet[host].host for host in fleet.inventory.take(role, count))

        self.clients = take("clients", section.hosts["clients"])
        self.middlewares = take("middlewares", section.hosts["middlewares"])
        servers = take("servers", section.hosts["servers"])
        self._servers = Servers(fleet, servers, section.name)
        databases = take("databases", section.hosts.get("databases", 0))
        self._databases = Databases(fleet, databases, section.name)
        self._monitors = Monitors(fleet, tools, section.name)
        self._captures = Captures(fleet)
        self._prefill = Prefill(fleet, self.clients, servers, tools, undilated=undilated)
        self._undilated = undilated
        self._brought: set[str] = set()

    def __enter__(self) -> LoadSession:
        settings = (self.section.settings(config) for config in self.section.configs())
        generators.require_able(settings, self.clients, self.tools, self.fleet.inventory.path)
        try:
            self._servers.start(limit_s=_section_limit_s(self.section))
        except BaseException:
            self._servers.kill()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.ExitStack() as ends:
            for one in (self._servers, self._databases, self._monitors):
                ends.callback(one.kill)

    def measure(self, run: Run, collected: Collected) -> None:
        """Perform `run` and fill `collected`; what was collected before a failure stays in it."""
        setup = self._setup(run)
        setup.describe(collected.manifest, self.tools)
        self._prefill.ensure(setup.settings, setup.folder, run_s=setup.total_s)
        self._empty_databases(setup)
        leads = StartLeads(run.campaign_dir)
        with RunningJobs(self.fleet, setup.folder) as jobs:
            try:
                self._perform(setup, jobs, leads, collected)
                collected.phases.enter("fetching")
                self._fetch(setup, collected)
                _learn_lateness(setup, leads, collected)
            except RemoteError:
                jobs.kill_all()
                self._salvage(setup, jobs, collected)
                raise
            finally:
                collected.manifest.jobs = jobs.outcomes
        collected.manifest.pauses = [
            *_pauses(setup, collected),
            *transactions.opened(collected.files, setup.databases),
        ]
        collected.when_stored = partial(
            self.fleet.for_each, setup.hosts, lambda c: remove_job_folder(c, setup.folder)
        )

    @property
    def _can_wait(self) -> bool:
        """Whether the generators start, and so end, at a time that they are told."""
        return generators.are_drop_ins(self.clients, self.tools, self.fleet.inventory.path)

    def _setup(self, run: Run) -> Setup:
        settings = run.section.settings(run.config)
        lengths = run.lengths if self._can_wait else generators.with_cool_down(run.lengths)
        return Setup(
            run=replace(run, planned=lengths),
            settings=settings,
            middleware=run.section.middleware(run.config),
            clients=self.clients,
            middlewares=self.middlewares[: settings.num_middlewares],
            servers=self._servers.hosts[: settings.num_servers],
            databases=self._databases.hosts[: settings.num_databases]
            if settings.uses_databases
            else (),
        )

    def _perform(
        self, setup: Setup, jobs: RunningJobs, leads: StartLeads, collected: Collected
    ) -> None:
        collected.phases.enter("starting")
        limit_s = _section_limit_s(self.section)
        self._monitors.ensure(setup.hosts, setup.pinged, limit_s=limit_s)  # most run already
        # Their JVMs start beside those of the middlewares that they will connect to.
        loads = self._start_generators(setup, jobs, leads) if self._can_wait else []
        observers = self._captures.start(setup, jobs, limit_s=setup.total_s + MIDDLEWARE_MARGIN_S)
        # Connections of databases and the first messages take many round trips.
        with self._undilated() if setup.databases else contextlib.nullcontext():
            proxies = self._start_middlewares(setup, jobs)
            if setup.databases:
                send_messages(self.fleet[setup.middlewares[0]], setup.settings)
        if self._can_wait:
            start_s = self._start_together(setup, loads, leads, collected)
        else:
            self._server_stats("before", setup, collected)
            start_s = math.ceil(time.time())
            loads = self._start_generators(setup, jobs, leads)
        collected.manifest.start_at_epoch_s = start_s
        pausers = self._servers.pause(jobs, setup.pauses(start_s))
        if times := setup.left_open(start_s):
            pausers += self._databases.leave_open(jobs, setup.databases, *times)
        collected.phases.enter(MEASURING, at_epoch_s=start_s)
        self._heat(setup, start_s)
        until_start_s = max(0.0, start_s - time.time())
        late = jobs.wait(loads, timeout_s=until_start_s + setup.total_s + GENERATOR_GRACE_S)
        self.fleet.patiently(lambda: self.fleet.for_each(setup.hosts, Connection.open))
        collected.phases.enter("stopping", at_epoch_s=min(time.time(), start_s + setup.total_s))
        jobs.stop(late, "INT")  # they write what they have; the check of durations rejects the run
        jobs.stop(jobs.wait(pausers, timeout_s=GENERATOR_GRACE_S), "TERM")
        in_parallel(
            {
                "counters": partial(self._server_stats, "after", setup, collected),
                "monitors": partial(self._cut_monitors, setup, jobs),
                "middlewares": partial(jobs.stop, proxies, setup.middleware.signal),
            }
        )
        self._keep_counts(setup, collected)
        jobs.stop(observers, "TERM")  # last, for they are to see all requests end
        self._captures.make_tables(setup, jobs)

    def _heat(self, setup: Setup, start_s: int) -> None:
        """Let the load pass undilated for as long as the section heats its JVMs."""
        if heat_s := setup.run.section.heat_s:
            time.sleep(max(0.0, start_s - time.time()))
            with self._undilated():
                time.sleep(max(0.0, start_s + heat_s - time.time()))

    def _start_middlewares(self, setup: Setup, jobs: RunningJobs) -> list[Job]:
        launches = {
            host: middleware_launch(
                host,
                setup.middleware,
                setup.behind,
                setup.settings,
                programs=self.tools[host.name].bin_dir,
                time_dilation=setup.run.time_dilation,
            )
            for host in setup.middlewares
        }
        name = setup.middleware.name
        if launches and name not in self._brought:
            folder = kept_folder(setup.run.campaign_dir / KEPT, name)
            self.fleet.for_each(launches, lambda c: bring(c, launches[c.host], folder))
            self._brought.add(name)
        return start_middlewares(launches, jobs=jobs, limit_s=setup.total_s + MIDDLEWARE_MARGIN_S)

    def _empty_databases(self, setup: Setup) -> None:
        """Have databases as the run needs them, without anything in them."""
        if not setup.databases:
            return
        cluster = Cluster.of(setup.settings, self.fleet.inventory.time_dilation)
        self._databases.start(cluster, limit_s=_section_limit_s(self.section))
        self._databases.empty(setup.databases, synchronous_commit=setup.settings.synchronous_commit)

    def _keep_counts(self, setup: Setup, collected: Collected) -> None:
        """Keep what databases have counted, once the middlewares have left them, and logged."""
        if setup.databases:
            collected.files.update(counts(self._databases, setup.databases))
            collected.files.update(logs(self._databases, setup.databases))

    def _cut_monitors(self, setup: Setup, jobs: RunningJobs) -> None:
        jobs.outcomes += self._monitors.cut(setup.hosts, setup.pinged, setup.folder)

    def _start_generators(self, setup: Setup, jobs: RunningJobs, leads: StartLeads) -> list[Job]:
        """Start all instances: drop-ins wait until they are told when to send, others do not."""
        wait_s = generators.READY_TIMEOUT_S + START_LIMIT_S if self._can_wait else 0.0
        limit_s = wait_s + setup.total_s + 2 * GENERATOR_GRACE_S
        tasks = {}
        for one in setup.instances:
            command = generator_command(
                one,
                setup.settings,
                program=self.tools[one.host.name].generator,
                test_time_s=setup.total_s,
                time_dilation=self.fleet.inventory.time_dilation,
                start_is_told=self._can_wait,
            )
            task = Task(one.name, command, self._can_wait, one.host.program_user)
            start = partial(jobs.start, one.host, task, limit_s=limit_s)
            tasks[f"{one.host.name}/{one.name}"] = partial(leads.first, self.fleet[one.host], start)
        return list(in_parallel(tasks).values())

    def _start_together(
        self, setup: Setup, loads: Sequence[Job], leads: StartLeads, collected: Collected
    ) -> int:
        """Let drop-ins send their first request at the same whole second, which is returned.

        All counters are read while these connect, so that it is done before. The manifest tells
        when the last of all was ready, how long before the first request they were told, and for
        which host so long.
        """

        def ready(job: Job) -> None:
            job.wait_for_line(generators.READY_LINE, timeout_s=generators.READY_TIMEOUT_S)

        waits = {
            f"{job.connection.host.name}/{job.task.name}": partial(ready, job) for job in loads
        }
        counters = partial(self._server_stats, "before", setup, collected)
        in_parallel({**waits, "counters": counters})
        clocks = collected.manifest.clocks
        lead_s, slowest = leads.lead_s({h.name: clocks[h.name][START] for h in setup.clients})
        ready_s = time.time()
        start_s = math.ceil(ready_s + lead_s)
        collected.manifest.start = Start(
            ready_epoch_s=round(ready_s, 3), lead_s=round(start_s - ready_s, 3), lead_of=slowest
        )
        leads.tell(loads, str(start_s))
        return start_s

    def _server_stats(self, when: str, setup: Setup, collected: Collected) -> None:
        """Keep what network interfaces and servers have counted so far, and the hosts' clocks."""
        collected.note_clocks(self.fleet, setup.hosts, {"before": START, "after": END}[when])

        def keep(name: str, text: bytes) -> None:
            collected.files[f"{name}/interfaces-{when}.txt"] = text

        read_counters(self.fleet, setup.hosts, keep)
        for name, reply in self._servers.stats(setup.servers).items():
            collected.files[f"{name}/memcached-stats-{when}.txt"] = reply

    def _fetch(self, setup: Setup, collected: Collected) -> None:
        """Bring home every file of the run; they stay on the hosts until all have arrived."""

        def fetch(connection: Connection) -> None:
            name = connection.host.name
            folder = job_folder(connection.host, setup.folder)
            files = connection.patiently(partial(connection.get_tree, folder))
            for path in [path for path in files if path.endswith(JOB_FILES)]:
                del files[path]
            collected.files.adopt(files, name)

        self.fleet.for_each(setup.hosts, fetch, at_once=TRANSFERS_AT_ONCE)

    def _salvage(self, setup: Setup, jobs: RunningJobs, collected: Collected) -> None:
        """Bring home what the hosts that still answer have of a run that broke off."""
        with contextlib.suppress(RemoteError):
            self._captures.discard(setup)
        with contextlib.suppress(RemoteError):
            self._cut_monitors(setup, jobs)
        with contextlib.suppress(RemoteError):
            collected.files.update(logs(self._databases, setup.databases))
        with contextlib.suppress(RemoteError):
            self._fetch(setup, collected)


def _learn_lateness(setup: Setup, leads: StartLeads, collected: Collected) -> None:
    """Give hosts more time from now on whose generators say that they were told too late."""
    start = collected.manifest.start
    for one in setup.instances:
        said = collected.files.get(f"{one.host.name}/{one.name}.err", b"")
        late_s = generators.late_s(said.decode(errors="replace"))
        if start is not None and late_s is not None:
            leads.was_late(one.host.name, start.lead_s + late_s)
    leads.keep()


def _pauses(setup: Setup, collected: Collected) -> list[Pause]:
    """Return when servers stood still, in epoch seconds of their own clocks."""
    found = []
    for host in setup.servers:
        text = collected.files.get(f"{host.name}/pauses.out", b"").decode(errors="replace")
        for began_s, ended_s in parse_spans(text):
            found.append(Pause(host=host.name, began_epoch_s=began_s, ended_epoch_s=ended_s))
    return found


def _section_limit_s(section: Section) -> float:
    """Return a time in which all runs of `section` end, also when some are repeated."""
    repetitions = section.repetitions[1]
    if section.precision is not None:
        measured_s = section.precision.budget_s
    else:
        measured_s = repetitions * section.longest_s
    of_each_s = measured_s + repetitions * GENERATOR_GRACE_S
    return 3600.0 + 2 * len(section.configs()) * of_each_s
