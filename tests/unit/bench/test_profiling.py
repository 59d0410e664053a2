"""What is made of perf's outputs."""

import pytest
from profiling import KERNEL, LIBRARIES, OWN, parse_counts, parse_shares

COUNTS = """# started on Sun Nov 22 11:20:07 2026

287231,,syscalls:sys_enter_read,4000271840,100.00,,
<not counted>,,syscalls:sys_enter_futex,0,100.00,,
"""
REPORT = """# Samples: 13K of event 'cpu-clock:ppp'
#
9.55;[kernel.kallsyms];[k] _raw_spin_unlock_irqrestore
1.69;[vdso];[.] __vdso_clock_gettime
1.25;[JIT] tid 7135;[.] java.lang.Object mwlab.C.serve(kotlin.coroutines.Continuation)
0.5;relay;[.] main
0.05;[kernel.kallsyms];[k] _raw_spin_unlock_irqrestore

"""


def test_counts_are_read_by_call():
    assert parse_counts(COUNTS) == {"read": 287231}


def test_shares_are_summed_by_place_and_function():
    shares = parse_shares(REPORT)
    assert shares[KERNEL, "_raw_spin_unlock_irqrestore"] == pytest.approx(0.096)
    assert shares[LIBRARIES, "__vdso_clock_gettime"] == pytest.approx(0.0169)
    own = {name for place, name in shares if place == OWN}
    assert own == {"java.lang.Object mwlab.C.serve(kotlin.coroutines.Continuation)", "main"}
