import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from analysis.results import read_packets
from remote.experiment.checks.packets import dropped_packets
from remote.packets.bundle import PROGRAM, program_bytes
from remote.services.capture import (
    CAPTURE,
    READY_LINE,
    capture_command,
    capture_filter,
    tables_command,
)
from remote.waiting import until

LISTEN, SERVERS = "198.18.0.21:11212", ("198.18.0.31:11211", "198.18.0.32:11211")
RELAY = """
import socket, sys, threading
def pump(source, target):
    while data := source.recv(65536):
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    client, _ = listener.accept()
    server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    for pair in ((client, server), (server, client)):
        pair[1].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=pump, args=pair, daemon=True).start()
"""


def test_filter_names_each_address_with_its_port():
    text = capture_filter([LISTEN, "[fd00::31]:11211"])
    assert "(host 198.18.0.21 and tcp port 11212) or (host fd00::31 and tcp port 11211)" in text


def test_capture_is_bounded_precise_and_whole():
    command = capture_command([LISTEN, *SERVERS], limit_bytes=1000)
    assert "prlimit --fsize=1000 tcpdump -i any" in command
    assert "--time-stamp-precision=nano" in command
    assert "-s 262144" in command
    assert "-s 128 " in capture_command([LISTEN], snap_bytes=128)


def test_tables_command_deletes_the_capture_and_keeps_the_exit_status(tmp_path):
    (tmp_path / CAPTURE).write_bytes(b"no capture")
    program = tmp_path / PROGRAM
    program.write_bytes(program_bytes())
    command = tables_command(str(program), listen=LISTEN, servers=SERVERS)
    assert f"--listen {LISTEN} --servers {' '.join(SERVERS)} --output packets" in command
    result = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 1
    assert "ends before the head of a capture" in result.stderr
    assert not (tmp_path / CAPTURE).exists()


def test_tables_command_tells_which_requests_are_followed_and_deletes_the_list(tmp_path):
    command = tables_command("packets.pyz", listen=LISTEN, servers=SERVERS, follow=100)
    assert "--follow 100;" in command
    (tmp_path / "calls.csv").touch()
    command = tables_command("packets.pyz", listen=LISTEN, calls="calls.csv")
    assert "--calls calls.csv;" in command
    subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def started():
    """Start processes that end with the test."""
    processes = []

    def start(*command, **how):
        processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **how))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def port_of(file):
    """Return the port that memcached chose, once it listens and has written which."""
    assert until(lambda: file.is_file() and file.read_text().endswith("\n"), 60)
    return int(file.read_text().split()[-1])


def ask(port, number, pauses):
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        replies = client.makefile("rb")
        for i in range(number):
            key = b"k%d-%d" % (threading.get_ident(), i)
            client.sendall(b"set %s 0 0 4096\r\n%s\r\n" % (key, b"x" * 4096))
            assert replies.readline() == b"STORED\r\n"
            client.sendall(b"get %s\r\n" % key)
            while replies.readline() != b"END\r\n":
                pass
            time.sleep(pauses)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may capture packets")
@pytest.mark.skipif(not shutil.which("tcpdump"), reason="tcpdump is not installed")
def test_a_real_capture_of_a_relay_before_memcached(tmp_path, started):
    chosen = tmp_path / "port"
    environment = {**os.environ, "MEMCACHED_PORT_FILENAME": str(chosen)}
    options = ("-l", "127.0.0.1", "-p", "-1", "-U", "0", "-u", "root")
    started("memcached", *options, env=environment)
    port = port_of(chosen)
    relay = started(sys.executable, "-c", RELAY, str(port))
    listen, server = f"127.0.0.1:{relay.stdout.readline().strip()}", f"127.0.0.1:{port}"
    errors = (tmp_path / "capture.err").open("w")
    capture = started(
        "sh",
        "-c",
        f"exec timeout --foreground --kill-after=10 60 {capture_command([listen, server])}",
        cwd=tmp_path,
        stderr=errors,
    )
    assert capture.stdout.readline() == f"{READY_LINE}\n"
    clients = [
        threading.Thread(target=ask, args=(int(listen.split(":")[1]), 50, 0.001)) for _ in range(4)
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    capture.send_signal(signal.SIGTERM)
    assert capture.wait(60) == 0
    errors.close()
    assert dropped_packets((tmp_path / "capture.err").read_text()) == 0
    program = tmp_path / PROGRAM
    program.write_bytes(program_bytes())
    subprocess.run(
        tables_command(str(program), listen=listen, servers=[server]),
        shell=True,
        cwd=tmp_path,
        check=True,
    )
    result = read_packets(tmp_path / "packets")
    assert result.windows.groupby("request_type")["requests"].sum().to_dict() == {
        "get": 200,
        "set": 200,
    }
    assert result.windows["hits"].sum() == 200
    assert result.summary["abandoned_connections"] == result.summary["lost_segments"] == 0
    assert result.summary["unmatched_requests"] == result.summary["unmatched_calls"] == 0
    assert result.servers["requests"].sum() == 400
    assert result.windows["service_time_count"].sum() == 400
    assert (result.windows["service_time_mean_ms"] < result.windows["response_time_mean_ms"]).all()
