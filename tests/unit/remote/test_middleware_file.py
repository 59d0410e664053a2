import dataclasses
import hashlib
import os
from dataclasses import replace

import pytest

from records.documents import parse
from records.middleware import TOLD, Middleware, require_plain
from records.settings import DEFAULTS
from remote.errors import ConfigError
from remote.services.middleware_file import (
    FOLDER,
    Launch,
    middleware_file,
    own_middleware,
    read_middleware_file,
)

FOUR_LINES = """
command = '''java -jar {{ folder }}/mine.jar -l {{ address }} -p {{ port }} -t {{ workers }}
    -s {{ sharded }} -m {{ servers | join(' ') }}'''
files = ["mine.jar"]
ready = "listening"
"""
PLACES = {
    "address": "198.18.0.21",
    "port": 11212,
    "admin_port": 11213,
    "servers": ["198.18.0.31:11211", "198.18.0.32:11211"],
    "folder": "/home/a b/middlewares/mine",
    "programs": "bin",
    "statistics": "middleware",
    "databases": ["postgresql://messages@198.18.0.41:5432/messages"],
    "prepare_database": False,
}
QUEUES = {"workload": "queue", "backend": "postgresql"}


def words(middleware, **changes):
    known = {"num_middlewares": 1, "num_servers": 2, "workers": 64}
    settings = replace(DEFAULTS, **{**known, **changes})
    return {**PLACES, **middleware.told_settings(settings, 1.0)}


def started(middleware, **changes):
    """How a middleware is started with these settings."""
    return Launch.of(middleware, words(middleware, **changes))


def read(folder, text):
    (folder / "mine.jar").write_bytes(b"PK")
    (folder / "mine.toml").write_text(text)
    return read_middleware_file(folder / "mine.toml")


def test_four_lines_are_enough(tmp_path):
    mine = read(tmp_path, FOUR_LINES)
    assert mine.files == {"mine.jar": hashlib.sha256(b"PK").hexdigest()}
    assert mine.takes("workers")
    assert mine.takes("value_bytes")
    assert not mine.takes("routing")
    assert not mine.tells_statistics
    assert started(mine).command == (
        "java -jar '/home/a b/middlewares/mine/mine.jar' -l 198.18.0.21 -p 11212 -t 64 -s false "
        "-m 198.18.0.31:11211 198.18.0.32:11211"
    )


def test_our_command_is_that_of_the_course():
    own = own_middleware()
    assert own.tells_statistics
    assert started(own).command == (
        "bin/middleware -l 198.18.0.21 -p 11212 -t 64 --routing round-robin --dispatch sequential "
        "--transport loop -s false --server-timeout 3000ms "
        "-m 198.18.0.31:11211 198.18.0.32:11211 --stats-dir middleware --admin 198.18.0.21:11213"
    )
    assert started(own, follow=50).command.endswith(" --follow 1/50")
    assert " --net-threads 4 " in started(own, net_threads=4).command
    other = started(own, routing="consistent-hash", replicas="all", transport="ktor").command
    assert " --dispatch sequential --transport ktor -s false --replicas all " in other


def test_our_command_in_front_of_databases_is_about_nothing_else():
    own = own_middleware()
    assert started(own, **QUEUES).command == (
        "bin/middleware -l 198.18.0.21 -p 11212 -t 64 --transport loop --server-timeout 3000ms "
        "--backend postgresql --locks skip-locked --synchronous-commit on "
        "--database postgresql://messages@198.18.0.41:5432/messages "
        "--stats-dir middleware --admin 198.18.0.21:11213"
    )
    prepares = Launch.of(own, words(own, **QUEUES) | {"prepare_database": True})
    assert " --prepare-database " in prepares.command
    echo = started(own, workload="queue", backend="echo").command
    assert " --backend echo --stats-dir " in echo


