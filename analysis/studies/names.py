"""Readable names of what was computed again: ``rho 32`` is the utilization with 32 workers."""

import re

from records.text.words import counted

_SHARE = "share of the variation of {}, {{}} (%)"
_SIGNIFICANT = "significant (1) or not (0) for {}, {{}}"
_QUANTITIES = {  # the first words of a quantity; the rest of it goes between the braces
    "q": "effect {}",
    "sum_of_squares": "sum of squares {}",
    "fraction": "share of variation, {}",
    "attribution_pct of response_time": _SHARE.format("response time"),
    "attribution_pct of throughput": _SHARE.format("throughput"),
    "significant of response_time": _SIGNIFICANT.format("response time"),
    "significant of throughput": _SIGNIFICANT.format("throughput"),
    "response_time of cells": "response time (ms), {}",
    "rho": "utilization, {} workers",
    "pred_queue_len": "predicted queue length, {} workers",
    "pred_latency_ms": "predicted response time (ms), {} workers",
    "pred_wait_ms": "predicted waiting time (ms), {} workers",
    "relerr_queue_len": "relative error of queue length, {} workers",
    "relerr_latency": "relative error of response time, {} workers",
    "relerr_wait": "relative error of waiting time, {} workers",
    "response_time_ms, section": "R (ms), section {}",
    "response_time_ms": "response time (ms), {}",
    "x_derived_ops_s": "derived X (op/s), {} workers",
    "queue_len": "queue length, {} workers",
    "queue_len_per_mw": "queue length, {} workers",
    "queue_len_both_mw": "queue length of both, {} workers",
    "theoretical_max_ops_s": "largest throughput (op/s), {}",
    "bandwidth_mb_s": "bandwidth (MB/s), {}",
    "effective_bandwidth_mb_s": "effective bandwidth (MB/s), {}",
    "approx_overhead": "overhead, {}",
    "response_time_mean": "mean response time (\N{MICRO SIGN}s), {}",
    "throughput of gets": "throughput (op/s), {}",
    "R_cal_ms": "response time by the law (ms), {}",
    "X_cal_req_s": "throughput by the law (op/s), {}",
    "diff_R": "difference of response times (ms), {}",
    "diff_R_pct": "difference of response times (%), {}",
    "diff_X": "difference of throughputs (op/s), {}",
    "diff_X_pct": "difference of throughputs (%), {}",
}
_LABELS = {
    "get": "gets",
    "set": "sets",
    "y_max / y_min": "largest over smallest",
    "throughput_mean": "mean throughput (op/s)",
    "response_time_mean": "mean response time (\N{MICRO SIGN}s)",
    "response_time_sd": "SD of the response time (\N{MICRO SIGN}s)",
    "without_middleware": "without middleware",
    "with_middleware": "with middleware",
}


def readable(quantity: str) -> str:
    """Return what a quantity is in words; one that is in words already stays as it is."""
    known = [name for name in _QUANTITIES if quantity.startswith(f"{name} ")]
    if not known:
        return _labelled(quantity)
    name = max(known, key=len)
    return _QUANTITIES[name].format(_labelled(quantity.removeprefix(f"{name} ")))


def _labelled(text: str) -> str:
    for label, words in _LABELS.items():
        text = re.sub(rf"(?<![\w-]){re.escape(label)}(?![\w-])", words, text)
    return text


def cell_name(servers: int, middlewares: int, workers: int) -> str:
    """Name a system: ``1 server, 2 middlewares, 8 workers``, ``2 servers, no middleware``."""
    if not middlewares:
        return f"{counted(servers, 'server')}, no middleware"
    parts = ((servers, "server"), (middlewares, "middleware"), (workers, "worker"))
    return ", ".join(counted(count, word) for count, word in parts)
