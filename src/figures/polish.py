"""The figures of the polish: tokens in heads, scores along a shift, decoding."""

import numpy as np
from matplotlib.patches import Rectangle

from .core import CENTER, SMALL
from .figure import MATH, draw, name_ends
from .palette import LIGHT

# Of each token the color, and the hatching of its left edge.
TOKENS = (("query", ""), ("key", "/////"))


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
        axes.text(d_model / 2, 0.2, "$X$", fontsize=MATH, ha="center")
        x = d_model + 1.2
        for name, heads in ways.items():
            y, d_head = 0.0, heads.shape[-1]
            for h, head in enumerate(heads):
                _block(axes, x, y, head, token_of)
                axes.text(x - 0.25, y - n / 2, f"head {h + 1}", rotation=90, **SMALL)
                y -= n + 0.4
            axes.text(x + d_head / 2, 0.2, name, weight="bold", ha="center")
            x += d_head + 2
        axes.set(xlim=(-2.3, x - 1.2), ylim=(y + 0.2, 1.5), aspect="equal")
        axes.axis("off")

    return draw(id, paint, (3.6, 1.8), caption, alt)


def _block(axes, x, y, matrix, token_of):
    """A matrix with its top left corner at (x, y), each entry in its token's look."""
    for (i, j), entry in np.ndenumerate(matrix):
        role, hatching = TOKENS[token_of[entry]]
        color = LIGHT[role]
        place = (x + j, y - i - 1)
        axes.add_patch(Rectangle(place, 1, 1, fc=color, alpha=0.2, lw=0))
        hatch = {"hatch": hatching, "ec": color, "lw": 0, "fill": False}
        axes.add_patch(Rectangle(place, 0.25, 1, **hatch))
        axes.add_patch(Rectangle(place, 1, 1, fill=False, ec=LIGHT["line"], lw=1))
        axes.text(place[0] + 0.6, place[1] + 0.47, f"{entry:g}", **CENTER)


def shifted(id, positions, scores, caption, alt):
    """The score of one pair of tokens at a fixed distance, moved along together.

    `scores` maps the name of a curve to one number for each of `positions`. The
    first is named left of its highest point, the others at their ends.
    """

    def paint(canvas):
        axes = canvas.subplots()
        for curve, (role, line) in zip(scores.values(), LINES):
            style = {"ls": line, "lw": 0.8, "marker": "o", "ms": 2.5}
            axes.plot(positions, curve, color=LIGHT[role], **style)
        (moved, curve), *rest = scores.items()
        peak = np.argmax(curve)
        place = {"xytext": (-8, 0), "textcoords": "offset points", "ha": "right"}
        top = positions[peak], curve[peak]
        axes.annotate(moved, top, color=LIGHT[LINES[0][0]], **place)
        ends = [
            (name, positions[-1], curve[-1], LIGHT[role])
            for (name, curve), (role, _) in zip(rest, LINES[1:])
        ]
        axes.set_xlabel("position of the query")
        axes.set_title("score")
        axes.grid(axis="y")
        name_ends(axes, ends)

    return draw(id, paint, (3.6, 2.3), caption, alt)


LINES = (("scores", "-"), ("output", "-"))  # the color and style of each curve


def decoding(id, counted, measured, caption, alt):
    """Two panels over the tokens decoded: scores computed, seconds taken.

    Each maps the names of two curves to (tokens, numbers); between their ends
    stands how many times larger the first is.
    """

    def paint(canvas):
        panels = canvas.subplots(2, 1, sharex=True)
        titles = ("scores computed", "seconds")
        for axes, title, curves in zip(panels, titles, (counted, measured)):
            ends = []
            for (name, (tokens, numbers)), (role, line) in zip(curves.items(), LINES):
                look = {"color": LIGHT[role], "ls": line, "marker": "o"}
                axes.plot(tokens, numbers, **look)
                ends.append((name, tokens[-1], numbers[-1], LIGHT[role]))
            (_, last, most, _), (_, _, least, _) = ends
            times, between = f"{most / least:.0f} times", (most * least) ** 0.5
            axes.plot([last, last], [least, most], color=LIGHT["muted"], lw=0.8)
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.set_xticks(tokens, [str(n) for n in tokens])
            axes.tick_params("y", labelsize=MATH)
            axes.minorticks_off()
            axes.set_title(title)
            axes.grid(axis="y")
            name_ends(axes, [*ends, (times, last, between, LIGHT["muted"])])
        panels[1].set_xlabel("tokens decoded")

    return draw(id, paint, (3.6, 3.6), caption, alt)
