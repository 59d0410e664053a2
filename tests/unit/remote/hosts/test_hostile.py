"""Hosts that answer what no host of ours does: too much, for too long, under forged names."""

import io
import itertools
import resource
import struct
import tarfile
import time

import pytest

from remote.errors import BadAnswer, CommandTimeout, HostUnreachable, TransferFailed
from remote.hosts.host import DEFAULT_WORK_DIR
from remote.hosts.ssh import received, transfers
from tests.helpers.hostile import hostile

MIB = 1 << 20


def header(name, *, size=0, kind=tarfile.REGTYPE):
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def dripping(_):
    """Yield a byte now and then, for ever as far as the timeouts of these tests go."""
    deadline_s = time.monotonic() + 60
    while time.monotonic() < deadline_s:
        yield b"x"
        time.sleep(0.05)


def answers(content):
    """A shell that answers all commands alike."""
    return lambda _: itertools.repeat(content, 1)


def test_output_without_end_ends_the_command(tmp_path):
    with hostile(tmp_path, lambda _: itertools.repeat(b"x" * MIB)) as host:
        before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with pytest.raises(BadAnswer, match=r"evil: its answer to `true`.* more than \d+ bytes"):
            host.run("true")
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib) * 1024
        assert grown < 6 * received.MOST_OUTPUT_BYTES


@pytest.mark.parametrize("ask", ["run", "exchange", "ask", "get_tree"])
def test_bytes_that_drip_for_ever_end_in_time(tmp_path, ask, monkeypatch):
    with hostile(tmp_path, dripping) as host:
        monkeypatch.setattr(host, "dial", lambda port, timeout_s: opened(host))
        asked = {
            "run": lambda: host.run("true", timeout_s=0.2),
            "exchange": lambda: host.exchange("date", 2, timeout_s=0.1),
            "ask": lambda: host.ask(1, b"stats\r\n", b"END\r\n", timeout_s=0.2),
            "get_tree": lambda: host.get_tree("run", timeout_s=0.2),
        }
        host.open()
        with pytest.raises((CommandTimeout, HostUnreachable, TransferFailed), match="evil: "):
            asked[ask]()


def opened(host):
    """A channel in place of a forwarded port, which the server has not."""
    channel = host.open().open_session()
    channel.exec_command("nc")
    return channel


def test_what_steers_a_terminal_is_shown_and_not_done(tmp_path):
    with hostile(tmp_path, answers(b"\x1b]0;owned\x07\x1b[2J\xe2\x80\xaeabc\r\nnext\n")) as host:
        said = host.run("uname").stdout
    assert said == r"\x1b]0;owned\x07\x1b[2J\u202eabc" "\nnext\n"


def test_what_is_no_number_is_an_error_of_that_host(tmp_path):
    with (
        hostile(tmp_path, answers(b"many\n")) as host,
        pytest.raises(BadAnswer, match=r"evil: its answer to `nproc` cannot be: 'many\\n'"),
    ):
        host.run("nproc").read(int)


@pytest.mark.parametrize(
    "answer", [b"<html>\n" * 15_000, b"/" + b"a" * 100_000, b"/home/a\n/home/b\n", b"home\n", b""]
)
def test_a_home_that_is_no_folder_is_an_error_of_that_host(tmp_path, answer):
    with (
        hostile(tmp_path, answers(answer)) as host,
        pytest.raises(BadAnswer, match=r"evil: its answer to `pwd` cannot be: ") as error,
    ):
        host.settle()
    assert len(str(error.value)) < 400
    assert host.host.work_dir == DEFAULT_WORK_DIR


def test_a_home_is_one_folder(tmp_path):
    with hostile(tmp_path, answers(b"/home/a b\r\n")) as host:
        host.settle()
    assert host.host.work_dir == f"/home/a b/{DEFAULT_WORK_DIR}"


def test_file_of_ten_gigabytes_is_refused_before_it_comes(tmp_path):
    def shell(_):
        yield header("./large", size=10 << 30)
        yield from itertools.repeat(b"\0" * MIB, 10_000)

    with (
        hostile(tmp_path, shell) as host,
        pytest.raises(TransferFailed, match=r"evil: cannot copy run: .* 10737418240 bytes"),
    ):
        host.get_tree("run")


