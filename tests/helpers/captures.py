"""Captures made in memory: connections that speak memcached, as tcpdump would write them."""

import random
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import dpkt

SYN, FIN, RST, ACK = 2, 1, 4, 16
ETHERNET, SLL, SLL2 = 1, 113, 276
START_NS = 1_795_000_000_000_000_000
LISTEN = "10.0.0.2:11212"
SERVERS = ("10.0.1.1:11211", "10.0.1.2:11211", "10.0.1.3:11211")
MS = 1_000_000


@dataclass
class Tape:
    """Packets in the order in which they are captured; times are nanoseconds since the start."""

    link: int = SLL2
    packets: list[tuple[int, bytes]] = field(default_factory=list)

    def add(self, at_ns: int, ip: bytes) -> None:
        self.packets.append((at_ns, self._head() + ip))

    def write(
        self, path: Path, *, nano: bool = True, snap: int = 1 << 18, big: bool = False
    ) -> Path:
        """Write what there is in the order of time."""
        order, head = (">", dpkt.pcap.FileHdr) if big else ("<", dpkt.pcap.LEFileHdr)
        magic = dpkt.pcap.TCPDUMP_MAGIC_NANO if nano else dpkt.pcap.TCPDUMP_MAGIC
        parts = [bytes(head(magic=magic, snaplen=snap, linktype=self.link))]
        for at_ns, packet in sorted(self.packets, key=lambda one: one[0]):
            seconds, rest = divmod(START_NS + at_ns, 1_000_000_000)
            kept = packet[:snap]
            fraction = rest if nano else rest // 1000
            parts.append(struct.pack(f"{order}IIII", seconds, fraction, len(kept), len(packet)))
            parts.append(kept)
        path.write_bytes(b"".join(parts))
        return path

    def _head(self) -> bytes:
        if self.link == ETHERNET:
            return b"\0" * 12 + b"\x08\x00"
        if self.link == SLL:
            return struct.pack(">HHH8sH", 0, 1, 6, b"\0" * 8, 0x0800)
        return struct.pack(">HHIHBB8s", 0x0800, 0, 2, 1, 0, 6, b"\0" * 8)


class Talk:
    """One connection on a tape; `up` is what the client sends."""

    def __init__(
        self, tape: Tape, server: str, port: int, *, client: str = "10.0.9.9", first: int = 1000
    ) -> None:
        self.tape = tape
        self._ends = ((client, port), _split(server))
        self.next = [first, (first + 77_777) % (1 << 32)]  # of the client, of the server

    def open(self, at_ns: int) -> "Talk":
        self._packet(at_ns, 0, self.next[0] - 1, SYN, b"")
        self._packet(at_ns + 1, 1, self.next[1] - 1, SYN | ACK, b"")
        return self

    def up(self, at_ns: int, data: bytes) -> None:
        self._send(at_ns, 0, data)

    def down(self, at_ns: int, data: bytes) -> None:
        self._send(at_ns, 1, data)

    def lose(self, side: int, data: bytes) -> None:
        """Send what is not captured."""
        self.next[side] = (self.next[side] + len(data)) % (1 << 32)

    def again(self, at_ns: int, side: int, data: bytes, *, back: int) -> None:
        """Send `data` from `back` bytes before what is due."""
        self._packet(at_ns, side, (self.next[side] - back) % (1 << 32), ACK, data)

    def shut(self, at_ns: int, side: int, flags: int = FIN | ACK) -> None:
        self._packet(at_ns, side, self.next[side], flags, b"")
        self.next[side] += 1

    def pieces(
        self, rng: random.Random, at_ns: int, side: int, messages: Sequence[bytes]
    ) -> list[tuple[int, int]]:
        """Send messages cut anywhere, out of order, some twice; return when each begins, ends."""
        data = b"".join(messages)
        cuts = sorted(rng.sample(range(1, len(data)), min(rng.randint(0, 3), len(data) - 1)))
        bounds = list(zip([0, *cuts], [*cuts, len(data)], strict=True))
        order = list(range(len(bounds)))
        rng.shuffle(order)
        first, times = self.next[side], [0] * len(bounds)
        for index in order:
            begin, end = bounds[index]
            times[index] = at_ns
            for _ in range(rng.choice([1, 1, 1, 2])):
                number = (first + begin) % (1 << 32)
                self._packet(at_ns, side, number, ACK, data[begin:end])
            at_ns += rng.randint(1, 50_000)
        self.next[side] = (first + len(data)) % (1 << 32)

        def delivered(place: int) -> int:
            return max(t for t, (begin, _) in zip(times, bounds, strict=True) if begin <= place)

        spans, place = [], 0
        for message in messages:
            spans.append((delivered(place), delivered(place + len(message) - 1)))
            place += len(message)
        return spans

    def _send(self, at_ns: int, side: int, data: bytes) -> None:
        self._packet(at_ns, side, self.next[side], ACK, data)
        self.next[side] = (self.next[side] + len(data)) % (1 << 32)

    def _packet(self, at_ns: int, side: int, sequence: int, flags: int, data: bytes) -> None:
        (source, sport), (target, dport) = self._ends[side], self._ends[1 - side]
        acknowledged = self.next[1 - side] if flags & ACK else 0
        if flags & SYN and flags & ACK:
            acknowledged = self.next[0]
        tcp = dpkt.tcp.TCP(
            sport=sport,
            dport=dport,
            seq=sequence % (1 << 32),
            ack=acknowledged,
            flags=flags,
            data=data,
            sum=1,
        )
        if ":" in source:
            ip = dpkt.ip6.IP6(src=_packed(source), dst=_packed(target), nxt=6, data=tcp)
            ip.plen = len(tcp)
            self.tape.add(at_ns, bytes(ip))
            return
        ip = dpkt.ip.IP(src=_packed(source), dst=_packed(target), p=6, data=tcp, sum=1)
        ip.len = len(ip)
        self.tape.add(at_ns, bytes(ip))


def value(key: bytes, data: bytes) -> bytes:
    """Return one value of a reply to a get, without its end."""
    return b"VALUE %s 0 %d\r\n%s\r\n" % (key, len(data), data)


def set_of(key: bytes, data: bytes, noreply: bytes = b"") -> bytes:
    return b"set %s 0 0 %d%s\r\n%s\r\n" % (key, len(data), noreply, data)


def _split(endpoint: str) -> tuple[str, int]:
    host, _, port = endpoint.rpartition(":")
    return host.strip("[]"), int(port)


def _packed(address: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)
