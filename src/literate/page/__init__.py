"""How the woven page looks and what it may do: template, style, script, policy."""

import base64
import hashlib
import re
from pathlib import Path

from figures.palette import DARK, LIGHT

HERE = Path(__file__).parent
HTML_TEMPLATE = HERE / "page.html"
TYPST_TEMPLATE = HERE / "page.typ"
POLICY = "@policy@"  # what stands in the page until `seal` knows all its scripts


def variables():
    """The template's variables that do not depend on the document."""
    return {
        "style": stylesheet(),
        "early": _read("early.js"),
        "script": _read("page.js"),
        "policy": POLICY,
    }


def stylesheet():
    """page.css after the palette's colors, each `light-dark(...)` by its role."""
    colors = "".join(
        f"--{role}:light-dark({LIGHT[role]},{DARK[role]});" for role in LIGHT
    )
    return f":root{{{colors}}}\n{_read('page.css')}"


def typst_palette():
    """`#let palette = (...)`: the light colors, for page.typ."""
    colors = ", ".join(f'{role}: rgb("{LIGHT[role]}")' for role in LIGHT)
    return f"#let palette = ({colors})"


def seal(html):
    """`html` with its Content-Security-Policy: its own inline scripts and styles
    by their hashes, pictures only from `data:`, and no request of any kind."""
    scripts = _hashes(html, "script")
    styles = _hashes(html, "style")
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {scripts}",
            f"style-src-elem {styles}",
            "style-src-attr 'unsafe-inline'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return html.replace(POLICY, policy, 1)


def _hashes(html, tag):
    """CSP sources for every inline element `tag` in `html`."""
    bodies = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", html, flags=re.DOTALL)
    digests = [hashlib.sha256(body.encode()).digest() for body in bodies]
    return " ".join(
        dict.fromkeys(f"'sha256-{base64.b64encode(d).decode()}'" for d in digests)
    )


def _read(name):
    return (HERE / name).read_text(encoding="utf-8").strip()
