"""How the woven page looks and what it may do: template, style, script, policy."""

import base64
import hashlib
import re
from pathlib import Path

from figures.palette import DARK, LIGHT

from .about import about
from .roles import LETTERS, color

HERE = Path(__file__).parent
HTML_TEMPLATE = HERE / "page.html"
TYPST_TEMPLATE = HERE / "page.typ"
# A formula in the line with a bracket before it, or with punctuation after it.
FORMULA = r'<math display="inline"(?:(?!</math>).)*</math>'
UNBROKEN = re.compile(
    rf"([(\[]{FORMULA}[)\].,;:?!]*)|({FORMULA}[)\].,;:?!]+)", re.DOTALL
)
# What Pandoc writes and no reader of HTML needs: an empty link to each line of
# code, the namespace of each formula.
NEEDLESS = [
    r'<a href="#cb[\d-]+" aria-hidden="true" tabindex="-1"></a>',
    r' xmlns="http://www.w3.org/1998/Math/MathML"',
]
POLICY = "@policy@"  # what stands in the page until `seal` knows all its scripts


def html_variables(chapter):
    """What the template of the page needs besides the text."""
    return {
        **about(chapter),
        "style": stylesheet(),
        "early": _read("early.js"),
        "script": _read("page.js"),
        "policy": POLICY,
    }


def typst_variables(chapter):
    """What the template of the PDF needs besides the text."""
    colors = ", ".join(f'{role}: rgb("{LIGHT[role]}")' for role in LIGHT)
    return {
        **about(chapter),
        "palette": f"#let palette = ({colors})",
        "roles": [{"letter": letter, "role": role} for letter, role in LETTERS.items()],
    }


def stylesheet():
    """page.css after the palette's colors, each `light-dark(...)` by its role."""
    colors = "".join(
        f"--{role}:light-dark({LIGHT[role]},{DARK[role]});" for role in LIGHT
    )
    return f":root{{{colors}}}\n{_read('page.css')}"


def finish(html):
    """`html` as its reader gets it: formulas held together, names colored, sealed."""
    html = UNBROKEN.sub(r'<span class="unbroken">\1\2</span>', html)
    for needless in NEEDLESS:
        html = re.sub(needless, "", html)
    return seal(color(html))


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
