"""The effects of a 2^k r design as a table, with intervals and shares of the variation."""

import math
from collections.abc import Mapping

import pandas as pd

from analysis.statistics.factorial.designs import Key
from analysis.statistics.factorial.model import FactorialResult
from analysis.text.numbers import digits, fixed, percent
from records.text.words import MISSING

THROUGHPUT, RESPONSE_TIME = "throughput", "response time"
RESPONSES = {THROUGHPUT: "client_throughput_ops_per_s", RESPONSE_TIME: "client_response_time_ms"}
UNITS = {THROUGHPUT: "op/s", RESPONSE_TIME: "ms"}
SMALLEST_SHARE = 0.0005  # that one decimal shows


def effects_table(results: Mapping[Key, FactorialResult]) -> pd.DataFrame:
    """Write the effects of all responses with their intervals and shares of the variation.

    Columns: `effect` (its letters, then what is left to blocks and error), and a column of text for
    each response, ``Sets: throughput (op/s)``.
    """
    columns = {}
    for (workload, response), result in results.items():
        effects = result.effects
        half_widths = effects["ci_high"] - effects["effect"]
        texts = {
            str(name): with_share(_plus_minus(effect, half_widths[name]), share)
            for name, effect, share in effects[["effect", "variation_explained"]].itertuples()
        }
        texts["blocks"] = share_text(result.block_variation)
        texts["error"] = share_text(result.error_variation) if result.repetitions > 1 else MISSING
        columns[f"{workload.capitalize()}s: {response} ({UNITS[response]})"] = texts
    return pd.DataFrame(columns).rename_axis("effect").reset_index()


def share_text(share: float) -> str:
    """Write a share of the variation with a decimal; one that is not 0 is not called so."""
    if 0 < share < SMALLEST_SHARE:
        return f"< {100 * SMALLEST_SHARE:g}\N{NO-BREAK SPACE}%"
    return percent(share, 1)


def with_share(text: str, share: float) -> str:
    """Add a share in brackets, where it is known."""
    return text if pd.isna(share) else f"{text} ({share_text(share)})"


def _plus_minus(effect: float, half_width: float) -> str:
    """Write an effect with the digits that its interval leaves."""
    if not half_width > 0:
        return digits(effect)
    decimals = max(0, 1 - math.floor(math.log10(half_width)))
    return f"{fixed(effect, decimals)} ± {fixed(half_width, decimals)}"
