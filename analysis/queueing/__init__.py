"""Queueing models: single stations with open arrivals."""

from analysis.queueing.open import OpenStation, mm1, mminf, mmm

__all__ = ["OpenStation", "mm1", "mminf", "mmm"]
