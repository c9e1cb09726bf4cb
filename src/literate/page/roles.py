"""Names that have a role wear its color wherever they stand: formulas and code."""

import re

LETTERS = {"Q": "query", "K": "key", "V": "value"}
NAMES = LETTERS | {
    "W_q": "query",
    "W_k": "key",
    "W_v": "value",
    "scores": "scores",
    "weights": "weights",
    "output": "output",
}
_NAME = re.compile(rf"\b({'|'.join(NAMES)})\b")
_LISTING = re.compile(r'(?<=<code class="sourceCode python">).*?(?=</code>)', re.DOTALL)
_INLINE = re.compile(rf"<code>({'|'.join(NAMES)})</code>")
_LETTER = re.compile(rf"<mi>({'|'.join(LETTERS)})</mi>")
_WEIGHTS = re.compile(r"<msub>(?=<mi>W</mi><mi>([qkv])</mi></msub>)")
# Comments and strings stay as they are, and so do tags.
_APART = re.compile(r'(<span class="(?:co|st|do)">[^<]*</span>|<[^>]*>)')


def color(html):
    """`html` with the role of each name as a class, `role-query` and so on."""
    html = _LETTER.sub(lambda m: f'<mi class="{_role(m[1])}">{m[1]}</mi>', html)
    html = _WEIGHTS.sub(lambda m: f'<msub class="{_role("W_" + m[1])}">', html)
    html = _INLINE.sub(lambda m: f'<code class="{_role(m[1])}">{m[1]}</code>', html)
    return _LISTING.sub(lambda m: _color_listing(m[0]), html)


def _color_listing(code):
    """Every second piece of the split is text that may hold names."""
    pieces = _APART.split(code)
    pieces[::2] = [
        _NAME.sub(lambda m: f'<span class="{_role(m[1])}">{m[1]}</span>', text)
        for text in pieces[::2]
    ]
    return "".join(pieces)


def _role(name):
    return f"role-{NAMES[name]}"
