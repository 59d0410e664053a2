"""A Dask cluster on the hosts of an inventory, for work that outgrows one machine."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator
from typing import Any

from remote.errors import ConfigError, HostUnreachable
from remote.hosts.host import Host
from remote.hosts.inventory import Inventory
from remote.hosts.public import require_private


@contextlib.contextmanager
def cluster(inventory: Inventory, python: str, *, allow_public: bool = False) -> Iterator[str]:
    """Run a scheduler on the first host, and a worker on each; yield the scheduler's address.

    Parameters
    ----------
    python : path on every host, of an environment with this project in the version that is here.
    allow_public : they may listen on addresses that the Internet routes.
    """
    hosts = inventory.hosts
    for host in hosts:
        if host.jump is not None:
            raise ConfigError(
                inventory.path,
                f"{host.name} is reached through a jump host, which Dask cannot: start "
                "`dask scheduler` and `dask worker` there by hand (docs/workers.md)",
            )
    if not allow_public:
        require_private(hosts, inventory.path)
    from distributed import SSHCluster  # slow to load

    try:
        started = SSHCluster(
            [hosts[0].address, *(host.address for host in hosts)],
            connect_options=[ssh_options(host) for host in (hosts[0], *hosts)],
            scheduler_options={"host": hosts[0].data_address, "port": 0, "dashboard": False},
            worker_options={"nthreads": 1},
            remote_python=shlex.quote(python),
        )
    except Exception as exc:  # it raises what asyncssh does, or none of its own
        names = ", ".join(host.name for host in hosts)
        remedy = f"Is `{python}` there on every host, with this project and its packages?"
        raise HostUnreachable(names, f"no Dask cluster: {exc}", remedy) from exc
    with started as running:
        yield str(running.scheduler_address)


def ssh_options(host: Host) -> dict[str, Any]:
    """Return what asyncssh is told of the way to a host: nothing but what the inventory says."""
    options: dict[str, Any] = {
        "port": host.port,
        "username": host.user,
        "known_hosts": str(host.known_hosts),
        "config": None,
    }
    if host.identity_file is not None:
        options |= {"client_keys": [str(host.identity_file)], "agent_path": None}
    return options
