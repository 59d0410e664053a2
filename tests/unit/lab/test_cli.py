import subprocess
import sys

import pytest
from click.testing import CliRunner

from lab.cli import main
from manual.commands import above, commands

SLOW = "pandas", "paramiko", "scipy"


@pytest.fixture(scope="module")
def shown():
    return CliRunner().invoke(main, ["--help"], terminal_width=80).output


def test_help_lists_every_command_once_in_a_whole_sentence_on_one_line(shown):
    lines = [line for line in shown.splitlines() if line.startswith("  ")]
    for name in commands():
        (line,) = [line for line in lines if line.split()[0] == name]
        assert line.endswith(".") and not line.endswith("..."), line
    assert max(map(len, shown.splitlines())) <= 80


def test_the_examples_of_help_are_commands(shown):
    examples = shown.partition("Examples:")[2].strip().splitlines()
    assert examples
    for example in examples:
        program, name, *arguments = example.partition("   ")[0].split()
        assert program == "lab"
        commands()[name].make_context(name, arguments, parent=above())


def test_help_loads_nothing_that_takes_long():
    check = f"""
import sys
from lab.cli import main
try:
    main(["--help"])
finally:
    print([name for name in {SLOW} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
