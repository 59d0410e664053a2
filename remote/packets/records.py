"""Read the segments of TCP from a capture: classic pcap, of Ethernet or of Linux's ``any``.

dpkt tells what the file's head means. The packets are read at their offsets here, for dpkt makes
objects of them, which takes longer than all else that is done with them (docs/decisions/0013).
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dpkt import pcap

SYN, FIN, RST, ACK = 0x02, 0x01, 0x04, 0x10
_LINK_BYTES = {1: 14, 113: 16, 276: 20, 101: 0}  # Ethernet, SLL, SLL2, none
_NANO = (pcap.TCPDUMP_MAGIC_NANO, pcap.PMUDPCT_MAGIC_NANO)
_SWAPPED = (pcap.PMUDPCT_MAGIC, pcap.PMUDPCT_MAGIC_NANO)
_IP4_AND_TCP = struct.Struct(">BxHxxHxB2x12sIIBB")
_TCP = struct.Struct(">4sIIBB")
_PLAIN_IP4 = 0x45  # version 4, a header without options
_IP4_BYTES, _IP6_BYTES, _TCP_BYTES = 20, 40, 20
_PROTOCOL_TCP = 6
_A_FRAGMENT = 0x3FFF


class Segment(NamedTuple):
    """Part of a connection that one packet carries.

    Attributes
    ----------
    flow : addresses of sender and receiver, then their ports, as they stand in the packet.
    data, hidden_bytes : of its payload what was captured, and how much more there was.
    """

    at_ns: int
    flow: bytes
    sequence: int
    acknowledged: int
    flags: int
    data: bytes
    hidden_bytes: int


class Records:
    """The packets of a capture, their number, and the times of the first and last one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.packets = 0
        self.first_ns = 0
        self.last_ns = 0
        self.is_cut = False

    def segments(self) -> Iterator[Segment]:
        """Read all segments that carry something, or open or end a connection."""
        with self.path.open("rb") as file:
            record, unit_ns, link_bytes = _read_head(self.path, file.read(pcap.FileHdr.__hdr_len__))
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                yield from self._read(content, record, unit_ns, link_bytes)

    def _read(
        self, content: mmap.mmap, record: struct.Struct, unit_ns: int, link_bytes: int
    ) -> Iterator[Segment]:
        place, size = pcap.FileHdr.__hdr_len__, len(content)
        head_bytes = record.size
        unpack_head, unpack = record.unpack_from, _IP4_AND_TCP.unpack_from
        least_bytes = link_bytes + _IP4_BYTES + _TCP_BYTES
        packets = at_ns = 0
        while place + head_bytes <= size:
            seconds, fraction, kept_bytes, _ = unpack_head(content, place)
            begin = place + head_bytes
            place = begin + kept_bytes
            if place > size:
                break
            at_ns = seconds * 1_000_000_000 + fraction * unit_ns
            if not packets:
                self.first_ns = at_ns
            packets += 1
            if kept_bytes < least_bytes:
                continue
            begin += link_bytes
            (version, length, fragment, protocol, flow, sequence, acknowledged, words, flags) = (
                unpack(content, begin)
            )
            if version == _PLAIN_IP4 and protocol == _PROTOCOL_TCP and not fragment & _A_FRAGMENT:
                begin += _IP4_BYTES
                length -= _IP4_BYTES
            elif found := _unusual(content[begin:place]):
                headers, length, flow, sequence, acknowledged, words, flags = found
                begin += headers
            else:
                continue
            header = words >> 4 << 2
            length -= header
            if length <= 0 and not flags & (SYN | FIN | RST):
                continue
            begin += header
            end = begin + length
            hidden = 0
            if end > place:
                hidden = min(end - place, length)
                end = place
            yield Segment(
                at_ns,
                flow,
                sequence,
                acknowledged,
                flags,
                content[begin:end],
                hidden,
            )
        self.packets, self.last_ns, self.is_cut = packets, at_ns, place != size


def _read_head(path: Path, head: bytes) -> tuple[struct.Struct, int, int]:
    """Return how a packet's head is read, the unit of its fraction, the link's bytes."""
    if len(head) < pcap.FileHdr.__hdr_len__:
        raise ValueError(f"{path} ends before the head of a capture: tcpdump wrote nothing")
    fields, order = pcap.FileHdr(head), ">"
    if fields.magic in _SWAPPED:
        fields, order = pcap.LEFileHdr(head), "<"
    elif fields.magic not in (pcap.TCPDUMP_MAGIC, pcap.TCPDUMP_MAGIC_NANO):
        raise ValueError(f"{path} is no capture: it begins with {head[:4]!r}")
    link = fields.linktype & 0xFFFF  # what stands above tells of checksums
    if link not in _LINK_BYTES:
        raise ValueError(f"{path} is of links of type {link}; {sorted(_LINK_BYTES)} are read")
    return struct.Struct(f"{order}IIII"), 1 if fields.magic in _NANO else 1000, _LINK_BYTES[link]


def _unusual(packet: bytes) -> tuple[int, int, bytes, int, int, int, int] | None:
    """Read what is not plain IPv4: options, or IPv6; None for what is no whole packet of TCP.

    Returns length of IP's header, length of the rest, flow, numbers, the header's words, flags.
    """
    if packet[0] >> 4 == 4:
        header, protocol = (packet[0] & 15) * 4, packet[9]
        addresses = packet[12:20]
        length = int.from_bytes(packet[2:4], "big") - header
        whole = not int.from_bytes(packet[6:8], "big") & _A_FRAGMENT
    else:
        header, protocol = _IP6_BYTES, packet[6]
        addresses = packet[8:40]
        length = int.from_bytes(packet[4:6], "big")
        whole = packet[0] >> 4 == 6
    if not whole or protocol != _PROTOCOL_TCP or len(packet) < header + _TCP_BYTES:
        return None
    ports, sequence, acknowledged, words, flags = _TCP.unpack_from(packet, header)
    return header, length, addresses + ports, sequence, acknowledged, words, flags
