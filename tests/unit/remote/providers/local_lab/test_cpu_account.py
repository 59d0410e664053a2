"""CPU seconds from both versions of control groups."""

import pytest

from remote.providers.local_lab.cgroups import parse_cpu_seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5832047182\n", 5.832047182),
        ("0\n", 0),
        ("usage_usec 5832047\nuser_usec 1902731\nsystem_usec 3929316\n", 5.832047),
    ],
)
def test_parse_cpu_seconds_reads_both_versions(text, seconds):
    assert parse_cpu_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "user_usec 3\nsystem_usec 4\n", "usage_usec"])
def test_parse_cpu_seconds_refuses_what_is_no_account(text):
    with pytest.raises(ValueError, match=r"neither cpuacct\.usage nor cpu\.stat|invalid literal"):
        parse_cpu_seconds(text)
