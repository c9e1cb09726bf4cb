"""The figures of the core: reach, shapes, tinted matrices, the scale."""

import numpy as np
from matplotlib.patches import FancyArrowPatch, Rectangle

from .figure import draw
from .palette import LIGHT

TINT = 0.45  # the deepest tint: ink stays readable on it, in light and in dark


def one_step(id, tokens, reads, chained, caption, alt):
    """What the output at the last token reads, one panel for each architecture.

    `reads` maps a name to the positions read directly; names in `chained` also
    pass a state from each position to the next.
    """

    def paint(canvas):
        last = len(tokens) - 1
        panels = canvas.subplots(len(reads), 1)
        for axes, (name, positions) in zip(panels, reads.items()):
            axes.set(xlim=(-0.7, last + 0.7), ylim=(-0.75, 1.75))
            axes.axis("off")
            axes.set_title(name, loc="left", fontsize=9, fontweight="bold", pad=2)
            for i, token in enumerate(tokens):
                read = i in positions
                ink = LIGHT["ink" if read else "muted"]
                weight = "bold" if read else "normal"
                axes.text(i, -0.42, token, ha="center", color=ink, weight=weight)
                _node(axes, i, 0, LIGHT["query"], filled=read)
                if name in chained:
                    _node(axes, i, 1.25, LIGHT["output"], filled=i == last)
                    _arrow(axes, (i, 0), (i, 1.25), thick=read)
                if name in chained and i > 0:
                    _arrow(axes, (i - 1, 1.25), (i, 1.25), thick=i == last)
                elif read:
                    _arrow(axes, (i, 0), (last, 1.25), thick=True)
            _node(axes, last, 1.25, LIGHT["output"], filled=True)

    return draw(id, paint, (6.4, 4.4), caption, alt)


def _node(axes, x, y, color, filled):
    face = color if filled else LIGHT["paper"]
    edge = color if filled else LIGHT["muted"]
    axes.plot([x], [y], "o", markersize=8, mfc=face, mec=edge, zorder=3)


def _arrow(axes, tail, head, thick):
    width, color = (1.5, LIGHT["query"]) if thick else (0.8, LIGHT["muted"])
    style = {"arrowstyle": "-|>", "mutation_scale": 8, "shrinkA": 4, "shrinkB": 4}
    axes.add_patch(FancyArrowPatch(tail, head, lw=width, color=color, **style))


def shapes(id, n, d_model, d_k, d_v, caption, alt):
    """Every product of self-attention, each matrix drawn to one scale."""
    rows = [
        [
            ("X", n, d_model, "n", "d_model", "ink"),
            "@",
            ("W_q", d_model, d_k, "d_model", "d_k", "query"),
            "=",
            ("Q", n, d_k, "n", "d_k", "query"),
        ],
        [
            ("Q", n, d_k, "n", "d_k", "query"),
            "@",
            ("K.T", d_k, n, "d_k", "n", "key"),
            "=",
            ("scores", n, n, "n", "n", "scores"),
        ],
        [
            ("weights", n, n, "n", "n", "weights"),
            "@",
            ("V", n, d_v, "n", "d_v", "value"),
            "=",
            ("output", n, d_v, "n", "d_v", "output"),
        ],
    ]
    space = 2.6  # between two matrices, in cells

    def paint(canvas):
        axes = canvas.subplots()
        top = 0.0
        for row in rows:
            height = max(item[1] for item in row if item not in ("@", "="))
            x = 0.0
            for item in row:
                if item in ("@", "="):
                    axes.text(x - space / 2 - 0.1, top - height / 2, item, **CENTER)
                    continue
                name, tall, wide, down, across, role = item
                y = top - height / 2 + tall / 2
                _cells(axes, x, y, np.ones((tall, wide)), role, 0.22)
                middle = {"color": LIGHT[role], "weight": "bold", **CENTER}
                axes.text(x + wide / 2, y - tall / 2, name, **middle)
                axes.text(x + wide / 2, y + 0.4, across, **SMALL)
                axes.text(x - 0.35, y - tall / 2, down, rotation=90, **SMALL)
                x += wide + space
            top -= height + 1.7
        _fit(axes, -0.8, 2 * d_model + d_k + 2 * space, top + 1.4, 1.0)

    return draw(id, paint, (5.6, 5.0), caption, alt)


