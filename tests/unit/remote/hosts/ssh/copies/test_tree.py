"""Archives that hosts send, also such as would write outside of a run's folder."""

import io
import tarfile

import pytest

from remote.hosts.ssh.copies.tree import unpacked


def archive(*members, kind=tarfile.REGTYPE, **headers):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as opened:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.type, info.size = kind, len(content)
            for key, value in headers.items():
                setattr(info, key, value)
            opened.addfile(info, io.BytesIO(content))
    stream.seek(0)
    return stream


def test_regular_files_are_keyed_by_relative_path():
    packed = archive(("./a.json", b"1"), ("./inner/b", b""))
    assert unpacked(packed) == {"a.json": b"1", "inner/b": b""}


@pytest.mark.parametrize("name", ["../../etc/x", "/etc/x", "a/../../x", "./../s1/interfaces.txt"])
def test_name_that_leads_out_of_the_folder_is_refused(name):
    with pytest.raises(OSError, match="a name that cannot be"):
        unpacked(archive((name, b"forged")))


def test_name_that_comes_twice_is_refused():
    with pytest.raises(OSError, match="a name that cannot be"):
        unpacked(archive(("./a", b"1"), ("a", b"2")))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_what_is_no_regular_file_is_left_out(kind):
    assert unpacked(archive(("./x", b""), kind=kind, linkname="/etc/passwd")) == {}


def test_names_of_names_without_end_are_refused():
    name = tarfile.TarInfo("././@LongLink")
    name.type, name.size = tarfile.GNUTYPE_LONGNAME, 1
    endless = io.BytesIO((name.tobuf(tarfile.GNU_FORMAT) + b"x".ljust(512, b"\0")) * 3000)
    with pytest.raises(tarfile.TarError, match="a header that cannot be"):
        unpacked(endless)


def test_lengths_beyond_all_numbers_are_refused():
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 95
    record = (b"9" * 90 + b" a=b\n").ljust(512, b"\0")
    with pytest.raises(tarfile.TarError, match=r"a header that cannot be|invalid header"):
        unpacked(io.BytesIO(header.tobuf(tarfile.GNU_FORMAT) + record + bytes(1024)))


def test_archive_that_is_cut_off_is_refused():
    cut = io.BytesIO(archive(("./a", b"x" * 5000)).read(1500))
    with pytest.raises(tarfile.TarError):
        unpacked(cut)
