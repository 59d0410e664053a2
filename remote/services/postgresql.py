"""PostgreSQL, the database of message queues: clusters that are made for a section and deleted."""

from __future__ import annotations

import contextlib
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass

from records.settings import ON_OFF, Settings
from remote.errors import RemoteError
from remote.hosts.connection import Connection
from remote.hosts.group import Fleet
from remote.hosts.host import Host
from remote.hosts.jobs import Job, RunningJobs, Task, claim, job_folder, require_free_ports

PORT = 5432
DATABASE = "messages"
"""Name of the database, and of its owner, whom the middlewares are."""
READY_TIMEOUT_S = 60.0
SPARE_CONNECTIONS = 10  # for psql, and what PostgreSQL keeps for itself
LOG = "postgresql.log"
OPENED = "open-transaction"  # job that leaves one open, and its file
_JOB = "postgresql"
_ADMINISTRATOR = "postgres"  # of the cluster, and the account that it runs in where root starts it
_PATH = "data.path"  # file that tells where the cluster is
_SCRIPT = "postgresql.sh"

# What PostgreSQL does by the clock, in seconds of the system.
_SWEEP_EVERY_S = 1.0  # the least; of a queue nearly all rows are dead ones
_CHECKPOINT_EVERY_S = 300.0
_WRITE_EVERY_S = 0.2

# Debian keeps PostgreSQL's programs in a folder of their version; the newest comes first.
_PROGRAMS = "for bin in /usr/lib/postgresql/*/bin; do ! [ -d $bin ] || PATH=$bin:$PATH; done"

# Makes a cluster and becomes its server: NAME DISK|MEMORY OPTION... where NAME is that of a folder.
# It is made in the job's folder if that is in memory, as in the lab, else where Linux has memory or
# a disk for everyone. What a host that died with its cluster has left there is deleted first.
# Root has it made and run by an account without rights: PostgreSQL insists.
_SERVE = f"""\
{_PROGRAMS}; umask 077
name=$1-$(id -u) kind=$2 as=; shift 2
[ "$(id -u)" -ne 0 ] ||
    as="setpriv --reuid={_ADMINISTRATOR} --regid={_ADMINISTRATOR} --clear-groups"
in_memory() {{ [ "$(stat -f -c %T "$1")" = tmpfs ]; }}
if [ $kind = disk ]; then
    ! in_memory /var/tmp || {{ echo "/var/tmp is in memory, and no disk" >&2; exit 1; }}
    data=/var/tmp/$name
elif in_memory . && $as test -x "$PWD"; then
    data=$PWD/data
else
    data=/dev/shm/$name
fi
rm -rf "$data" "/var/tmp/$name" "/dev/shm/$name" && mkdir "$data" && echo "$data" > {_PATH} || exit
[ -z "$as" ] || chown {_ADMINISTRATOR}: "$data" || exit
$as initdb --pgdata="$data" --username={_ADMINISTRATOR} --auth=trust --encoding=UTF8 --locale=C \\
    --no-sync > initdb.log || exit
printf '%s\\n' 'local all all trust' 'host {DATABASE} {DATABASE} all trust' > "$data/pg_hba.conf"
exec $as postgres -D "$data" -c unix_socket_directories="$data" "$@"
"""

