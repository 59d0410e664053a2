"""Patience with hosts that do not answer: what may be done again is, until they do."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    sleep_using_event,
    wait_exponential_jitter,
)

from remote.errors import CommandTimeout, GroupError, HostGone

T = TypeVar("T")

PATIENCE_S = 900.0
"""How long a host may be silent, by default, before what needs it ends."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 15.0
_JITTER_S = 1.0  # many hosts behind one link are not to be asked all at once
_HEARD_S = 60.0  # an attempt that lasts longer had a connection, for none is found to be so sooner


class Patience:
    """Repeats what failed because a host was silent, with pauses that grow, until it runs out.

    Safe to use from several threads, each of which may wait for another host.

    Parameters
    ----------
    limit_s : how long the silence may last; `PATIENCE_S` if it is not given.
    clock : returns seconds that only rise; tests give one of their own.
    sleep : waits so many seconds, by default no longer than until `end`.
    """

    def __init__(
        self,
        limit_s: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self.limit_s = PATIENCE_S if limit_s is None else limit_s
        self._clock = clock
        self._ended = threading.Event()
        self._sleep = sleep or sleep_using_event(self._ended)

    def __call__(
        self, action: Callable[[], T], *, on_silence: Callable[[str], None] = lambda _: None
    ) -> T:
        """Return what `action` returns, which may be called several times.

        Parameters
        ----------
        on_silence : called before each pause with the error that names the silent host.
        """
        began_s = silent_since_s = self._clock()

        def begin(_: RetryCallState) -> None:
            nonlocal began_s
            began_s = self._clock()

        def is_enough(_: RetryCallState) -> bool:
            nonlocal silent_since_s
            now_s = self._clock()
            if now_s - began_s > _HEARD_S:
                silent_since_s = now_s
            if now_s - silent_since_s >= self.limit_s:
                self.end()
            return self._ended.is_set()

        def tell(state: RetryCallState) -> None:
            assert state.outcome is not None  # it has failed
            on_silence(str(state.outcome.exception()))

        attempts = Retrying(
            retry=retry_if_exception(is_silence),
            before=begin,
            stop=is_enough,
            wait=wait_exponential_jitter(
                multiplier=_FIRST_PAUSE_S, max=_LONGEST_PAUSE_S, jitter=_JITTER_S
            ),
            before_sleep=tell,
            sleep=self._sleep,
            reraise=True,
        )
        return attempts(action)

    def end(self) -> None:
        """Wait for nobody any more, in no thread."""
        self._ended.set()


def is_silence(error: BaseException) -> bool:
    """Whether an error says no more than that hosts do not answer now."""
    return all(isinstance(one, HostGone | CommandTimeout) for one in _each(error))


def gone_hosts(error: BaseException) -> set[str]:
    """Return the names of the hosts that an error says were gone."""
    return {one.host for one in _each(error) if isinstance(one, HostGone)}


def _each(error: BaseException) -> list[BaseException]:
    if isinstance(error, GroupError):
        return [one for one in error.results.values() if isinstance(one, BaseException)]
    return [error]
