"""Imports run one way.

The docstring of a package tells its rooms in their order, and what belongs into each.
"""

import graphlib
import itertools
import re
from importlib import import_module
from pathlib import Path

import grimp
import pytest

from records.paths import PROJECT

ANALYSIS_DOC = PROJECT / "docs" / "reference" / "analysis.md"
MAP = PROJECT / "CONTRIBUTING.md"
KOTLIN = PROJECT / "middleware-kotlin/src/main/kotlin/mwlab"
KOTLIN_TESTS = PROJECT / "middleware-kotlin/src/test/kotlin/mwlab"
ARROWS: dict[str, tuple[str, ...]] = {
    "records": (),
    "analysis": ("records",),
    "remote": ("records", "analysis.statistics", "analysis.results"),
    "report": ("records", "analysis", "remote"),
    "lab": ("records", "analysis", "remote", "report"),
}
"""What each package may import beside itself."""
PACKAGES = tuple(ARROWS)
ROOM = re.compile(r"    (?P<names>\w+(?:, \w+)*) {2,}(?P<purpose>.+)")


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, include_external_packages=False)


def rooms(package: str) -> dict[str, tuple[int, str]]:
    """Name of a room to its place in the order and its purpose."""
    lines = import_module(package).__doc__.split("::", 1)[1].splitlines()
    found = [match for line in lines if (match := ROOM.fullmatch(line))]
    return {
        name: (place, match["purpose"])
        for place, match in enumerate(found)
        for name in match["names"].split(", ")
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_run_one_way(graph, package):
    order = rooms(package)
    wrong = []
    for module in sorted(graph.find_descendants(package)):
        room = module.split(".")[1]
        assert room in order, f"the docstring of {package} does not tell what {room} is"
        for used in sorted(graph.find_modules_directly_imported_by(module)):
            parts = used.split(".")
            if parts[0] == package and len(parts) > 1 and order[parts[1]][0] > order[room][0]:
                wrong.append(
                    f"{module} uses {used}: {room} ({order[room][1]}) stands below "
                    f"{parts[1]} ({order[parts[1]][1]})"
                )
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_run_in_no_circle(graph, package):
    uses = {
        module: graph.find_modules_directly_imported_by(module) - {package}
        for module in graph.find_descendants(package)
    }
    graphlib.TopologicalSorter(uses).prepare()  # its error names the modules of a circle


def test_chapters_share_only_what_stands_outside_them(graph):
    chapters = graph.find_children("analysis.chapters") - {"analysis.chapters.claims"}
    wrong = {
        (module, used)
        for chapter in chapters - {"analysis.chapters.published_results"}  # compares all
        for module in {chapter} | graph.find_descendants(chapter)
        for used in graph.find_modules_directly_imported_by(module)
        if used.startswith("analysis.chapters.") and not f"{used}.".startswith(f"{chapter}.")
    }
    assert not wrong


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_import_only_what_their_arrows_point_to(graph, package):
    wrong = [
        f"{module} uses {used}"
        for module in sorted({package} | graph.find_descendants(package))
        for used in sorted(graph.find_modules_directly_imported_by(module))
        if not any(f"{used}.".startswith(f"{one}.") for one in (package, *ARROWS[package]))
    ]
    assert not wrong, "\n".join(wrong)


def kotlin_packages(source: Path) -> dict[str, list[Path]]:
    """Name of each package of Kotlin to its files."""
    found: dict[str, list[Path]] = {}
    for path in source.rglob("*.kt"):
        name = path.parent.relative_to(source.parent).as_posix().replace("/", ".")
        found.setdefault(name, []).append(path)
    return found


@pytest.mark.parametrize("source", [KOTLIN, KOTLIN_TESTS])
def test_files_of_kotlin_stand_in_the_folder_of_their_package(source):
    for package, paths in kotlin_packages(source).items():
        wrong = [p.name for p in paths if f"\npackage {package}\n" not in f"\n{p.read_text()}"]
        assert wrong == [], f"{wrong} stand in the folder of {package}, which is not their package"


def test_imports_of_kotlin_run_in_no_circle():
    packages = kotlin_packages(KOTLIN)
    uses: dict[str, dict[str, list[str]]] = {package: {} for package in packages}
    for package, path in ((name, path) for name, paths in packages.items() for path in paths):
        for imported in re.findall(r"^import (mwlab\.[\w.]+)", path.read_text(), re.M):
            used = max((p for p in packages if imported.startswith(f"{p}.")), key=len)
            if used != package:
                uses[package].setdefault(used, []).append(f"{path.name} uses {imported}")
    try:
        graphlib.TopologicalSorter(uses).prepare()
    except graphlib.CycleError as circle:
        backwards = circle.args[1]
        steps = [uses[one][other] for other, one in itertools.pairwise(backwards)]
        pytest.fail(f"{' < '.join(backwards)}:\n" + "\n".join(line for s in steps for line in s))


@pytest.mark.parametrize("name", re.findall(r"^\| `([\w.]+)`", ANALYSIS_DOC.read_text(), re.M))
def test_names_that_the_documentation_promises_are_there(name):
    module, attribute = name.rsplit(".", 1)
    assert getattr(import_module(module), attribute).__doc__


def test_the_map_leads_to_files_that_are_there():
    paths = re.findall(r"`([\w./-]+/[\w./-]*)`", MAP.read_text().split("## The map")[1])
    assert len(paths) > 20
    assert [
        path for path in paths if not ((PROJECT / path).exists() or (KOTLIN / path).exists())
    ] == []
