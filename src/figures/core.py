"""The figures of the core: reach, shapes, tinted matrices, the scale."""

import numpy as np
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from .figure import draw
from .palette import LIGHT

TINT = 0.45  # the deepest tint: ink stays readable on it, in light and in dark


def one_step(id, tokens, source, designs, caption, alt):
    """What the output at the last token reads, one column for each design.

    `designs` maps a name to (the positions read directly, whether a state is
    passed from each position to the next). The token at `source` is marked.
    """
    last, width, pitch = len(tokens) - 1, 2.6, 4.2

    def paint(canvas):
        axes = canvas.subplots()
        for i, token in enumerate(tokens):
            style = {"weight": "bold"} if i in (source, last) else {}
            axes.text(-0.7, -i, token, ha="right", va="center", **style)
        for k, (name, (reads, chained)) in enumerate(designs.items()):
            left, right = pitch * k, pitch * k + width
            axes.text(
                (left + right) / 2, 1.0, name, weight="bold", va="bottom", ha="center"
            )
            for i in range(last + 1) if chained else reads:
                role = "key" if i == source else "query"
                end = -i if chained else -last
                _line(axes, (left, right), (-i, end), role if i in reads else None)
            if chained:
                _line(axes, (right, right), (0, 1 - last), None)
                _line(axes, (right, right), (1 - last, -last), "query")
                _nodes(axes, right, range(last), None)
            _nodes(axes, left, set(range(last)) - set(reads) - {source}, None)
            _nodes(axes, left, set(reads) - {source}, "query")
            _nodes(axes, left, [source], "key", "s", filled=source in reads)
            _nodes(axes, right, [last], "output")
        axes.set(xlim=(-2.6, pitch * len(designs) - 1.2), ylim=(-last - 0.5, 2.4))
        axes.axis("off")

    return draw(id, paint, (3.55, 4.0), caption, alt)


def _line(axes, x, y, role):
    style = {"color": LIGHT[role or "muted"], "lw": 2.2 if role == "key" else 1.2}
    axes.plot(x, y, zorder=1 if role is None else 2, **style)


def _nodes(axes, x, positions, role, marker="o", filled=True):
    edge = LIGHT[role or "muted"]
    face = edge if role and filled else LIGHT["paper"]
    ys = [-i for i in sorted(positions)]
    axes.plot([x] * len(ys), ys, marker, ms=7, mfc=face, mec=edge, zorder=3)


def shapes(id, n, d_model, d_k, d_v, caption, alt):
    """Every product of self-attention, each matrix drawn to one scale."""
    size = {"n": n, "d_model": d_model, "d_k": d_k, "d_v": d_v}
    products = [
        [
            ("X", "n", "d_model", "ink"),
            ("W_q", "d_model", "d_k", "query"),
            ("Q", "n", "d_k", "query"),
        ],
        [
            ("Q", "n", "d_k", "query"),
            ("K.T", "d_k", "n", "key"),
            ("scores", "n", "n", "scores"),
        ],
        [
            ("weights", "n", "n", "weights"),
            ("V", "n", "d_v", "value"),
            ("output", "n", "d_v", "output"),
        ],
    ]
    widest = [max(size[p[k][2]] for p in products) for k in range(3)]
    gap = 2.4  # between two columns, in cells
    centers = np.cumsum(widest) - np.array(widest) / 2 + gap * np.arange(3)

    def paint(canvas):
        axes = canvas.subplots()
        top = 0.0
        for product in products:
            height = max(size[down] for _, down, _, _ in product)
            middle = top - height / 2
            for sign, left, right in zip("@=", (0, 1), (1, 2)):
                inner = centers[left] + widest[left] / 2, centers[right]
                x = (inner[0] + inner[1] - widest[right] / 2) / 2
                axes.text(x, middle, sign, fontsize=11, **CENTER)
            for center, (name, down, across, role) in zip(centers, product):
                x, y = center - size[across] / 2, middle + size[down] / 2
                _grid(axes, x, y, size[down], size[across], 1, role, 0.16)
                axes.text(center, middle, name, **CENTER, **_bold(role))
                axes.text(center, y + 0.4, across, **SMALL)
                axes.text(x - 0.4, middle, down, rotation=90, **SMALL)
            top -= height + 1.7
        _fit(axes, -0.9, centers[2] + widest[2] / 2 + 0.1, top + 1.5, 1.0)

    return draw(id, paint, (5.6, 4.8), caption, alt)


CENTER = {"ha": "center", "va": "center"}
SMALL = {"fontsize": 8, "color": LIGHT["muted"], **CENTER}


