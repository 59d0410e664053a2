"""Cases of a sensitivity study: what is changed of a lab, by which factor, and their folders.

``data/<campaign>/sensitivity/<section>-<configuration>/`` is a study. It holds a campaign for each
case, which is named after what was changed, and by which factor: ``server-link-rate-x1.2``.
"""

from __future__ import annotations

import math
import re

FOLDER = "sensitivity"
AS_IT_IS = "as it is"
THROUGHPUT = "throughput_ops_per_s"  # column of what was measured
WORKERS, CLIENTS = "workers", "clients"
DELAY, MACHINE_BY_DILATION = "1 / network delay", "machine (by time dilation)"
LINK_OF, DELAY_OF, QUOTA_OF = "{} link rate", "1 / {} network delay", "{} CPU quota"
OF_HOSTS = (LINK_OF, DELAY_OF, QUOTA_OF)
"""Names of the parameters of single hosts, such as ``s3 link rate``, and of roles."""


def factors_of(step: float) -> tuple[float, float]:
    """Return by what a rate is multiplied: less by as much, on a logarithmic scale, as more.

    Parameters
    ----------
    step
        s > 0, such as 0.2: the factors are 1 / (1 + s) and 1 + s.
    """
    if not 0 < step < math.inf:
        raise ValueError(f"step must be > 0 and finite, got {step}")
    return 1 / (1 + step), 1 + step


def case_name(parameter: str, factor: float) -> str:
    """Return what the campaign of a case is called: ``server-link-rate-x1.2``."""
    words = parameter_words(parameter)
    return words if parameter == AS_IT_IS else f"{words}-x{factor:.4g}"


def parameter_words(parameter: str) -> str:
    """Return a parameter as names of cases begin with it: ``server-link-rate``."""
    return re.sub(r"[^A-Za-z0-9]+", "-", parameter.removeprefix("1 / ")).strip("-")
