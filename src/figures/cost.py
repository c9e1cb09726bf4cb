"""The figure of cost: time and memory against the number of tokens."""

import numpy as np

from .figure import MATH, draw, name_ends
from .palette import LIGHT

LOOKS = {  # role of the color, line, marker
    "three lines": ("scores", "-", "o"),
    "flash": ("output", "-", "s"),
    "torch": ("muted", "--", "^"),
}


def _color(name):
    return LIGHT[LOOKS[name][0]]


def power(sizes, values):
    """The exponent p and factor c of the power law c * n**p nearest to the values.

    Least squares on logarithms, so a doubling counts the same everywhere.
    """
    p, log_c = np.polyfit(np.log(sizes), np.log(values), 1)
    return float(p), float(np.exp(log_c))


def growth(id, sizes, panels, limit, caption, alt):
    """Panels one below the other, logarithmic both ways, a line for each way.

    `panels` maps an axis label to {name: values, one for each size}. `limit` is
    (value, label) of a ceiling in the last panel; the first of its lines goes on,
    dotted, along its power law until it meets the ceiling.
    """

    def paint(canvas):
        all_axes = canvas.subplots(len(panels), 1, sharex=True)
        for axes, (label, lines) in zip(all_axes, panels.items()):
            for name, values in lines.items():
                _, style, marker = LOOKS[name]
                look = {"color": _color(name), "ls": style, "marker": marker}
                axes.loglog(sizes, values, **look)
            axes.set_title(label)
            axes.grid(axis="y")
            axes.tick_params("y", labelsize=MATH)
            axes.minorticks_off()
        axes.set_xlabel("tokens $n$")
        name, values = next(iter(lines.items()))
        _ceiling(axes, sizes, (name, values), limit)
        low, high = axes.get_xlim()
        ticks = [2**k for k in range(9, 19) if low < 2**k < high]
        labels = [f"{tick:,}" if k % 2 == 0 else "" for k, tick in enumerate(ticks)]
        axes.set_xticks(ticks, labels)
        for axes, lines in zip(all_axes, panels.values()):
            ends = [(way, sizes[-1], y[-1], _color(way)) for way, y in lines.items()]
            if axes is all_axes[-1]:  # the name below the dotted line
                ends[0] = (name, sizes[-1], values[-1] / 5, _color(name))
            name_ends(axes, ends, gap=0.13)

    return draw(id, paint, (3.6, 3.9), caption, alt)


def _ceiling(axes, sizes, line, limit):
    """The limit across the panel, and the line's power law up to it."""
    (name, values), (ceiling, label) = line, limit
    p, c = power(sizes, values)
    meets = (ceiling / c) ** (1 / p)
    axes.axhline(ceiling, color=LIGHT["muted"], lw=1)
    axes.text(sizes[0], ceiling * 1.3, label, color=LIGHT["muted"])
    axes.set_ylim(top=ceiling * 8)
    span = [sizes[-1], meets]
    dotted = {"color": _color(name), "ls": ":"}
    axes.plot(span, [c * n**p for n in span], **dotted)
