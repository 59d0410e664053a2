"""How one host of a fleet on this machine is, for `lab status`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class HostState:
    """How one host is.

    Parameters
    ----------
    pid : of the process that is the host, or serves it; None if it does not run.
    answers_ssh : whether it can be reached.
    """

    name: str
    role: str
    address: str
    pid: int | None
    answers_ssh: bool

    @property
    def is_up(self) -> bool:
        """Whether the host can be used."""
        return self.pid is not None and self.answers_ssh
