"""Connect to ADDRESS PORT and pass the socket on to whoever has the other end of standard output.

It is run by its path in the lab's namespaces, and is what ssh_config(5) expects of a ProxyCommand
with ProxyUseFdpass.
"""

from __future__ import annotations

import socket
import sys


def dial(address: str, port: int) -> None:
    """Pass a connected socket on; ends the program with a message if there is no connection."""
    try:
        connection = socket.create_connection((address, port))
    except OSError as exc:
        sys.exit(f"{address} port {port}: {exc.strerror or exc}")
    with connection, socket.socket(fileno=sys.stdout.fileno()) as waiting:
        socket.send_fds(waiting, [b"\0"], [connection.fileno()])


if __name__ == "__main__":
    dial(sys.argv[1], int(sys.argv[2]))
