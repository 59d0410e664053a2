"""Unit conversions. Parsers use them once; everywhere else the unit stands in the column name."""

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # pandas is slow to import
    import numpy as np
    import pandas as pd

Numeric = TypeVar("Numeric", float, "np.ndarray", "pd.Series", "pd.DataFrame")

MS_PER_S = 1_000
US_PER_MS = 1_000
BITS_PER_BYTE = 8
BITS_PER_MBIT = 1_000_000
BYTES_PER_KIB = 1_024


def us_to_ms(microseconds: Numeric) -> Numeric:
    """Convert microseconds to milliseconds."""
    return microseconds / US_PER_MS


def ms_to_s(milliseconds: Numeric) -> Numeric:
    """Convert milliseconds to seconds."""
    return milliseconds / MS_PER_S


def kib_to_bytes(kibibytes: Numeric) -> Numeric:
    """Convert KiB, which memtier prints as ``KB``, to bytes."""
    return kibibytes * BYTES_PER_KIB


def bits_to_bytes(bits: Numeric) -> Numeric:
    """Convert bits to bytes."""
    return bits / BITS_PER_BYTE


def bits_per_s_to_mbit_per_s(bits_per_s: Numeric) -> Numeric:
    """Convert bit/s to Mbit/s (1 Mbit = 10^6 bit, as links are rated)."""
    return bits_per_s / BITS_PER_MBIT


def bytes_per_s_to_mbit_per_s(bytes_per_s: Numeric) -> Numeric:
    """Convert byte/s to Mbit/s (1 Mbit = 10^6 bit, as links are rated)."""
    return bytes_per_s * BITS_PER_BYTE / BITS_PER_MBIT
