"""The edit loop: what is woven alone, what runs again, what is served to whom."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from literate import page, watch
from literate.__main__ import main
from literate.loop.live import LiveKernel, _aligned
from literate.loop.quick import Quick, section
from literate.serve import Server, differing, listening
from literate.watch import Watch
from literate.weave import html, pandoc
from literate.weave.chapter import Chapter
from literate.weave.pandoc import convert
from literate.weave.weaver import Request
from watching import (
    CHAPTER,
    WORKS,
    Author,
    Screen,
    clean,
    save,
    watched,
    write_chapter,
)

ROOT = Path(__file__).resolve().parents[1]
NO_CELLS = re.sub(
    r"```\{python\}\n.*?```\n\n",
    "",
    re.sub(r"`\{python\} [^`]+`", "7", CHAPTER),
    flags=re.S,
)


def page_of(path, way):
    request = Request(("html",), path.parent, strict=False)
    return html.to_html(Chapter(path), [], request, convert=way)


@pytest.fixture(scope="module")
def woven(tmp_path_factory):
    """The path of NO_CELLS, and what a `Quick` knows when it has woven that."""
    path, quick = write_chapter(tmp_path_factory.mktemp("page"), NO_CELLS), Quick()
    page_of(path, quick.convert)
    return path, quick.last


@pytest.fixture
def weave(woven):
    """weave(text): the page by way of a `Quick` and woven whole; was it whole?"""
    (path, last), quick = woven, Quick()
    quick.last = last

    def weave(text):
        path.write_text(text)
        return *(page_of(path, way) for way in (quick.convert, convert)), quick.exact

    return weave


@pytest.mark.parametrize(
    "old, new",
    [
        ("More text.", "More text, with @eq-sum and *stress*."),
        ("We draw", "We take and draw,\nover two lines,"),
        ('shown = "only"', 'shown = "only"\nmore = 1'),
        ("A remark on @prp-one", "A remark on @prp-one and @sec-part"),
    ],
)
def test_a_section_woven_alone_is_the_one_of_the_whole(weave, old, new):
    quick, whole, exact = weave(NO_CELLS.replace(old, new))
    assert quick == whole
    assert not exact


@pytest.mark.parametrize(
    "old, new",
    [
        ("# Two {#sec-two}", "# Number two {#sec-two}"),
        ("More text.", "More text.\n\n### Third level"),
        ("More text.", "More text.[^1]\n\n[^1]: A note."),
        ("More text.", "[A link].\n\n[A link]: #sec-two"),
        ("More text.", "```python\nx = 1\n```"),
        ("More text.", "    verbatim"),
        ("More text.", "::: {#prp-new}\nAnother.\n:::"),
        ("More text.", "See @sec-nowhere."),
        ("More text.", "```\n"),
        ("More text.", "More text [@first2001]."),
        ("Text of one", "Its text"),
        ("Before all", "Ahead of all"),
        ("[@second2002]", "[@first2001]"),
    ],
)
def test_what_others_can_tell_from_the_old_is_woven_whole(weave, old, new):
    quick, whole, exact = weave(NO_CELLS.replace(old, new, 1))
    assert exact
    assert quick == whole


@pytest.mark.slow
@pytest.mark.parametrize(
    "old, new",
    [
        ("More text.", "A.  More text."),
        ("More text.", "More text\n:   that explains it."),
        ("More text.", "More text.\n\n:   It explains the above."),
        ("More text.", "More text.\n\n- none"),
        ("More text.", "More <div>text.</div>"),
        ("More text.", "More text.\n\nOne more, with *stress*.\n\nTwo more."),
        ("More text.", "More text.\n\n::: {.column-margin}\nMore text.\n:::"),
        ("- second\n", "- second\n\nAfter it.\n"),
        ("- second\n", "- second\n\n    In it.\n"),
        ("\n\n- first\n- second", ""),
        ("A proposition, number", "As a proposition, the number"),
        ("As a", "A"),
        ("We draw", "As [@second2002] says, we draw"),
        ("We draw", "The claim was checked.\n\nWe draw"),
        ("The claim was checked.", "The [claim]{#clm-new .claim} was checked."),
    ],
)
def test_no_edit_gives_another_page_than_the_whole(weave, old, new):
    quick, whole, _ = weave(NO_CELLS.replace(old, new, 1))
    assert quick == whole


@pytest.mark.slow
@pytest.mark.parametrize(
    "place",
    ["{}", "```text\n\n{}\n\n```", "{}\n\n:   Explained."],
)
def test_a_paragraph_is_not_taken_for_its_twin(weave, place):
    twin = NO_CELLS.replace("More text.", "The twin is here.\n\nMore text.")
    weave(twin.replace("We draw", f"{place.format('The twin is here.')}\n\nWe draw"))
    edited = place.format("The twin is there.")
    quick, whole, _ = weave(twin.replace("We draw", f"{edited}\n\nWe draw"))
    assert quick == whole


def test_a_paragraph_is_woven_without_what_stands_around_it(weave, monkeypatch):
    asked, call = [], pandoc.call
    monkeypatch.setattr(pandoc, "call", lambda *a: asked.append(a) or call(*a))
    weave(NO_CELLS.replace("More text.", "More text, and longer."))
    chapter, text, *_ = asked[0]
    assert "longer" in text and "first" not in text and "{#sec-part}" not in text
    assert not chapter.settings["bibliography"]
    weave(NO_CELLS.replace("A remark", "One remark"))
    chapter, text, *_ = asked[2]
    assert "{#sec-two}" in text and chapter.settings["bibliography"]


def test_a_style_is_swapped_in_the_page(weave, monkeypatch):
    monkeypatch.setattr(page, "stylesheet", lambda: "p { color: red }")
    quick, whole, exact = weave(NO_CELLS)
    assert quick == whole
    assert not exact


def test_steps_are_aligned_from_both_ends():
    assert _aligned("abcd", "abcd") == [0, 1, 2, 3]
    assert _aligned("abXcd", "abcd") == [0, 1, None, 2, 3]
    assert _aligned("ad", "abcd") == [0, 3]
    assert _aligned("aXd", "abcd") == [0, None, 3]
    assert _aligned("ab", "") == [None, None]


@pytest.fixture
def server(tmp_path):
    (tmp_path / "build").mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "build/module.py").write_text("x = 1\n")
    (tmp_path / "build/link.txt").symlink_to(tmp_path / "secret.txt")
    server = Server(tmp_path / "build", 0)
    yield server
    server.close()


def get(server, path="", host=None):
    """The status and text of a request."""
    request = urllib.request.Request(server.address + path)
    if host:
        request.add_header("Host", host)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, ""


def test_only_this_machine_is_served_and_only_from_the_build(server):
    assert get(server)[0] == 200
    assert get(server, "module.py") == (200, "x = 1\n")
    assert get(server, host=f"localhost:{server.port}")[0] == 200
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1:1"):
        assert get(server, host=host)[0] == 403
        assert get(server, "listen", host=host)[0] == 403
    for path in ("../secret.txt", "%2e%2e/secret.txt", "/etc/passwd", "link.txt"):
        assert get(server, path)[0] in (403, 404)
    assert {sock.getsockname()[0] for sock in server.sockets} == {"127.0.0.1"}


def test_an_open_page_hears_of_versions_styles_and_problems(server):
    heard, opened = [], threading.Event()

    def listen():
        with urllib.request.urlopen(server.address + "listen", timeout=10) as stream:
            for line in stream:
                if line.startswith(b"data"):
                    heard.append(line.decode().strip())
                opened.set()
                if len(heard) == 5:
                    return

    listener = threading.Thread(target=listen)
    listener.start()
    opened.wait(10)
    first = server.version
    server.show('<body><section id="a">1</section></body>')
    server.show('<body><section id="a">2</section></body>')
    server.style("<body></body>", "p {}")
    server.warn(["doc.qmd:1: what; fix"])
    listener.join(10)
    assert [json.loads(line.removeprefix("data: ")) for line in heard] == [
        ["problems", []],  # no version: an old page stays until there is a new one
        ["version", first + 1],
        ["sections", [first + 2, {"a": '<section id="a">2</section>'}]],
        ["style", "p {}"],
        ["problems", ["doc.qmd:1: what; fix"]],
    ]


SECTIONS = (
    '<main>0<section id="a">1<section id="b" class="level2">2</section>3</section>'
    '<section id="c">4<script>5</script></section>6</main>'
)


@pytest.mark.parametrize(
    "old, new, ids",
    [
        ("", "", []),
        ("2", "two", ["b"]),
        ("3", "three", ["a"]),
        ("1<s", "one<s", ["a"]),
        ("2</section>3", "two</section>three", ["b", "a"]),
        ("0", "zero", None),
        ("6", "six", None),
        ("4", "four", None),  # its script would not run again
        ('id="b"', 'id="d"', None),
        ('id="b" class="level2"', 'id="b"', ["b"]),
        ("2</section>3", "2</section></section>3", None),
        ("2</section>", "2", None),
    ],
)
def test_sections_are_swapped_where_nothing_else_differs(old, new, ids):
    page = SECTIONS.replace(old, new, 1)
    sections = differing(SECTIONS, page)
    assert (sections if sections is None else [*sections]) == ids
    swapped = SECTIONS
    for id in ids or []:
        swapped = swapped.replace(section(swapped, id), sections[id])
    assert ids is None or swapped == page


def test_the_served_copy_alone_may_listen():
    sealed = page.seal(
        '<meta http-equiv="Content-Security-Policy" content="@policy@">'
        "<body><script>run()</script></body>"
    )
    assert "connect-src" not in sealed
    served = listening(sealed, 3)
    assert "default-src 'none'" in served and "connect-src 'self'" in served
    assert "unsafe-inline" not in re.search(r"script-src[^;]*", served)[0]
    assert served.count("sha256-") == 2


def test_an_edit_that_breaks_the_chapter_is_named_and_the_page_stays(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(watch, "QUIET", 0)
    path = write_chapter(tmp_path, NO_CELLS)
    running = watched(path)
    good = running.server.page
    for old, new, said in [
        ('title: "Watched"', 'title: "Watched', "doc.qmd:2: this is not YAML"),
        ("::: {#refs}", "```{python}", "doc.qmd:48: this cell is never closed"),
    ]:
        capsys.readouterr()
        path.write_text(NO_CELLS.replace(old, new, 1))
        save(running, path)
        (problem,) = running.server.problems
        assert problem.startswith(said)
        assert capsys.readouterr().out == problem + "\n"
        assert running.server.page == good
    path.write_text(NO_CELLS)
    save(running, path)
    assert running.server.problems == []
    running.close()


def test_saves_that_change_nothing_do_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(watch, "QUIET", 0)
    path = write_chapter(tmp_path, NO_CELLS)
    running = watched(path)
    assert capsys.readouterr().out.startswith("doc.qmd: wove the whole, ")
    path.touch()
    save(running, path, tmp_path / "works.bib")
    assert capsys.readouterr().out == ""
    running.close()


def test_a_new_bibliography_reaches_the_page(tmp_path, monkeypatch):
    monkeypatch.setattr(watch, "QUIET", 0)
    path = write_chapter(tmp_path, NO_CELLS)
    running = watched(path)
    (tmp_path / "works.bib").write_text(WORKS.replace("Ann", "Zoe"))
    save(running, tmp_path / "works.bib")
    assert "Zoe" in running.server.page
    running.close()


MODULE = """# One {#sec-one}

