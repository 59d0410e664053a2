"""The scripts for Azure against a stand-in for `az` that notes its calls; cloud-init's files."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

import remote
from remote.hosts.inventory import ROLES, Inventory
from remote.hosts.provision.tools import tools_of

FOLDER = Path(remote.__file__).parent / "hosts" / "provision"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA"
FAKE_AZ = """#!/bin/sh
# quotes every argument, one call a line
for word in "$@"; do printf "%s\\t" "$word"; done >> "$CALLS"; echo >> "$CALLS"
name() { while [ "$1" != --name ]; do shift; done; echo "$2"; }
case "$1 $2" in
    "group exists") echo "${EXISTS:-false}" ;;
    "group show") echo "${FOUND_TAG:-}" ;;
    "resource list") case "$*" in *tsv*) echo "${FOREIGN:-}" ;; esac ;;
    "vm run-command")
        printf 'Enable succeeded: \\n[stdout]\\nKEY%s me@x\\n\\n[stderr]\\n' "$(name "$@")" ;;
    "vm show")
        n=$(name "$@"); number=$(printf %d "'$n")${n#?}
        [ "$n" = "${NO_ADDRESS:-}" ] || echo "203.0.113.$number" ;;
esac
"""


@pytest.fixture
def azure(tmp_path):
    """Run one of the scripts with the stand-in first on the PATH; `azure.calls()` are its calls."""

    def run(script, *arguments, answer="", **variables):
        (tmp_path / "calls").write_text("")
        environment = {
            "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "CALLS": str(tmp_path / "calls"),
            "CALLER_ADDRESS": "198.51.100.7",
            **variables,
        }
        return subprocess.run(
            [FOLDER / script, *arguments],
            input=answer,
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
        )

    (tmp_path / "bin").mkdir()
    az = tmp_path / "bin" / "az"
    az.write_text(FAKE_AZ.replace("KEY", KEY))
    az.chmod(0o755)
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id_ed25519.pub").write_text(f"{KEY} me\n")
    run.calls = lambda: [
        line.split("\t")[:-1] for line in (tmp_path / "calls").read_text().splitlines()
    ]
    run.folder = tmp_path
    return run


def option(call, name):
    return call[call.index(name) + 1]


def test_create_makes_the_layout_of_the_studies(azure):
    result = azure("azure-create.sh")
    assert result.returncode == 0, result.stderr
    vms = {option(c, "--name"): c for c in azure.calls() if c[:2] == ["vm", "create"]}
    assert {name: option(call, "--size") for name, call in vms.items()} == {
        **dict.fromkeys(["c1", "c2", "c3"], "Standard_A2_v2"),
        **dict.fromkeys(["m1", "m2"], "Standard_A8_v2"),
        **dict.fromkeys(["s1", "s2", "s3"], "Standard_A1_v2"),
    }
    for name, call in vms.items():
        assert option(call, "--accelerated-networking") == "false"
        assert option(call, "--ssh-key-values").endswith("/.ssh/id_ed25519.pub")
        assert option(call, "--nsg") == ""  # the subnet's, not one that lets everyone in
        assert "purpose=middleware-lab" in call
        assert Path(option(call, "--custom-data")).is_file(), name
    assert len({option(c, "--private-ip-address") for c in vms.values()}) == 8
    assert len([c for c in azure.calls() if c[:3] == ["network", "vnet", "create"]]) == 1


def test_only_ssh_and_only_from_the_caller_is_let_in(azure):
    azure("azure-create.sh")
    rules = [c for c in azure.calls() if c[:4] == ["network", "nsg", "rule", "create"]]
    (rule,) = rules
    assert option(rule, "--source-address-prefixes") == "198.51.100.7"
    assert option(rule, "--destination-port-ranges") == "22"
    subnet = next(c for c in azure.calls() if c[:4] == ["network", "vnet", "subnet", "update"])
    assert option(subnet, "--network-security-group") == "lab-nsg"


def test_inventory_and_host_keys_are_written(azure):
    azure("azure-create.sh")
    inventory = Inventory.read(azure.folder / "inventory.yml")
    assert {role: len(inventory.role(role)) for role in ROLES} == {
        "clients": 3,
        "middlewares": 2,
        "servers": 3,
        "databases": 0,
    }
    c1 = inventory.take("clients", 1)[0]
    assert (c1.address, c1.data_address, c1.user) == ("203.0.113.991", "10.0.0.11", "lab")
    known = (azure.folder / ".ssh" / "known_hosts").read_text().splitlines()
    assert f"203.0.113.991 {KEY}c1" in known
    assert len(known) == 8
    assert not any(c[:1] == ["ssh-keyscan"] for c in azure.calls())


def test_sizes_and_numbers_are_variables(azure):
    azure(
        "azure-create.sh", "mine.yml", CLIENTS="1", MIDDLEWARES="0", SERVER_SIZE="Standard_D2s_v5"
    )
    names = [option(c, "--name") for c in azure.calls() if c[:2] == ["vm", "create"]]
    assert names == ["c1", "s1", "s2", "s3"]
    assert any("Standard_D2s_v5" in call for call in azure.calls())
    assert (azure.folder / "mine.yml").is_file()


def test_dry_run_calls_nothing_and_prints_the_same_commands(azure):
    result = azure("azure-create.sh", DRY_RUN="1")
    assert result.returncode == 0, result.stderr
    assert azure.calls() == []
    assert not (azure.folder / "inventory.yml").exists()
    printed = [
        shlex.split(line)[1:] for line in result.stderr.splitlines() if line.startswith("az ")
    ]
    azure("azure-create.sh")
    created = [c for c in azure.calls() if "create" in c]
    assert [c for c in printed if "create" in c] == created


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"EXISTS": "true"}, "the resource group middleware-lab exists"),
        ({"CALLER_ADDRESS": "0.0.0.0/0"}, "would let everyone in"),
        ({"SSH_KEY": "/none"}, "/none.pub does not exist: make a key"),
        ({"NO_ADDRESS": "m2"}, "m2 has no public address"),
    ],
)
def test_create_refuses(azure, variables, message):
    result = azure("azure-create.sh", **variables)
    assert result.returncode == 1
    assert message in result.stderr
    assert not (azure.folder / "inventory.yml").exists()


def test_create_does_not_overwrite_an_inventory(azure):
    (azure.folder / "inventory.yml").write_text("mine")
    assert "exists: name another file" in azure("azure-create.sh").stderr
    assert (azure.folder / "inventory.yml").read_text() == "mine"


OURS = {"EXISTS": "true", "FOUND_TAG": "middleware-lab"}


def deletions(azure):
    return [c for c in azure.calls() if c[:2] == ["group", "delete"]]


def test_delete_wants_the_name_of_the_group(azure):
    result = azure("azure-delete.sh", answer="middleware-lab\n", **OURS)
    assert result.returncode == 0, result.stderr
    assert [option(c, "--name") for c in deletions(azure)] == ["middleware-lab"]
    assert azure("azure-delete.sh", CONFIRM="middleware-lab", **OURS).returncode == 0


@pytest.mark.parametrize(
    ("variables", "answer", "message"),
    [
        (OURS, "y\n", "that is not middleware-lab: nothing is deleted"),
        (OURS, "", "nothing is deleted"),
        ({**OURS, "FOUND_TAG": ""}, "middleware-lab\n", "has no tag purpose=middleware-lab"),
        ({**OURS, "FOREIGN": "db"}, "middleware-lab\n", "has VMs that are not ours"),
        ({"EXISTS": "false"}, "middleware-lab\n", "there is no resource group middleware-lab"),
    ],
)
def test_delete_refuses(azure, variables, answer, message):
    result = azure("azure-delete.sh", answer=answer, **variables)
    assert result.returncode == 1
    assert message in result.stderr
    assert deletions(azure) == []


def test_delete_in_dry_run_calls_nothing(azure):
    result = azure("azure-delete.sh", DRY_RUN="1")
    assert "az group delete --name middleware-lab --yes" in result.stderr
    assert azure.calls() == []


@pytest.mark.parametrize("role", ROLES)
def test_cloud_init_brings_what_the_role_needs(role):
    text = (FOLDER / f"cloud-init-{role}.yaml").read_text()
    assert text.startswith("#cloud-config\n")
    document = yaml.safe_load(text)
    essential = {"util-linux", "coreutils"}
    needed = {tool.packages[0] for tool in tools_of(role)} - essential
    assert needed == set(document["packages"])
    assert all(isinstance(word, str) for command in document["runcmd"] for word in command)
    assert document["ssh_pwauth"] is False
    disables = ["systemctl", "disable", "--now", "memcached"] in document["runcmd"]
    assert disables == (role == "servers")


@pytest.mark.skipif(
    shutil.which("cloud-init") is None, reason="part `virtual-machines` asks cloud-init"
)
@pytest.mark.parametrize("role", ROLES)
def test_cloud_init_knows_every_key(role):
    command = ["cloud-init", "schema", "--config-file", FOLDER / f"cloud-init-{role}.yaml"]
    told = subprocess.run(command, capture_output=True, text=True)
    assert told.returncode == 0, told.stdout + told.stderr
