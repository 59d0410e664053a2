"""Copies that break off, and archives that would write outside of a run's folder."""

import io
import tarfile
from types import SimpleNamespace

import pytest

from remote.errors import HostGone, TransferFailed
from remote.hosts.ssh.transfers import transfer, unpack


class Copying:
    """Attempts that end with these outcomes, one after the other, over a link that is up or not."""

    def __init__(self, *outcomes, is_alive=False):
        self.left = list(outcomes)
        self.link = SimpleNamespace(
            host=SimpleNamespace(name="c1"),
            open=lambda: None,
            is_alive=lambda: is_alive,
            lost=lambda reason: HostGone("c1", reason, "Check the link."),
        )

    def attempt(self, left_s):
        outcome = self.left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def run(self):
        return transfer(self.link, self.attempt, "results.csv", 60)


def test_a_copy_is_made_once_more_where_the_link_broke():
    assert Copying(EOFError(), "copied").run() == "copied"


def test_a_host_whose_link_breaks_twice_is_gone():
    copying = Copying(EOFError(), EOFError("end"), "copied")
    with pytest.raises(HostGone, match=r"the copying of results\.csv broke off: end"):
        copying.run()
    assert copying.left == ["copied"]


@pytest.mark.parametrize(
    ("error", "is_alive"), [(OSError("disk full"), True), (FileNotFoundError("no file"), False)]
)
def test_a_copy_that_fails_for_another_reason_is_not_made_again(error, is_alive):
    copying = Copying(error, "copied", is_alive=is_alive)
    with pytest.raises(TransferFailed, match=str(error)):
        copying.run()
    assert copying.left == ["copied"]


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
    assert unpack(packed) == {"a.json": b"1", "inner/b": b""}


@pytest.mark.parametrize("name", ["../../etc/x", "/etc/x", "a/../../x", "./../s1/interfaces.txt"])
def test_name_that_leads_out_of_the_folder_is_refused(name):
    with pytest.raises(OSError, match="a name that cannot be"):
        unpack(archive((name, b"forged")))


def test_name_that_comes_twice_is_refused():
    with pytest.raises(OSError, match="a name that cannot be"):
        unpack(archive(("./a", b"1"), ("a", b"2")))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_what_is_no_regular_file_is_left_out(kind):
    assert unpack(archive(("./x", b""), kind=kind, linkname="/etc/passwd")) == {}


def test_names_of_names_without_end_are_refused():
    name = tarfile.TarInfo("././@LongLink")
    name.type, name.size = tarfile.GNUTYPE_LONGNAME, 1
    endless = io.BytesIO((name.tobuf(tarfile.GNU_FORMAT) + b"x".ljust(512, b"\0")) * 3000)
    with pytest.raises(tarfile.TarError, match="a header that cannot be"):
        unpack(endless)


def test_lengths_beyond_all_numbers_are_refused():
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 95
    record = (b"9" * 90 + b" a=b\n").ljust(512, b"\0")
    with pytest.raises(tarfile.TarError, match=r"a header that cannot be|invalid header"):
        unpack(io.BytesIO(header.tobuf(tarfile.GNU_FORMAT) + record + bytes(1024)))


def test_archive_that_is_cut_off_is_refused():
    cut = io.BytesIO(archive(("./a", b"x" * 5000)).read(1500))
    with pytest.raises(tarfile.TarError):
        unpack(cut)
