"""The figures of one function on four kinds of input."""

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from .figure import draw
from .palette import LIGHT

# Between the two colors of the weights: a picture made of pixels cannot change
# with the scheme, and this one stands out from either paper.
PIXEL = "#d9486b"


def words(id, names, weights, caption, alt):
    """The weights of a sentence, its words along both sides."""

    def paint(canvas):
        axes = canvas.subplots()
        _weights(axes, weights)
        ticks = range(len(names))
        axes.set_xticks(ticks, names, rotation=60, ha="left", rotation_mode="anchor")
        axes.set_yticks(ticks, names)
        _scale(axes, weights)

    return draw(id, paint, (3.6, 3.5), caption, alt)


def patches(id, image, row, query, caption, alt):
    """The picture with one patch framed, and the weights of that patch as a query.

    `row` is its row of the weights, `query` its index; patches go row by row.
    """
    side = int(len(row) ** 0.5)
    down, across = divmod(query, side)

    def paint(canvas):
        left, right = canvas.subplots(1, 2)
        left.imshow(image, interpolation="none", extent=(0, side, side, 0))
        pixels = _tint(row.reshape(side, side))
        right.imshow(pixels, interpolation="none", extent=(0, side, side, 0))
        for axes, title in ((left, "the patches"), (right, "the weights of one")):
            axes.set(xticks=[], yticks=[])
            axes.set_title(title, fontsize=11)
            axes.spines[:].set(visible=True, color=LIGHT["line"])
            for width, role in ((4, "paper"), (2, "weights")):
                frame = {"ec": LIGHT[role], "lw": width, "fill": False, "zorder": 5}
                axes.add_patch(Rectangle((across, down), 1, 1, **frame))

    return draw(id, paint, (4.9, 2.65), caption, alt)


def frames(id, notes, spectra, weights, caption, alt):
    """The spectrum of each frame over the weights, both with time going right."""
    n = len(weights)
    middles = (np.arange(len(notes)) + 0.5) * n / len(notes) - 0.5

    def paint(canvas):
        top, bottom = canvas.subplots(2, 1, height_ratios=[1, 3.2])
        extent = (-0.5, n - 0.5, 0, 1)
        pixels = _tint(spectra.T[::-1])
        top.imshow(pixels, interpolation="none", aspect="auto", extent=extent)
        top.set_title("spectrum")
        top.set(xticks=[], ylabel="kHz")
        top.set_yticks([0, 1])
        _weights(bottom, weights, aspect="auto")
        bottom.set_title("weights")
        bottom.set_xticks(middles, notes)
        bottom.set_yticks(middles, notes)
        _scale(bottom, weights)

    return draw(id, paint, (3.6, 4.1), caption, alt)


def residues(id, classes, weights, caption, alt):
    """The weights of a protein's residues, grouped by class."""
    names = list(dict.fromkeys(classes))
    bounds = [np.flatnonzero(classes == name)[[0, -1]] for name in names]

    def paint(canvas):
        axes = canvas.subplots()
        _weights(axes, weights)
        middles = [(first + last) / 2 for first, last in bounds]
        axes.set_xticks(middles, names)
        axes.set_yticks(middles, names, rotation=90, va="center")
        for first, last in bounds:
            corner, size = (first - 0.5, first - 0.5), last - first + 1
            frame = {"ec": LIGHT["ink"], "lw": 0.9, "fill": False, "zorder": 5}
            axes.add_patch(Rectangle(corner, size, size, clip_on=False, **frame))
        _scale(axes, weights)

    return draw(id, paint, (3.6, 3.7), caption, alt)


def _weights(axes, weights, aspect="equal"):
    axes.imshow(_tint(weights), interpolation="none", aspect=aspect)
    axes.tick_params(length=0, labeltop=True, labelbottom=False, labelsize=9)
    axes.spines[:].set(visible=True, color=LIGHT["line"])


def _scale(axes, weights):
    """What the tints stand for, from no weight to the largest, below the panel."""
    scale = axes.inset_axes((0.6, -0.075, 0.4, 0.03))
    ramp = _tint(np.linspace(0, weights.max(), 32)[None])
    scale.imshow(ramp, aspect="auto", extent=(0, weights.max(), 0, 1))
    scale.set_xticks([0, weights.max()], ["0", f"{weights.max():.2f}"])
    scale.tick_params(length=0, labelsize=8)
    scale.set(yticks=[])
    scale.spines[:].set(visible=True, color=LIGHT["line"])


def _tint(numbers):
    """Pixels of one color, the more opaque the larger the number.

    The exponent lifts the small ones, which a dark page would swallow.
    """
    pixels = np.empty((*numbers.shape, 4))
    pixels[..., :3] = to_rgb(PIXEL)
    pixels[..., 3] = (numbers / numbers.max()) ** 0.75
    return pixels
