"""Programs that show faults: they fail against the middleware, and pass against memcached."""

import ast
import io
import itertools
import re
import shutil
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager, suppress

import pytest

from remote.conformance.questionnaire import (
    GROUPS,
    STARTS,
    Finding,
    remove_programs,
    try_middleware,
    write_program,
)
from remote.conformance.running_bench import Place
from remote.conformance.trial import Answer, Verdict
from tests.helpers.loopback_bench import LoopbackBench, dial, memcached
from tests.helpers.ports import ADDRESS, free_port
from tests.helpers.trying import group_of, shown

needs_memcached = pytest.mark.skipif(shutil.which("memcached") is None, reason="needs memcached")
PATIENCE_S = 30.0  # a busy machine is not a fault
WAITED_OUT_S = 2.0  # by what is never answered
FAULTS = {
    "split lines": "A request may come in many packets",
    "high bytes": "A set is read back, whatever is in it",
    "one wrong byte": "A set is read back, whatever its size",
    "closes": "Multi-gets are complete and in order",
    "never answers": "Short and long keys",
    "other client": "Many clients at once get their own replies",
    "forgets noreply": "The commands of memcached beside get and set",
}

VARYING = ("split lines", "other client")  # after which byte, or which client, is chance


class Fake:
    """Passes requests on to one memcached, each client in a thread; has one of `FAULTS`."""

    def __init__(self, fault, server_port):
        self.fault, self.server_port = fault, server_port
        self.listening = socket.create_server((ADDRESS, 0), backlog=1024)
        self.port = self.listening.getsockname()[1]
        self.count = itertools.count()
        self.last = b""
        self.open = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                self.open.append(client)
                threading.Thread(target=self.serve, args=[client], daemon=True).start()

    def close(self):
        self.listening.close()
        for client in self.open:
            client.close()

    def serve(self, client):
        with suppress(OSError, ValueError), client, dial(self.server_port) as server:
            from_server = server.makefile("rb")
            for from_client in self.streams(client):
                while line := from_client.readline():
                    self.request(line, from_client, client, server, from_server)

    def streams(self, client):
        """Yield what the client sends; with split lines each packet by itself."""
        if self.fault != "split lines":
            yield client.makefile("rb")
            return
        while packet := client.recv(1 << 16):
            if not packet.endswith(b"\r\n"):
                client.sendall(b"ERROR\r\n")
                return
            yield io.BytesIO(packet)

    def request(self, line, from_client, client, server, from_server):
        words = line.split()
        if words[0] not in (b"get", b"set"):
            client.sendall(b"ERROR\r\n")
            return
        data = from_client.read(int(words[4]) + 2) if words[0] == b"set" else b""
        if self.fault == "high bytes":
            data = bytes(byte if byte < 128 else ord("?") for byte in data)
        if self.fault == "closes" and len(words) > 20:
            raise ValueError
        if self.fault == "never answers" and len(words[1]) > 200:
            return
        server.sendall(line.replace(b" noreply", b"") + data)
        reply = from_server.readline()
        while reply.rpartition(b"\r\n")[0].rpartition(b"\r\n")[2].startswith(b"VALUE "):
            size = int(reply.split()[-1])
            reply += from_server.read(size + 2) + from_server.readline()
        reply = self.spoilt(reply)
        if self.fault == "forgets noreply" or b"noreply" not in words:
            client.sendall(reply)

    def spoilt(self, reply):
        if self.fault == "one wrong byte" and len(reply) > 1000:
            return reply[:600] + bytes([reply[600] ^ 1]) + reply[601:]
        other, self.last = self.last, reply
        if self.fault == "other client" and next(self.count) % 7 == 6:
            return other
        return reply


def opens(fault):
    """Return what opens benches for a `Fake`."""

    @contextmanager
    def open_bench(num_servers, *, sharded=False):
        with ExitStack() as stack:
            server = memcached()
            stack.callback(server.close)
            server.start()
            fake = Fake(fault, server.port)
            stack.callback(fake.close)
            yield FakeBench(fake, [server])

    return open_bench


class FakeBench(LoopbackBench):
    def dial(self):
        return dial(self.middleware.port)