def test_name_of_a_gigabyte_is_refused_before_it_comes(tmp_path):
    def shell(_):
        yield header("././@LongLink", size=1 << 30, kind=tarfile.GNUTYPE_LONGNAME)
        yield from itertools.repeat(b"a" * MIB)

    with (
        hostile(tmp_path, shell) as host,
        pytest.raises(TransferFailed, match=r"1073741824 bytes; the limit is 2048"),
    ):
        host.get_tree("run")


def test_small_files_without_end_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(transfers, "LARGEST_TREE_BYTES", 8 * MIB)

    def shell(_):
        for number in itertools.count():
            yield header(f"./{number}", size=MIB) + b"\0" * MIB

    said = f"more than {8 * MIB} bytes"
    with hostile(tmp_path, shell) as host, pytest.raises(TransferFailed, match=said):
        host.get_tree("run")


def test_folders_without_end_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(transfers, "MOST_FILES", 100)
    names = (f"./{number}" for number in itertools.count())
    with (
        hostile(tmp_path, lambda _: (header(name, kind=tarfile.DIRTYPE) for name in names)) as host,
        pytest.raises(TransferFailed, match="more than 100 files"),
    ):
        host.get_tree("run")


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/cron.d/x",
        "/etc/passwd",
        "a/../../s1/x",
        "a\nb",
        "\x1b[31m",
        "a/" * 9 + "x",
        "x" * 256,
    ],
)
def test_forged_names_are_refused_and_shown_harmless(tmp_path, name):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as packed:
        packed.addfile(tarfile.TarInfo(name))
    with (
        hostile(tmp_path, answers(stream.getvalue())) as host,
        pytest.raises(TransferFailed, match="a name that cannot be") as refusal,
    ):
        host.get_tree("run")
    assert str(refusal.value).isprintable()


def packet(kind, *fields):
    """A packet of SFTP: numbers as four bytes, texts with their lengths."""
    body = bytes([kind]) + b"".join(
        struct.pack(">I", one) if isinstance(one, int) else struct.pack(">I", len(one)) + one
        for one in fields
    )
    return struct.pack(">I", len(body)) + body


VERSION = packet(2, 3)
SFTP = {
    "garbage": [b"\xff" * 64],
    "nothing": [],
    "an empty packet": [b"\0\0\0\0"],
    "half a version": [packet(2)],
    "half a status": [VERSION, packet(101, 1)],
    "a handle that is none": [VERSION, packet(102, 1, b"x" * MIB)],
    "another answer": [VERSION, packet(103, 1, b"data")],
    "steering text": [VERSION, packet(101, 1, 4, b"\x1b]0;owned\x07 \xe2\x80\xae", b"en")],
    "text that is none": [VERSION, packet(101, 1, 4, b"\xff\xfe", b"en")],
}


@pytest.mark.parametrize("pieces", SFTP.values(), ids=SFTP)
def test_uploads_end_at_answers_that_cannot_be(tmp_path, pieces):
    with (
        hostile(tmp_path, answers(b""), pieces) as host,
        pytest.raises(TransferFailed, match="evil: cannot copy there/file: ") as refusal,
    ):
        host.put_bytes(b"content", "there/file")
    assert str(refusal.value).isprintable()


def huge():
    yield VERSION
    yield b"\0\xff\xff\xff"
    yield from itertools.repeat(b"x" * MIB)


def never_meant():
    yield VERSION
    yield from itertools.repeat(packet(101, 77, 0, b"", b""))


@pytest.mark.parametrize("pieces", [huge, never_meant, lambda: dripping(None)])
def test_uploads_end_in_time_and_memory(tmp_path, pieces):
    (tmp_path / "file").write_bytes(b"content")
    with hostile(tmp_path, answers(b""), pieces()) as host:
        host.open()
        before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with pytest.raises(TransferFailed, match="evil: cannot copy there/file: "):
            host.put(tmp_path / "file", "there/file", timeout_s=0.5)
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib) < 128 << 10


def test_files_are_kept_on_disk(tmp_path):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as packed:
        for name, size in (("./a", 3 * MIB), ("./inner/b", 5)):
            info = tarfile.TarInfo(name)
            info.size = size
            packed.addfile(info, io.BytesIO(b"x" * size))
    with hostile(tmp_path, answers(stream.getvalue())) as host:
        files = host.get_tree("run")
    assert {name: len(content) for name, content in files.items()} == {"a": 3 * MIB, "inner/b": 5}
    assert max(map(len, files.chunks("a"))) <= received.CHUNK_BYTES
