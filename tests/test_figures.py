"""The palette and the figure that knows its caption."""

import os
import re
from itertools import product

import numpy as np
import pytest

from figures import Figure, draw, scientific, table
from figures.figure import _apart
from figures.palette import DARK, LIGHT


def luminance(color):
    """Relative luminance of `#rrggbb` (WCAG 2.2)."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    ]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_black_on_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize(
    "scheme, role", list(product((LIGHT, DARK), sorted(set(LIGHT) - {"paper", "line"})))
)
def test_text_in_every_role_has_the_contrast_of_wcag_aa(scheme, role):
    assert contrast(scheme[role], scheme["paper"]) >= 4.5


def test_both_schemes_have_the_same_roles_and_no_color_twice():
    assert LIGHT.keys() == DARK.keys()
    assert len(set(LIGHT.values())) == len(LIGHT)


def line(canvas):
    axes = canvas.add_subplot()
    axes.plot([0, 1], [0.12345, 1], color=LIGHT["query"])
    axes.text(0, 0.5, "0.123456")


def make():
    return draw("fig-line", line, (3, 2), "A *line*.", 'Rises from "0.1" to 1.')


def test_the_same_figure_is_the_same_bytes():
    assert make().svg == make().svg


def test_text_stays_text_with_all_its_digits():
    assert "0.123456" in re.sub(r"<path.*?>", "", make().svg)


def test_a_dark_scheme_overrides_each_light_color():
    style = re.search(r"<style>(.*?)</style>", make().svg)[1]
    for role in LIGHT:
        rule = f'[style*="stroke: {LIGHT[role]}"]{{stroke:{DARK[role]}!important}}'
        assert rule in style


def test_a_woven_figure_writes_itself_and_shows_as_markdown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUARTO_DOCUMENT_PATH", str(tmp_path))
    figure = make()
    bundle = figure._repr_mimebundle_()
    path = tmp_path / "_build/figures/fig-line.svg"
    assert path.read_text("utf-8") == figure.svg == bundle["image/svg+xml"]
    assert bundle["text/markdown"] == (
        "![A *line*.](_build/figures/fig-line.svg)"
        '{#fig-line fig-alt="Rises from \\"0.1\\" to 1."}'
    )


def test_elsewhere_a_figure_shows_with_its_caption(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("QUARTO_DOCUMENT_PATH", "QUARTO_PROJECT_ROOT"):
        monkeypatch.delenv(name, raising=False)
    shown = Figure("fig-a", "<svg/>", "n < 2", "alt")._repr_mimebundle_()["text/html"]
    assert shown == "<figure><svg/><figcaption>n &lt; 2</figcaption></figure>"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "x, digits, written",
    [(0, 0, "0"), (6e-17, 0, "6·10⁻¹⁷"), (-5.954e12, 2, "−5.95·10¹²"), (1, 0, "1·10⁰")],
)
def test_a_number_is_written_with_a_power_of_ten(x, digits, written):
    assert scientific(x, digits) == written


@pytest.mark.parametrize(
    "column, aligned",
    [(["1,024", "-2"], "-:"), (["NaN", "–", "", "0.5"], "-:"), (["torch", "1"], "--")],
)
def test_a_column_of_numbers_is_aligned_to_the_right(column, aligned):
    rule = table("tbl-a", ["x"], [[cell] for cell in column], "c").data.split("\n")[1]
    assert rule.rstrip(" |").endswith(aligned), rule


def test_names_beside_lines_stay_near_and_do_not_touch():
    apart = _apart(np.array([0.1, 0.5, 0.51, 0.9]), 0.1)
    np.testing.assert_allclose(apart, [0.1, 0.455, 0.555, 0.9])


def test_a_caption_is_plain_where_nothing_weaves(monkeypatch):
    for name in [name for name in os.environ if name.startswith("QUARTO_")]:
        monkeypatch.delenv(name)
    assert table("tbl-a", ["x"], [["1"]], "Words.").data.endswith("\n\nWords.\n")
    monkeypatch.setenv("QUARTO_BIN_PATH", "here")
    assert table("tbl-a", ["x"], [["1"]], "Words.").data.endswith(": Words. {#tbl-a}\n")