def program_of(finding, folder, patience_s=PATIENCE_S):
    place = Place(address=ADDRESS, port=1, how_to_start="lab try mine.toml")
    return write_program(finding, place, folder, patience_s)


@needs_memcached
@pytest.mark.parametrize("fault", FAULTS)
def test_a_program_fails_where_the_kit_failed_and_passes_against_memcached(tmp_path, fault):
    group = group_of(FAULTS[fault])
    patience_s = WAITED_OUT_S if fault == "never answers" else PATIENCE_S
    (finding,) = try_middleware(opens(fault), patience_s=patience_s, groups=[group])
    assert finding.verdict == Verdict.FAULT
    path = program_of(finding, tmp_path, patience_s)
    with opens(fault)(1) as bench:
        server = bench.servers[0].port
        done = shown(path, bench.middleware.port, server)
        assert done.returncode == 1, done.stdout + done.stderr
        if fault not in VARYING:
            assert finding.answer.sentence in done.stdout
            assert finding.answer.difference in done.stdout
        done = shown(path, server)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("passes: ")


@needs_memcached
def test_a_kit_without_a_fault_in_front_of_it_finds_none():
    groups = [group_of(text) for text in FAULTS.values()]
    found = try_middleware(opens(""), patience_s=PATIENCE_S, groups=groups)
    assert [f.verdict for f in found if f.verdict not in (Verdict.WORKS, Verdict.DOES_NOT)] == []


@needs_memcached
def test_a_program_is_read_from_standard_input_too(tmp_path):
    group = group_of(FAULTS["high bytes"])
    (finding,) = try_middleware(opens("high bytes"), patience_s=PATIENCE_S, groups=[group])
    path = program_of(finding, tmp_path)
    with opens("high bytes")(1) as bench, path.open() as source:
        words = [ADDRESS, str(bench.middleware.port), f"{ADDRESS}:{bench.servers[0].port}"]
        command = [sys.executable, "-I", "-", *words]
        done = subprocess.run(command, stdin=source, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert r"expected ..." in done.stdout
    assert r"\x7f\x80\x81" in done.stdout
    assert r"\x7f???" in done.stdout


EVERY = [(group, question) for group in GROUPS for question in (STARTS, *group.questions)]


def finding_of(group, question):
    answer = Answer("no", Verdict.FAULT, "it is wrong")
    return Finding(group=group, question=question.text, answer=answer, asked=[question])


def test_every_question_has_a_program_that_needs_the_standard_library_only(tmp_path):
    for group, question in EVERY:
        text = program_of(finding_of(group, question), tmp_path).read_text()
        modules = dict(re.findall(r"MODULES\['([\w.]+)'\] = r'''(.*?)'''", text, re.DOTALL))
        imports = [
            node
            for source in (text, *modules.values())
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        names = {getattr(n, "module", None) or n.names[0].name for n in imports}
        others = names - modules.keys()
        assert {name.partition(".")[0] for name in others} <= sys.stdlib_module_names
    assert len(list(tmp_path.iterdir())) == len(EVERY)
    remove_programs(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_all_questions_of_a_group_fit_into_one_program(tmp_path):
    for group in GROUPS:
        last = group.questions[-1]
        answer = Answer("no", Verdict.FAULT, "it is wrong")
        finding = Finding(
            group=group, question=last.text, answer=answer, asked=group.questions, times=5
        )
        compile(program_of(finding, tmp_path).read_text(), "program", "exec")


@needs_memcached
@pytest.mark.slow
@pytest.mark.parametrize(("group", "question"), EVERY, ids=lambda one: getattr(one, "text", "in"))
def test_every_program_passes_against_memcached(tmp_path, group, question):
    path = program_of(finding_of(group, question), tmp_path)
    with opens("")(1) as bench:
        done = shown(path, bench.servers[0].port)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_program_says_how_to_start_what_does_not_run(tmp_path):
    (group,) = (one for one in GROUPS if one.name == "one")
    path = program_of(finding_of(group, group.questions[0]), tmp_path)
    done = shown(path, free_port())
    assert done.returncode != 0
    assert "refused" in done.stdout + done.stderr
    assert "lab try mine.toml" in done.stdout + done.stderr
