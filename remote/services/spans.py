"""When something began and ended on a host, as a job there has printed it."""

from analysis.results.files import parse_finite


def parse_spans(text: str) -> list[tuple[float, float]]:
    """Read lines of two epoch seconds; what is none, or was cut off, is left out.

    The input is ``1795000000.501 1795000001.502``.
    """
    spans = []
    for line in text.splitlines():
        try:
            began_s, ended_s = map(parse_finite, line.split())
        except ValueError:
            continue
        spans.append((began_s, ended_s))
    return spans
