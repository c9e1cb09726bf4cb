"""The figures of path length: who reads whom, how far it is, what is left there."""

import numpy as np
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from .figure import MATH, draw, name_ends
from .palette import LIGHT

LOOKS = {  # role of the color, line, marker
    "RNN": ("key", "-", "o"),
    "tanh RNN": ("key", "-", "o"),
    "linear RNN": ("muted", ":", "v"),
    "LSTM": ("scores", "-", "s"),
    "CNN": ("query", "-", "^"),
    "dilated CNN": ("value", "-", "D"),
    "attention": ("weights", "-", "P"),
    "attention, no positions": ("muted", "--", "X"),
    "attention, $n$ fixed": ("weights", "--", ""),
}


TOKENS = "tokens $n$"


def _color(name):
    return LIGHT[LOOKS[name][0]]


def _look(name):
    _, line, marker = LOOKS[name]
    return {"color": _color(name), "ls": line, "marker": marker}


def architectures(id, panels, caption, alt):
    """Every edge of each graph, one path drawn over them.

    `panels` holds (title, edges, path): edges are pairs of (layer, position),
    the path is a list of such nodes. All panels share the axis of positions.
    """
    layers = [max(head[0] for _, head in edges) for _, edges, _ in panels]
    n = 1 + max(head[1] for _, head in panels[0][1])

    def paint(canvas):
        heights = [max(layer, 2) for layer in layers]
        rows = canvas.subplots(len(panels), 1, sharex=True, height_ratios=heights)
        for axes, (title, edges, path), top in zip(rows, panels, layers):
            axes.set(xlim=(-0.4, n - 0.6), ylim=(-0.3, top + 0.3))
            axes.set_title(title, fontweight="bold", pad=4)
            axes.set_xticks([0, n - 1], ["token 1", f"token {n}"])
            axes.set_yticks([])
            axes.tick_params(length=0)
            axes.spines[:].set_visible(False)
            for label, side in zip(axes.get_xticklabels(), ("left", "right")):
                label.set(ha=side, color=LIGHT["ink"])
            nodes = sorted({node for edge in edges for node in edge})
            _lines(axes, _straight_runs(edges), LIGHT["muted"], 0.5)
            _lines(axes, [(node, node) for node in nodes], LIGHT["muted"], 3.5)
            _lines(axes, zip(path, path[1:]), LIGHT["weights"], 2.4)
            _lines(axes, [(node, node) for node in path], LIGHT["weights"], 7)

    return draw(id, paint, (3.6, 0.2 * sum(layers) + 1.7), caption, alt)


def _straight_runs(edges):
    """Edges that go on in the same direction, joined: fewer lines, the same picture."""
    edges = set(edges)
    for tail, head in sorted(edges):
        step = np.subtract(head, tail)
        if (tuple(tail - step), tail) in edges:
            continue  # inside a run that starts before
        end = head
        while (end, tuple(end + step)) in edges:
            end = tuple(end + step)
        yield tail, end


