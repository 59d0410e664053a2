import socket
import threading

import pytest

from remote.hosts.ssh.sockets import greets


@pytest.mark.parametrize(
    ("greeting", "is_ssh"), [(b"SSH-2.0-x\r\n", True), (b"HTTP/1.1 400\r\n", False), (b"", False)]
)
def test_only_an_ssh_server_greets(greeting, is_ssh):
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            connection, _ = listener.accept()
            with connection:
                connection.sendall(greeting)

        thread = threading.Thread(target=serve)
        thread.start()
        assert greets(*listener.getsockname()) is is_ssh
        thread.join()


def test_server_that_says_nothing_does_not_greet():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
        assert not greets(*address, timeout_s=0.1)
    assert not greets(*address)
