import shutil

import pytest

from analysis.figures import drawing

SPEC = {"data": [{"type": "scatter", "x": [1, 2], "y": [3, 4]}], "layout": {"title": {"text": "A"}}}


@pytest.fixture(autouse=True)
def no_browser_left():
    yield
    drawing.close()


needs_chromium = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")


@pytest.mark.slow
@needs_chromium
def test_draw_svg_draws_vectors_of_the_size_asked_for():
    svg = drawing.draw_svg(SPEC, 640, 360)
    assert svg.startswith("<svg")
    assert 'viewBox="0 0 640 360"' in svg
    assert "<image" not in svg


@pytest.mark.slow
@needs_chromium
def test_a_browser_that_was_killed_is_replaced():
    drawing.draw_svg(SPEC, 640, 360)
    drawing._browser._kaleido.subprocess.kill()
    drawing._browser._kaleido.subprocess.wait()
    with pytest.raises(drawing.DrawingError, match="chromium did not draw the figure"):
        drawing.draw_svg(SPEC, 640, 360)
    assert drawing.draw_svg(SPEC, 640, 360).startswith("<svg")


def test_missing_chromium_is_named_with_its_remedy(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "chromium"))
    with pytest.raises(drawing.DrawingError, match="apt-get install chromium"):
        drawing.draw_svg(SPEC, 640, 360)


@pytest.mark.slow
def test_a_browser_that_dies_at_once_is_an_error_and_not_a_wait(monkeypatch, tmp_path):
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("BROWSER_PATH", str(broken))
    with pytest.raises(drawing.DrawingError, match="chromium did not draw the figure"):
        drawing.draw_svg(SPEC, 640, 360)