def _lines(axes, segments, color, width):
    """All segments of nodes as one path, which keeps the file small."""
    points = [(node[1], node[0]) for segment in segments for node in segment]
    codes = [Path.MOVETO, Path.LINETO] * (len(points) // 2)
    path = Path(points, codes)
    path.should_simplify = False  # it would drop the dots: segments of no length
    stroke = {"ec": color, "lw": width, "capstyle": "round"}
    axes.add_patch(PathPatch(path, fill=False, **stroke))


def growth(id, lengths, hops, caption, alt):
    """Hops from the first token to the last over n, both axes logarithmic."""

    def paint(canvas):
        axes = canvas.subplots()
        for name, numbers in hops.items():
            axes.plot(lengths, numbers, **_look(name))
        axes.set(xscale="log", yscale="log", xlabel=TOKENS)
        axes.set_title("hops from first to last")
        axes.set_xticks(lengths)
        axes.tick_params(labelsize=MATH)
        axes.minorticks_off()
        axes.grid()
        name_ends(axes, [_end(name, lengths, hops[name]) for name in hops])

    return draw(id, paint, (3.6, 2.9), caption, alt)


def _end(name, x, y):
    return name, x[-1], y[-1], _color(name)


def decay(id, distances, norms, floor, caption, alt):
    """Median over seeds and the middle half of the seeds, over distance.

    `norms` maps a name to an array (seeds, distances); below `floor` nothing
    is drawn. What ends there is named there, what arrives is named at the right;
    a curve without seeds, one row, is named at the left.
    """

    def paint(canvas):
        axes = canvas.subplots()
        axes.set(xscale="log", yscale="log", ylim=(floor / 50, 8))
        axes.set_xlim(distances[0] / 1.2, distances[-1] * 1.2)
        above = Rectangle((0, floor), 1, 1, transform=axes.get_yaxis_transform())
        ends = []
        for name, norm in norms.items():
            low, middle, high = np.quantile(norm, [0.25, 0.5, 0.75], axis=0)
            (line,) = axes.plot(distances, middle, **_look(name))
            look = {"color": _color(name), "alpha": 0.25, "lw": 0}
            band = axes.fill_between(distances, low, high, **look)
            line.set_clip_path(above)
            band.set_clip_path(above)
            if len(norm) == 1:
                _name(axes, name, (distances[0], middle[0]), (0, -14))
            elif middle[-1] < floor:
                place = _falls_to(floor, distances, middle), floor
                _name(axes, name, place, ENDS_BELOW[name], ha="center")
            else:
                ends.append(_end(name, distances, middle))
        axes.set_xticks(distances, [str(d) for d in distances], fontsize=8)
        axes.set_xlabel("distance")
        axes.set_title("gradient that arrives")
        axes.tick_params("y", labelsize=MATH)
        axes.set_yticks([floor ** (k / 4) for k in range(5)])
        axes.minorticks_off()
        axes.grid(axis="y")
        name_ends(axes, ends)

    return draw(id, paint, (3.6, 3.4), caption, alt)


ENDS_BELOW = {"tanh RNN": (-24, -9), "CNN": (0, -9), "LSTM": (19, -9)}  # points


def _falls_to(floor, x, y):
    """Where a falling line reaches the floor, both axes logarithmic."""
    y = np.maximum(y, np.finfo(float).tiny)
    return np.exp(np.interp(-np.log(floor), -np.log(y), np.log(x)))


def _name(axes, name, point, offset, **style):
    """The line's name, in its color, `offset` points away from a point of it."""
    place = {"xytext": offset, "textcoords": "offset points", "va": "center"}
    text = name.replace(", ", ",\n")
    axes.annotate(text, point, color=_color(name), **place, **style)


def race(id, accuracy, chance, caption, alt):
    """Accuracy over length: a hollow mark a seed, a line through the medians.

    `accuracy` maps a name to {length: [accuracy of each seed]}. Marks stand a
    little beside their length, so that equal ones are seen.
    """
    names = {  # which point of the line, how far away in points, which side
        "RNN": (1.5, (-8, 0), "right"),
        "LSTM": (1.4, (8, 0), "left"),
        "attention": (3, (0, -9), "left"),
        "attention, no positions": (3, (7, 15), "left"),
    }

    def paint(canvas):
        axes = canvas.subplots()
        lengths = sorted({n for runs in accuracy.values() for n in runs})
        for k, (name, runs) in enumerate(accuracy.items()):
            look = _look(name)
            hollow = look | {"ls": "", "mfc": "none", "mew": 0.9}
            for n, seeds in runs.items():
                beside = n * 1.03**k * 1.1 ** (np.arange(len(seeds)) - 1.5)
                axes.plot(beside, seeds, **hollow)
            middle = [np.median(seeds) for seeds in runs.values()]
            axes.plot(list(runs), middle, **look | {"ms": 6})
            at, offset, side = names[name]
            n = np.exp(np.interp(at, range(len(runs)), np.log(list(runs))))
            point = n, np.interp(at, range(len(runs)), middle)
            _name(axes, name, point, offset, ha=side)
        axes.axhline(chance, color=LIGHT["muted"], lw=0.8)
        axes.text(lengths[0], chance - 0.02, "chance", va="top")
        axes.set(xscale="log", ylim=(0, 1.05), xlabel=TOKENS)
        axes.set_xticks(lengths, [str(n) for n in lengths])
        axes.minorticks_off()
        axes.set_title("share recalled")
        axes.grid(axis="y")

    return draw(id, paint, (3.6, 3.1), caption, alt)


def parallel(id, ratios, caption, alt):
    """Time of n dependent steps over the time of one product; maps n to the ratio."""

    def paint(canvas):
        axes = canvas.subplots()
        axes.plot(list(ratios), list(ratios.values()), color=LIGHT["ink"], marker="o")
        for n, ratio in ratios.items():
            place = {"xytext": (0, 6), "textcoords": "offset points", "ha": "center"}
            axes.annotate(f"{ratio:.1f}", (n, ratio), **place)
        axes.set(xscale="log", xlabel=TOKENS, ylim=(0, 1.35 * max(ratios.values())))
        axes.set_xticks(list(ratios), [str(n) for n in ratios])
        axes.minorticks_off()
        axes.set_title("time of the steps / time of the product")

    return draw(id, paint, (3.6, 1.6), caption, alt)
