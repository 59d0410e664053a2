"""The languages: what each needs to be installed, and how its suites are built."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from client_suites import python
from client_suites.reports import parse_cargo, parse_go, parse_memccapable
from client_suites.suite import CLIENTS, HOST, BuildError, Suite, copy, pinned, replace, run


@dataclass(frozen=True, kw_only=True)
class Language:
    """What a language needs, and how its suites are built in a folder, for three ports.

    `programs` maps those that must be there to the Debian packages that have them.
    """

    name: str
    programs: Mapping[str, str]
    build: Callable[[Path, Sequence[int]], list[Suite]]

    def missing(self) -> list[str]:
        """Debian packages that have to be installed first."""
        return sorted(
            {package for program, package in self.programs.items() if not shutil.which(program)}
        )


def _go(work: Path, ports: Sequence[int]) -> list[Suite]:
    module = "github.com/bradfitz/gomemcache"
    version = pinned(CLIENTS / "go" / "go.mod", rf"{module} (\S+)")
    program, tests = str(work / "program"), str(work / "tests")
    run(["go", "build", "-o", program, "."], CLIENTS / "go")
    source = run(["go", "list", "-m", "-f", "{{.Dir}}", module], CLIENTS / "go").strip()
    module_copy = copy(Path(source), work / "gomemcache")
    replace(
        module_copy.rglob("*.go"),
        {"localhost:11211": f"{HOST}:{ports[0]}", "500 * time.Millisecond": "5 * time.Second"},
    )
    run(["go", "test", "-c", "-o", tests, "./memcache"], module_copy)
    suite = Suite(
        client="gomemcache",
        language="Go",
        version=version,
        # The others start servers of their own.
        command=[tests, "-test.v", "-test.run=^TestLocalhost$"],
        is_its_own=True,
        parse=parse_go,
    )
    own = Suite(
        client="gomemcache",
        language="Go",
        version=version,
        command=[program, f"{HOST}:{ports[0]}"],
    )
    return [suite, own]


def _rust(work: Path, ports: Sequence[int]) -> list[Suite]:
    manifest = CLIENTS / "rust" / "Cargo.toml"
    metadata = run(["cargo", "metadata", "--format-version=1", f"--manifest-path={manifest}"])
    found = next(crate for crate in json.loads(metadata)["packages"] if crate["name"] == "memcache")
    crate = copy(Path(found["manifest_path"]).parent, work / "memcache")
    replace(
        crate.glob("tests/*.rs"),
        {"localhost:12345": f"{HOST}:{ports[0]}", "localhost:12346": f"{HOST}:{ports[1]}"},
    )
    # `tests.rs` is about the binary protocol and UDP.
    tests = [f"--test={path.stem}" for path in sorted(crate.glob("tests/test_*.rs"))]
    options = ["--locked", "--no-default-features", "--features=tokio,serde_json", "--no-fail-fast"]
    command = ["cargo", "test", *options, *tests]
    environment = {"CARGO_TARGET_DIR": str(work / "target"), "CARGO_PROFILE_DEV_DEBUG": "0"}
    run([*command, "--no-run"], crate, environment)
    suite = Suite(
        client="memcache",
        language="Rust",
        version=found["version"],
        command=[*command, "--", "--test-threads=1"],
        is_its_own=True,
        parse=parse_cargo,
        directory=crate,
        environment=environment,
    )
    return [suite]


def _node(work: Path, ports: Sequence[int]) -> list[Suite]:
    for name in ("package.json", "package-lock.json", "memcache-client.js"):
        shutil.copy(CLIENTS / "node" / name, work)
    run(["npm", "ci", "--ignore-scripts", "--loglevel=error"], work)
    folder = copy(work / "node_modules" / "memcached" / "test", work / "memcached")
    addresses = {str(11211 + number): str(port) for number, port in enumerate(ports)}
    replace(folder.glob("*.js"), {**addresses, "require('../')": "require('memcached')"})
    # Those of connections are about servers that are not there, beyond the loopback interface, too.
    tests = sorted(set(folder.glob("*.test.js")) - set(folder.glob("*connections*")))
    mocha = ["node_modules/mocha/bin/mocha.js", "--exit", "--reporter=tap", "--require=should"]
    mocha.append("--timeout=20000")  # instead of 2 s
    suite = Suite(
        client="memcached",
        language="Node",
        version=pinned(work / "package.json", r'"memcached": "([^"]+)"'),
        is_its_own=True,
        command=["node", *mocha, *map(str, tests)],
        directory=work,
        environment={"MEMCACHED__HOST": HOST},
    )
    own = Suite(
        client="memcache-client",
        language="Node",
        version=pinned(work / "package.json", r'"memcache-client": "([^"]+)"'),
        command=["node", str(work / "memcache-client.js"), HOST, str(ports[0])],
    )
    return [suite, own]


def _java(work: Path, ports: Sequence[int]) -> list[Suite]:
    pom = CLIENTS / "java" / "pom.xml"
    goals = ["compile", "dependency:copy-dependencies"]
    maven = str(CLIENTS.parents[1] / "mvnw")
    run([maven, "-q", "-B", f"--file={pom}", f"-DbuildDirectory={work}", *goals])
    java = ["java", "-cp", f"{work / 'classes'}:{work / 'lib'}/*"]
    return [
        Suite(
            client=client,
            language="Java",
            version=pinned(pom, rf"<artifactId>{client}</artifactId>\s*<version>([^<]+)"),
            command=[*java, f"mwlab.{client.capitalize()}", HOST, str(ports[0])],
        )
        for client in ("spymemcached", "xmemcached")
    ]


def _php(_: Path, ports: Sequence[int]) -> list[Suite]:
    version = run(["php", "-r", "echo phpversion('memcached');"])
    if not version:
        raise BuildError("PHP lacks its extension; as root: apt-get install php-memcached")
    suite = Suite(
        client="php-memcached",
        language="PHP",
        version=version,
        command=["php", "php/prove.php", HOST, str(ports[0])],
    )
    return [suite]


def _c(_: Path, ports: Sequence[int]) -> list[Suite]:
    found = re.search(r"libmemcached v([\d.]+)", run(["memcstat", "--version"]))
    suite = Suite(
        client="libmemcached",
        language="C",
        version=found[1] if found else "unknown",
        command=["memccapable", "-a", "-h", HOST, "-p", str(ports[0])],
        is_its_own=True,
        parse=parse_memccapable,
    )
    return [suite]


LANGUAGES = (
    Language(
        name="Rust", programs={"cargo": "cargo (1.85 or newer: Debian 13, or rustup)"}, build=_rust
    ),
    Language(
        name="Java", programs={"java": "openjdk-17-jdk-headless", "mvn": "maven"}, build=_java
    ),
    Language(name="Python", programs={"python3": "python3-venv"}, build=python.build),
    Language(name="Go", programs={"go": "golang-go (1.18 or newer)"}, build=_go),
    Language(name="Node", programs={"node": "nodejs", "npm": "npm"}, build=_node),
    Language(name="PHP", programs={"php": "php-cli, php-memcached"}, build=_php),
    Language(name="C", programs={"memccapable": "libmemcached-tools"}, build=_c),
)