CENTER = {"ha": "center", "va": "center"}
SMALL = {"fontsize": 8, "color": LIGHT["muted"], **CENTER}


def matrices(id, tables, caption, alt, digits=0):
    """Matrices side by side, each cell tinted by the size of its number.

    `tables` is a list of (title, matrix, role, names of rows, of columns).
    """
    wide = [1.25 * np.shape(matrix)[1] for _, matrix, _, _, _ in tables]
    label = 0.17 * max(len(name) for _, _, _, names, _ in tables for name in names)
    tall = max(np.shape(matrix)[0] for _, matrix, _, _, _ in tables)
    space = 1.0
    total = sum(wide) + (len(tables) - 1) * space + label

    def paint(canvas):
        axes = canvas.subplots()
        x = label
        for k, (title, matrix, role, rows, columns) in enumerate(tables):
            matrix = np.asarray(matrix)
            bold = {"color": LIGHT[role], "weight": "bold"}
            axes.text(x, 1.15, title, va="center", **bold)
            _cells(axes, x, 0, matrix, role, TINT, width=1.25, digits=digits)
            for j, column in enumerate(columns):
                axes.text(x + 1.25 * (j + 0.5), 0.4, column, **SMALL)
            for i, row in enumerate(rows if k == 0 else []):
                axes.text(x - 0.2, -i - 0.5, row, ha="right", va="center")
            x += wide[k] + space
        _fit(axes, 0, total, -tall - 0.1, 1.6)

    return draw(id, paint, (0.36 * total + 0.1, 0.36 * (tall + 1.7)), caption, alt)


def _cells(axes, x, y, matrix, role, tint, width=1.0, digits=None):
    """A matrix with its top left corner at (x, y), its numbers when digits says."""
    largest = max(np.abs(matrix).max(), 1e-300)
    for (i, j), number in np.ndenumerate(matrix):
        corner = (x + width * j, y - i - 1)
        alpha = tint * abs(number) / largest
        axes.add_patch(Rectangle(corner, width, 1, fc=LIGHT[role], alpha=alpha, lw=0))
        axes.add_patch(Rectangle(corner, width, 1, fill=False, ec=LIGHT["line"], lw=1))
        if digits is not None:
            text = f"{number:.{digits}f}".replace("-", "\N{MINUS SIGN}")
            axes.text(corner[0] + width / 2, corner[1] + 0.47, text, **CENTER)


def _fit(axes, left, right, bottom, top):
    axes.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")
    axes.axis("off")


def scaling(id, dims, spread, slope, caption, alt):
    """Two panels over d_k: the variance of the score, the slope of the softmax.

    `spread` and `slope` map the name of a curve to one number for each of `dims`.
    """
    look = [("query", "-", "o"), ("output", "-", "s"), ("key", "--", "^")]

    def paint(canvas):
        left, right = canvas.subplots(1, 2)
        for axes, curves in ((left, spread), (right, slope)):
            for (name, numbers), (role, line, marker) in zip(curves.items(), look):
                style = {"color": LIGHT[role], "ls": line, "marker": marker, "ms": 4}
                axes.plot(dims, numbers, label=name, **style)
            axes.set_xscale("log", base=2)
            axes.set_xticks(dims, [str(d) for d in dims])
            axes.set_xlabel("d_k")
            axes.legend(fontsize=8)
            axes.grid(axis="y", lw=0.6)
        left.set_yscale("log", base=2)
        left.set_yticks(dims, [str(d) for d in dims])
        left.set_title("variance of a score", loc="left", fontsize=9)
        right.set(ylim=(0, 1))
        right.set_title("slope of the softmax", loc="left", fontsize=9)

    return draw(id, paint, (6.8, 2.9), caption, alt)


def dot_product(a, b):
    """The sum of products of two vectors, as TeX with every number in it."""
    terms = [f"{_signed(x)} \\cdot {_signed(y)}" for x, y in zip(a, b)]
    return " + ".join(terms) + f" = {np.dot(a, b):g}"


def _signed(number):
    return f"({number:g})" if number < 0 else f"{number:g}"
