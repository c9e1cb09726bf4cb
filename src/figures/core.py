"""The figures of the core: reach, shapes, tinted matrices, the scale."""

from itertools import chain

import numpy as np
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from .figure import MATH, draw, name_ends
from .palette import LIGHT

TINT = 0.45  # the deepest tint: ink stays readable on it, in light and in dark


def one_step(id, tokens, source, designs, caption, alt):
    """What the output at the last token reads, one column for each design.

    `designs` maps a name to (the positions read directly, whether a state is
    passed from each position to the next, how long the way from `source` is).
    The token at `source` is marked.
    """
    last, width, pitch = len(tokens) - 1, 2.6, 4.2

    def paint(canvas):
        axes = canvas.subplots()
        for i, token in enumerate(tokens):
            style = {"weight": "bold"} if i in (source, last) else {}
            axes.text(-0.7, -i, token, ha="right", va="center", **style)
        for k, (name, (reads, chained, way)) in enumerate(designs.items()):
            left, right = pitch * k, pitch * k + width
            middle = (left + right) / 2
            axes.text(middle, 1.9, name, weight="bold", **CENTER)
            axes.text(middle, 1.0, way, **CENTER)
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
    size = {"n": n, "d_k": d_k, "d_v": d_v, MODEL: d_model}
    products = [
        [
            ("$X$", "n", MODEL, "ink"),
            ("$W_q$", MODEL, "d_k", "query"),
            ("$Q$", "n", "d_k", "query"),
        ],
        [
            ("$Q$", "n", "d_k", "query"),
            (r"$K^\top$", "d_k", "n", "key"),
            ("scores", "n", "n", "scores"),
        ],
        [
            ("weights", "n", "n", "weights"),
            ("$V$", "n", "d_v", "value"),
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
            if product is products[-1]:
                _softmax(axes, centers[2], centers[0], top + 0.8)
                top -= 1.3
            height = max(size[down] for _, down, _, _ in product)
            middle = top - height / 2
            for sign, left, right in zip(("·", "="), (0, 1), (1, 2)):
                inner = centers[left] + widest[left] / 2, centers[right]
                x = (inner[0] + inner[1] - widest[right] / 2) / 2
                axes.text(x - 0.45, middle, sign, fontsize=11, **CENTER)
            for center, (name, down, across, role) in zip(centers, product):
                x, y = center - size[across] / 2, middle + size[down] / 2
                _grid(axes, x, y, size[down], size[across], 1, role, 0.16)
                below = 0 if name.startswith("$") else size[down] / 2 + 0.6
                style = {"color": LIGHT[role], "fontsize": 9 if below else 12}
                axes.text(center, middle - below, name, **style, **CENTER)
                axes.text(center, y + 0.55, f"${across}$", **SIZE)
                turned = {"rotation": 90} if down == MODEL else {}
                beside = SIZE | {"ha": "right"} | turned
                axes.text(x - 0.2, middle, f"${down}$", **beside)
            top -= height + 2
        _fit(axes, -0.9, centers[2] + widest[2] / 2 + 0.1, top + 0.8, 1.0)

    return draw(id, paint, (3.6, 3.5), caption, alt)


MODEL = r"d_\mathrm{model}"


def _softmax(axes, start, end, y):
    """An arrow from the scores, upper right, to the weights, lower left, around y."""
    line = {"color": LIGHT["ink"], "lw": 1}
    axes.plot([start, start, end], [y + 0.6, y, y], **line)
    arrow = {"arrowstyle": "->", "shrinkA": 0, "shrinkB": 0, **line}
    axes.annotate("", (end, y - 1.1), (end, y), arrowprops=arrow)
    axes.text((start + end) / 2, y - 0.6, "softmax of each row", **CENTER)


CENTER = {"ha": "center", "va": "center"}
SMALL = {"fontsize": 7.5, "color": LIGHT["muted"], **CENTER}
SIZE = SMALL | {"fontsize": MATH}


def _bold(role):
    return {"color": LIGHT[role], "weight": "bold"}


def matrices(id, rows, caption, alt, digits=0, sums=False):
    """Matrices in one row or several, each cell tinted by its number.

    Each of `rows` is a list of (title, matrix, role, names of rows, of columns).
    The tint grows with the number: a role has one scale, on which weights reach
    from 0 to 1 and others to the largest number. A cell of a negative number is
    gray, NaN an empty cell. With `sums` each row of weights has its sum beside it.
    """
    largest = {}
    for _, matrix, role, _, _ in chain.from_iterable(rows):
        reach = 1.0 if role == "weights" else np.abs(matrix).max()
        largest[role] = max(reach, largest.get(role, 0))

    def space(_title, matrix, role, *_names):
        return CELL * matrix.shape[1] + 0.9 + 0.8 * (sums and role == "weights")

    margin = 0.22 * max(len(name) for name in rows[0][0][3]) + 0.3
    width = margin + max(sum(space(*each) for each in row) for row in rows) - 0.8
    tall = [max(len(matrix) for _, matrix, _, _, _ in row) + 2.2 for row in rows]
    unit = min(0.34, 3.6 / width)  # the height of a cell, in inches

    def paint(canvas):
        axes = canvas.subplots()
        top = 0.0
        for row, height in zip(rows, tall):
            x = margin
            for i, name in enumerate(row[0][3]):
                axes.text(x - 0.2, top - i - 0.5, name, ha="right", va="center")
            for title, matrix, role, _, columns in row:
                axes.text(x, top + 1.25, title, va="center", **_bold(role))
                for j, column in enumerate(columns):
                    axes.text(x + CELL * (j + 0.5), top + 0.45, column, **SMALL)
                _tint(axes, x, top, matrix, role, largest[role], digits)
                if sums and role == "weights":
                    _sums(axes, x + CELL * matrix.shape[1] + 0.6, top, matrix)
                x += space(title, matrix, role)
            top -= height
        _fit(axes, 0, width, top + 2.1, 1.7)

    return draw(id, paint, (unit * width, unit * (sum(tall) - 0.4)), caption, alt)


def _sums(axes, x, y, matrix):
    axes.text(x, y + 0.45, "sum", **SMALL)
    for i, total in enumerate(matrix.sum(axis=1)):
        axes.text(x, y - i - 0.53, f"{total:.3g}", color=LIGHT["muted"], **CENTER)


CELL = 1.5  # the width of a cell in heights


def _tint(axes, x, y, matrix, role, largest, digits):
    _grid(axes, x, y, *matrix.shape, CELL, role, 0)
    for (i, j), number in np.ndenumerate(matrix):
        left, bottom = x + CELL * j, y - i - 1
        if np.isnan(number):
            continue
        if number:
            color = LIGHT[role if number > 0 else "muted"]
            style = {"fc": color, "alpha": TINT * abs(number) / largest, "lw": 0}
            axes.add_patch(Rectangle((left, bottom), CELL, 1, **style))
        text = f"{number:.{digits}f}".replace("-", "\N{MINUS SIGN}")
        axes.text(left + CELL / 2, bottom + 0.47, text, **CENTER)


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
        upper, lower = canvas.subplots(2, 1, sharex=True)
        upper.set(xscale="log", yscale="log", title="variance of a score")
        lower.set(ylim=(0, 1), title="slope of the softmax")
        for axes, curves in ((upper, spread), (lower, slope)):
            for numbers, (role, line, marker) in zip(curves.values(), look):
                style = {"color": LIGHT[role], "ls": line, "marker": marker}
                axes.plot(dims, numbers, **style)
            axes.grid(axis="y")
            axes.set_xticks(dims, [str(d) for d in dims])
        upper.set_yticks(dims[::2], [str(d) for d in dims[::2]])
        lower.set_xlabel("$d_k$", fontsize=MATH)
        for axes, curves in ((upper, spread), (lower, slope)):
            axes.minorticks_off()
            ends = [
                (name, dims[-1], numbers[-1], LIGHT[role])
                for (name, numbers), (role, _, _) in zip(curves.items(), look)
            ]
            name_ends(axes, ends)

    return draw(id, paint, (3.6, 3.7), caption, alt)


def dot_product(a, b):
    """The sum of products of two vectors, as TeX with every number in it."""
    terms = [f"{_signed(x)} \\cdot {_signed(y)}" for x, y in zip(a, b)]
    return " + ".join(terms) + f" = {np.dot(a, b):g}"


def _signed(number):
    return f"({number:g})" if number < 0 else f"{number:g}"
