"""Closed networks from the definition of their normalising constants, with 60 digits."""

import math
from decimal import Decimal, localcontext

from analysis.models import Station


def exact(stations, num_clients, think_time=0.0):
    """X and Q of one population, from the definition and with 60 digits."""
    with localcontext(prec=60):
        centers = [Station("think", think_time, 1, math.inf), *stations]
        terms = [_terms(station, num_clients) for station in centers]
        constants = [Decimal(1)] + [Decimal(0)] * num_clients
        for term in terms:
            constants = _convolve(constants, term)
        queues = []
        for k, term in enumerate(terms[1:], start=1):
            others = [Decimal(1)] + [Decimal(0)] * num_clients
            for other in terms[:k] + terms[k + 1 :]:
                others = _convolve(others, other)
            queue = sum(j * term[j] * others[num_clients - j] for j in range(num_clients + 1))
            queues.append(float(queue / constants[-1]))
        return float(constants[-2] / constants[-1]), queues


def _terms(station, num_clients):
    terms = [Decimal(1)]
    demand = Decimal(station.service_time) * Decimal(station.visit_ratio)
    for j in range(1, num_clients + 1):
        terms.append(terms[-1] * demand / int(min(j, station.num_servers)))
    return terms


def _convolve(a, b):
    return [sum(a[j] * b[n - j] for j in range(n + 1)) for n in range(len(a))]
