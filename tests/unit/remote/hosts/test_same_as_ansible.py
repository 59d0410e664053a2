"""Any inventory is read as Ansible reads it, or refused with a reason."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remote.errors import ConfigError
from remote.hosts.ansible_inventory import AnsibleInventory
from tests.helpers.ansibles import ansible_reads

pytest.importorskip("ansible", reason="ansible-core is not installed")

GROUPS = ["all", "ungrouped", "clients", "servers", "west", "my-group", "a.b"]
HOSTS = ["c1", "c2", "s1:22", "s1:23", '"d[1:3]"', '"d[01:03:2]"', '"d[0:10:5]:2222"', "'e[a:c]'"]
VALUES = ["1", "1.5", "x", "yes", "null", '"{{ x }}"', '"{{ y }}-{{ inventory_hostname }}"', "[1]"]
VARIABLES = ["x", "y", "ansible_host", "ansible_port", "ansible_user", "mwlab_rate_mbit_per_s"]
# What someone may write by mistake, or what only Ansible's own code explains.
NO_NAMES = [
    "1",
    "1.5",
    "true",
    "no",
    "null",
    "~",
    "2026-01-01",
    "1:30",
    '""',
    '"1"',
    "[a]",
    "!!binary YQ==",
]
ODD_GROUPS = [*NO_NAMES, "c1", "'10.42.0.[31:33]'", "'a b'", "ü", "hosts", "plugin"]
ODD_HOSTS = [
    *NO_NAMES,
    *("clients", "west", "localhost", "'c1 '", "ü", "'c|1'", "c_:22", "'_:1'", "'c1:0'", "'a:b:c'"),
    *("'[c1]:22'", "'[::1]:22'", "'[fe80::1]:22'", "'[1:2:3:4:5:6:7::]:22'", "'::1'", "'fe80::1'"),
    *("'10.42.0.[31:33]'", "'10.42.0.[31:33]:22'", "'[1:3]'", "'[1:3]:22'", "'c[1:3'", "'c1:3]'"),
    *("'c[:3]'", "'c[:3]:22'", "'c[3:1]'", "'c[c:a]'", "'c[1:a]'", "'c[a:3]'", "'c[1:3:0]'"),
    *("'c[01:3]'", "'c[00:02]'", "'c[1:03]'", "'c[1:9:-1]'", "'c[-1:2]'", "'c[+1:2]'", "'c[ 1:2]'"),
    *("'c[ab:cd]'", "'c[A:C]'", "'c[X:b]'", "'c[1:2]-[a:b]:5'", "'c[1:2]-:5'", "'c[1,2]'", "'c[]'"),
    *("'c[1_0:1_1]'", "'c[\u0661:\u0663]'", "'c[1:2:]'", "'c[1:2:3:4]'", "'c[1:2]:x'"),
    "'[c[1:2]]:3'",
]  # fmt: skip
ODD_VARIABLES = [
    "ansible_group_priority",
    "inventory_hostname",
    "groups",
    "vars",
    "1",
    "true",
    "null",
]
ODD_VALUES = [
    *("{a: 1}", "!unsafe '{{ x }}'", "!unsafe 22", "!unsafe {a: '{{ x }}'}", "1e3", "2026-01-01"),
    *("0x1F", "'{{ groups }}'", "'{{ vars }}'", "'{{ inventory_hostname_short }}.lab'", "''"),
    *("!x 1", "'5'", "5", "-1", ".inf", "'x'"),
]  # fmt: skip


def mapping(keys, values, most=3):
    """Text of a YAML mapping, in which a key may occur twice."""
    pairs = st.lists(st.tuples(keys, values), max_size=most)
    return pairs.map(lambda found: "{" + ", ".join(f"{k}: {v}" for k, v in found) + "}")


def unique_mapping(keys, values, most=3):
    pairs = st.lists(st.tuples(keys, values), max_size=most, unique_by=lambda pair: pair[0])
    return pairs.map(lambda found: "{" + ", ".join(f"{k}: {v}" for k, v in found) + "}")


def documents(groups, hosts, variables, values, section, build):
    """Texts of inventories, whose parts are drawn from the strategies."""
    assigned = build(variables, values)
    named_hosts = build(hosts, assigned)

    def group(children):
        parts = {"vars": assigned, "hosts": named_hosts, "children": build(groups, children)}
        return st.permutations(list(parts)).flatmap(
            lambda names: st.tuples(*(section(parts[name]) for name in names)).map(
                lambda texts: "{" + ", ".join(map(": ".join, zip(names, texts, strict=True))) + "}"
            )
        )

    return build(groups, st.recursive(section(st.just("{}")), group, max_leaves=4), 4)


PLAIN = documents(
    st.sampled_from(GROUPS[2:]),
    st.sampled_from(HOSTS),
    st.sampled_from(VARIABLES),
    st.sampled_from(VALUES),
    lambda part: part,
    unique_mapping,
)
ODD_SECTIONS = st.sampled_from(["", "null", "c1", "0", "false", "[]", "3"])
ODD = documents(
    st.sampled_from(GROUPS * 9 + ODD_GROUPS),
    st.sampled_from(HOSTS * 20 + ODD_HOSTS),
    st.sampled_from(VARIABLES * 5 + ODD_VARIABLES),
    st.sampled_from(VALUES * 5 + ODD_VALUES),
    lambda part: st.integers(0, 9).flatmap(lambda n: part if n else ODD_SECTIONS),
    mapping,
)
FILES = st.dictionaries(
    st.sampled_from(
        [
            *("group_vars/all.yml", "group_vars/all.json", "group_vars/clients", "host_vars/c1"),
            *("group_vars/clients.yml", "group_vars/west/b.yml", "group_vars/west/a/z.json"),
            *("group_vars/west/.hidden", "group_vars/west/c.yml~", "group_vars/west/d.txt"),
            *("group_vars/west.yml", "group_vars/ungrouped.yml", "host_vars/c1.yml"),
        ]
    ),
    st.sampled_from(["x: 1e3", '{"x": 1e3}', "y: file", "{}", "", "#!x\nx: 2", "x: 3\nz: 4"]),
    max_size=4,
)


def check(text, files=None, *, name="hosts.yml"):
    """Compare both readings; return True if the inventory is not refused."""
    folder = Path(tempfile.mkdtemp())
    try:
        for place, content in {**(files or {}), name: text}.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.is_dir():
                path.write_text(content)
        try:
            ours = AnsibleInventory(path)
            variables = {host: ours.variables(host) for host in ours.hosts}
        except ConfigError as exc:
            assert str(exc).removeprefix(str(path)), "a refusal has a reason"
            return False
        theirs = ansible_reads(path)
        assert theirs is not None, "Ansible rejects it"
        assert theirs.plugin == "yaml"
        assert ours.hosts == theirs.hosts
        assert {name: set(ours.members(name)) for name in ours.groups} == theirs.groups
        for host, found in variables.items():
            assert found.pop("inventory_hostname") == host
            assert same(found, theirs.filled[host]), host
        return True
    finally:
        shutil.rmtree(folder)


def same(ours, theirs):
    """Compare variables and their types; templates that are left as they are count as the same."""
    left = {key for key, value in ours.items() if "{{" in str(value)}
    return ours.keys() == theirs.keys() and all(
        repr(value) == repr(theirs[key]) for key, value in ours.items() if key not in left
    )


def ansible_rejects(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "hosts.yml")
        path.write_text(text)
        theirs = ansible_reads(path)
        return theirs is None or theirs.plugin != "yaml"


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(PLAIN)
def test_usual_inventories_are_refused_only_if_ansible_rejects_them(text):
    assert check(text) or ansible_rejects(text)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(ODD, FILES)
def test_odd_inventories_are_read_as_ansible_reads_them_or_refused(text, files):
    check(text, files)


def test_each_odd_name_is_read_as_ansible_reads_it_or_refused():
    accepted = {name for name in ODD_HOSTS if check(f"a: {{hosts: {{{name}: {{x: 1}}}}}}")}
    assert accepted >= {"'10.42.0.[31:33]'", "'10.42.0.[31:33]:22'", "'[fe80::1]:22'", '"1"'}
    assert not accepted & {"1", "1.5", "true", "no", "null", "2026-01-01", "1:30"}
    for name in ODD_GROUPS:
        check(f"{name}: {{hosts: {{c9: }}}}")
        check(f"a: {{children: {{{name}: }}}}")


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("all: {hosts: {c1: }}\nungrouped: {vars: {x: 1}}", True),
        ("a: {hosts: {c1: }}\nungrouped: {hosts: {c1: , c2: }, vars: {x: 1}}", True),
        ("a: {children: {ungrouped: }}", False),
        ("a: {children: {all: }}", False),
        (
            "a: {vars: {ansible_group_priority: 2.5}, hosts: {c1: {ansible_group_priority: 3}}}",
            True,
        ),
        ("a: {vars: {ansible_group_priority: .inf}}", False),
        ("a: {hosts: {a: {x: 1}}}", False),
        ("a: {hosts: {c1: }}\nb: {hosts: {'c1:22': }}", True),
        ("b: {hosts: {'c1:22': }}\na: {hosts: {c1: {x: 1}}}", True),
        ("a: {children: {b: {hosts: {c2: }}}, hosts: {c1: }}", True),
        ("plugin: constructed\na: {hosts: {c1: }}", False),
        ("{}", False),
        ("", False),
        ('{"a": {"hosts": {"c1": {"x": 1e3,\t"y": "\\ud83d\\ude00"}}}}', True),
        ('{"a": {"hosts": {"c1": {"x": {"__ansible_unsafe": "{{ y }}"}, "y": 1}}}}', True),
        ('{"a": {"hosts": {"c1": 1, "c1": 2}}}', False),
        ("a: {hosts: {c1: {x: 0x10, y: 1_0, z: 1:30}}}", True),
        ("a: {hosts: {1: , 0x1: }}", False),
        ("a: &a {hosts: {c1: }}\nb: *a", True),
        ("a: {hosts: {c1: {<<: {x: 1}, y: 2}}}", True),
        ("---\na: {hosts: {c1: }}\n---\nb: ", False),
    ],
)
def test_inventories_that_ansible_reads_in_a_way_of_its_own(text, accepted):
    assert check(text) is accepted


@pytest.mark.parametrize("name", ["hosts.ini", "hosts.txt", "hosts.cfg"])
def test_names_of_files_that_ansible_does_not_read_as_yaml_are_refused(name):
    assert not check("a: {hosts: {c1: }}", name=name)
    assert check("a: {hosts: {c1: }}", name="hosts")


INI = """
top ansible_host=10.0.0.9
1
[clients]
10.42.0.[31:33] ansible_port=2222 x=1
c[01:03]:22
[servers]
s[a:c]
[my-group:children]
clients
servers
[my-group:vars]
ansible_user=lab
[clients:vars]
x=2
y='a b'
"""


@pytest.mark.slow
def test_ini_is_refused_with_a_conversion_that_reads_as_the_ini_does(tmp_path):
    path = tmp_path / "hosts"
    path.write_text(INI)
    with pytest.raises(ConfigError, match=r"`ansible-inventory -i .*hosts --list --yaml`"):
        AnsibleInventory(path)
    command = [Path(sys.executable).with_name("ansible-inventory"), "-i", path, "--list", "--yaml"]
    converted = tmp_path / "hosts.yml"
    converted.write_text(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    ours, theirs = AnsibleInventory(converted), ansible_reads(path)
    assert set(ours.hosts) == set(theirs.hosts)
    assert {name: set(ours.members(name)) for name in ours.groups} == theirs.groups
    for host, expected in theirs.variables.items():
        assert ours.variables(host) == {**expected, "inventory_hostname": host}
