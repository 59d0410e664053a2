import subprocess

from remote.packets.bundle import PROGRAM, program_bytes
from remote.services.capture import (
    CAPTURE,
    capture_command,
    capture_filter,
    tables_command,
)

LISTEN, SERVERS = "198.18.0.21:11212", ("198.18.0.31:11211", "198.18.0.32:11211")


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
