"""The page's assets: one palette everywhere, and legible."""

import re
from pathlib import Path

import pytest

from figures.palette import DARK, LIGHT
from literate import page

QUARTO = Path(page.HERE, "quarto")
PANEL = 0.045  # how much ink is in the ground of code (page.css, --panel)


def channels(color):
    return [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def luminance(rgb):
    """Relative luminance, WCAG 2.2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(a, b):
    darker, lighter = sorted((luminance(a), luminance(b)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_every_role_is_legible_on_paper_and_on_code(palette):
    paper, ink = channels(palette["paper"]), channels(palette["ink"])
    code = [p + PANEL * (i - p) for p, i in zip(paper, ink)]
    for role in palette.keys() - {"paper", "line"}:
        for ground in (paper, code):
            assert contrast(channels(palette[role]), ground) >= 4.5, role


def test_the_page_takes_its_colors_from_the_palette():
    style = page.stylesheet()
    for role in LIGHT:
        assert f"--{role}:light-dark({LIGHT[role]},{DARK[role]});" in style
    assert f"var(--ink) {PANEL:.1%}, var(--paper)" in style
    own = (page.HERE / "page.css").read_text("utf-8")
    assert re.findall(r"#[0-9a-f]{3,8}\b", own) == []


@pytest.mark.parametrize(("name", "palette"), [("light", LIGHT), ("dark", DARK)])
def test_quarto_has_the_same_colors(name, palette):
    source = (QUARTO / f"{name}.scss").read_text("utf-8")
    colors = dict(re.findall(r"^\$(\w+): (#\w+);", source, flags=re.MULTILINE))
    assert colors == {role: palette[role] for role in colors}
    assert set(colors) == {"paper", "ink", "muted", "line"}


def test_the_policy_allows_the_pages_own_scripts_only():
    html = f'<meta content="{page.POLICY}"><script type="module">a</script>'
    sealed = page.seal(html)
    # sha256 of "a", as `openssl dgst -sha256 -binary | base64` gives it
    digest = "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='"
    assert f"script-src {digest};" in sealed
    assert "default-src 'none'" in sealed
    assert page.POLICY not in sealed
