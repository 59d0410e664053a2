"""A host of which shell and SFTP answer as a test wants: paramiko's own server, on loopback."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import paramiko

from remote.hosts.connection import Connection
from remote.hosts.host import Host

_ANSWER_AFTER_S = 0.05  # that the request is granted comes first

Shell = Callable[[str], Iterable[bytes]]
"""A command to what it writes, piece by piece; it ends with the status 0."""


@contextlib.contextmanager
def hostile(folder: Path, shell: Shell, sftp: Iterable[bytes] = ()) -> Iterator[Connection]:
    """Serve until the end, and yield a connection to the host; keys go to `folder`."""
    key = paramiko.RSAKey.generate(2048)
    key.write_private_key_file(str(folder / "id"))
    transports: list[paramiko.Transport] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        pins = folder / "known_hosts"
        pins.write_text(f"[127.0.0.1]:{port} {key.get_name()} {key.get_base64()}\n")

        def serve() -> None:
            with contextlib.suppress(OSError):  # the listener is closed at the end
                while True:
                    client, _ = listener.accept()
                    transport = paramiko.Transport(client)
                    transport.add_server_key(key)
                    transports.append(transport)
                    with contextlib.suppress(paramiko.SSHException, EOFError):
                        transport.start_server(server=_Server(shell, sftp))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        host = Host(
            name="evil",
            role="clients",
            address="127.0.0.1",
            port=port,
            identity_file=folder / "id",
            known_hosts=pins,
            data_address="127.0.0.1",
        )
        try:
            with Connection(host) as connection:
                yield connection
        finally:
            for transport in transports:
                transport.close()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(5)


class _Server(paramiko.ServerInterface):
    def __init__(self, shell: Shell, sftp: Iterable[bytes]) -> None:
        self._shell = shell
        self._sftp = sftp

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        return paramiko.AUTH_SUCCESSFUL

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return paramiko.OPEN_SUCCEEDED

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        return _answer(channel, self._shell(command.decode()))

    def check_channel_subsystem_request(self, channel: paramiko.Channel, name: str) -> bool:
        return _answer(channel, self._sftp)


def _answer(channel: paramiko.Channel, pieces: Iterable[bytes]) -> bool:
    def answer() -> None:
        time.sleep(_ANSWER_AFTER_S)
        with contextlib.suppress(OSError, EOFError):  # who asked has had enough
            for piece in pieces:
                channel.sendall(piece)
            channel.send_exit_status(0)
            channel.close()

    threading.Thread(target=answer, daemon=True).start()
    return True
