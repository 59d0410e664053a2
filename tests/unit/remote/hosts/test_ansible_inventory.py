"""How inventories in Ansible's format are read; beside Ansible itself in `test_same_as_ansible`."""

from pathlib import Path

import pytest

from remote.errors import ConfigError
from remote.hosts.ansible_inventory import AnsibleInventory
from remote.hosts.ansible_yaml import LARGEST

NESTED = """
all:
  vars: {level: all, from_all: 1}
  hosts:
    control: {ansible_connection: local}
  children:
    west:
      vars: {level: west, region: w, secret: !vault "$ANSIBLE_VAULT;1.1;AES256"}
      children:
        experiment:
          vars: {level: experiment}
          children:
            clients:
              hosts:
                c[1:3]: {own: c}
                d[a:c:2].lab: {ansible_port: 23}
            middlewares:
              hosts: {m1: , m2: {level: host}}
    fast:
      vars: {level: fast, ansible_group_priority: 5}
      hosts: {c2: }
    zoo:
      vars: {level: zoo}
      hosts: {c2: , c3: }
    big:
      vars: {level: big}
      children: {servers: }
    servers:
      hosts:
        s[01:03]:
        s4:2222:
  # a second mention of a group adds to it
middlewares:
  vars: {workers: 8, full_name: "{{ inventory_hostname }}.{{ region }}.example"}
"""


def write(folder: Path, text: str, **files: str) -> Path:
    path = folder / "hosts.yml"
    path.write_text(text)
    for name, content in files.items():
        file = folder / name.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return path


def test_nested_groups_ranges_and_precedence_are_ansibles(tmp_path):
    ours = AnsibleInventory(write(tmp_path, NESTED))
    assert ours.members("clients") == ["c1", "c2", "c3", "da.lab", "dc.lab"]
    assert ours.members("servers") == ["s01", "s02", "s03", "s4"]
    levels = {host: ours.variables(host)["level"] for host in ours.hosts}
    assert levels["c1"] == "experiment"  # the deepest group
    assert levels["c3"] == "experiment"
    assert levels["m1"] == "experiment"
    assert levels["m2"] == "host"
    assert ours.variables("s4")["ansible_port"] == 2222
    assert ours.variables("m1")["full_name"] == "m1.w.example"


def test_vault_files_beside_the_inventory_are_left_alone(tmp_path):
    path = write(
        tmp_path, NESTED, **{"group_vars__all__vault.yml": "$ANSIBLE_VAULT;1.1;AES256\n6162\n"}
    )
    assert AnsibleInventory(path).variables("c1")["from_all"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[clients]\nc1\n", r"not YAML(.|\n)*ansible-inventory -i .* --list --yaml"),
        ("- c1\n", "it must map groups"),
        ("all: {hosts: [c1]}\n", r"all\.hosts must be a mapping, got \['c1'\]"),
        ("all: {host: {c1: }}\n", "all: a group has hosts, vars, children, not host"),
        ("all: {hosts: {'c[01:10:3]': , 'd[a:3]': }}\n", r"\[a:3\] is no range"),
        (
            "a: {children: {b: {children: {a: }}}}\n",
            "a group is below itself: (a > b > a|b > a > b)",
        ),
        ("a: &x {children: {a: *x}}\n", r"a\.children\.a\..* is nested deeper than 50 levels"),
        ("a: {hosts: {'c[1:99999999]': }}\n", "is no range: it has more than 2000 names"),
        ("a: {hosts: {'c[1:1999]-[1:1999]': }}\n", r"a\.hosts: more than 2000 hosts and groups"),
        (
            f"a: {{hosts: {{c: {{{', '.join(f'v{n}: ' for n in range(2001))}}}}}}}\n",
            "c has more th",
        ),
        (f"a: {{hosts: {{? 'c[1:3:{'1' * 5000}]' : }}}}\n", "a range is written"),
        ("a:\n  hosts:\n    c1: {x: 1}\n    c1: {x: 2}\n", "c1 is given twice, in lines 3 and 4"),
        ("$ANSIBLE_VAULT;1.1;AES256\n6162\n", "is encrypted: decrypt it .* secrets in group_vars/"),
        ("a: {vars: {ansible_group_priority: x}, hosts: {h: }}\n", "must be a whole number"),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message):
        for host in (inventory := AnsibleInventory(write(tmp_path, text))).hosts:
            inventory.variables(host)


def layers(count: int) -> list[tuple[str, list[str]]]:
    """Groups of which each has both groups of the next layer: 2^count ways lead to the last."""
    sides = "ab"
    return [
        (f"{side}{layer}", [f"{below}{layer + 1}" for below in sides])
        for layer in range(count)
        for side in sides
    ]


def test_many_ways_to_a_group_take_no_longer_than_one(tmp_path):
    groups = layers(40)
    text = "".join(
        f"{name}: {{children: {{{', '.join(f'{child}: ' for child in children)}}}}}\n"
        for name, children in groups
    )
    inventory = AnsibleInventory(write(tmp_path, text + "a40: {hosts: {c1: }, vars: {x: 1}}\n"))
    assert inventory.members("a0") == ["c1"]
    assert inventory.variables("c1")["x"] == 1


def test_anchors_that_multiply_groups_are_refused(tmp_path):
    text = "g0: &g0 {hosts: {c1: }}\n" + "".join(
        f"g{n}: &g{n} {{children: {{a{n}: *g{n - 1}, b{n}: *g{n - 1}}}}}\n" for n in range(1, 40)
    )
    with pytest.raises(ConfigError, match=r"more than 500000 characters .* fewer YAML anchors"):
        AnsibleInventory(write(tmp_path, text))


def test_file_that_is_not_utf_8_is_named_with_the_way_to_convert_it(tmp_path):
    path = tmp_path / "hosts.yml"
    path.write_bytes("a: {hosts: {c1: {place: Zürich}}}".encode("latin1"))
    with pytest.raises(ConfigError, match=r"is not UTF-8: .* `iconv -f latin1 -t utf-8`"):
        AnsibleInventory(path)
    path.write_bytes("a: {hosts: {c1: {place: Zürich}}}".encode("utf-8-sig"))
    assert AnsibleInventory(path).variables("c1")["place"] == "Zürich"


def test_an_inventory_of_a_thousand_hosts_is_a_third_of_the_largest(tmp_path):
    variables = "{ansible_host: 10.42.100.100, ansible_user: ubuntu, mwlab_rate_mbit_per_s: 1000}"
    hosts = "".join(f"      host-number-{n:04d}.example.org: {variables}\n" for n in range(1000))
    path = write(tmp_path, f"all:\n  children:\n    clients:\n     hosts:\n{hosts}")
    assert len(AnsibleInventory(path).hosts) == 1000
    assert path.stat().st_size < LARGEST / 3
    path.write_bytes(b"#" * (LARGEST + 1))
    with pytest.raises(ConfigError, match=rf"hosts\.yml: cannot be read: .* than {LARGEST} bytes"):
        AnsibleInventory(path)
