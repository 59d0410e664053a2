"""What the programs of a run are told, from its settings."""

from __future__ import annotations

from collections.abc import Sequence

from records.middleware import Middleware
from records.settings import Settings
from remote.experiment.sessions.generators import Instance
from remote.hosts.host import Host
from remote.services import memcached, middleware, postgresql
from remote.services.memtier import Memtier
from remote.services.middleware_file import STATISTICS, Launch


def middleware_launch(
    host: Host,
    of: Middleware,
    servers: Sequence[Host],
    settings: Settings,
    *,
    programs: str,
    time_dilation: float,
) -> Launch:
    """Return how the middleware on `host` is started in front of `servers`, or databases.

    Its time limit is one of the system under test, and the middleware knows the clock only.

    Parameters
    ----------
    programs : folder on the host with the project's own programs.
    """
    words = {
        "address": host.data_address,
        "port": middleware.PORT,
        "admin_port": middleware.ADMIN_PORT,
        "servers": [f"{server.data_address}:{memcached.PORT}" for server in servers],
        "databases": [postgresql.url(database) for database in servers],
        "prepare_database": settings.uses_databases,
        "folder": middleware.files_folder(host, of),
        "programs": programs,
        "statistics": STATISTICS,
    }
    return Launch.of(of, {**words, **of.told_settings(settings, time_dilation)})


def generator_command(
    instance: Instance,
    settings: Settings,
    *,
    program: str,
    test_time_s: int,
    time_dilation: float,
    start_is_told: bool = False,
) -> str:
    """Return the command line of an instance of the generator."""
    return Memtier(
        program=program,
        server=instance.target.data_address,
        port=middleware.PORT if settings.num_middlewares else memcached.PORT,
        length=f"--test-time={test_time_s}",
        json_file=f"{instance.name}.json",
        time_dilation=time_dilation,
        start_is_told=start_is_told,
    ).command(settings)
