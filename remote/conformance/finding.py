"""The answer to a question, and its verdict."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """Judgement of an answer."""

    WORKS = "works"
    DOES_NOT = "does not"
    """The middleware lacks something that it may lack; that is no fault."""
    FAULT = "fault"
    UNKNOWN = "could not be told"


@dataclass(frozen=True)
class Answer:
    """What a question returns.

    Parameters
    ----------
    text : a few words for a table.
    verdict : judgement of the answer.
    sentence : what is wrong and where; empty if nothing is.
    difference : lines that show the first wrong byte; empty if no reply is wrong.
    """

    text: str
    verdict: Verdict = Verdict.WORKS
    sentence: str = ""
    difference: str = ""
