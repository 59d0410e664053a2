"""Uncompress and unpack data of other people, up to a limit on its size."""

import tarfile
import zlib
from collections.abc import Iterator

LARGEST_FILE_BYTES = 512 << 20
"""The largest file of a run, uncompressed."""
LARGEST_HISTOGRAM_BYTES = 1 << 20
"""The largest HdrHistogram, uncompressed; one with three digits needs a fifth of this at most."""
LARGEST_ARCHIVE_BYTES = 16 << 30
"""All files of a section together, uncompressed."""
LONGEST_HEADER_BYTES = 2048
"""The longest header of a tar member. Python's time to read one grows with its length squared."""
MOST_MEMBERS = 1 << 18
"""Files in an archive. A section of a thousand runs has a third of them."""
_NO_FILES = (tarfile.GNUTYPE_SPARSE, tarfile.XGLTYPE)  # tarfile reads these without end
_ZLIB, _GZIP = zlib.MAX_WBITS, 16 + zlib.MAX_WBITS  # zlib's words for these formats


class Unreadable(ValueError):
    """The compressed data is cut, damaged or larger than the limit."""


def gunzip(content: bytes, most_bytes: int = LARGEST_FILE_BYTES) -> bytes:
    """Uncompress what gzip has compressed.

    Parameters
    ----------
    most_bytes
        The limit on the uncompressed size. No more memory than this is taken.

    Raises
    ------
    Unreadable
        The data is cut, damaged or larger than the limit.
    """
    return _uncompressed(content, most_bytes, _GZIP)


def inflate(content: bytes, most_bytes: int) -> bytes:
    """Uncompress what `zlib.compress` has compressed; see `gunzip`."""
    return _uncompressed(content, most_bytes, _ZLIB)


def _uncompressed(content: bytes, most_bytes: int, form: int) -> bytes:
    parts: list[bytes] = []
    left_bytes = most_bytes
    while content:  # gzip's files may stand one after the other, with zeros in between
        stream = zlib.decompressobj(form)
        try:
            parts.append(stream.decompress(content, left_bytes + 1))
        except zlib.error as exc:
            raise Unreadable(f"compressed content is damaged: {exc}") from exc
        left_bytes -= len(parts[-1])
        if left_bytes < 0:
            raise Unreadable(f"compressed content has more than {most_bytes} bytes: too many")
        if not stream.eof:
            raise Unreadable("compressed content is cut")
        content = stream.unused_data.lstrip(b"\0")
    return b"".join(parts)


class Member(tarfile.TarInfo):
    """A member of a tar archive; its size is checked before its content is read."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "Member":
        """Read a header; OSError if what it announces cannot be, or is larger than it may be."""
        member = super().frombuf(buf, encoding, errors)
        _require_size(member)
        if member.type in _NO_FILES:
            raise OSError(f"{member.name!r} is no plain file")
        return member

    def _proc_gnusparse_10(self, *_: object) -> None:
        raise OSError("a sparse file is no plain file")  # tarfile reads its list without end


def members(archive: tarfile.TarFile, most: int) -> Iterator[tarfile.TarInfo]:
    """Give the members of an archive of `Member`, each forgotten when the next one is asked for.

    Raises
    ------
    OSError
        There are more than `most`, or one has a size that cannot be.
    """
    for number, member in enumerate(archive):
        _require_size(member)  # another header may have changed it
        if number >= most:
            raise OSError(f"it has more than {most} files")
        yield member
        archive.members.clear()  # type: ignore[attr-defined]  # which the stubs lack


def _require_size(member: tarfile.TarInfo) -> None:
    most = LARGEST_FILE_BYTES if member.isfile() else LONGEST_HEADER_BYTES
    if not 0 <= member.size <= most:
        raise OSError(f"it has a file or header of {member.size} bytes; the limit is {most}")


def is_plain(member: tarfile.TarInfo) -> bool:
    """Tell whether a member is a plain file. A sparse one could unpack to any size."""
    return member.isfile() and not member.issparse()