```{python}
#| label: double
#| filename: src/made.py
#| eval: false
def double(x):
    return 2 * x
```
"""


def test_a_module_is_stitched_unless_the_chapter_is_being_edited(tmp_path, monkeypatch):
    monkeypatch.setattr(watch, "QUIET", 0)
    path = write_chapter(tmp_path, MODULE)
    running, module = watched(path), tmp_path / "src/made.py"
    module.write_text(module.read_text().replace("2 * x", "x + x"))
    save(running, module)
    assert "return x + x" in path.read_text()
    assert running.server.problems == []
    half = (
        path.read_text() + "\n```{python}\n#| filename: src/made.py\ndef half(\n```\n"
    )
    path.write_text(half)
    module.write_text(module.read_text().replace("x + x", "x * 2"))
    save(running, module)
    (problem,) = running.server.problems
    assert problem.startswith("src/made.py:1: was edited, but doc.qmd is not as it was")
    assert path.read_text() == half
    running.close()


@pytest.mark.slow
def test_only_steps_whose_results_may_differ_run_again(tmp_path):
    path = write_chapter(tmp_path)
    live, never = LiveKernel(60, lambda _: None), threading.Event()

    def run(old="", new=""):
        path.write_text(path.read_text().replace(old, new, 1))
        return live.execute(Chapter(path), never)[1]

    try:
        assert run() == 4
        assert run("Text of one", "More text of one") == 0
        assert run("print(seen, total)", "print(seen, total, 1)") == 1  # put back
        assert run("`{python} len(seen)", "`{python} 2 + len(seen)") == 0
        assert run("import random", "import random  # again") == 1  # the same state
        (tmp_path / "src/helper.py").write_text('NAME = "Eve"\n')
        assert run() == 2
        results, ran = live.execute(Chapter(path), never)
        assert ran == 0 and "'Eve'" in str(results)
    finally:
        live.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0])
def test_after_a_hundred_edits_the_page_is_that_of_a_clean_weave(
    tmp_path, capsys, monkeypatch, seed
):
    monkeypatch.setattr(watch, "QUIET", 0)
    path = write_chapter(tmp_path)
    running, author = watched(path), Author(path, seed)
    refused = 0
    for number in range(100):
        save(running, author.edit())
        refused += bool(running.server.problems)
        if number % 25 == 24:
            if author.sound is not None:
                save(running, author.edit())
            assert running.server.page == clean(path, tmp_path / "clean")
    assert refused > 9
    assert "the whole page:" not in capsys.readouterr().out  # parts were right
    running.close()


@pytest.mark.slow
def test_a_change_of_the_watch_itself_starts_it_again(tmp_path):
    path, source = write_chapter(tmp_path, NO_CELLS), tmp_path / "src"
    for package in ("literate", "figures", "claims"):
        shutil.copytree(ROOT / "src" / package, source / package)
    module = source / "literate/serve.py"
    sound = module.read_text()
    command = [sys.executable, "-m", "literate", "watch", path.name, "--no-browser"]
    with subprocess.Popen(
        [*command, "--port", "0"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(source)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        first = process.stdout.readline()
        assert process.stdout.readline().startswith("doc.qmd: wove the whole")
        module.write_text(f"{sound}\ndef (")
        what = "the watch cannot start again: SyntaxError: invalid syntax; correct it"
        line = sound.count("\n") + 2
        said = f"src/literate/serve.py:{line}: {what}\n"
        assert process.stdout.readline() == said
        module.write_text(f"{sound}\n# and a comment\n")
        said = "src/literate/serve.py: changed, and it is part of the watch"
        assert process.stdout.readline().startswith(said)
        assert process.stdout.readline() == first  # at the same address
        assert process.stdout.readline().startswith("doc.qmd: wove the whole")
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "ended\n"
        assert process.wait(30) == 0


def test_a_chapter_that_goes_away_comes_back(tmp_path, monkeypatch):
    monkeypatch.setattr(watch, "QUIET", 0)
    path = write_chapter(tmp_path, NO_CELLS)
    running = watched(path)
    good = running.server.page
    path.rename(tmp_path / "other~")
    save(running, path)
    (problem,) = running.server.problems
    assert problem.startswith("doc.qmd:1: ")
    assert running.server.page == good
    path.write_text(NO_CELLS.replace("More text.", "Longer text."))
    save(running, path)
    assert running.server.problems == []
    assert "Longer text." in running.server.page
    running.close()


@pytest.mark.slow
def test_a_save_during_a_run_takes_its_place(tmp_path, monkeypatch):
    monkeypatch.setattr(watch, "QUIET", 0)
    slow = "total = double(3)\nopen('began', 'w').close()\nwhile True: pass"
    path = write_chapter(tmp_path, CHAPTER.replace("total = double(3)", slow))
    running = Watch(path, Screen(tmp_path / "_build/watch"), timeout=60)
    running.on_files(running._sources())
    while not (tmp_path / "began").exists():
        assert not running.job.future.done()
        time.sleep(0.05)
    path.write_text(CHAPTER.replace("More text.", "Longer text."))
    saved = time.monotonic()
    save(running, path)
    assert time.monotonic() - saved < 40  # the cell was not waited for
    assert running.server.problems == []
    assert running.server.page == clean(path, tmp_path / "clean")
    running.close()


def test_a_watch_without_time_for_a_cell_is_refused(tmp_path, capfd):
    path = write_chapter(tmp_path, NO_CELLS)
    assert main(["watch", str(path), "--timeout", "0"]) == 1
    assert capfd.readouterr().err == "--timeout 0: give a second at least\n"
