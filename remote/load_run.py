"""Measuring one configuration under load: servers, middlewares, monitors, generators, in order."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from remote.connection import Connection
from remote.errors import ConfigError, RemoteError
from remote.group import Fleet, in_parallel
from remote.inventory import Host
from remote.jobs import (
    Job,
    RunningJobs,
    job_folder,
    remove_job_folder,
    require_free_port,
)
from remote.provision import DROP_IN, Tools
from remote.run import Collected, Run
from remote.section import Section, slug
from remote.tools import memcached, middleware, monitors
from remote.tools.memtier import RATIOS, MemtierOptions, prefill

READY_TIMEOUT_S = 30.0
START_LEAD_S = 2.0  # for three JVMs to start and rehearse on two busy cores
GENERATOR_GRACE_S = 15.0
MONITOR_MARGIN_S = 120.0
PREFILL_TIMEOUT_S = 60.0
PREFILL_AGE_S = 7200.0  # half an hour before the first keys expire (expiry-range 9999-10000)
JOB_FILES = (".pid", ".sid", ".exit", ".part")


class LoadSession:
    """memcached on the servers, up for all runs of a section; use as a context manager.

    Raises
    ------
    RemoteError
        A host cannot be reached, a port is taken, a program does not start.
    """

    def __init__(self, fleet: Fleet, section: Section, tools: Mapping[str, Tools]) -> None:
        self.fleet = fleet
        self.section = section
        self.tools = tools
        take = fleet.inventory.take
        self.clients = take("clients", section.hosts["clients"])
        self.middlewares = take("middlewares", section.hosts["middlewares"])
        self.servers = take("servers", section.hosts["servers"])
        self._prefilled_at_s = float("-inf")
        self._server_jobs = RunningJobs(fleet, f"{section.name}-servers")

    def __enter__(self) -> LoadSession:
        try:
            self.fleet.for_each(self.servers, self._start_server)
        except BaseException:
            self._server_jobs.kill_all()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._server_jobs.kill_all()

    def measure(self, run: Run, collected: Collected) -> None:
        """Perform `run` and fill `collected`; what was collected before a failure stays in it."""
        folder = f"{run.section.name}-{slug(run.config)}-rep-{run.repetition}"
        collected.manifest |= self._describe(run)
        if run.config["workload"] == "get":
            self._prefill(run, folder)
        with RunningJobs(self.fleet, folder) as jobs:
            try:
                self._perform(run, jobs, collected)
                self._fetch(folder, collected)
            except RemoteError:
                jobs.kill_all()
                self._salvage(folder, collected)
                raise
            finally:
                collected.manifest["jobs"] = [o.to_dict() for o in jobs.outcomes]
        self.fleet.for_each(self._hosts(), lambda c: remove_job_folder(c, folder))

    def _perform(self, run: Run, jobs: RunningJobs, collected: Collected) -> None:
        total_s = run.section.durations.total_s
        started = in_parallel(
            {
                "middlewares": partial(self._start_middlewares, run, jobs),
                "monitors": partial(self._start_monitors, jobs, total_s),
            }
        )
        proxies, observers = started["middlewares"], started["monitors"]
        self._server_stats("before", collected)
        generators = self._start_generators(run, jobs)
        late = jobs.wait(generators, timeout_s=START_LEAD_S + total_s + GENERATOR_GRACE_S)
        jobs.stop(late, "INT")  # they write what they have; the check of durations rejects the run
        self._server_stats("after", collected)
        jobs.stop(observers, "INT")
        jobs.stop(proxies, "TERM")

    def _start_server(self, connection: Connection) -> None:
        host = connection.host
        require_free_port(connection, memcached.PORT)
        command = memcached.command(host.data_address, user=host.user)
        job = self._server_jobs.start(
            host, "memcached", command, limit_s=_servers_limit_s(self.section)
        )
        job.wait_for_port(memcached.PORT, timeout_s=READY_TIMEOUT_S)

    def _start_middlewares(self, run: Run, jobs: RunningJobs) -> list[Job]:
        servers = tuple(f"{h.data_address}:{memcached.PORT}" for h in self.servers)

        def start(connection: Connection) -> Job:
            host = connection.host
            require_free_port(connection, middleware.PORT)
            options = middleware.MiddlewareOptions(
                jar=self.tools[host.name].jar,
                address=host.data_address,
                workers=int(run.config["workers"]),
                servers=servers,
            )
            limit_s = run.section.durations.total_s + MONITOR_MARGIN_S
            job = jobs.start(host, "middleware", options.command(), limit_s=limit_s)
            job.wait_for_line(middleware.READY_LINE, timeout_s=READY_TIMEOUT_S)
            return job

        return list(self.fleet.for_each(self.middlewares, start).values())

    def _start_monitors(self, jobs: RunningJobs, total_s: int) -> list[Job]:
        targets = self.middlewares or self.servers
        limit_s = total_s + MONITOR_MARGIN_S

        def start(connection: Connection) -> list[Job]:
            host = connection.host
            commands = {"dool": monitors.dool_command(self.tools[host.name].dool)}
            if host.role == "clients":
                for target in targets:
                    commands[f"ping-{target.name}"] = monitors.ping_command(target.data_address)
            return [jobs.start(host, n, c, limit_s=limit_s) for n, c in commands.items()]

        started = self.fleet.for_each(self._hosts(), start)
        return [job for host_jobs in started.values() for job in host_jobs]

    def _start_generators(self, run: Run, jobs: RunningJobs) -> list[Job]:
        """Start all instances; drop-ins send their first request at the same whole second."""
        generator = run.section.generator
        start_at_epoch_s = math.ceil(time.time() + START_LEAD_S) if self._is_drop_in() else None
        limit_s = START_LEAD_S + run.section.durations.total_s + 2 * GENERATOR_GRACE_S
        tasks = {}
        for host in self.clients:
            for i in range(generator.instances_per_client):
                name = f"memtier-{i}"
                options = self._generator_options(run, host, i)
                command = replace(options, start_at_epoch_s=start_at_epoch_s).command()
                tasks[f"{host.name}/{name}"] = partial(
                    jobs.start, host, name, command, limit_s=limit_s
                )
        return list(in_parallel(tasks).values())

    def _generator_options(self, run: Run, host: Host, instance: int) -> MemtierOptions:
        generator = run.section.generator
        targets = self.middlewares or self.servers
        target = targets[instance % len(targets)]
        return MemtierOptions(
            program=self.tools[host.name].generator,
            server=target.data_address,
            port=middleware.PORT if self.middlewares else memcached.PORT,
            threads=generator.threads_per_instance,
            clients_per_thread=int(run.config["clients_per_thread"]),
            ratio=RATIOS[str(run.config["workload"])],
            value_bytes=generator.value_bytes,
            key_count=generator.key_count,
            expiry_range_s=generator.expiry_range_s,
            test_time_s=run.section.durations.total_s,
            json_file=f"memtier-{instance}.json",
        )

    def _is_drop_in(self) -> bool:
        names = {self.tools[host.name].generator_name for host in self.clients}
        if len(names) > 1:
            raise ConfigError(
                self.fleet.inventory.path,
                f"clients have different generators, {' and '.join(sorted(names))}: "
                "install memtier_benchmark on all of them or on none",
            )
        return names == {DROP_IN}

    def _prefill(self, run: Run, folder: str) -> None:
        """Write every key to every server, so that no get can miss."""
        if time.monotonic() - self._prefilled_at_s < PREFILL_AGE_S:
            return
        host = self.clients[0]
        like = self._generator_options(run, host, 0)
        with RunningJobs(self.fleet, f"{folder}-prefill") as jobs:
            for server in self.servers:
                options = prefill(like.program, server.data_address, memcached.PORT, like=like)
                name = f"prefill-{server.name}"
                job = jobs.start(host, name, options.command(), limit_s=PREFILL_TIMEOUT_S)
                late = jobs.wait([job], timeout_s=PREFILL_TIMEOUT_S)
                if late or jobs.outcomes[-1].exit_status != 0:
                    raise job.failure()
        remove_job_folder(self.fleet[host], f"{folder}-prefill")
        self._prefilled_at_s = time.monotonic()

    def _server_stats(self, when: str, collected: Collected) -> None:
        try:
            replies = self.fleet.for_each(
                self.servers,
                lambda c: c.ask(memcached.PORT, memcached.STATS_REQUEST, memcached.STATS_END),
            )
        except RemoteError as exc:
            for job in self._server_jobs.running:
                if job.has_ended():
                    raise job.failure() from exc
            raise
        for name, reply in replies.items():
            collected.files[f"{name}/memcached-stats-{when}.txt"] = reply

    def _fetch(self, folder: str, collected: Collected) -> None:
        """Bring home every file of the run; they stay on the hosts until all have arrived."""

        def fetch(connection: Connection) -> None:
            name = connection.host.name
            for path, content in connection.get_tree(job_folder(connection.host, folder)).items():
                if not path.endswith(JOB_FILES):
                    collected.files[f"{name}/{path}"] = content

        self.fleet.for_each(self._hosts(), fetch)

    def _salvage(self, folder: str, collected: Collected) -> None:
        """Bring home what the hosts that still answer have of a run that broke off."""
        with contextlib.suppress(RemoteError):
            self._fetch(folder, collected)

    def _describe(self, run: Run) -> dict[str, object]:
        generator = run.section.generator
        hosts = self._hosts()
        client_tools = self.tools[self.clients[0].name]
        return {
            "roles": {
                role: [h.name for h in hosts if h.role == role]
                for role in ("clients", "middlewares", "servers")
            },
            "instances_per_client": generator.instances_per_client,
            "threads_per_instance": generator.threads_per_instance,
            "num_clients": len(self.clients)
            * generator.instances_per_client
            * generator.threads_per_instance
            * int(run.config["clients_per_thread"]),
            "value_bytes": generator.value_bytes,
            "key_count": generator.key_count,
            "think_time_s": 0.0,
            "durations": vars(run.section.durations),
            "generator": {
                "name": client_tools.generator_name,
                "version": client_tools.facts.get("generator", "unknown"),
            },
            "hosts": {h.name: dict(self.tools[h.name].facts) for h in hosts},
            "clock_offsets_s": {h.name: self.tools[h.name].clock_offset_s for h in hosts},
        }

    def _hosts(self) -> tuple[Host, ...]:
        return (*self.clients, *self.middlewares, *self.servers)


def _servers_limit_s(section: Section) -> float:
    """Return a time in which all runs of `section` end, also when some are repeated."""
    runs = len(section.configs()) * section.durations.repetitions
    return 3600.0 + 2 * runs * (section.durations.total_s + GENERATOR_GRACE_S)
