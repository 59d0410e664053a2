"""Compression of a run's files undone for an archive, where it can be redone to the same bytes."""

import base64
import contextlib
import gzip
import struct
import zlib

from records.files.unpacking import LARGEST_HISTOGRAM_BYTES, gunzip, inflate

_GZ = ".gz"
_VERBATIM = ".verbatim"  # ends the name of what cannot be compressed again to the same bytes
_BASE64_HISTOGRAM = b"HISTF"  # how a compressed HdrHistogram (V2) begins
_COOKIE_BYTES = 8  # its cookie and its length, before what is compressed
_LENGTHS = struct.Struct("<II")


def stored(name: str, content: bytes) -> tuple[str, bytes]:
    """Return name and content as they are archived: uncompressed if that can be undone exactly."""
    for ending, (undo, redo) in _FORMS.items():
        with contextlib.suppress(ValueError):
            plain = undo(content)
            if name.endswith(_GZ) and redo(plain) == content:
                return name.removesuffix(_GZ) + ending, plain
    return name + _VERBATIM, content


def restored(name: str, content: bytes) -> tuple[str, bytes]:
    """Return name and content as they were before `stored`."""
    if name.endswith(_VERBATIM):
        return name.removesuffix(_VERBATIM), content
    ending = next(ending for ending in _FORMS if name.endswith(ending))
    return name.removesuffix(ending) + _GZ, _FORMS[ending][1](content)


def _gunzip_log(content: bytes) -> bytes:
    """Uncompress a histogram log and the histograms in its lines.

    A line ``...,<base64>`` becomes two lengths, what is before its last comma, and the histogram:
    without base64 and zlib those of neighbouring seconds look alike. A line that holds none is
    kept, with the length 0 of a histogram; ValueError if none holds any.
    """
    parts = []
    found = False
    for line in gunzip(content).split(b"\n"):
        before, comma, payload = line.rpartition(b",")
        histogram = b""
        if payload.startswith(_BASE64_HISTOGRAM):
            packed = base64.b64decode(payload, validate=True)
            histogram = packed[:_COOKIE_BYTES] + inflate(
                packed[_COOKIE_BYTES:], LARGEST_HISTOGRAM_BYTES
            )
            found = True
        kept = before if histogram else before + comma + payload
        parts.append(_LENGTHS.pack(len(kept), len(histogram)) + kept + histogram)
    if not found:
        raise ValueError("no histogram log")
    return b"".join(parts)


def _gzip_log(plain: bytes) -> bytes:
    """Make a histogram log of what `_gunzip_log` gave."""
    lines = []
    place = 0
    while place < len(plain):
        kept_bytes, histogram_bytes = _LENGTHS.unpack_from(plain, place)
        place += _LENGTHS.size
        line = plain[place : place + kept_bytes]
        place += kept_bytes
        if histogram_bytes:
            cookie = plain[place : place + _COOKIE_BYTES]
            histogram = plain[place + _COOKIE_BYTES : place + histogram_bytes]
            packed = cookie + zlib.compress(histogram, zlib.Z_BEST_COMPRESSION)
            line += b"," + base64.b64encode(packed)
        place += histogram_bytes
        lines.append(line)
    return _gzip(b"\n".join(lines))


def _gzip(plain: bytes) -> bytes:
    """Compress as files are when they are fetched (`remote.experiment.manifest.write_files`)."""
    return gzip.compress(plain, mtime=0)


_FORMS = {".histograms": (_gunzip_log, _gzip_log), "": (gunzip, _gzip)}
"""What ends a name in place of ``.gz`` to what undoes and redoes the compression, in this order."""
