"""One palette for the page, the figures and the PDF, in light and in dark.

A role has one color wherever it appears: the query is as blue in a formula as
in a drawing. Each color has a contrast of at least 4.5:1 against the paper of
its scheme (tests/test_figures.py computes it). Nothing is told by color alone.
"""

LIGHT = {
    "paper": "#fffefb",
    "ink": "#1c1f24",
    "muted": "#59616c",
    "line": "#c9ced6",
    "query": "#1d5fa8",
    "key": "#9c4a00",
    "value": "#1f7139",
    "scores": "#7440a0",
    "weights": "#b01f45",
    "output": "#006a75",
}

DARK = {
    "paper": "#15171b",
    "ink": "#e7e5df",
    "muted": "#a4acb7",
    "line": "#434a54",
    "query": "#82b6f2",
    "key": "#f0a765",
    "value": "#82cd92",
    "scores": "#c89eeb",
    "weights": "#f78fa5",
    "output": "#5fcad4",
}


def dark_override():
    """CSS for an SVG that is drawn in LIGHT: in a dark scheme, the DARK colors.

    matplotlib writes colors as inline styles, so the selectors look for them
    there and the rules need `!important`.
    """
    rules = [
        f'[style*="{name}: {LIGHT[role]}"]{{{name}:{DARK[role]}!important}}'
        for role in LIGHT
        for name in ("fill", "stroke")
    ]
    return "@media (prefers-color-scheme: dark){" + "".join(rules) + "}"