# An immediate shutdown leaves nothing behind in the machine's shared memory, which SIGKILL would.
# A negative number is that of initdb's.
_END = f"""\
read -r data < {_PATH} && read -r pid < "$data/postmaster.pid" || exit 0
case $pid in -*) exit 0 ;; esac
kill -QUIT $pid; i=0
while kill -0 $pid && [ $i -lt 400 ]; do sleep 0.05; i=$((i+1)); done
"""
_DELETE = f'read -r data < {_PATH} && rm -rf "$data"'


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Settings of a cluster; times are stretched as those of the system are.

    Parameters
    ----------
    told : settings of PostgreSQL as ``name=value``.
    max_connections : of the middlewares.
    durable : it stands on a disk, not in memory.
    """

    told: tuple[str, ...]
    max_connections: int
    durable: bool
    time_dilation: float

    @classmethod
    def of(cls, settings: Settings, time_dilation: float) -> Cluster:
        """Return what the databases of a run are started with."""
        return cls(
            told=tuple(settings.options("database", time_dilation)),
            max_connections=settings.max_connections,
            durable=settings.durable,
            time_dilation=time_dilation,
        )

    def options(self, address: str) -> dict[str, object]:
        """Return PostgreSQL's own settings, listening on `address` only."""
        k = self.time_dilation
        return {
            "listen_addresses": address,
            "port": PORT,
            "max_connections": self.max_connections + SPARE_CONNECTIONS,
            **dict(option.split("=", 1) for option in self.told),
            "autovacuum_naptime": f"{max(1, round(_SWEEP_EVERY_S * k))}s",
            "checkpoint_timeout": f"{min(86400, max(30, round(_CHECKPOINT_EVERY_S * k)))}s",
            "wal_writer_delay": f"{min(10_000, max(1, round(1000 * _WRITE_EVERY_S * k)))}ms",
            "max_wal_size": "512MB",  # it stands in memory
            "dynamic_shared_memory_type": "mmap",  # in its own folder
        }

    def command(self, host: Host) -> str:
        """Return the command that makes the cluster anew on `host` and serves it."""
        name, kind = f"middleware-lab-{host.name}", "disk" if self.durable else "memory"
        options = [f"{name}={value}" for name, value in self.options(host.data_address).items()]
        given = [word for option in options for word in ("-c", option)]
        return shlex.join(["sh", _SCRIPT, name, kind, *given])


