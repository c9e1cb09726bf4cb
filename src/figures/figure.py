"""A figure that knows its id, its caption and its alternative text."""

import html
import io
import os
import re
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure as Canvas

from .palette import LIGHT, dark_override

FOLDER = Path("_build/figures")  # from the chapter's folder, where cells run

STYLE = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "attention",  # the same ids in every run
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "text.color": LIGHT["ink"],
    "axes.edgecolor": LIGHT["muted"],
    "axes.labelcolor": LIGHT["ink"],
    "axes.titlecolor": LIGHT["ink"],
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "grid.color": LIGHT["line"],
    "grid.linewidth": 0.6,
    "xtick.color": LIGHT["muted"],
    "ytick.color": LIGHT["muted"],
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4,
}
MATH = 10  # what has a subscript or an exponent, which is 0.7 times as large


@dataclass(frozen=True)
class Figure:
    """One finished figure.

    When Quarto or the embedded weaver runs the chapter, the figure writes
    itself to `_build/figures/ID.svg` and shows as the Markdown of a captioned,
    numbered, cross-referenced image; elsewhere (JupyterLab) as SVG with its
    caption below.
    """

    id: str
    svg: str
    caption: str
    alt: str

    def _repr_mimebundle_(self, include=None, exclude=None):
        if not weaving():
            caption = f"<figcaption>{html.escape(self.caption)}</figcaption>"
            return {"text/html": f"<figure>{self.svg}{caption}</figure>"}
        FOLDER.mkdir(parents=True, exist_ok=True)
        path = FOLDER / f"{self.id}.svg"
        path.write_text(self.svg, encoding="utf-8", newline="\n")
        alt = " ".join(self.alt.split()).replace("\\", "\\\\").replace('"', '\\"')
        caption = " ".join(self.caption.split())
        markdown = f'![{caption}]({path.as_posix()}){{#{self.id} fig-alt="{alt}"}}'
        return {"text/markdown": markdown, "image/svg+xml": self.svg}


def draw(id, paint, size, caption, alt):
    """Let `paint(canvas)` draw on an empty matplotlib figure and make a Figure of it.

    `size` is (width, height) in inches at 96 pixels each; 3.6 wide fills a phone,
    and wide screens enlarge it. `caption` and `alt` are strings, computed where
    they hold numbers.
    """
    with matplotlib.rc_context(STYLE):
        canvas = Canvas(figsize=size, layout="constrained")
        paint(canvas)
        buffer = io.StringIO()
        canvas.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return Figure(id, _finish(buffer.getvalue()), caption, alt)


def name_ends(axes, ends, gap=0.08):
    """Write names beside the right ends of lines, in the lines' colors.

    `ends` holds (name, x, y, color). Scales, limits and lines have to be set
    before. Names are at least `gap` of the panel's height apart.
    """
    axes.autoscale_view()
    to_panel = axes.transScale + axes.transLimits
    places = [(*to_panel.transform((x, y)), name, color) for name, x, y, color in ends]
    places.sort(key=lambda place: place[1])
    heights = _apart(np.array([y for _, y, _, _ in places]), gap)
    for (x, _, name, color), y in zip(places, heights):
        where = {"xycoords": "axes fraction", "textcoords": "offset points"}
        at = {"xy": (x, y), "xytext": (6, 0), "va": "center", **where}
        axes.annotate(name, color=color, fontsize=MATH if "$" in name else 9, **at)


def _apart(heights, gap):
    """The nearest heights, by least squares, that rise by at least `gap` each.

    Without their due steps they only must not fall, which is isotonic
    regression, here by its max-min formula: enough for a handful of names.
    """
    steps, n = gap * np.arange(len(heights)), len(heights)
    free = heights - steps

    def fitted(i):
        return max(
            min(free[a : b + 1].mean() for b in range(i, n)) for a in range(i + 1)
        )

    return steps + [fitted(i) for i in range(n)]


def weaving():
    """Whether Quarto or the embedded weaver runs this code: both set QUARTO_*."""
    return any(name.startswith("QUARTO_") for name in os.environ)


def _finish(svg):
    """Take off the XML prologue, shorten the coordinates, add the dark colors.

    The font is named once, with what stands in for it where it is not installed.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(
        r'(?<= d=")[^"]*|(?<= [xy]=")[^"]*',
        lambda place: re.sub(r"(\.\d\d)\d+", r"\1", place[0]),
        svg,
    )
    svg = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", svg)  # turns nothing
    svg = svg.replace(" font-family: 'DejaVu Sans';", "")
    font = "text{font-family:'DejaVu Sans',Verdana,sans-serif}"
    style = f"<style>{font}{dark_override()}</style>"
    head = svg.index(">") + 1
    return svg[:head] + style + svg[head:]
