"""The databases of a run: what they have counted and logged."""

from __future__ import annotations

from collections.abc import Sequence

from remote.hosts.host import Host
from remote.services.postgresql import LOG, Databases

COUNTS = "message-queue.json"
# The sequence counts what was sent, the server's statistics what was taken, the table what is left.
# Connections tell what they have done when they end: wait for that.
_WAIT = """
DO $$ BEGIN
    FOR i IN 1..250 LOOP
        EXIT WHEN NOT EXISTS (
            SELECT FROM pg_stat_activity WHERE datname = current_database()
            AND pid <> pg_backend_pid() AND backend_type = 'client backend'
        );
        PERFORM pg_sleep(0.02), pg_stat_clear_snapshot();
    END LOOP;
    IF current_setting('server_version_num')::int < 150000 THEN
        PERFORM pg_sleep(1);  -- a process of its own collects what is told
    END IF;
END $$
"""
_COUNTS = """
SELECT json_build_object(
    'sent', coalesce(pg_sequence_last_value(
        pg_get_serial_sequence('message_queue.message', 'id')::regclass), 0),
    'taken', n_tup_del,
    'left', (SELECT count(*) FROM message_queue.message)
) FROM pg_stat_user_tables WHERE schemaname = 'message_queue' AND relname = 'message'
"""


def counts(databases: Databases, hosts: Sequence[Host]) -> dict[str, bytes]:
    """Return the files with what each of `hosts` counts once nobody asks it any more."""
    told = databases.asked(hosts, _WAIT, _COUNTS)
    return {f"{name}/{COUNTS}": text for name, text in told.items()}


def logs(databases: Databases, hosts: Sequence[Host]) -> dict[str, bytes]:
    """Return the files with what those of `hosts` have logged that did since the run before."""
    return {f"{name}/{LOG}": text for name, text in databases.log(hosts).items()}
