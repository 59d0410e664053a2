"""CPU seconds from both versions of control groups."""

import pytest

from remote.providers.local_lab.cgroups import parse_cpu_seconds


@pytest.mark.parametrize("text", ["", "user_usec 3\nsystem_usec 4\n", "usage_usec"])
def test_parse_cpu_seconds_refuses_what_is_no_account(text):
    with pytest.raises(ValueError, match=r"neither cpuacct\.usage nor cpu\.stat|invalid literal"):
        parse_cpu_seconds(text)
