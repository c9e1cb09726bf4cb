"""The figures of the polish: tokens in heads, scores along a shift, decoding."""

import numpy as np
from matplotlib.patches import Rectangle

from .core import CENTER, SMALL
from .figure import draw
from .palette import LIGHT

TOKENS = (("query", ""), ("key", "///"))  # the color and hatching of each token


def regrouped(id, X, ways, caption, alt):
    """Where each entry of two tokens lands: X, then for each way head below head.

    `X` is (2, d_model); `ways` maps a name to an array (n_heads, n, d_head) of
    the same entries, all different. An entry keeps its token's look.
    """
    token_of = {entry: token for token, row in enumerate(X) for entry in row}

    def paint(canvas):
        axes = canvas.subplots()
        n, d_model = X.shape
        _block(axes, 0, 0, X, token_of)
        for token in range(n):
            axes.text(-0.2, -token - 0.5, f"token {token + 1}", ha="right", va="center")
        axes.text(d_model / 2, 0.45, "X", weight="bold", **CENTER)
        x = d_model + 1.2
        for name, heads in ways.items():
            y, d_head = 0.0, heads.shape[-1]
            for h, head in enumerate(heads):
                _block(axes, x, y, head, token_of)
                axes.text(x - 0.25, y - n / 2, f"head {h + 1}", rotation=90, **SMALL)
                y -= n + 0.4
            axes.text(x + d_head / 2, 0.45, name, weight="bold", **CENTER)
            x += d_head + 2
        axes.set(xlim=(-2.3, x - 1.2), ylim=(y + 0.2, 0.9), aspect="equal")
        axes.axis("off")

    return draw(id, paint, (3.6, 1.6), caption, alt)


def _block(axes, x, y, matrix, token_of):
    """A matrix with its top left corner at (x, y), each entry in its token's look."""
    for (i, j), entry in np.ndenumerate(matrix):
        role, hatching = TOKENS[token_of[entry]]
        color = LIGHT[role]
        place = (x + j, y - i - 1)
        axes.add_patch(Rectangle(place, 1, 1, fc=color, alpha=0.2, lw=0))
        hatch = {"hatch": hatching, "ec": color, "lw": 0}
        axes.add_patch(Rectangle(place, 1, 1, fill=False, alpha=0.5, **hatch))
        axes.add_patch(Rectangle(place, 1, 1, fill=False, ec=LIGHT["line"], lw=1))
        axes.text(place[0] + 0.5, place[1] + 0.47, f"{entry:g}", **CENTER)


LINES = (("scores", "--"), ("output", "-"))


def shifted(id, positions, scores, caption, alt):
    """The score of one pair of tokens at a fixed distance, moved along together.

    `scores` maps the name of a curve to one number for each of `positions`.
    """

    def paint(canvas):
        axes = canvas.subplots()
        for (name, curve), (role, line) in zip(scores.items(), LINES):
            axes.plot(positions, curve, color=LIGHT[role], ls=line, label=name)
        axes.set(xlabel="position of the query", ylabel="score")
        axes.legend(ncols=2, loc="lower left", bbox_to_anchor=(0, 1))
        axes.grid(axis="y")

    return draw(id, paint, (3.6, 2.4), caption, alt)


def decoding(id, counted, measured, caption, alt):
    """Two panels over the tokens decoded: scores computed, seconds taken.

    Each maps the name of a curve to (tokens, numbers).
    """

    def paint(canvas):
        panels = canvas.subplots(2, 1, sharex=True)
        titles = ("scores computed", "seconds")
        for axes, title, curves in zip(panels, titles, (counted, measured)):
            for (name, (tokens, numbers)), (role, line) in zip(curves.items(), LINES):
                look = {"color": LIGHT[role], "ls": line, "marker": "o"}
                axes.plot(tokens, numbers, label=name, **look)
            axes.set_xscale("log", base=2)
            axes.set_xticks(tokens, [str(n) for n in tokens])
            axes.set_yscale("log")
            axes.minorticks_off()
            axes.set_title(title)
            axes.grid(axis="y")
        panels[0].legend()
        panels[1].set_xlabel("tokens decoded")

    return draw(id, paint, (3.6, 3.8), caption, alt)
