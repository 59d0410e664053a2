"""The commands by which `lab try` has users see a fault, on each kind of fleet."""

import subprocess

import pytest

from lab import middlewares
from records.middleware import Middleware
from remote.conformance.questionnaire import GROUPS, Finding
from remote.conformance.trial import Answer, Verdict
from remote.hosts.inventory import Inventory

INVENTORY = """
all:
  vars:
    ansible_user: lab
    ansible_port: 2222
    ansible_ssh_private_key_file: /keys/of lab
    ansible_ssh_common_args: -F none {jump}
    mwlab_known_hosts: /keys/known_hosts
  children:
    clients: {{hosts: {{c1: {{ansible_host: 192.0.2.11, mwlab_data_address: 10.0.0.11}}}}}}
    middlewares: {{hosts: {{m1: {{ansible_host: 192.0.2.21, mwlab_data_address: 10.0.0.21}}}}}}
    servers:
      hosts:
        s1: {{ansible_host: 192.0.2.31, mwlab_data_address: 10.0.0.31}}
        s2: {{ansible_host: 192.0.2.32, mwlab_data_address: 10.0.0.32}}
        s3: {{ansible_host: 192.0.2.33, mwlab_data_address: 10.0.0.33}}
"""
WAY = "ssh -i '/keys/of lab' -o UserKnownHostsFile=/keys/known_hosts -p 2222"


def shown(tmp_path, fleet, question_text, jump=""):
    path = tmp_path / "inventory.yml"
    path.write_text(INVENTORY.format(jump=jump))
    (group, question), *_ = (
        (group, question)
        for group in GROUPS
        for question in group.questions
        if question.text == question_text
    )
    finding = Finding(
        group=group,
        question=question.text,
        answer=Answer("no", Verdict.FAULT, "it is wrong"),
        asked=[question],
    )
    middleware = Middleware(name="mine", title="mine", command="mine", files={"mine.jar": ""})
    folder = tmp_path / "try"
    start, show = middlewares._shown(
        finding, Inventory.read(path), middleware, fleet, folder, "lab try mine"
    ).how_to_see
    (program,) = folder.iterdir()
    return start, show, program


@pytest.mark.parametrize("jump", ["", "-J guest@bastion.example.org:2200"])
def test_a_program_runs_on_the_host_of_the_middleware(tmp_path, jump):
    start, show, program = shown(
        tmp_path, "inventory.yml", "A request may come in many packets", jump
    )
    assert start == "start it: lab try mine --keep one"
    assert show.startswith(f"show it:  {WAY} ")
    if jump:
        assert "-p 2200 -W '[192.0.2.21]:2222' guest@bastion.example.org" in show.replace(
            "'\"'\"'", "'"
        )
    assert show.endswith(f" lab@192.0.2.21 python3 -I - < {program}")
    assert "address='10.0.0.21', port=11212, servers=['10.0.0.31:11211']" in program.read_text()


def test_a_program_that_stops_servers_reaches_them_from_here(tmp_path):
    start, show, program = shown(tmp_path, "inventory.yml", "A server that is down")
    assert start.endswith("--keep three")
    assert show == f"show it:  python3 -I {program}"
    text = program.read_text()
    words = ["-i", "/keys/of lab", "-o", "UserKnownHostsFile=/keys/known_hosts", "-p", "2222"]
    for address in ("192.0.2.21", "192.0.2.31", "192.0.2.32", "192.0.2.33"):
        assert repr(["ssh", *words, f"lab@{address}"]) in text
    assert "running.tunnelled(" in text


def test_on_the_loopback_fleet_a_program_runs_here(tmp_path):
    _, show, program = shown(tmp_path, "loopback", "A request may come in many packets")
    assert show == f"show it:  python3 -I {program}"
    assert "running.tunnelled(" not in program.read_text()
    done = subprocess.run(["python3", "-I", program, "127.0.0.1", "1"], check=False)
    assert done.returncode == 1
