"""The figure of cost: time and memory against the number of tokens."""

import numpy as np

from .figure import draw
from .palette import LIGHT

LOOKS = {  # role of the color, line, marker
    "three lines": ("scores", "-", "o"),
    "flash": ("output", "-", "s"),
    "torch": ("muted", "--", "^"),
}


def power(sizes, values):
    """The exponent p and factor c of the power law c * n**p nearest to the values.

    Least squares on logarithms, so a doubling counts the same everywhere.
    """
    p, log_c = np.polyfit(np.log(sizes), np.log(values), 1)
    return float(p), float(np.exp(log_c))


def growth(id, sizes, panels, limit, caption, alt):
    """Panels side by side, logarithmic both ways, one line for each way to attend.

    `panels` maps an axis label to {name: values, one for each size}. `limit` is
    (value, label) of a ceiling in the last panel; the first of its lines goes on,
    dotted, along its power law until it meets the ceiling.
    """

    def paint(canvas):
        all_axes = canvas.subplots(1, len(panels))
        for axes, (label, lines) in zip(all_axes, panels.items()):
            for name, values in lines.items():
                role, style, marker = LOOKS[name]
                look = {"color": LIGHT[role], "ls": style, "marker": marker}
                axes.loglog(sizes, values, label=name, **look)
            axes.set_xlabel("tokens n")
            axes.set_title(label, fontsize=10)
            axes.grid(True, which="major", lw=0.5)
            axes.minorticks_off()
        _ceiling(all_axes[-1], sizes, next(iter(lines.items())), limit)
        for axes in all_axes:
            low, high = axes.get_xlim()
            ticks = [2**k for k in range(9, 19, 2) if low < 2**k < high]
            axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        all_axes[0].legend()

    return draw(id, paint, (7.2, 3.2), caption, alt)


def _ceiling(axes, sizes, line, limit):
    """The limit across the panel, and the line's power law up to it."""
    (name, values), (ceiling, label) = line, limit
    p, c = power(sizes, values)
    meets = (ceiling / c) ** (1 / p)
    axes.axhline(ceiling, color=LIGHT["muted"], lw=1)
    axes.text(sizes[0], ceiling * 1.3, label, color=LIGHT["muted"])
    axes.set_ylim(top=ceiling * 4)
    span = [sizes[-1], meets]
    dotted = {"color": LIGHT[LOOKS[name][0]], "ls": ":"}
    axes.plot(span, [c * n**p for n in span], **dotted)
