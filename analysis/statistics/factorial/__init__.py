"""Two-level factorial designs with repetitions, 2^k r, in blocks (Jain 1991, chapters 17, 18)."""

from analysis.statistics.factorial.model import MEAN, FactorialResult, analyse

__all__ = ["MEAN", "FactorialResult", "analyse"]