def test_options_tell_all_settings(tmp_path):
    by_word = "-t {{ workers }}\n    -s {{ sharded }}"
    mine = read(tmp_path, FOUR_LINES.replace(by_word, "{{ options }}"))
    assert all(mine.takes(name) for name in TOLD)
    command = started(mine, routing="hash", sharded=True).command
    assert " -t 64 --routing hash --dispatch sequential --transport loop -s true " in command


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_what_is_shipped_can_be_started(path):
    launch = started(read_middleware_file(path))
    texts = " ".join([launch.command, *launch.configuration.values()])
    assert "198.18.0.21" in texts
    assert "198.18.0.32:11211" in texts
    assert "{" not in texts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("ready", f"x = {'[' * 5000}\nready"), "mine.toml: not TOML: "),
        (("ready", "redy"), "unknown redy; known are command"),
        (('"mine.jar"', '"lib/mine.jar"'), r"files\[1\] must be a plain file name"),
        (('"mine.jar"', '"other.jar"'), "files names other.jar: .* put it beside"),
        (("workers", "wrokers"), "unknown word wrokers; known are address"),
        (("{{ port }}", "11212"), "neither command nor configuration holds {{ port }}"),
        (
            ("ready", f"fixed.workers = 0x{'f' * 5000}\nready"),
            "fixed.workers must be a number of at most",
        ),
        (("ready", 'packages = ["openssh-server-"]\nready'), r"packages\[1\] must be a package's"),
        (("ready", 'ready = "a\\u0000" #'), "ready must be a text without NUL"),
    ],
)
def test_mistakes_are_told_by_their_place(tmp_path, change, message):
    with pytest.raises(ConfigError, match=message):
        read(tmp_path, FOUR_LINES.replace(*change))


def test_command_cannot_have_a_nul(tmp_path):
    with pytest.raises(ConfigError, match="command must be a command without NUL"):
        read(tmp_path, FOUR_LINES.replace("'''", '"""').replace("java", "java\\u0000"))


def test_command_is_one_program_and_no_shell_reads_its_arguments(tmp_path):
    mine = read(tmp_path, FOUR_LINES.replace("'''\nfiles", " && $(true) > log'''\nfiles"))
    assert started(mine).command.endswith(" '&&' '$(true)' '>' log")


def test_templates_reach_nothing_of_python(tmp_path):
    mine = read(tmp_path, FOUR_LINES.replace("{{ port }}", "{{ port.__class__.__mro__ }}"))
    with pytest.raises(ConfigError, match="unsafe"):
        started(mine)


def test_own_middlewares_are_found_beside_and_as_kept(tmp_path):
    with pytest.raises(ConfigError, match="no middleware `mine`: there are haproxy, mwlab"):
        middleware_file("mine", [tmp_path])
    kept = tmp_path / "middlewares" / "mine"
    kept.mkdir(parents=True)
    read(kept, FOUR_LINES)
    assert middleware_file("mine", [tmp_path]) == kept / "mine.toml"
    read(tmp_path, FOUR_LINES)
    assert middleware_file("mine", [tmp_path]) == tmp_path / "mine.toml"
    assert middleware_file("nutcracker", [tmp_path]) == FOLDER / "nutcracker.toml"


def test_shipped_names_are_taken(tmp_path):
    (tmp_path / "nutcracker.toml").write_text(FOUR_LINES)
    with pytest.raises(ConfigError, match="there is a middleware `nutcracker` already"):
        middleware_file("nutcracker", [tmp_path])


ENDLESS = (
    "{{ 'a' * 3000000 }}",
    "{{ 9 ** 9 ** 9 }}",
    "{{ '%999999999d' % 1 }}",
    "{{ '{:999999999}'.format(1) }}",
    "{{ folder | center(999999999) }}",
    "{{ folder | join(folder) | join(folder) }}",
    "{% for a in servers %}{% for b in servers %}x{% endfor %}{% endfor %}",
    "{% for a in folder | batch(1) %}x{% endfor %}",
    "{% for a in range(99999) %}x{% endfor %}",
    "{% set a = folder ~ folder %}{% set b = a ~ a %}{{ b }}",
    "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}",
    "x" * 100_000,
    "{{ " + "not " * 400 + "port }}",
    "{{ " + "(" * 20_000 + "port }}",
)


