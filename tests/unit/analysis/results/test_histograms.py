import base64
import struct
import zlib

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.results.histograms import decode_histogram, histogram_percentiles, merge_histograms

PERCENTILES = [1, 25, 50, 75, 90, 99, 99.9, 100]
SAMPLES = st.lists(st.integers(1, 100_000_000), min_size=1, max_size=50)


def recorded(samples, significant_figures) -> HdrHistogram:
    histogram = HdrHistogram(1, 600_000_000, significant_figures)
    for value in samples:
        histogram.record_value(value)
    return histogram


@settings(deadline=None)
@given(one=SAMPLES, other=SAMPLES, significant_figures=st.sampled_from([2, 3]))
def test_merged_frames_have_the_percentiles_of_all_samples(one, other, significant_figures):
    parts = [recorded(samples, significant_figures) for samples in (one, other)]
    merged = merge_histograms([decode_histogram(part.encode()) for part in parts])
    together = recorded(one + other, significant_figures)
    expected = [together.get_value_at_percentile(p) / 1000 for p in PERCENTILES]
    assert histogram_percentiles(merged, PERCENTILES).tolist() == expected
    assert merged["count"].sum() == len(one) + len(other)
    assert merged["upper_edge_ms"].is_monotonic_increasing


def test_no_histogram_has_no_percentiles():
    empty = merge_histograms([])
    assert empty.columns.tolist() == ["upper_edge_ms", "count"]
    assert np.isnan(histogram_percentiles(empty, [50, 99])).all()


@pytest.mark.parametrize("text", ["", "HISTFAAA", "no base64!", "SGVsbG8gd29ybGQgaGVsbG8gd29ybGQ="])
def test_foreign_text_is_refused(text):
    with pytest.raises(ValueError, match="not an encoded HdrHistogram"):
        decode_histogram(text)


def encoded(payload):
    """Encode a payload as the V2 format does, whatever it is."""
    packed = zlib.compress(payload, 9)
    return base64.b64encode(struct.pack(">II", 0x1C849314, len(packed)) + packed).decode()


def test_a_histogram_that_inflates_without_end_is_refused():
    payload = struct.pack(">IIIIQQd", 0x1C849313, 64 << 20, 0, 2, 1, 60_000_000, 1.0)
    assert decode_histogram(encoded(payload + bytes(8))).empty
    with pytest.raises(ValueError, match=r"not an encoded .* more than 1048576 bytes"):
        decode_histogram(encoded(payload + bytes(64 << 20)))


def test_a_histogram_of_millions_of_buckets_is_refused():
    payload = struct.pack(">IIIIQQd", 0x1C849313, 8, 0, 5, 1, 1 << 62, 1.0)
    with pytest.raises(ValueError, match="more than 3 significant digits"):
        decode_histogram(encoded(payload + bytes(8)))


def test_percentile_outside_0_to_100_is_refused():
    with pytest.raises(ValueError, match=r"percentiles must be in \(0, 100\], got \[101\]"):
        histogram_percentiles(merge_histograms([]), [101])
