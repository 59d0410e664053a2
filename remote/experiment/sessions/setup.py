"""A run as its session sees it: what it is set to, and the hosts that take part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from records.manifest import UnfinishedManifest
from records.manifest_entries import Generator, MiddlewareUnderTest, Roles
from records.middleware import Middleware
from records.settings import Settings
from remote.experiment.queues import transactions
from remote.experiment.run import Run
from remote.experiment.section import slug
from remote.experiment.sessions import generators
from remote.experiment.sessions.generators import Instance
from remote.hosts.inventory import Host
from remote.hosts.provision import Tools

MOST_PINGED = 8
"""Hosts that one middleware pings at most: each ping is a program on a host that is measured."""


@dataclass(frozen=True, kw_only=True)
class Setup:
    """A run, what it is set to, and the hosts that take part in it."""

    run: Run
    settings: Settings
    middleware: Middleware
    clients: tuple[Host, ...]
    middlewares: tuple[Host, ...]
    servers: tuple[Host, ...]
    databases: tuple[Host, ...] = ()

    @property
    def folder(self) -> str:
        """Name of the run's job folder on every host."""
        return f"{self.run.section.name}-{slug(self.run.config)}-rep-{self.run.repetition}"

    @property
    def total_s(self) -> int:
        """Length of the run."""
        return self.run.lengths.total_s

    @property
    def hosts(self) -> tuple[Host, ...]:
        """All hosts that take part."""
        return (*self.clients, *self.middlewares, *self.behind)

    @property
    def behind(self) -> tuple[Host, ...]:
        """The hosts that answer in the end, servers or databases; none where middlewares echo."""
        return (*self.servers, *self.databases)

    def pauses(self, start_epoch_s: float) -> dict[Host, list[tuple[float, float]]]:
        """When each server stands still, in epoch seconds, of a run that starts at that time."""
        section = self.run.section
        window_s = start_epoch_s + self.run.lengths.warm_up_s
        k = self.run.time_dilation
        times: dict[Host, list[tuple[float, float]]] = {}
        for pause in sorted(section.pauses, key=lambda pause: pause.at_s):
            begins_s = window_s + pause.at_s * k
            host = self.servers[pause.server - 1]
            times.setdefault(host, []).append((begins_s, begins_s + pause.for_s * k))
        return times

    def left_open(self, start_epoch_s: float) -> tuple[float, float] | None:
        """When a transaction is left open in each database, in epoch seconds; None for never."""
        lengths = self.run.lengths
        return transactions.left_open(
            self.settings,
            window_epoch_s=start_epoch_s + lengths.warm_up_s,
            stable_s=lengths.stable_s,
            time_dilation=self.run.time_dilation,
        )

    @property
    def instances(self) -> list[Instance]:
        """The generators."""
        targets = self.middlewares or self.servers
        return generators.instances(self.clients, targets, self.settings.instances_per_client)

    @property
    def pinged(self) -> set[tuple[Host, Host]]:
        """Who pings whom: clients and middlewares all that they send to, or some of very many."""
        found = {(one.host, one.target) for one in self.instances}
        count = len(self.behind)
        for number, middleware in enumerate(self.middlewares):
            first = number * MOST_PINGED  # of others than the middleware before
            some = (self.behind[(first + i) % count] for i in range(min(count, MOST_PINGED)))
            found |= {(middleware, host) for host in some}
        return found

    def describe(self, manifest: UnfinishedManifest, tools: Mapping[str, Tools]) -> None:
        """Set the entries of the manifest that are known before anything is started."""
        settings = self.settings
        client_tools = tools[self.clients[0].name]
        targets: dict[str, list[str]] = {}
        for one in self.instances:
            targets.setdefault(one.host.name, []).append(one.target.name)
        databases = {"databases": [h.name for h in self.databases]} if self.databases else {}
        manifest.roles = Roles(
            clients=[h.name for h in self.clients],
            middlewares=[h.name for h in self.middlewares],
            servers=[h.name for h in self.servers],
            **databases,
        )
        manifest.settings = settings.to_dict()
        if self.middlewares:
            manifest.middleware = MiddlewareUnderTest(
                name=self.middleware.name,
                tells_statistics=self.middleware.tells_statistics,
                exit_statuses=list(self.middleware.exit_statuses),
            )
        manifest.targets = targets
        manifest.instances_per_client = settings.instances_per_client
        manifest.threads_per_instance = settings.threads_per_instance
        manifest.num_clients = settings.num_clients
        manifest.value_bytes = settings.value_bytes
        manifest.key_count = settings.key_count
        manifest.think_time_s = settings.known_think_time_s
        manifest.durations = self.run.lengths.recorded
        manifest.generator = Generator(
            name=client_tools.generator_name,
            version=client_tools.facts.get("generator", "unknown"),
        )
        manifest.hosts = {h.name: dict(tools[h.name].facts) for h in self.hosts}