class Databases:
    """PostgreSQL on `hosts`, up from `start` to `kill`; each run has an empty database there."""

    def __init__(self, fleet: Fleet, hosts: Sequence[Host], name: str) -> None:
        self.fleet = fleet
        self.hosts = tuple(hosts)
        self._name = f"{name}-databases"
        self._jobs: RunningJobs | None = None
        self._cluster: Cluster | None = None
        self._logged: dict[Host, int] = {}

    def start(self, cluster: Cluster, *, limit_s: float) -> None:
        """Start all of them unless they run as `cluster` says; hosts end them after `limit_s`."""
        if cluster == self._cluster:
            return
        self.kill()
        self._jobs = jobs = RunningJobs(self.fleet, self._name)

        def start_one(connection: Connection) -> None:
            host = connection.host
            require_free_ports(connection, PORT)
            folder = self._folder(connection)
            connection.run(claim(folder))
            connection.put_text(_SERVE, f"{folder}/{_SCRIPT}")
            job = jobs.start(host, Task(_JOB, cluster.command(host)), limit_s=limit_s)
            job.wait_for_port(PORT, timeout_s=READY_TIMEOUT_S)
            self._wait_until_accepting(connection, job)
            self._ask(connection, f"CREATE ROLE {DATABASE} LOGIN")

        self.fleet.for_each(self.hosts, start_one)
        self._cluster = cluster
        self._logged = {}

    def empty(self, hosts: Sequence[Host], *, synchronous_commit: bool) -> None:
        """Give each of `hosts` a new, empty database.

        Parameters
        ----------
        synchronous_commit : of connections that do not set it themselves.
        """
        statements = (
            f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)",
            f"CREATE DATABASE {DATABASE} OWNER {DATABASE}",
            f"ALTER DATABASE {DATABASE} SET synchronous_commit = {ON_OFF[synchronous_commit]}",
            "CHECKPOINT",  # so that all runs begin alike
        )
        self._each(hosts, *statements)

    def asked(self, hosts: Sequence[Host], *statements: str) -> dict[str, bytes]:
        """Return what the database of each of `hosts` answers to all of the statements."""
        answers = self._each(hosts, *statements, database=DATABASE)
        return {name: answer.encode() for name, answer in answers.items()}

    def leave_open(
        self, jobs: RunningJobs, hosts: Sequence[Host], begins_s: float, ends_s: float
    ) -> list[Job]:
        """Start jobs that keep a transaction open on each of `hosts` between two epoch seconds.

        It has read the messages once and keeps its snapshot: rows that are deleted meanwhile stay
        until it ends. It prints when it began and when it ended. It asks nothing before, as a
        statement that waits has a snapshot, too.
        """
        now = "SELECT extract(epoch FROM clock_timestamp())"
        statements = (
            "BEGIN ISOLATION LEVEL REPEATABLE READ",
            "SELECT FROM message_queue.message LIMIT 1",
            now,
            f"DO $$ BEGIN PERFORM pg_sleep_until(to_timestamp({ends_s:.3f})); END $$",
            "COMMIT",
            now,
        )
        wait = f"sleep $(awk -v now=$(date +%s.%N) 'BEGIN {{ print {begins_s:.3f} - now }}')"

        def script(host: Host) -> str:
            return f"{wait} && {self._asking(self.fleet[host], statements, DATABASE)}"

        return [
            jobs.start(
                host,
                Task(OPENED, shlex.join(["sh", "-c", script(host)])),
                limit_s=ends_s - time.time() + READY_TIMEOUT_S,
            )
            for host in hosts
        ]

    def log(self, hosts: Sequence[Host]) -> dict[str, bytes]:
        """Return what those of `hosts` that did have logged since this was asked before."""

        def read(connection: Connection) -> bytes:
            seen = self._logged.get(connection.host, 0)
            path = shlex.quote(f"{self._folder(connection)}/{_JOB}.err")
            text = connection.run(f"tail -c +{seen + 1} {path}", check=False).stdout.encode()
            self._logged[connection.host] = seen + len(text)
            return text

        return {name: text for name, text in self.fleet.for_each(hosts, read).items() if text}

    def kill(self) -> None:
        """End all of them at once and delete what they have kept."""
        if self._jobs is None:
            return
        try:
            self._run_there(_END)
        finally:
            self._jobs.kill_all()
            self._run_there(_DELETE)
            self._jobs = self._cluster = None

    def _run_there(self, script: str) -> None:
        def run(connection: Connection) -> None:
            folder = shlex.quote(self._folder(connection))
            connection.run(
                f"cd {folder} 2>/dev/null || exit 0; {script}", check=False, shown="end PostgreSQL"
            )

        with contextlib.suppress(RemoteError):
            self.fleet.for_each(self.hosts, run)

    def _each(
        self, hosts: Sequence[Host], *statements: str, database: str = _ADMINISTRATOR
    ) -> dict[str, str]:
        with self._jobs.blamed() if self._jobs else contextlib.nullcontext():
            return self.fleet.for_each(
                hosts, lambda c: self._ask(c, *statements, database=database)
            )

    def _ask(self, connection: Connection, *statements: str, database: str = _ADMINISTRATOR) -> str:
        """Run statements of SQL, each in a transaction of its own, and return what they answer."""
        shown = f"psql --dbname={database}: {'; '.join(statements)}"
        return connection.run(self._asking(connection, statements, database), shown=shown).stdout

    def _asking(self, connection: Connection, statements: Sequence[str], database: str) -> str:
        options = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]
        options += [f"--command={statement}" for statement in statements]
        ask = f"psql {self._place(connection)} --dbname={database} {shlex.join(options)}"
        return f"{_PROGRAMS}; {ask}"

    def _wait_until_accepting(self, connection: Connection, job: Job) -> None:
        """Wait until the server lets clients in, which it does somewhat later than it listens."""
        script = (
            f"{_PROGRAMS}; i=0; until pg_isready --quiet {self._place(connection)}; "
            "do i=$((i+1)); [ $i -lt 200 ] || exit 1; sleep 0.05; done"
        )
        if connection.run(script, check=False, shown="pg_isready").exit_status:
            raise job.failure("accept connections")

    def _place(self, connection: Connection) -> str:
        path = shlex.quote(f"{self._folder(connection)}/{_PATH}")
        return f'--host="$(cat {path})" --port={PORT} --username={_ADMINISTRATOR}'

    def _folder(self, connection: Connection) -> str:
        return job_folder(connection.host, self._name)


def url(host: Host) -> str:
    """Return how a middleware names the database on `host`."""
    return f"postgresql://{DATABASE}@{host.data_address}:{PORT}/{DATABASE}"
