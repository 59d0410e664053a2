"""Packages are read from the files that pin them."""

from pathlib import Path

from audit import pinned
from audit.__main__ import CHECKSUMS, CLIENTS, REQUIREMENTS
from audit.package import Package

SUM = "0" * 64


def listed(tmp_path: Path, *paths: str) -> Path:
    file = tmp_path / "checksums.sha256"
    file.write_text("".join(f"{SUM}  {path}\n" for path in paths), encoding="utf-8")
    return file


def test_a_maven_package_is_one_whatever_its_files(tmp_path):
    folder = "org/example/parser/1.2"
    files = [f"{folder}/parser-1.2{end}" for end in (".pom", ".jar", "-tests.jar")]
    only_described = "org/example/parent/7/parent-7.pom"
    checksums = listed(tmp_path, *files, only_described)
    (package,) = pinned.of_maven(checksums, tmp_path / "nothing", "builds")
    assert package == Package(kind="maven", name="org.example/parser", version="1.2", use="builds")
    assert package.url == "pkg:maven/org.example/parser@1.2"


def test_a_maven_package_has_the_licences_of_its_description_or_else_of_its_parents(tmp_path):
    namespace = 'xmlns="http://maven.apache.org/POM/4.0.0"'
    licence = "<licenses><license><name> MIT </name></license></licenses>"
    above = "<groupId>org.example</groupId><artifactId>parent</artifactId><version>7</version>"
    texts = {
        "org/example/parent/7/parent-7.pom": f"<project {namespace}>{licence}</project>",
        "org/example/a/1/a-1.pom": f"<project {namespace}><parent>{above}</parent></project>",
        "org/example/b/1/b-1.pom": f"<project {namespace}/>",
    }
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    checksums = listed(tmp_path, *(f"org/example/{name}/1/{name}-1.jar" for name in "abc"))
    found = {package.name: package.licences for package in pinned.of_maven(checksums, tmp_path, "")}
    assert found == {"org.example/a": "MIT", "org.example/b": "", "org.example/c": None}


def test_the_pinned_maven_itself_is_listed(tmp_path):
    names = {package.name for package in pinned.of_maven(CHECKSUMS, tmp_path, "")}
    assert {"org.apache.maven/apache-maven", "io.ktor/ktor-network-jvm"} <= names


def test_clients_of_all_languages_are_listed():
    found = [
        *pinned.of_npm(CLIENTS / "node" / "package-lock.json", ""),
        *pinned.of_go(CLIENTS / "go" / "go.sum", ""),
        *pinned.of_cargo(CLIENTS / "rust" / "Cargo.toml", ""),
        *pinned.of_python(REQUIREMENTS[1], ""),
    ]
    urls = {package.url for package in found}
    assert "pkg:npm/memcached@2.2.2" in urls
    assert "pkg:cargo/memcache@0.21.0" in urls
    assert any(url.startswith("pkg:golang/github.com/bradfitz/gomemcache@v") for url in urls)
    assert "pkg:pypi/python-memcached@1.62" in urls
    assert not any("go.mod" in url or "node_modules" in url for url in urls)


def test_an_npm_package_within_another_has_its_own_name(tmp_path):
    lock = tmp_path / "package-lock.json"
    lock.write_text(
        '{"packages": {"": {"name": "ours"}, "node_modules/a/node_modules/@scope/b":'
        ' {"version": "1.0.0", "license": "ISC"}, "node_modules/c":'
        ' {"name": "really", "version": "2.0.0"}}}',
        encoding="utf-8",
    )
    first, second = pinned.of_npm(lock, "")
    assert (first.url, first.licences) == ("pkg:npm/%40scope/b@1.0.0", "ISC")
    assert second.url == "pkg:npm/really@2.0.0"
