"""Files that hosts have sent, kept on disk."""

import contextlib
import gzip
import threading

from remote.experiment.manifest import compressed
from remote.hosts.ssh.received import Received


def test_files_of_several_hosts_are_one_set_and_none_is_copied():
    files, of_host = Received(), Received()
    of_host["a"] = b"1"
    of_host.write("inner/b", [b"2" * 5, b"3"])
    files["s1/own"] = b"x"
    files.adopt(of_host, "c1")
    del of_host
    assert files == {"s1/own": b"x", "c1/a": b"1", "c1/inner/b": b"222223"}


def test_a_file_that_breaks_off_is_none():
    files = Received()

    def breaks_off():
        yield b"begun"
        raise OSError("lost")

    with contextlib.suppress(OSError):
        files.write("a", breaks_off())
    assert dict(files) == {}


def test_threads_write_at_the_same_time():
    files = Received()
    threads = [
        threading.Thread(target=files.write, args=(str(n), [bytes([n]) * 1000] * 50))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(files[str(n)] == bytes([n]) * 50_000 for n in range(8))


def test_compressed_in_pieces_it_is_what_it_is_in_one():
    pieces = [b"a" * 100_000, b"", bytes(range(256)) * 999]
    assert b"".join(compressed(pieces)) == gzip.compress(b"".join(pieces), mtime=0)
