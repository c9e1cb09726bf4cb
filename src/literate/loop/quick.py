"""Pandoc for what changed alone: the sections of a page whose text is another.

A section stands for itself when the rest of the page cannot tell the old from
the new: no other ids, headings, citations, footnotes, or number of code blocks.
It is then read, filtered and written alone, with the numbers that the whole
document gave, and takes its old place; where whole paragraphs alone differ,
they do. Everything else is woven as a whole.
"""

import re
from copy import copy
from dataclasses import dataclass
from itertools import chain
from os.path import commonprefix

from ..weave import pandoc
from ..weave.chapter import fence_part

HEADING = re.compile(r"(#{1,2}) .*\{#([\w-]+)[^}]*\}\s*$")
CELL_LINE = re.compile(r'^([ \t]*::: \{\.cell .*)\bline="\d+"\}$', re.MULTILINE)
DEFINITION = re.compile(r" {0,3}\[[^\]]+\]:")
NOTE = re.compile(r"\[\^|\^\[|(?:\A|\n\s*\n) {0,3}\(@")
PARAGRAPH = re.compile(  # that begins like a sentence: no list, term, table or HTML
    r'\n*(?:\*\*)?\[?(?:[A-Z][a-z]*|@[\w-]+),? [^<\n]*(?:\n[\w*\[($"][^<\n]*)*\n?'
)
CODE_ID = re.compile(r'((?:id="|href="#)cb)(\d+)')
END = "# End {.unnumbered}\n\n::: {#refs}\n:::"  # the references stand apart
LINE_ID = re.compile(r"cb\d+-\d+")


@dataclass(frozen=True)
class Part:
    """A piece of the document: a heading with its id and what follows it."""

    level: int
    id: str
    text: str


@dataclass
class Woven:
    """The last document: what decided it, its parts, its page and its numbers."""

    given: tuple
    markdown: str
    parts: list
    page: str
    problems: list
    numbers: dict


class Quick:
    """`convert` with a memory. `exact` says whether the last page was woven whole."""

    def __init__(self):
        self.last, self.asked, self.exact = None, None, True

    def forget(self):
        """Weave the whole next time."""
        self.last = None

    def convert(self, *asked):
        """Pandoc's output, and the problems that it and the filters met."""
        chapter, markdown, _, _, variables, arguments = self.asked = asked
        last, given = self.last, (dict(variables), chapter.settings, arguments)
        if not last or (last.given, last.markdown) != (given, markdown):
            parts = _parts(markdown)
            page = self._spliced(chapter, parts, given) if last else None
            self.exact = page is None
            if self.exact:
                self.last = self.whole(asked)
            else:
                self.last = Woven(given, markdown, parts, page, [], last.numbers)
        return self.last.page, list(self.last.problems)

    @staticmethod
    def whole(asked):
        """The document that was asked for, woven whole."""
        chapter, markdown, to, template, variables, arguments = asked
        given = dict(variables), chapter.settings, arguments
        page, problems, numbers = pandoc.call(
            chapter, markdown, to, template, dict(variables), arguments
        )
        return Woven(given, markdown, _parts(markdown), page, problems, numbers)

    def settle(self, woven):
        """Take the whole for the last document; whether it differs."""
        differs = (woven.page, woven.problems) != (self.last.page, self.last.problems)
        self.last, self.exact = woven, True
        return differs

    def _spliced(self, chapter, parts, given):
        """The last page with the style and the changed sections in place, or None."""
        last = self.last
        styles = [variables.get("style") for variables in (last.given[0], given[0])]
        unstyled = [
            ({**variables, "style": None}, *rest)
            for variables, *rest in (last.given, given)
        ]
        if last.problems or unstyled[0] != unstyled[1] or len(parts) != len(last.parts):
            return None
        page = last.page
        if styles[0] != styles[1]:
            page = page.replace(*(f"<style>\n{style}\n</style>" for style in styles), 1)
        pairs = list(zip(last.parts, parts))
        changed = [at for at, pair in enumerate(pairs) if len({*map(_bare, pair)}) > 1]
        if not changed:
            return page
        if len(changed) > len(parts) / 4 or not all(
            _alone(*pairs[at], following=parts[at + 1 : at + 2]) for at in changed
        ):
            return None
        if any(_defines(part) for part in parts):
            return None
        changes = [_paragraphs(*pairs[at]) or (parts[at],) for at in changed]
        written = self._written(chapter, changes, given[2])
        if written is None:
            return None
        for change in changes:
            old = section(page if len(change) == 1 else written, change[0].id)
            new = section(written, change[-1].id)
            if len(change) == 2:
                old, new = _body(old), _body(new)
            new = old and new and _renumbered(new, old)
            if not new or page.count(old) != 1 or _skeleton(old) != _skeleton(new):
                return None
            page = page.replace(old, new, 1)
        return page

    def _written(self, chapter, changes, arguments):
        """What Pandoc makes of all parts in the changes, None if there are problems."""
        last = self.last
        texts = [part.text for change in changes for part in change]
        keys = sorted(_cited(last.page))
        if any(f"@{key}" in text for key in keys for text in texts):
            nocite = ", ".join(f"@{key}" for key in keys)
            texts = [f"---\nnocite: '{nocite}'\n---", *texts, END]
        else:  # a third of the time
            chapter = copy(chapter)
            chapter.settings = {**chapter.settings, "bibliography": None}
        rows = re.findall(r' id="(checked-[^"]+)"', last.page)  # claims ask for them
        texts += ["# Rows {.unnumbered}", *(f"[]{{#{row}}}" for row in rows)]
        known = {"known": last.numbers}
        text = "\n\n".join(texts)
        written, problems, _ = pandoc.call(
            chapter, text, "html", None, known, arguments
        )
        return None if problems else written


