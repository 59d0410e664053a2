"""The order of the modules that the package's docstring tells is the one that the code keeps."""

import ast
from pathlib import Path

import remote

FOLDER = Path(remote.__file__).parent


def layers():
    lines = remote.__doc__.split("::", 1)[1].splitlines()
    names = [line.split("  ")[2].strip().split(", ") for line in lines if line.strip()]
    return {name: number for number, line in enumerate(names) for name in line}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("remote"):
            parts = node.module.split(".")[1:]
            yield from [parts[0]] if parts else [alias.name for alias in node.names]


def test_modules_use_only_what_stands_above_them():
    order = layers()
    wrong = []
    for path in sorted(FOLDER.rglob("*.py")):
        user = path.relative_to(FOLDER).parts[0].removesuffix(".py")
        if user == "__init__":
            continue
        assert user in order, f"name {user} in the docstring of remote"
        wrong += [
            f"{path.relative_to(FOLDER)} uses {used}"
            for used in imports(path)
            if order[used] > order[user]
        ]
    assert not wrong