def _bold(role):
    return {"color": LIGHT[role], "weight": "bold"}


def matrices(id, tables, caption, alt, digits=0):
    """Matrices side by side, each cell tinted by the size of its number.

    `tables` is a list of (title, matrix, role, names of rows, of columns). A
    cell of a negative number is gray.
    """
    cell, gap, unit = 1.5, 1.0, 0.34  # width and gap in heights, height in inches
    wide = [cell * np.shape(matrix)[1] for _, matrix, _, _, _ in tables]
    tall = max(np.shape(matrix)[0] for _, matrix, _, _, _ in tables)
    margin = 0.2 * max(len(name) for name in tables[0][3]) + 0.2
    total = margin + sum(wide) + gap * (len(tables) - 1)

    def paint(canvas):
        axes = canvas.subplots()
        x = margin
        for i, row in enumerate(tables[0][3]):
            axes.text(x - 0.2, -i - 0.5, row, ha="right", va="center")
        for (title, matrix, role, _, columns), width in zip(tables, wide):
            axes.text(x, 1.2, title, va="center", **_bold(role))
            _tint(axes, x, np.asarray(matrix), cell, role, digits)
            for j, column in enumerate(columns):
                axes.text(x + cell * (j + 0.5), 0.4, column, **SMALL)
            x += width + gap
        _fit(axes, 0, total + 0.1, -tall - 0.1, 1.6)

    return draw(id, paint, (unit * (total + 0.1), unit * (tall + 1.7)), caption, alt)


def _tint(axes, x, matrix, width, role, digits):
    largest = np.abs(matrix).max()
    _grid(axes, x, 0, *matrix.shape, width, role, 0)
    for (i, j), number in np.ndenumerate(matrix):
        left, bottom = x + width * j, -i - 1
        if number:
            color = LIGHT[role if number > 0 else "muted"]
            style = {"fc": color, "alpha": TINT * abs(number) / largest, "lw": 0}
            axes.add_patch(Rectangle((left, bottom), width, 1, **style))
        text = f"{number:.{digits}f}".replace("-", "\N{MINUS SIGN}")
        axes.text(left + width / 2, bottom + 0.47, text, **CENTER)


def _grid(axes, x, y, rows, columns, width, role, alpha):
    """A tinted block with its top left corner at (x, y), ruled into cells."""
    block = (x, y - rows), width * columns, rows
    axes.add_patch(Rectangle(*block, fc=LIGHT[role], alpha=alpha, lw=0))
    right, bottom = x + width * columns, y - rows
    lines = [((x, y - i), (right, y - i)) for i in range(rows + 1)]
    lines += [((x + width * j, y), (x + width * j, bottom)) for j in range(columns + 1)]
    codes = [Path.MOVETO, Path.LINETO] * len(lines)
    rules = Path([point for line in lines for point in line], codes)
    axes.add_patch(PathPatch(rules, fill=False, ec=LIGHT["line"], lw=0.8))


def _fit(axes, left, right, bottom, top):
    axes.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")
    axes.axis("off")


def scaling(id, dims, spread, slope, caption, alt):
    """Two panels over d_k: the variance of the score, the slope of the softmax.

    `spread` and `slope` map the name of a curve to one number for each of `dims`.
    """
    look = [("query", "-", "o"), ("output", "--", "s")]

    def paint(canvas):
        left, right = canvas.subplots(1, 2)
        for axes, curves in ((left, spread), (right, slope)):
            for (name, numbers), (role, line, marker) in zip(curves.items(), look):
                style = {"color": LIGHT[role], "ls": line, "marker": marker}
                axes.plot(dims, numbers, label=name, **style)
            axes.set_xscale("log", base=2)
            axes.set_xticks(dims, [str(d) for d in dims])
            axes.set_xlabel("d_k")
            axes.legend(fontsize=8)
            axes.grid(axis="y")
        left.set_yscale("log", base=2)
        left.set_yticks(dims, [str(d) for d in dims])
        left.set_title("variance of a score")
        right.set(ylim=(0, 1))
        right.set_title("slope of the softmax")

    return draw(id, paint, (6.8, 2.9), caption, alt)


def dot_product(a, b):
    """The sum of products of two vectors, as TeX with every number in it."""
    terms = [f"{_signed(x)} \\cdot {_signed(y)}" for x, y in zip(a, b)]
    return " + ".join(terms) + f" = {np.dot(a, b):g}"


def _signed(number):
    return f"({number:g})" if number < 0 else f"{number:g}"
