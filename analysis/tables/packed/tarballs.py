"""An archive of files: written, read again, and read; any `tar` reads it, too."""

import hashlib
import io
import lzma
import struct
import tarfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from analysis.results import ParseError
from analysis.tables.packed.recompress import restored, stored
from analysis.unpacking import LARGEST_ARCHIVE_BYTES, Member, is_plain

_DAMAGED = (
    *(tarfile.TarError, lzma.LZMAError, EOFError, OSError),
    *(
        struct.error,
        ValueError,
        OverflowError,
        RecursionError,
    ),  # of headers, and of what `restored` reads
)


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
        It is damaged, or has what is no plain file or leads out of its folder.
    """
    try:
        opening = partial(tarfile.open, mode="r:", tarinfo=Member)
        with lzma.open(source) as stream, opening(fileobj=stream) as archive:
            for entry in archive:
                if stream.tell() > LARGEST_ARCHIVE_BYTES:
                    raise tarfile.TarError(f"it has more than {LARGEST_ARCHIVE_BYTES} bytes")
                path = PurePosixPath(entry.name)
                if path.is_absolute() or ".." in path.parts:
                    raise tarfile.TarError(f"{entry.name!r} leads out of the folder")
                if not is_plain(entry):
                    raise tarfile.TarError(f"{entry.name!r} is no plain file")
                content = archive.extractfile(entry)
                if content is not None and wanted(path.name):
                    yield restored(entry.name, content.read())
            while stream.read(io.DEFAULT_BUFFER_SIZE):  # to its end, where its checksum stands
                pass
    except _DAMAGED as exc:
        raise ParseError(source, None, f"not a complete archive: {exc}") from exc
