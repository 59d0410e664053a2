"""An archive of files: written, read again, and read; any `tar` reads it, too."""

import hashlib
import io
import lzma
import struct
import tarfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from analysis.results import ParseError
from analysis.tables.packed.recompress import restored, stored
from records.files.unpacking import LARGEST_ARCHIVE_BYTES, MOST_MEMBERS, Member, is_plain, members
from records.names import is_plain_path

_DAMAGED = (
    *(tarfile.TarError, lzma.LZMAError, EOFError, OSError),
    *(struct.error, ValueError, OverflowError, RecursionError),  # of headers and of `restored`
)
_PADDING_BYTES = 2 * tarfile.RECORDSIZE  # more than what fills up the last record


def write_archive(target: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write path and content of files into an archive, and read it again.

    Raises
    ------
    ParseError
        It does not give a file back as it was.
    """
    digests: dict[str, str] = {}
    with tarfile.open(target, "w:xz", preset=9) as archive:
        for relative, content in files:
            digests[relative] = hashlib.sha256(content).hexdigest()
            name, plain = stored(relative, content)
            entry = tarfile.TarInfo(name)
            entry.size = len(plain)
            archive.addfile(entry, io.BytesIO(plain))
    for name, content in read_archive(target):
        if hashlib.sha256(content).hexdigest() != digests[name]:
            raise ParseError(target, None, f"does not give {name} back as it was")


def read_archive(
    source: Path, wanted: Callable[[str], object] = bool
) -> Iterator[tuple[str, bytes]]:
    """Give path and content of every file in an archive whose name is wanted.

    Raises
    ------
    ParseError
        It is damaged, or has what is no plain file below its folder.
    """
    try:
        opening = partial(tarfile.open, mode="r:", tarinfo=Member)
        with lzma.open(source) as stream, opening(fileobj=stream) as archive:
            for entry in members(archive, MOST_MEMBERS):
                if stream.tell() > LARGEST_ARCHIVE_BYTES:
                    raise tarfile.TarError(f"it has more than {LARGEST_ARCHIVE_BYTES} bytes")
                if not is_plain(entry):
                    raise tarfile.TarError(f"{entry.name!r} is no plain file")
                content = archive.extractfile(entry)
                if content is not None and wanted(entry.name.rpartition("/")[2]):
                    name, plain = restored(entry.name, content.read())
                    if not is_plain_path(name):
                        raise tarfile.TarError(f"{name!r} is no plain path below the folder")
                    yield name, plain
            if len(stream.read(_PADDING_BYTES)) == _PADDING_BYTES:  # shorter: its checksum is read
                raise tarfile.TarError("something follows its end")
    except _DAMAGED as exc:
        raise ParseError(source, None, f"not a complete archive: {exc}") from exc
