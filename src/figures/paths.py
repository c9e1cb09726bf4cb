"""The figures of path length: who reads whom, how far it is, what is left there."""

import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import LogLocator

from .figure import draw
from .palette import LIGHT

LOOKS = {  # role of the colour, line, marker
    "RNN": ("key", "-", "o"),
    "tanh RNN": ("key", "-", "o"),
    "linear RNN": ("muted", ":", "v"),
    "LSTM": ("scores", "-", "s"),
    "CNN": ("query", "-", "^"),
    "dilated CNN": ("value", "-", "D"),
    "attention": ("weights", "-", "P"),
    "attention, no positions": ("muted", "--", "X"),
    "attention, n fixed": ("weights", "--", ""),
}


def _look(name):
    role, line, marker = LOOKS[name]
    return {"color": LIGHT[role], "ls": line, "marker": marker, "label": name}


def architectures(id, panels, caption, alt):
    """Every edge of each graph, one path drawn over them.

    `panels` holds (title, edges, path): edges are pairs of (layer, position),
    the path is a list of such nodes. All panels share the axis of positions.
    """
    layers = [max(head[0] for _, head in edges) for _, edges, _ in panels]
    n = 1 + max(head[1] for _, head in panels[0][1])

    def paint(canvas):
        heights = [max(layer, 2) for layer in layers]
        rows = canvas.subplots(len(panels), 1, height_ratios=heights)
        for axes, (title, edges, path), top in zip(rows, panels, layers):
            axes.set(xlim=(-0.4, n - 0.6), ylim=(-0.3, top + 0.3))
            axes.set_title(title, fontsize=11, fontweight="bold", pad=4)
            axes.set_xticks([0, n - 1], ["token 1", f"token {n}"], fontsize=10)
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

    return draw(id, paint, (3.6, 0.25 * sum(layers) + 2.4), caption, alt)


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
        axes.set(xscale="log", yscale="log", xlabel="tokens n")
        axes.set_title("hops from first to last")
        axes.minorticks_off()
        axes.grid()
        axes.legend()

    return draw(id, paint, (5.6, 3.4), caption, alt)


def decay(id, distances, norms, floor, caption, alt):
    """Median over seeds and the middle half of the seeds, over distance.

    `norms` maps a name to an array (seeds, distances); below `floor` nothing
    is drawn.
    """

    def paint(canvas):
        axes = canvas.subplots()
        for name, norm in norms.items():
            low, middle, high = np.quantile(norm, [0.25, 0.5, 0.75], axis=0)
            axes.plot(distances, middle, **_look(name))
            color = LIGHT[LOOKS[name][0]]
            axes.fill_between(distances, low, high, color=color, alpha=0.25, lw=0)
        axes.set(xscale="log", yscale="log", ylim=(floor, 8))
        axes.set_xticks(distances, [str(d) for d in distances])
        axes.set_xlabel("distance")
        axes.set_title("gradient that arrives")
        axes.yaxis.set_major_locator(LogLocator(numticks=5))
        axes.minorticks_off()
        axes.grid(axis="y")
        axes.legend(loc="lower left")

    return draw(id, paint, (5.6, 3.6), caption, alt)


def race(id, accuracy, chance, caption, alt):
    """Accuracy over length: every seed a mark, a line through the medians.

    `accuracy` maps a name to {length: [accuracy of each seed]}.
    """

    def paint(canvas):
        axes = canvas.subplots()
        lengths = sorted({n for runs in accuracy.values() for n in runs})
        for name, runs in accuracy.items():
            look = _look(name)
            for n, seeds in runs.items():
                axes.plot([n] * len(seeds), seeds, **look | {"label": None, "ls": ""})
            middle = [np.median(seeds) for seeds in runs.values()]
            axes.plot(list(runs), middle, **look)
        axes.axhline(chance, color=LIGHT["muted"], lw=0.8)
        axes.text(lengths[-1], chance - 0.02, "chance", ha="right", va="top")
        axes.set(xscale="log", ylim=(0, 1.05), xlabel="tokens n")
        axes.set_xticks(lengths, [str(n) for n in lengths])
        axes.minorticks_off()
        axes.set_title("share recalled")
        axes.grid(axis="y")
        axes.legend()

    return draw(id, paint, (5.6, 3.6), caption, alt)


def parallel(id, ratios, caption, alt):
    """Time of n dependent steps over the time of one product; maps n to the ratio."""

    def paint(canvas):
        axes = canvas.subplots()
        style = {"color": LIGHT["output"], "marker": "o"}
        axes.plot(list(ratios), list(ratios.values()), **style)
        axes.set(xscale="log", xlabel="tokens n", ylim=(0, 1.1 * max(ratios.values())))
        axes.set_xticks(list(ratios), [str(n) for n in ratios])
        axes.minorticks_off()
        axes.set_title("time of the steps / time of the product")
        axes.grid(axis="y")

    return draw(id, paint, (5.6, 2.4), caption, alt)
