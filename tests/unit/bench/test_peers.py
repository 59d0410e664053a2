"""memcached's own proxy: how it is built, and its part in the bench."""

import shutil
import subprocess

import pytest
import systems

from records.paths import PROJECT

SCRIPT = PROJECT / "middleware-kotlin" / "bench" / "peers.sh"
TOOLS = ("apt-get", "dpkg-source", "dpkg-deb", "gcc", "make")
NEEDED = ("sh", "dirname", "mkdir", "rm", "awk", "tail")


@pytest.fixture
def build(tmp_path):
    """Build in an empty project with programs of the test's own; status, errors."""
    script = tmp_path / "middleware-kotlin" / "bench" / SCRIPT.name
    script.parent.mkdir(parents=True)
    shutil.copy(SCRIPT, script)
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found
        (programs / name).symlink_to(found)

    def run(**tools):
        for name, text in tools.items():
            program = programs / name.replace("_", "-")
            program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            program.chmod(0o755)
        done = subprocess.run(
            [script], env={"PATH": str(programs)}, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stderr

    return run


def test_build_names_the_tool_that_is_missing(build):
    status, errors = build()
    assert status == 1
    assert errors.startswith("peers.sh: no apt-get found;")
    assert "dpkg-dev" in errors


def test_build_without_a_network_says_so_and_where_to_look(build, tmp_path):
    tools = {tool.replace("-", "_"): "exit 0" for tool in TOOLS}
    tools["apt_get"] = """case " $* " in
    *" update "*) echo "Could not resolve 'mirror.example'"; exit 100 ;;
    esac"""
    status, errors = build(**tools)
    assert status == 1
    log = tmp_path / "build" / "peers" / "log"
    assert errors == (
        "Could not resolve 'mirror.example'\n"
        "peers.sh: Debian's package lists cannot be fetched (is this machine offline?); "
        f"everything that was printed is in {log}\n"
    )


def test_proxy_that_is_not_built_is_left_out(tmp_path, monkeypatch):
    java = systems.Java(jars={})
    for program, names in (
        (tmp_path / "nothing", [systems.TWEMPROXY]),
        (SCRIPT, [systems.TWEMPROXY, systems.MEMCACHED_PROXY]),
    ):
        monkeypatch.setattr(systems, "MEMCACHED_WITH_PROXY", program)
        started = list(systems._proxies(java, [1, 2, 3], tmp_path))
        assert [name for name, _, _ in started] == names


def test_proxy_forwards_all_commands_to_one_pool_of_all_servers(tmp_path):
    command, port = systems._memcached_proxy([11, 12], tmp_path)
    config = tmp_path / "memcached-proxy-2.lua"
    assert command[-1] == f"proxy_config={config}"
    assert command[command.index("-p") + 1] == str(port)
    text = config.read_text(encoding="utf-8")
    assert (
        'mcp.pool({ mcp.backend("server-11", "127.0.0.1", 11), '
        'mcp.backend("server-12", "127.0.0.1", 12) })'
    ) in text
    assert "mcp.attach(mcp.CMD_ANY_STORAGE, function(request) return pool(request) end)" in text
