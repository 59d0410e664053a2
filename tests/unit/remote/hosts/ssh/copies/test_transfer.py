from types import SimpleNamespace

import pytest

from remote.errors import HostGone, TransferFailed
from remote.hosts.ssh.copies.transfer import transferred


class Copying:
    """Attempts that end with these outcomes, one after the other, over a link that is up or not."""

    def __init__(self, *outcomes, is_alive=False):
        self.left = list(outcomes)
        self.link = SimpleNamespace(
            host=SimpleNamespace(name="c1"),
            open=lambda: None,
            is_alive=lambda: is_alive,
            lost=lambda reason: HostGone("c1", reason, "Check the link."),
        )

    def attempt(self, left_s):
        outcome = self.left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def run(self):
        return transferred(self.link, self.attempt, "results.csv", 60)


def test_a_copy_is_made_once_more_where_the_link_broke():
    assert Copying(EOFError(), "copied").run() == "copied"


def test_a_host_whose_link_breaks_twice_is_gone():
    copying = Copying(EOFError(), EOFError("end"), "copied")
    with pytest.raises(HostGone, match=r"the copying of results\.csv broke off: end"):
        copying.run()
    assert copying.left == ["copied"]


@pytest.mark.parametrize(
    ("error", "is_alive"), [(OSError("disk full"), True), (FileNotFoundError("no file"), False)]
)
def test_a_copy_that_fails_for_another_reason_is_not_made_again(error, is_alive):
    copying = Copying(error, "copied", is_alive=is_alive)
    with pytest.raises(TransferFailed, match=str(error)):
        copying.run()
    assert copying.left == ["copied"]
