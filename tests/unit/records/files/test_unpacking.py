"""What is compressed or archived to grow without end, or to take time without end."""

import base64
import gzip
import io
import lzma
import tarfile
import zlib

import pytest

from analysis.results import ParseError
from analysis.tables.packed import tarballs
from analysis.tables.packed.recompress import restored, stored
from analysis.tables.packed.tarballs import read_archive
from analysis.tables.packed.transcripts import parse_transcripts
from records.files.unpacking import LONGEST_HEADER_BYTES, Unreadable, gunzip, inflate

MIB = 1 << 20


@pytest.mark.parametrize("content", [b"", b"x", b"x" * 100_000])
def test_what_is_compressed_is_uncompressed(content):
    packed = gzip.compress(content)
    assert gunzip(packed) == gunzip(packed, len(content)) == content
    assert gunzip(packed + b"\0\0" + packed) == content * 2
    assert inflate(zlib.compress(content), len(content)) == content


def test_what_is_larger_than_allowed_is_refused():
    bomb = gzip.compress(b"\0" * MIB)
    with pytest.raises(Unreadable, match="more than 1048575 bytes"):
        gunzip(bomb, MIB - 1)
    with pytest.raises(Unreadable, match="more than 1572864 bytes"):
        gunzip(bomb + bomb, MIB + MIB // 2)
    with pytest.raises(Unreadable, match="more than 10 bytes"):
        inflate(zlib.compress(b"\0" * MIB), 10)


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        (gzip.compress(b"cut" * 99, mtime=0)[:-9], "cut"),
        (b"no gzip", "damaged: .*incorrect header"),
        (gzip.compress(b"a", mtime=0)[:-8] + bytes(8), "damaged: .*incorrect data check"),
        (gzip.compress(b"a", mtime=0) + b"more", "damaged: "),
    ],
)
def test_damage_is_an_error_of_one_kind(damaged, said):
    with pytest.raises(Unreadable, match=said):
        gunzip(damaged)


@pytest.mark.parametrize(("size", "name"), [(99, ".histograms"), (8 * MIB, "")])
def test_a_histogram_that_grows_without_end_is_archived_as_it_is(size, name):
    histogram = base64.b64decode(b"HISTFAAAAAA=") + zlib.compress(bytes(size), 9)
    content = gzip.compress(b"1,2," + base64.b64encode(histogram), mtime=0)
    packed_name, plain = stored("c1/m.hlog.gz", content)
    assert packed_name == f"c1/m.hlog{name}"
    assert len(plain) < 20_000
    assert restored(packed_name, plain) == ("c1/m.hlog.gz", content)


def packed(path, *members):
    """Write an archive of header blocks, each with content."""
    blocks = b"".join(
        head + body.ljust(-(-len(body) // 512) * 512, b"\0") for head, body in members
    )
    with lzma.open(path, "wb") as stream:
        stream.write(blocks + bytes(1024))
    return path


def header(name, size, kind=tarfile.REGTYPE):
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def sparse(real_bytes):
    """A member of GNU's format whose content is a hole of so many bytes."""
    head = bytearray(header("hole.verbatim", 0, tarfile.GNUTYPE_SPARSE))
    head[483:495] = b"%011o\0" % real_bytes
    head[148:156] = b"%06o\0 " % (sum(head) - sum(head[148:156]) + 8 * 32)
    return bytes(head)


def pax(record, kind=tarfile.XHDTYPE):
    """A header that changes the next one, such as ``size=1``."""
    content = next(text for n in range(99) if len(text := f"{n} {record}\n".encode()) == n)
    return header("x", len(content), kind), content


EMPTY = (header("a.verbatim", 0), b"")
SPARSE = header("x", 44, tarfile.XHDTYPE), b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n"


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ([(sparse(64 * MIB), b"")], "'hole.verbatim' is no plain file"),
        ([(header("a", 0, tarfile.SYMTYPE), b"")], "'a' is no plain file"),
        ([(header("x", 16_000, tarfile.XHDTYPE), b"1" * 16_000)], "16000 bytes; the limit is 2048"),
        ([(header("x", 16_000, tarfile.XGLTYPE), b"1" * 16_000)], "16000 bytes; the limit is 2048"),
        ([(header("x", 99, tarfile.XHDTYPE), b"9" * 90 + b" a=b\n")], "not a complete archive"),
        ([(header("a", 1 << 40), b"")], "1099511627776 bytes; the limit is 536870912"),
        ([(header("a.histograms", 3), b"\xff" * 3)], "not a complete archive"),
        ([(header("x", 9, tarfile.XHDTYPE), b"8 a=bcd\n")] * 2000, "not a complete archive"),
        ([EMPTY, (header("b", -512), b"")], "a file or header of -512 bytes"),
        ([EMPTY, pax("size=-1536"), EMPTY], "a file or header of -1536 bytes"),
        (
            [EMPTY, pax("size=99999999999999"), EMPTY],
            "99999999999999 bytes; the limit is",
        ),
        ([pax("comment=x", tarfile.XGLTYPE), EMPTY], "'x' is no plain file"),
        ([SPARSE, (header("a", 1536), b"999999999\n" + b"1\n" * 700)], "no plain file"),
        ([pax("path=a\0b.verbatim"), EMPTY], r"'a.x00b' is no plain path"),
        ([pax("path=" + "/".join("abcdefghi")), EMPTY], "is no plain path"),
        ([(header("./a", 0), b"")], "'./a.gz' is no plain path below the folder"),
        ([(header(".verbatim", 0), b"")], "'' is no plain path below the folder"),
        ([EMPTY] * 4, "it has more than 3 files"),
        ([EMPTY, (bytes(1024), bytes(20_480))], "something follows its end"),
    ],
)
def test_members_that_cannot_be_ours_are_refused(tmp_path, monkeypatch, members, said):
    monkeypatch.setattr(tarballs, "MOST_MEMBERS", 3)
    source = packed(tmp_path / "3.1.tar.xz", *members)
    with pytest.raises(ParseError, match=rf"3.1.tar.xz: not a complete archive: .*{said}|{said}"):
        list(read_archive(source))


def test_an_archive_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(tarballs, "LARGEST_ARCHIVE_BYTES", MIB)
    members = [(header(f"{n}.verbatim", MIB // 2), bytes(MIB // 2)) for n in range(5)]
    with pytest.raises(ParseError, match="it has more than 1048576 bytes"):
        list(read_archive(packed(tmp_path / "3.1.tar.xz", *members)))


def test_long_names_need_no_long_header(tmp_path):
    name = "/".join(["n" * 200] * 8)
    info = tarfile.TarInfo(f"{name}.verbatim")
    with tarfile.open(tmp_path / "a.tar.xz", "w:xz") as archive:
        archive.addfile(info, io.BytesIO())
    assert len(name) < LONGEST_HEADER_BYTES
    assert list(read_archive(tmp_path / "a.tar.xz")) == [(name, b"")]


def test_transcripts_that_grow_without_end_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(gunzip, "__defaults__", (MIB,))
    with pytest.raises(ParseError, match="more than 1048576 bytes"):
        parse_transcripts(tmp_path, gzip.compress(b" " * 2 * MIB))
