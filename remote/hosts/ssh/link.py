"""One SSH transport to one host, opened on first use; its channels and commands end in time."""

from __future__ import annotations

import contextlib
import logging
import math
import shlex
import socket
import threading
import time
from collections.abc import Iterator

import paramiko

from remote.errors import ConnectionLost, HostGone, HostUnreachable
from remote.hosts.inventory import Host
from remote.hosts.ssh.handshake import CONNECT_TIMEOUT_S, open_client, ssh_command
from remote.hosts.ssh.sockets import route_leaves_by

# What paramiko logs is raised here as an error that names the host; logged too, it would be noise.
logging.getLogger("paramiko").addHandler(logging.NullHandler())

_HOST_MARGIN_S = 5
KEEPALIVE_S = 5
SILENCE_S = 15.0
REFUSED_PAUSE_S = 0.2
SESSIONS_REMEDY = "Its sshd may allow too few sessions: `lab provision` raises MaxSessions."
BROKEN = (paramiko.SSHException, OSError, EOFError)
"""What paramiko raises when a connection breaks, or what runs on it fails."""


class Link:
    """The transport to `host`, with any number of channels; safe to use from several threads.

    Parameters
    ----------
    gateway : the link to ``host.jump`` if others use it, too; by default one of its own.
    """

    def __init__(self, host: Host, gateway: Link | None = None) -> None:
        self.host = host
        self.losses = 0
        self._owns_gateway = gateway is None
        self._gateway = Link(host.jump) if host.jump and gateway is None else gateway
        self._client: paramiko.SSHClient | None = None
        self._lock = threading.RLock()

    def open(self) -> paramiko.Transport:
        """Connect if there is no living connection, and return it."""
        with self._lock:
            transport = self._client.get_transport() if self._client else None
            if transport is not None and transport.is_active():
                return transport
            if transport is not None:
                self._drop(transport)
            if self._gateway is None:
                self._refuse_foreign_route()
            self._client = open_client(self.host, self._tunnel())
            transport = self._client.get_transport()
            assert transport is not None  # open_client() has just made it
            _notice_dead_peer(transport)
            return transport

    def close(self) -> None:
        """Close the connection; harmless if it is closed."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None
            if self._gateway is not None and self._owns_gateway:
                self._gateway.close()

    def channel(self, purpose: str, timeout_s: float) -> paramiko.Channel:
        """Open a channel; on a connection that turns out to be broken, once more on a new one.

        TimeoutError: the host did not open it within `timeout_s` seconds once connected.
        """
        may_reconnect = True
        transport = self.open()
        deadline = time.monotonic() + timeout_s
        while True:
            wait_s = min(CONNECT_TIMEOUT_S, max(0.0, deadline - time.monotonic()))
            try:
                return transport.open_session(timeout=wait_s)
            except BROKEN as exc:
                if _is_refusal(transport, exc):
                    if wait_s < REFUSED_PAUSE_S:
                        reason = f"it refuses a channel for `{purpose}`"
                        raise HostUnreachable(self.host.name, reason, SESSIONS_REMEDY) from exc
                    time.sleep(REFUSED_PAUSE_S)
                    continue
                if transport.is_active() and wait_s < CONNECT_TIMEOUT_S:
                    raise TimeoutError(f"no channel for `{purpose}`") from exc
                self._drop(transport)
                if not may_reconnect:
                    raise self.lost(f"cannot open a channel for `{purpose}`: {exc}") from exc
                may_reconnect = False
                transport = self.open()

    def is_alive(self) -> bool:
        """Whether there is a connection that is not known to be broken."""
        transport = self._client.get_transport() if self._client else None
        return transport is not None and transport.is_active()

    def lost(self, reason: str) -> ConnectionLost:
        """Return the error for a connection that broke while it was used."""
        remedy = f"Check its link and sshd: `{ssh_command(self.host)}`."
        return ConnectionLost(self.host.name, reason, remedy)

    def _drop(self, transport: paramiko.Transport) -> None:
        """Close the connection that broke, as long as it is that one."""
        with self._lock:
            client = self._client
            if client is not None and transport is client.get_transport():
                self._client = None
                self.losses += 1
                client.close()

    def _tunnel(self) -> paramiko.Channel | None:
        """Open the way through the jump host to the host's sshd, None if there is no jump host."""
        if self._gateway is None:
            return None
        target = (self.host.address, self.host.port)
        for is_last in (False, True):
            transport = self._gateway.open()
            try:
                return transport.open_channel(
                    "direct-tcpip", target, ("127.0.0.1", 0), timeout=CONNECT_TIMEOUT_S
                )
            except BROKEN as exc:
                if is_last or transport.is_active():  # it is the host that does not answer
                    reason = (
                        f"{self._gateway.host.name} cannot reach {target[0]}:{target[1]}: {exc}"
                    )
                    remedy = f"Is the host up? `{ssh_command(self.host)}`."
                    raise HostGone(self.host.name, reason, remedy) from exc
                self._gateway._drop(transport)
        raise AssertionError("the last attempt returns or raises")

    def _refuse_foreign_route(self) -> None:
        device = self.host.route_device
        if device and not route_leaves_by(self.host.address, device):
            raise HostUnreachable(
                self.host.name,
                f"{self.host.address} is not routed by {device}: the local lab is down",
                "Start it with `lab up`.",
            )


def _is_refusal(transport: paramiko.Transport, exc: Exception) -> bool:
    """Whether the host has refused a channel because it has as many as it allows.

    Of several refusals at once paramiko reports only one as a ChannelException.
    """
    if isinstance(exc, paramiko.ChannelException):
        return True
    has_answered = isinstance(exc, paramiko.SSHException) and "Timeout" not in str(exc)
    return has_answered and transport.is_active()


def _notice_dead_peer(transport: paramiko.Transport) -> None:
    """End the connection when nothing that was sent is acknowledged for `SILENCE_S` seconds."""
    transport.set_keepalive(KEEPALIVE_S)
    if isinstance(transport.sock, socket.socket):
        milliseconds = round(SILENCE_S * 1000)
        transport.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)


def bounded(command: str, timeout_s: float, *, reads_stdin: bool = False) -> str:
    """Return `command` for the user's shell so that it ends on the host, too.

    When its time is over, or this process has died, `timeout` ends the command and what it started
    in its process group. ``sh`` runs it.

    A command that is sent nothing has an empty standard input of its own. It must not be ended from
    here: paramiko decides under a lock and sends without it, so that the end of the input may
    follow the closing of a channel whose command has ended meanwhile, and sshd then closes the
    whole connection ("ieof packet referred to nonexistent channel").
    """
    limit_s = math.ceil(timeout_s + _HOST_MARGIN_S)
    bound = f"exec timeout -k {_HOST_MARGIN_S} {limit_s} sh -c {shlex.quote(command)}"
    return bound if reads_stdin else f"{bound} < /dev/null"


@contextlib.contextmanager
def limited(channel: paramiko.Channel, timeout_s: float) -> Iterator[paramiko.Channel]:
    """Close `channel` when it is not used any more, and in any case after `timeout_s` seconds.

    paramiko waits without bound in places, and a host that sends a byte now and then keeps every
    other wait from ending.
    """
    watchdog = threading.Timer(max(0.0, timeout_s), _close, [channel])
    watchdog.daemon = True
    watchdog.start()
    try:
        yield channel
    finally:
        watchdog.cancel()
        _close(channel)


def _close(channel: paramiko.Channel) -> None:
    with contextlib.suppress(*BROKEN):
        channel.close()