@pytest.mark.parametrize("text", ENDLESS, ids=lambda text: text[:30])
@pytest.mark.parametrize("place", ["command", "configuration"])
def test_templates_that_could_take_long_are_refused_before_they_are_filled(tmp_path, place, text):
    inside = FOUR_LINES.replace("'''java", f"'''java {text}")
    beside = f'{FOUR_LINES}[configuration]\n"a.cfg" = """{text}"""\n'
    with pytest.raises(ConfigError, match=rf"mine.toml: {place}.* (template|characters)"):
        read(tmp_path, inside if place == "command" else beside)


def test_manifests_of_others_have_no_other_templates(tmp_path):
    mine = read(tmp_path, FOUR_LINES)
    require_plain("mine", mine)
    with pytest.raises(ValueError, match="command line 1: `Mul`: a template may hold words"):
        require_plain("mine", replace(mine, command="java {{ 'a' * 3000000 }}"))
    with pytest.raises(ValueError, match="unknown word wrokers; known are address"):
        require_plain("mine", replace(mine, command=f"{mine.command} {{{{ wrokers }}}}"))
    with pytest.raises(ValueError, match="fixed: unknown wokers; known are backend"):
        require_plain("mine", replace(mine, fixed={"wokers": 1}))
    with pytest.raises(ValueError, match=r"files.mine.jar must be 64 hexadecimal digits"):
        parse(Middleware, {**dataclasses.asdict(mine), "files": {"mine.jar": "../x"}})


def test_a_template_that_becomes_too_long_is_told_by_its_place(tmp_path):
    text = f"{{% for s in servers %}}{'x' * 60_000}{{% endfor %}}"
    mine = read(tmp_path, f'{FOUR_LINES}[configuration]\n"a.cfg" = """{text}"""\n')
    with pytest.raises(ConfigError, match=r"configuration.a.cfg: becomes longer than 65536"):
        started(mine)


def test_templates_may_compute_with_words(tmp_path):
    text = (
        "{{ port + 1 }} {{ server_timeout_ms / 1000 }} {{ servers | length }} {{ servers[0] }}"
        "{% for s in servers[:2] %} {{ loop.index }}={{ s | upper }}{% endfor %}"
        "{% if follow is none %} {{ servers[-1].split(':')[0] }}{% endif %}"
        "{{ ' many' if workers > 8 and routing in ('round-robin', 'x') else ' few' }}"
    )
    mine = read(tmp_path, f'{FOUR_LINES}[configuration]\n"a.cfg" = """{text}"""\n')
    assert started(mine).configuration["a.cfg"] == (
        "11213 3.0 2 198.18.0.31:11211 1=198.18.0.31:11211 2=198.18.0.32:11211 198.18.0.32 many\n"
    )


def test_a_file_may_be_a_link_within_its_folder_and_no_other(tmp_path):
    folder = tmp_path / "of others"
    (folder / "target").mkdir(parents=True)
    (folder / "target" / "mine-1.0.jar").write_bytes(b"PK")
    (tmp_path / "secret").write_text("secret")
    (folder / "mine.toml").write_text(FOUR_LINES)
    jar = folder / "mine.jar"
    jar.symlink_to("target/mine-1.0.jar")
    digest = hashlib.sha256(b"PK").hexdigest()
    assert read_middleware_file(folder / "mine.toml").files == {"mine.jar": digest}
    jar.unlink()
    jar.symlink_to(tmp_path / "secret")
    with pytest.raises(ConfigError, match=r"a link to .*secret: copy that file into .*of others"):
        read_middleware_file(folder / "mine.toml")
    jar.unlink()
    os.mkfifo(jar)
    with pytest.raises(ConfigError, match=r"mine.jar, which is no regular file"):
        read_middleware_file(folder / "mine.toml")