def _parts(markdown):
    """The document cut at its headings of the first two levels with an id."""
    parts, lines, depth = [], [], 0
    level, id = 0, ""
    for line, fenced in _lines(markdown):
        depth += not fenced and _opens(line)
        heading = None if fenced or depth else HEADING.match(line)
        if heading:
            parts.append(Part(level, id, "\n".join(lines)))
            level, id, lines = len(heading[1]), heading[2], []
        lines.append(line)
    return [*parts, Part(level, id, "\n".join(lines))]


def _bare(part):
    """The part without the chapter's lines, which come and go with any edit."""
    return part.level, part.id, CELL_LINE.sub(r"\1", part.text)


def _paragraphs(old, new):
    """What differs between two parts, as parts, if it is paragraphs outside all else:
    the old text serves to find its place in the page."""
    olds, news = (_bare(part)[2].split("\n\n") for part in (old, new))
    start = len(commonprefix([olds, news]))
    end = len(commonprefix([olds[start:][::-1], news[start:][::-1]]))
    if start + end == min(len(olds), len(news)):  # only more, or only less
        start -= 1
    before, after = olds[:start], olds[len(olds) - end :]
    texts = [blocks[start : len(blocks) - end] for blocks in (olds, news)]
    if (
        _open("\n\n".join(before))
        or (after and re.match(r" {0,3}[:~]\s", after[0]))  # it is a term
        or not all(map(PARAGRAPH.fullmatch, chain(*texts)))
    ):
        return None
    return tuple(
        Part(1, id, f"# Alone {{#{id} .unnumbered}}\n\n" + "\n\n".join(blocks))
        for id, blocks in zip((f"old-{new.id}", f"new-{new.id}"), texts)
    )


def _open(text):
    """Whether a fence of code or of a div is open at the end of the text."""
    depth, fenced = 0, None
    for line, fenced in _lines(text + "\n"):
        depth += not fenced and _opens(line)
    return bool(depth or fenced)


def _opens(line):
    """By how much a line outside code changes the number of open divs."""
    if not re.match(r" {0,3}:{3,}", line):
        return 0
    return -1 if re.fullmatch(r"\s*:{3,}\s*", line) else 1


def _body(section):
    """A section's content after its heading."""
    return section[section.index("</h1>\n") + 6 : section.rindex("\n</section>")]


def _alone(old, new, following):
    """Whether the part is a whole section, in which no note or comment is open."""
    return (
        (old.level, old.id) == (new.level, new.id)
        and new.level > 0
        and all(part.level <= new.level for part in following)
        and not any(NOTE.search(_prose(p)) or "<!--" in p.text for p in (old, new))
    )


def _defines(part):
    """Whether the part has definitions (of links, of notes) for the others."""
    return "]:" in part.text and any(map(DEFINITION.match, _prose(part).split("\n")))


def _prose(part):
    return "\n".join(line for line, fenced in _lines(part.text) if not fenced)


def _lines(text):
    """The lines, each with its part in a fenced code block, if any."""
    fence = None
    for line in text.split("\n"):
        part, fence = fence_part(line, fence)
        yield line, part


def _cited(page):
    """The keys that a page cites."""
    return set(" ".join(re.findall(r'data-cites="([^"]*)"', page)).split())


def section(page, id):
    """The `<section>` with this id, whole, or None."""
    start = page.find(f'<section id="{id}"')
    depth = 0
    for match in re.compile(r"<(/?)section\b").finditer(page, max(start, 0)):
        depth += -1 if match[1] else 1
        if start < 0 or depth == 0:
            break
    else:
        return None
    return None if start < 0 else page[start : page.index(">", match.start()) + 1]


def _renumbered(new, old):
    """The new section with the numbers of code blocks that follow on in the page."""
    olds, news = CODE_ID.findall(old), CODE_ID.findall(new)
    shift = int(olds[0][1]) - int(news[0][1]) if olds and news else 0
    return CODE_ID.sub(lambda m: f"{m[1]}{int(m[2]) + shift}", new)


def _skeleton(section):
    """What the rest of the page may refer to, repeat or count."""
    ids = [id for id in re.findall(r'\bid="([^"]+)"', section) if not LINE_ID.match(id)]
    headings = re.findall(r"<h[1-6]\b.*?</h[1-6]>", section, re.DOTALL)
    return ids, headings, _cited(section), section.count("<pre")
