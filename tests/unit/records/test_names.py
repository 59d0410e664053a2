import re

import pytest

from records.names import HOST, is_plain


@pytest.mark.parametrize("name", ["a", "my_proxy", "2.1", "_x", "a-b", "x" * 100])
def test_plain_names(name):
    assert is_plain(name)


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".x", "-x", "a/b", "a b", "a\n", "a:b", "a%b", "ä", "x" * 101]
)
def test_names_that_are_no_folder_or_might_be_an_option_are_not_plain(name):
    assert not is_plain(name)


@pytest.mark.parametrize(
    ("name", "is_host"),
    [("c1.example", True), ("2001:db8::1", True), ("::1", True), ("..", False), ("c1:22x", False)],
)
def test_the_name_of_a_host_may_be_its_address(name, is_host):
    assert bool(re.fullmatch(HOST, name)) == is_host
