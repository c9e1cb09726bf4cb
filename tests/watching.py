"""A small chapter to watch, and a watch without threads that look at files."""

import random

from literate.watch import Watch
from literate.weave import Weaver

CHAPTER = """---
title: "Watched"
bibliography: works.bib
citeproc: true
number-sections: true
---

Before all sections.

# One {#sec-one}

Text of one, see @sec-two and @eq-sum, with `{python} 6 * 7` in it,
as [@first2001] says.

::: {#prp-one}
A proposition, number one.
:::

$$a + b$$ {#eq-sum}

```{python}
#| label: imports
#| filename: src/made.py
import random
```

```{python}
#| label: double
#| filename: src/made.py
def double(x):
    \"\"\"x twice.\"\"\"
    return 2 * x
```

## Part of one {#sec-part}

More text. It has `code`, [a claim]{#clm-code .claim}, and a list:

- first
- second

# Two {#sec-two}

```{python}
#| label: draws
from src.helper import NAME
rng = random.Random(0)
seen = []
total = double(3)
```

We draw `{python} rng.random()` for `{python} NAME`.

::: {.callout-tip title="Aside"}
A remark on @prp-one, and [@second2002].
:::

# Three {#sec-three}

```{python}
#| label: grows
seen.append(rng.randint(0, 9))
print(seen, total)
```

```python
shown = "only"
```

The last word is `{python} len(seen)`.

[]{#checked-clm-code} The claim was checked.

# References {.unnumbered}

::: {#refs}
:::
"""
WORKS = """@book{first2001, author = {First, Ann}, title = {One}, year = 2001}
@book{second2002, author = {Second, Ben}, title = {Two}, year = 2002}
"""


class Screen:
    """Stands for the server: what would be served and shown."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.page, self.problems = folder, "", []

    def show(self, page):
        self.page = page

    def style(self, page, css):
        self.page = page

    def warn(self, problems):
        self.problems = [str(problem) for problem in problems]


def write_chapter(folder, text=CHAPTER):
    """The chapter and what it needs, in `folder`; the chapter's path."""
    (folder / "src").mkdir(exist_ok=True)
    (folder / "src/helper.py").write_text('NAME = "Ada"\n')
    (folder / "works.bib").write_text(WORKS)
    (folder / "doc.qmd").write_text(text)
    return folder / "doc.qmd"


def watched(path, server=None):
    """A watch of the chapter that has dealt with it once."""
    server = server or Screen(path.parent / "_build/watch")
    watch = Watch(path, server, timeout=60)
    save(watch, *watch._sources())
    return watch


def save(watch, *paths):
    """Tell the watch of saved files, and wait until it has nothing to do."""
    watch.on_files(set(paths))
    while True:
        while watch.job or not watch.settled:
            watch.step()
        watch.whole.submit(int).result()  # the last one and its callback are done
        if watch.events.empty():
            return
        watch.step()


def clean(path, folder):
    """The page of a clean weave."""
    weaver = Weaver(path, folder, strict=False, report=lambda _: None)
    weaver.weave(("html",))
    return (folder / f"{path.stem}.html").read_text("utf-8")


class Author:
    """Edits a chapter at random; one edit in six breaks it until the next."""

    def __init__(self, path, seed):
        self.path, self.random = path, random.Random(seed)
        self.sound = None

    def edit(self):
        """One edit; the path that was saved."""
        if self.sound is not None:
            self.path.write_text(self.sound)
            self.sound = None
            return self.path
        before = self.path.read_text()
        if self.random.random() < 1 / 6:
            return self.broken(before)
        return self.random.choice(self.KINDS)(self, before)

    def prose(self, text):
        word = self.random.choice(["soup", "*stove*", "a [link](#sec-two)", "$x^2$"])
        return self._save(self._after_a_line(text, f"More {word}, see @sec-part."))

    def cite(self, text):
        return self._save(self._after_a_line(text, "As [@second2002; @first2001]."))

    def note(self, text):
        return self._save(self._after_a_line(text, "A note.^[What it says.]"))

    def heading(self, text):
        return self._save(self._after_a_line(text, "## Title"))

    def listing(self, text):
        return self._save(self._after_a_line(text, "```python\nx = 1\ny = 2\n```\n"))

    def code(self, text):
        line = self.random.choice(
            ["seen.append(1)", "print(rng.random())", "total += 1"]
        )
        at = self.random.choice(["print(seen, total)", "total = double(3)"])
        return self._save(text.replace(f"{at}\n", f"{at}\n{line}\n", 1))

    def value(self, text):
        return self._save(
            text.replace("`{python} len(seen)", "`{python} 1 + len(seen)")
        )

    def tangled(self, text):
        return self._save(text.replace("return 2 * x", "return x + x + 0"))

    def shorter(self, text):
        lines = text.split("\n")
        starts = ("More ", "As ", "A note", "## Title")
        added = [n for n, line in enumerate(lines) if line.startswith(starts)]
        if added:
            del lines[self.random.choice(added)]
        return self._save("\n".join(lines))

    def module(self, text):
        path = self.path.parent / "src/made.py"
        old, new = self.random.choice(
            [("2 * x", "x * 2"), ("x * 2", "2 * x"), ("x + x + 0", "2 * x")]
        )
        path.write_text(path.read_text().replace(old, new))
        return path

    def helper(self, text):
        path = self.path.parent / "src/helper.py"
        path.write_text(f'NAME = "Ada {self.random.randint(0, 99)}"\n')
        return path

    def broken(self, text):
        self.sound = text
        old, new = self.random.choice(
            [
                ("print(seen, total)", "print(seen, total"),
                ('title: "Watched"', 'title: "Watched'),
                ("print(seen, total)\n```", "print(seen, total)\n"),
                ("total = double(3)", "total = double(3) / 0"),
                ("#| label: draws", "#| label: double"),
                ("[@first2001]", "[@nobody1999]"),
                ("::: {#prp-one}", "::: {#prp-two}"),
                ("$$a + b$$", "$$\\frac{a$$"),
            ]
        )
        return self._save(text.replace(old, new, 1))

    KINDS = (
        *(prose, prose, prose, prose, prose, cite, note, heading, listing),
        *(code, value, tangled, shorter, shorter, shorter, module, helper),
    )

    def _after_a_line(self, text, line):
        """`text` with a paragraph after one of prose."""
        lines = text.split("\n")
        prose = ("Before", "Text of", "More ", "We draw", "The last", "As ")
        places = [n for n, line in enumerate(lines) if line.startswith(prose)]
        lines.insert(self.random.choice(places) + 1, f"\n{line}")
        return "\n".join(lines)

    def _save(self, text):
        self.path.write_text(text)
        return self.path
