"""The container file and the systemd unit start the middleware as it can be started."""

import json
import re
import shlex
import shutil
import subprocess

import pytest

from records.paths import PROJECT

MIDDLEWARE = PROJECT / "middleware-kotlin"
DEPLOY = MIDDLEWARE / "deploy"
SOURCES = MIDDLEWARE / "src/main/kotlin/mwlab/middleware"
PROGRAM = "/opt/middleware/bin/middleware"


def text_of(path):
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def options():
    """Every name of an option in the README's table: the option's long name, and its values.

    Values are "" (none), "one" or "many".
    """
    found = {}
    rows = re.findall(r"^\| ((?:`-[^`]*`(?:, )?)+) \|", text_of(MIDDLEWARE / "README.md"), re.M)
    for row in rows:
        names = re.findall(r"-{1,2}[a-z][a-z-]*", row.partition("<")[0])
        values = "many" if "..." in row else "one" if "<" in row else ""
        found |= {name: (names[-1], values) for name in names}
    return found


@pytest.fixture
def unit():
    """Settings of the unit by name; of those that are repeated the list of all."""
    settings = {}
    for line in text_of(DEPLOY / "middleware.service").splitlines():
        name, is_setting, value = line.partition("=")
        if is_setting and not line.startswith("#"):
            settings.setdefault(name, []).append(value)
    return settings


@pytest.fixture
def environment():
    """Variables of the unit's environment file."""
    lines = text_of(DEPLOY / "middleware.env").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


@pytest.fixture
def instructions():
    """Instructions of the container file's last stage: pairs of name and arguments."""
    text = text_of(DEPLOY / "Containerfile").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    last = max(index for index, line in enumerate(lines) if line.startswith("FROM"))
    return [tuple(line.split(maxsplit=1)) for line in lines[last:]]


def parse(words, options):
    """Values by long name of a command line, which must be one that the README's table allows."""
    given = {}
    name = None
    for word in words:
        if word.startswith("-"):
            assert word in options, f"{word} is no option of the middleware"
            name = options[word][0]
            assert name not in given, f"{name} is given twice"
            given[name] = []
        else:
            assert name, f"{word} belongs to no option"
            given[name].append(word)
    kinds = dict(options.values())
    for name, values in given.items():
        expected = {"": len(values) == 0, "one": len(values) == 1, "many": len(values) > 0}
        assert expected[kinds[name]], f"{name} has the values {values}"
    return given


def seconds(pattern, path):
    return int(re.search(pattern, text_of(path))[1])


def test_service_runs_the_options_of_its_environment_file(unit, environment, options):
    assert unit["EnvironmentFile"] == ["/etc/middleware.env"]
    assert unit["ExecStart"] == [f"{PROGRAM} $MIDDLEWARE_OPTIONS"]
    given = parse(shlex.split(environment["MIDDLEWARE_OPTIONS"]), options)
    assert {"--servers", "--port"} <= set(given)
    assert given["--stats-dir"][0].startswith(f"/var/lib/{unit['StateDirectory'][0]}/")


def test_service_waits_for_the_last_replies(unit):
    drain_s = seconds(r"drainTimeout: Duration = (\d+)\.seconds", SOURCES / "MiddlewareConfig.kt")
    linger_s = seconds(
        r"LONGEST_LINGER = (\d+)\.seconds", SOURCES / "client" / "ClientConnection.kt"
    )
    assert int(unit["TimeoutStopSec"][0]) > 2 * (drain_s + linger_s)


def test_service_may_open_a_connection_for_every_client(unit):
    max_clients = seconds(r"`--max-clients <n>` \| (\d+)", MIDDLEWARE / "README.md")
    assert int(unit["LimitNOFILE"][0]) > 2 * max_clients


def test_service_is_restarted_but_for_a_wrong_command_line(unit):
    assert unit["Restart"] == ["on-failure"]
    assert unit["RestartPreventExitStatus"] == ["2"]
    assert "DynamicUser" in unit and "User" not in unit


def complaints(unit, text):
    """Return what systemd says against a unit, and not what it says against the machine's own."""
    unit.write_text(text, encoding="utf-8")
    verified = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    return [line for line in verified.stderr.splitlines() if unit.name in line]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_knows_all_settings(tmp_path):
    unit = tmp_path / "middleware.service"
    text = text_of(DEPLOY / unit.name).replace(PROGRAM, "/bin/true")
    if not complaints(unit, f"{text}\n[Service]\nNoSuchSetting=1\n"):
        pytest.skip("systemd-analyze verifies no units here")
    assert complaints(unit, text) == []


def test_container_runs_the_middleware_as_first_process_without_root(instructions, options):
    by_name = dict(instructions)
    program, *words = json.loads(by_name["ENTRYPOINT"])
    assert program == PROGRAM
    given = parse(words, options)
    assert given["--port"] == [by_name["EXPOSE"]]
    assert given["--listen"] == ["0.0.0.0"]
    assert not by_name["USER"].startswith(("0", "root"))
    assert by_name["STOPSIGNAL"] == "SIGTERM"


def test_container_has_what_the_launcher_looks_for(instructions):
    copied = [arguments.split() for name, arguments in instructions if name == "COPY"]
    assert all(words[-1] == "/opt/middleware/bin/" for words in copied)
    files = [word for words in copied for word in words[:-1] if not word.startswith("--")]
    assert [name.rpartition("/")[2] for name in files] == [
        "middleware",
        "launch.sh",
        "middleware.jar",
    ]
    assert all((MIDDLEWARE / name).is_file() for name in files if not name.startswith("/"))
