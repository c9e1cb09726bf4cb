"""The cases that tangle and stitch must get right, numbered and named.

"Refused" means: exit status 1, one line `file:line: what; what to do` for each
reason, and no byte, mode or file name in the folder changed.
"""

import os
import re
import subprocess
import sys
import time

import pytest

from literate.__main__ import main

LINE = re.compile(r"\S+:\d+: [^\n]+; [^\n]+")


class Folder:
    """A folder with a chapter, where the verbs can be run."""

    def __init__(self, path, capsys):
        self.path, self.capsys = path, capsys

    def write(self, name, content):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def read(self, name):
        return (self.path / name).read_bytes().decode()

    def edit(self, name, old, new):
        text = self.read(name)
        assert text.count(old) == 1, (old, text)
        self.write(name, text.replace(old, new))

    def files(self):
        """Every file's name, bytes, mode and time."""
        return {
            path.relative_to(self.path).as_posix(): (
                path.read_bytes() if path.is_file() else None,
                path.lstat().st_mode,
                path.lstat().st_mtime_ns if path.is_file() else None,
            )
            for path in self.path.rglob("*")
        }

    def run(self, verb, *options):
        self.capsys.readouterr()
        status = main([verb, str(self.path / "chapter.qmd"), *options])
        self.out, self.err = self.capsys.readouterr()
        return status

    def ok(self, *verbs):
        for verb in verbs:
            assert self.run(verb) == 0, self.err
        return self

    def refuses(self, verb, *reasons):
        """Each reason is a pattern for one line; there are no other lines."""
        before = self.files()
        assert self.run(verb) == 1
        lines = self.err.splitlines()
        assert self.files() == before
        assert len(lines) == len(reasons), self.err
        for line, reason in zip(lines, reasons):
            assert LINE.fullmatch(line), line
            assert re.search(reason, line), line

    def writes_nothing(self, *verbs):
        before = self.files()
        self.ok(*verbs)
        assert self.files() == before


@pytest.fixture
def folder(tmp_path, capsys):
    return Folder(tmp_path, capsys)


def cell(label, code, file="src/a.py", fence="```"):
    options = f"#| label: {label}\n#| filename: {file}\n"
    return f"{fence}{{python}}\n{options}{code}\n{fence}\n"


TWO = f"# Title\n\n{cell('one', 'x = 1')}\nProse.\n\n{cell('two', 'y = 2')}"


@pytest.mark.parametrize(
    "around",
    [
        "````\n{}````\n",
        "~~~\n{}~~~\n",
        "<!--\n{}-->\n",
        "---\ntitle: |\n{}---\n",
    ],
    ids=["longer fence", "tildes", "comment", "front matter"],
)
def test_case_01_a_target_cell_that_others_read_otherwise_is_refused(folder, around):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    shown = around.format(cell("shown", "z = 3"))
    folder.write("chapter.qmd", shown + TWO)
    line = 1 + shown[: shown.index("```{python}")].count("\n")
    folder.refuses(
        "tangle", rf"chapter.qmd:{line}: Quarto runs this cell.*\{{\{{python"
    )
    folder.write("chapter.qmd", shown.replace("{python}", "{{python}}") + TWO)
    folder.ok("tangle")
    assert "z = 3" not in folder.read("src/a.py")


def test_case_01_an_indented_target_cell_is_refused(folder):
    indented = "    " + cell("one", "x = 1").replace("\n", "\n    ").rstrip(" ")
    folder.write("chapter.qmd", f"Text.\n\n{indented}")
    folder.refuses("tangle", "chapter.qmd:3: Quarto runs this cell")


@pytest.mark.parametrize("mark", ["~~~", "> ```", "- ```", "``` `"])
def test_case_01_what_quarto_does_not_run_is_no_target(folder, mark):
    inner = "> " if mark[0] == ">" else "  " if mark[0] == "-" else ""
    fence = mark.removeprefix("> ").removeprefix("- ")
    options = f"{inner}#| label: one\n{inner}#| filename: src/a.py\n"
    text = f"{mark}{{python}}\n{options}{inner}x = 1\n{inner}{fence}\n"
    folder.write("chapter.qmd", text)
    if fence == "``` `":
        folder.writes_nothing("tangle")  # inline code for CommonMark as well
    else:
        folder.refuses("tangle", "chapter.qmd:1: .*Quarto does not run it")
    folder.write("chapter.qmd", text.replace("filename", "file"))
    folder.writes_nothing("tangle")


def test_case_02_a_longer_fence_holds_a_shorter_one_and_must_be_closed(folder):
    code = 's = """\n```\nx\n```\n"""'
    folder.write("chapter.qmd", cell("one", code, fence="````"))
    folder.ok("tangle")
    assert code in folder.read("src/a.py")
    once = cell("one", "x = 1")
    for text in (once[:-4] + "````\n", once[:-4]):
        folder.write("chapter.qmd", text)
        folder.refuses("tangle", "chapter.qmd:1: this cell is never closed")
    folder.write("chapter.qmd", once[:-4] + "````\n\n" + cell("two", "y = 2"))
    folder.refuses("tangle", ":1: Quarto", ":5: this is not Python")


@pytest.mark.parametrize("indent", ["  ", "\t"], ids=["spaces", "tab"])
def test_case_03_a_cell_in_a_list_is_dedented_and_indented_again(folder, indent):
    lines = ["def f():", "    x = 1", "", "    y = 2", "    return x + y"]
    inner = cell("one", "\n".join(lines)).splitlines()
    inner[6] = indent[:1] * 5  # a line of blanks only, more than the indent
    chapter = "- item\n\n" + "".join(f"{indent}{line}\n" for line in inner) + "\nEnd.\n"
    chapter = chapter.replace(f"{indent}    y = 2", f"{indent}    y = 2\n \n")
    folder.write("chapter.qmd", chapter)
    folder.ok("tangle")
    assert "\ndef f():\n    x = 1\n" in folder.read("src/a.py")
    folder.edit("src/a.py", "return x + y", "if x:\n\n        return x + y")
    folder.ok("stitch")
    new = f"{indent}    if x:\n\n{indent}        return x + y"
    assert folder.read("chapter.qmd") == chapter.replace(
        f"{indent}    return x + y", new
    )
    folder.ok("check")


def test_case_04_crlf_stays_and_new_lines_end_in_it(folder):
    folder.write("chapter.qmd", TWO.replace("\n", "\r\n"))
    folder.ok("tangle")
    assert "\r" not in folder.read("src/a.py")
    folder.edit("src/a.py", "y = 2", "y = 2\nz = 3")
    folder.ok("stitch")
    expected = TWO.replace("y = 2", "y = 2\nz = 3").replace("\n", "\r\n")
    assert folder.read("chapter.qmd") == expected
    folder.writes_nothing("stitch", "tangle", "check")


def test_case_04_mixed_line_ends_stay_where_they_are(folder):
    chapter = TWO.replace("x = 1\n", "x = 1\r\n").replace("Prose.\n", "Prose.\r\n")
    folder.write("chapter.qmd", chapter)
    folder.ok("tangle")
    folder.edit("src/a.py", "x = 1", "w = 0\nx = 1")
    folder.ok("stitch")
    assert folder.read("chapter.qmd") == chapter.replace("x = 1", "w = 0\nx = 1")


@pytest.mark.parametrize("end", ["", "\n\n\n"], ids=["no newline", "three newlines"])
def test_case_05_unusual_bytes_are_kept(folder, end):
    odd = 's = "\u2028 \x85 \x0c \u00a0"  \n\x0c\ny = "\u2029"'
    prose = "\ufeffSpaces after   \n\x0c\nand \u2028 \x85 here\x00\n\n"
    chapter = prose + cell("one", "x = 1") + cell("two", odd) + end
    chapter = chapter if end else chapter[:-1]
    folder.write("chapter.qmd", chapter)
    folder.ok("tangle")
    assert odd in folder.read("src/a.py")
    folder.edit("src/a.py", "x = 1", "x = 10")
    folder.edit("src/a.py", 'y = "', 'z = 0\ny = "')
    folder.ok("stitch")
    expected = chapter.replace("x = 1\n", "x = 10\n").replace('y = "', 'z = 0\ny = "')
    assert folder.read("chapter.qmd") == expected
    folder.writes_nothing("stitch", "tangle", "check")


def test_case_05_a_cell_on_the_first_line_after_a_byte_order_mark(folder):
    folder.write("chapter.qmd", "\ufeff" + cell("one", "x = 1"))
    folder.ok("tangle")
    folder.edit("src/a.py", "x = 1", "x = 2")
    folder.ok("stitch")
    assert folder.read("chapter.qmd") == "\ufeff" + cell("one", "x = 2")


def test_case_05_a_module_saved_with_byte_order_mark_and_crlf_is_read(folder):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    text = folder.read("src/a.py")
    edited = text.replace("x = 1", "x = 5").replace("\n", "\r\n")
    folder.write("src/a.py", "\ufeff" + edited)
    folder.ok("stitch")
    assert folder.read("chapter.qmd") == TWO.replace("x = 1", "x = 5")
    assert "\r" not in folder.read("src/a.py")


def test_case_05_bytes_that_are_not_utf8_are_refused(folder):
    folder.write("chapter.qmd", b"\n\nb\xff\n")
    folder.refuses("tangle", "chapter.qmd:3: byte 0xff is not UTF-8")
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.write("src/a.py", folder.read("src/a.py").encode() + b"# \xe9\n")
    folder.refuses("tangle", r"src/a.py:12: byte 0xe9 is not UTF-8")


def test_case_06_labels_are_unique_and_required(folder):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.write("chapter.qmd", TWO.replace("label: two", "label: one"))
    folder.refuses("tangle", r"chapter.qmd:11: label one .* line 3; rename")
    for bad in (
        "",
        "#| label:\n",
        "#| label: a b\n",
        "#| label: 1\n",
        "#| label: []\n",
    ):
        folder.write("chapter.qmd", TWO.replace("#| label: two\n", bad))
        folder.refuses("tangle", "chapter.qmd:11: .* needs a label")


def test_case_06_options_that_are_not_yaml_are_refused(folder):
    for bad in ("#| a: [", "#| just words", "#| label: b", "#| day: 2024-13-01"):
        chapter = TWO.replace("#| label: one\n", f"#| label: one\n{bad}\n")
        folder.write("chapter.qmd", chapter)
        assert folder.run("tangle") == 1
        assert re.match(r"chapter.qmd:[4567]: ", folder.err), folder.err


def test_case_07_a_syntax_error_is_named_at_the_chapters_line(folder):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.write("chapter.qmd", TWO.replace("y = 2", "y = 2\ny = = 3"))
    folder.refuses("tangle", r"chapter.qmd:15: this is not Python \(invalid syntax\)")
    folder.write("chapter.qmd", TWO.replace("y = 2", "%time y"))
    folder.refuses("tangle", "chapter.qmd:14: this is not Python")
    folder.write("chapter.qmd", TWO.replace("y = 2", "y = '\0'"))
    folder.refuses("tangle", r"chapter.qmd:\d+: this is not Python \(.*null")


def test_case_07_each_cell_stands_alone_and_each_prefix_compiles(folder):
    halves = TWO.replace("x = 1", 'x = """').replace("y = 2", '"""')
    folder.write("chapter.qmd", halves)
    folder.refuses("tangle", "chapter.qmd:6: .*string", "chapter.qmd:14: .*string")
    late = TWO.replace("y = 2", "from __future__ import annotations")
    folder.write("chapter.qmd", late)
    folder.refuses("tangle", "chapter.qmd:14: .*__future__")
    folder.write("chapter.qmd", TWO.replace("y = 2", "return 3"))
    folder.refuses("tangle", "chapter.qmd:14: .*return")


@pytest.mark.parametrize(
    "name",
    [
        "../x.py",
        "/abs.py",
        "src/../../x.py",
        "src/../x.py",
        "'C:\\x.py'",
        "C:/x.py",
        ".git/hooks/x",
        ".git/hooks/x.py",
        "chapter.qmd",
        "",
        "''",
        "[src/a.py]",
        "src/",
        "src//a.py",
        "-a.py",
        "src/a.py/b.py",
        "'src/a.py '",
        "src/a.pyc",
        "~/a.py",
        "_build/x.py",
        "./_Build/x.py",
    ],
)
def test_case_08_a_filename_outside_or_without_sense_is_refused(folder, name):
    (folder.path / ".git/hooks").mkdir(parents=True)
    folder.write("chapter.qmd", cell("one", "x = 1", file=name))
    folder.refuses("tangle", "chapter.qmd:3: filename .* is no module")


def test_case_08_spellings_of_one_file(folder):
    chapter = cell("one", "x = 1") + cell("two", "y = 2", file="./src/a.py")
    folder.write("chapter.qmd", chapter)
    folder.ok("tangle")
    assert "2 cells" in folder.read("src/a.py")
    folder.write("chapter.qmd", chapter.replace("./src/a.py", "src/A.py"))
    folder.refuses("tangle", "chapter.qmd:8: src/A.py and src/a.py differ only in case")


@pytest.mark.parametrize("link", ["src/a.py", "src"])
def test_case_08_symbolic_links_are_not_followed(folder, link, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "a.py").write_text("mine = 1\n")
    folder.write("chapter.qmd", TWO)
    if link == "src":
        (folder.path / "src").symlink_to(outside)
    else:
        (folder.path / "src").mkdir()
        (folder.path / "src/a.py").symlink_to(outside / "a.py")
    folder.refuses("tangle", f"src/a.py:1: {link} is a symbolic link")
    assert (outside / "a.py").read_text() == "mine = 1\n"


def test_case_08_a_file_where_a_folder_should_be_and_the_reverse(folder):
    folder.write("chapter.qmd", TWO)
    folder.write("src", "a file\n")
    folder.refuses("tangle", "src/a.py:1: src is not a folder")
    (folder.path / "src").unlink()
    (folder.path / "src/a.py").mkdir(parents=True)
    folder.refuses("tangle", "src/a.py:1: src/a.py is not a file")


@pytest.mark.parametrize(
    "name", ['a""";exit()#.qmd', "a\\N.qmd", "a\nb.qmd", os.fsdecode(b"a\xff.qmd")]
)
def test_case_08_a_chapter_whose_name_would_become_code_is_refused(folder, name):
    folder.write(name, TWO)
    before = folder.files()
    assert main(["tangle", str(folder.path / name)]) == 1
    error = folder.capsys.readouterr().err
    assert re.fullmatch(r"'a\S*.qmd':1: the head [^\n]*; rename it [^\n]*\n", error)
    assert folder.files() == before


@pytest.mark.parametrize("name", ["-a.qmd", "a'b $(c) {d}.qmd", "a: 2 cells.qmd"])
def test_case_08_any_other_name_of_a_chapter_will_do(folder, name):
    folder.write(name, TWO)
    for verb in ("tangle", "tangle", "check"):
        assert main([verb, str(folder.path / name)]) == 0
    assert folder.read("src/a.py").startswith(f'"""src/a.py, tangled from {name}: 2')


@pytest.mark.parametrize("text", ["mine = 1\n", "", '"""A module."""\n'])
def test_case_09_a_file_not_made_by_tangling_is_kept(folder, text):
    folder.write("chapter.qmd", TWO)
    folder.write("src/a.py", text)
    for verb in ("tangle", "stitch", "sync", "check"):
        folder.refuses(verb, "src/a.py:1: this file was not tangled from chapter.qmd")


def test_case_09_a_copy_under_another_name_is_not_the_tangled_file(folder):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.write("src/b.py", folder.read("src/a.py"))
    folder.write("chapter.qmd", TWO + cell("three", "z = 3", file="src/b.py"))
    folder.refuses("tangle", "src/b.py:1: this is not the first line of src/b.py")


def test_case_10_a_hand_edit_is_stitched_exactly_once(folder):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.edit("src/a.py", "x = 1", "x = 1  # one")
    folder.refuses("tangle", "src/a.py:6: cell one .*chapter.qmd:3; run make stitch")
    folder.refuses("check", "src/a.py:6: cell one .*chapter.qmd:3; run make stitch")
    folder.ok("stitch")
    assert folder.read("chapter.qmd") == TWO.replace("x = 1", "x = 1  # one")
    folder.writes_nothing("stitch", "tangle", "sync", "check")


def test_case_11_both_sides_edited(folder):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.edit("src/a.py", "x = 1", "x = 10")
    folder.edit("chapter.qmd", "x = 1", "x = 100")
    for verb in ("tangle", "stitch", "sync", "check"):
        folder.refuses(verb, "chapter.qmd:3: cell one .* here and at src/a.py:6")
    folder.edit("src/a.py", "x = 10", "x = 100")  # both made equal
    folder.ok("sync", "check")
    assert "x = 100\n" in folder.read("src/a.py")
    folder.edit("chapter.qmd", "x = 100", "x = 7")
    folder.ok("tangle", "check")  # no old conflict comes back


@pytest.mark.parametrize("verbs", [["sync"], ["stitch", "tangle"]])
def test_case_11_different_cells_are_both_kept(folder, verbs):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.edit("src/a.py", "x = 1", "x = 10")
    folder.edit("chapter.qmd", "y = 2", "y = 20")
    folder.refuses("tangle", "src/a.py:6: cell one")
    folder.refuses("check", "chapter.qmd:11: cell two.*tangle", "src/a.py:6: .*stitch")
    folder.ok(*verbs, "check")
    both = TWO.replace("x = 1", "x = 10").replace("y = 2", "y = 20")
    assert folder.read("chapter.qmd") == both
    assert "y = 20" in folder.read("src/a.py")


def test_case_11_a_conflict_is_shown_three_way(folder):
    subprocess.run(["git", "-C", folder.path, "init", "--quiet"], check=True)
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    subprocess.run(["git", "-C", folder.path, "add", "."], check=True)
    folder.edit("src/a.py", "x = 1", "x = 10")
    folder.edit("chapter.qmd", "x = 1", "x = 100")
    before = folder.files()
    assert folder.run("sync", "--diff") == 1
    assert folder.files() == before
    assert folder.out.splitlines() == [
        "<<<<<<< chapter.qmd:3 one",
        "x = 100",
        "||||||| as tangled",
        "x = 1",
        "=======",
        "x = 10",
        ">>>>>>> src/a.py:6",
    ]
    assert "cell one was edited here and at src/a.py:6" in folder.err


def test_case_11_the_base_is_not_taken_from_another_version(folder):
    subprocess.run(["git", "-C", folder.path, "init", "--quiet"], check=True)
    folder.write("chapter.qmd", TWO.replace("x = 1", "x = 0"))
    folder.ok("tangle")
    subprocess.run(["git", "-C", folder.path, "add", "."], check=True)
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.edit("src/a.py", "x = 1", "x = 10")
    folder.edit("chapter.qmd", "x = 1", "x = 100")
    assert folder.run("sync", "--diff") == 1
    assert "||||||| as tangled (Git does not have it)\n=======\n" in folder.out


def test_case_11_a_difference_is_shown_and_nothing_written(folder):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.edit("src/a.py", "x = 1", "x = 10")
    before = folder.files()
    assert folder.run("stitch", "--diff") == 1
    assert folder.files() == before
    assert "--- a/chapter.qmd\n+++ b/chapter.qmd\n" in folder.out
    assert "\n-x = 1\n+x = 10\n" in folder.out


def test_case_12_new_text_belongs_to_the_cell_above(folder):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.edit("src/a.py", "x = 1\n", "x = 1\n\n\ndef f():\n    pass\n")
    folder.write("src/a.py", folder.read("src/a.py") + "\n\ndef g():\n    pass\n\n\n")
    folder.ok("stitch")
    expected = TWO.replace("x = 1\n", "x = 1\n\n\ndef f():\n    pass\n")
    expected = expected.replace("y = 2\n", "y = 2\n\n\ndef g():\n    pass\n")
    assert folder.read("chapter.qmd") == expected
    folder.writes_nothing("stitch", "tangle", "check")


def swap_marks(text):
    one, two = re.findall(r"# %% \w+ \w+", text)
    return text.replace(one, "@").replace(two, one).replace("@", two)


def swap_cells(text):
    head, one, two = re.split(r"(?=# %%)", text)
    return head + two.rstrip("\n") + "\n\n\n" + one.rstrip("\n") + "\n"


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda t: "import os\n" + t, "src/a.py:1: this is not the first line"),
        (
            lambda t: t.replace('stitch`.\n"""', 'stitch`.\n"""\nimport os'),
            "src/a.py:6: the text above the first mark",
        ),
        (
            lambda t: t.replace("Edit the chapter", "Never edit"),
            "src/a.py:5: the text above the first mark",
        ),
        (lambda t: re.sub("# %% two.*\n", "", t), "src/a.py:1: marks .* 1 of 2"),
        (lambda t: re.sub("# %% one.*\n", "", t), "src/a.py:1: marks .* 1 of 2"),
        (lambda t: re.sub("# %%.*\n", "", t), "src/a.py:1: marks .* 0 of 2"),
        (
            lambda t: t + re.search("# %% one.*\n", t)[0],
            "src/a.py:12: the mark of one is a copy",
        ),
        (
            lambda t: t.replace("# %% two", "# %% one"),
            "src/a.py:10: the mark of one is a copy",
        ),
        (swap_marks, "src/a.py:1: marks were deleted or moved"),
        (swap_cells, "src/a.py:1: marks were deleted or moved"),
        (lambda t: t.replace("# %% two", "# %% too"), "src/a.py:1: marks were"),
        (lambda t: t.split('"""\n')[1], "src/a.py:1: this is not the first line"),
        (lambda t: t.replace("a.py", "b.py"), "src/a.py:1: this is not the first line"),
    ],
)
def test_case_12_damaged_marks_are_refused(folder, damage, reason):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.write("src/a.py", damage(folder.read("src/a.py")))
    for verb in ("tangle", "stitch", "sync", "check"):
        folder.refuses(verb, reason)


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ('s = """\n```\n"""', "src/a.py:8: this line would end the cell"),
        ('s = """\n```  \n"""', "src/a.py:8: this line would end the cell"),
        ("#| echo: false\nx = 1", "src/a.py:7: this line would be an option"),
        ("# | echo\nx = 1", "src/a.py:7: this line would be an option"),
        ('s = """\n  ````\n"""', "src/a.py:8: this line would end the cell"),
        ("x = 1\n# %% more", "src/a.py:8: this line looks like the mark of a cell"),
        ("x = 1\n#%%", "src/a.py:8: this line looks like the mark of a cell"),
        ("x = 1\nx = (", "src/a.py:8: this is not Python"),
        ("x = 1  # \r#", "src/a.py:7: there is a carriage return"),
    ],
)
def test_case_13_an_edit_that_would_not_fit_into_its_cell_is_refused(
    folder, new, reason
):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.edit("src/a.py", "x = 1", new)
    folder.refuses("stitch", reason)


def test_case_13_a_line_like_a_mark_in_the_chapter_is_refused(folder):
    folder.write("chapter.qmd", TWO.replace("x = 1", "x = 1\n# %% cell"))
    folder.refuses("tangle", "chapter.qmd:7: this line looks like the mark of a cell")


def killed_at(step, folder):
    """Run sync in a child that dies at its `step`th change of a file; its status."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def dying(change):
        def call(*args, **kwargs):
            nonlocal step
            step -= 1
            if step == 0:
                os._exit(9)
            return change(*args, **kwargs)

        return call

    for name in ("fsync", "chmod", "replace", "unlink", "mkdir"):
        setattr(os, name, dying(getattr(os, name)))
    os._exit(main(["sync", str(folder.path / "chapter.qmd")]))


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_case_14_a_killed_run_leaves_whole_files_and_the_next_completes(folder):
    old = TWO + cell("three", "z = 3", file="src/b.py")
    folder.write("chapter.qmd", old)
    folder.ok("tangle")
    before = {name: folder.read(name) for name in ("src/a.py", "src/b.py")}
    before["src/a.py"] = before["src/a.py"].replace("x = 1", "x = 10")
    before["chapter.qmd"] = old.replace("z = 3", "z = 30")
    outcomes = set()
    for step in range(1, 100):
        for name, text in before.items():
            folder.write(name, text)
        status = killed_at(step, folder)
        found = {name: folder.read(name) for name in before}
        folder.ok("sync", "check")
        after = {name: folder.read(name) for name in before}
        assert after["chapter.qmd"] == before["chapter.qmd"].replace("x = 1", "x = 10")
        assert all(found[name] in (before[name], after[name]) for name in before)
        assert sorted(os.listdir(folder.path / "src")) == ["a.py", "b.py"]
        mixed = found not in (before, after)
        outcomes.add((status, mixed))
        if status == 0:
            break
    assert outcomes == {(9, False), (9, True), (0, False)}


@pytest.mark.parametrize("name", ["src/a.py", "src"])
def test_case_14_read_only_is_respected_also_by_root(folder, name):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.edit("chapter.qmd", "x = 1", "x = 2")
    mode = (folder.path / name).stat().st_mode
    (folder.path / name).chmod(mode & ~0o222)
    try:
        folder.refuses("tangle", f"src/a.py:1: .*{name} is read-only; run chmod")
        folder.write("chapter.qmd", TWO)
        folder.writes_nothing("tangle", "stitch", "check")
    finally:
        (folder.path / name).chmod(mode)


def test_case_14_a_chapter_behind_a_link_is_tangled_but_not_replaced(folder):
    folder.write("real.qmd", TWO)
    (folder.path / "chapter.qmd").symlink_to("real.qmd")
    folder.ok("tangle")
    folder.edit("src/a.py", "x = 1", "x = 2")
    folder.refuses("stitch", "chapter.qmd:1: chapter.qmd is a symbolic link")


def test_case_14_a_read_only_chapter_is_not_stitched(folder):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.edit("src/a.py", "x = 1", "x = 2")
    (folder.path / "chapter.qmd").chmod(0o444)
    folder.refuses("stitch", "chapter.qmd:1: chapter.qmd is read-only")


def test_case_14_modes_are_kept_and_new_files_follow_the_umask(folder):
    folder.write("chapter.qmd", TWO)
    old = os.umask(0o027)
    try:
        folder.ok("tangle")
        assert (folder.path / "src/a.py").stat().st_mode & 0o777 == 0o640
        (folder.path / "src/a.py").chmod(0o755)
        (folder.path / "chapter.qmd").chmod(0o600)
        folder.edit("src/a.py", "x = 1", "x = 2")
        folder.ok("stitch")
    finally:
        os.umask(old)
    assert (folder.path / "src/a.py").stat().st_mode & 0o777 == 0o755
    assert (folder.path / "chapter.qmd").stat().st_mode & 0o777 == 0o600


def test_case_14_a_full_disk_leaves_nothing_behind(folder, monkeypatch):
    folder.write("chapter.qmd", TWO)

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert folder.run("tangle") == 1
    assert folder.err == "literate tangle: [Errno 28] No space left on device\n"
    assert [n for n in folder.files() if n != "src"] == ["chapter.qmd"]


def test_case_15_of_two_runs_one_waits(folder):
    fcntl = pytest.importorskip("fcntl", reason="only POSIX has these locks")
    folder.write("chapter.qmd", TWO)
    command = [sys.executable, "-m", "literate", "tangle", folder.path / "chapter.qmd"]
    lock = os.open(folder.path, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    waiting = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(timeout=0.7)
    assert not (folder.path / "src").exists()
    os.close(lock)
    assert waiting.wait(timeout=60) == 0
    folder.writes_nothing("check")


def test_case_15_an_edit_saved_during_the_run_is_not_overwritten(folder, monkeypatch):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.edit("src/a.py", "x = 1", "x = 2")
    save, fsync = TWO + "\nSaved meanwhile.\n", os.fsync

    def slow(handle):
        folder.write("chapter.qmd", save)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", slow)
    assert folder.run("stitch") == 1
    assert "chapter.qmd:1: this file changed during the run" in folder.err
    assert folder.read("chapter.qmd") == save
    assert "x = 2" in folder.read("src/a.py")
    assert os.listdir(folder.path / "src") == ["a.py"]


def test_case_16_a_removed_cell_takes_no_edit_with_it(folder):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.edit("src/a.py", "y = 2", "y = 20")
    folder.write("chapter.qmd", TWO.split("Prose")[0])
    for verb in ("tangle", "stitch", "sync", "check"):
        folder.refuses(verb, "src/a.py:10: cell two .* no longer in chapter.qmd")
    folder.edit("src/a.py", "y = 20", "y = 2")
    folder.refuses("check", "src/a.py:10: cell two is no longer in chapter.qmd")
    folder.ok("tangle", "check")
    assert "two" not in folder.read("src/a.py")


def test_case_16_a_module_without_cells_is_kept_and_reported(folder):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.write("chapter.qmd", "# Title\n")
    for verb in ("tangle", "stitch", "sync"):
        folder.writes_nothing(verb)
        assert re.fullmatch(r"src/a.py:1: no cell .*; delete it .*\n", folder.err)
    folder.refuses("check", "src/a.py:1: no cell of chapter.qmd goes to this module")


def test_case_16_cells_move_between_places_and_modules(folder):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    moved = cell("two", "y = 2") + cell("new", "w = 0") + cell("one", "x = 1")
    folder.write("chapter.qmd", moved)
    folder.ok("tangle", "check")
    assert re.findall(r"%% (\w+)", folder.read("src/a.py")) == ["two", "new", "one"]
    folder.write("chapter.qmd", moved.replace("a.py", "b.py", 1))
    folder.ok("tangle", "check")
    assert re.findall(r"%% (\w+)", folder.read("src/b.py")) == ["two"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\ntitle: x\n---\n",
        "```{python}\n```\n",
        "```{python}\n\n\n```\n",
        "```{python}\n#| label: a\n```\n",
    ],
)
def test_case_17_nothing_to_tangle_is_fine(folder, text):
    folder.write("chapter.qmd", text)
    folder.writes_nothing("tangle", "stitch", "sync", "check")


@pytest.mark.parametrize("blank", ["", "\n", "\n\n"])
def test_case_17_an_empty_target_cell_can_be_filled_and_emptied(folder, blank):
    chapter = f"```{{python}}\n#| label: one\n#| filename: a.py\n{blank}```\n"
    folder.write("chapter.qmd", chapter)
    folder.ok("tangle", "check")
    folder.write("a.py", folder.read("a.py") + "x = 1\n")
    folder.ok("stitch", "check")
    assert folder.read("chapter.qmd") == chapter.replace("a.py\n", "a.py\nx = 1\n")
    folder.edit("a.py", "x = 1\n", "")
    folder.ok("stitch", "check")
    assert folder.read("chapter.qmd") == chapter


@pytest.mark.parametrize("verb", ["tangle", "check"])
def test_case_17_a_chapter_that_is_no_file_is_said(folder, verb):
    os.mkfifo(folder.path / "chapter.qmd")  # to read it would take for ever
    folder.refuses(verb, "chapter.qmd:1: this is not a file; name a file")
    assert main([verb, str(folder.path)]) == 1
    said = f"{folder.path.name}:1: this is not a file; name a file\n"
    assert folder.capsys.readouterr().err == said


@pytest.mark.parametrize("verb", ["tangle", "stitch", "check"])
def test_line_ends_of_old_macs_are_said(folder, verb):
    folder.write("chapter.qmd", TWO.replace("\n", "\r"))
    folder.refuses(verb, "chapter.qmd:1: the lines end in a carriage return alone")


def test_case_17_a_missing_chapter_is_said(folder):
    folder.refuses("tangle", "chapter.qmd:1: there is no such file; run this in")


def many_cells(count):
    cells = (
        f"## Section {n}\n\nProse about it.\n\n"
        + cell(f"cell-{n}", f"def f{n}(x):\n    return x + {n}", f"src/m{n % 5}.py")
        for n in range(count)
    )
    return "\n".join(cells)


MEASURED = """
import sys, time
from literate.__main__ import main
assert main(sys.argv[1:]) == 0
# VmHWM: the peak of this program alone (ru_maxrss has its parent's in it).
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(time.process_time(), int(peak.split()[1]) / 1000)
"""


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["tangle", "stitch", "sync", "check"])
def test_case_18_five_thousand_cells_take_two_seconds_and_100_mb(folder, verb):
    folder.write("chapter.qmd", many_cells(5000))
    if verb != "tangle":
        folder.ok("tangle")
    if verb in ("stitch", "sync"):
        folder.edit("src/m1.py", "x + 2501", "x + 2502")
    command = [sys.executable, "-c", MEASURED, verb, folder.path / "chapter.qmd"]
    result = subprocess.run(command, capture_output=True, check=True)
    # Seconds of the processor: the test must not fail because others work.
    seconds, megabytes = map(float, result.stdout.split()[-2:])
    assert seconds < 2
    assert megabytes < 100


def test_case_18_an_unchanged_run_leaves_every_time_stamp(folder):
    folder.write("chapter.qmd", many_cells(50))
    folder.ok("tangle")
    time.sleep(0.01)
    folder.writes_nothing("tangle", "stitch", "sync", "check")


def test_case_18_the_same_bytes_under_any_hash_seed(folder):
    folder.write("chapter.qmd", many_cells(50))
    results = set()
    for seed in ("0", "1", "2"):
        command = [sys.executable, "-m", "literate", "tangle", "chapter.qmd"]
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run(command, cwd=folder.path, env=environment, check=True)
        results.add(tuple(folder.read(f"src/m{n}.py") for n in range(5)))
        for n in range(5):
            (folder.path / f"src/m{n}.py").unlink()
    assert len(results) == 1


def ruff_format(path, *options):
    command = [sys.executable, "-m", "ruff", "format", "--quiet", *options, path]
    return subprocess.run(command).returncode


def test_case_19_only_lines_that_ruff_changed_reach_the_chapter(folder):
    long = 'def f( a,b ):\n  """One."""\n  return a+b\n\n\n\nz = "kept"'
    chapter = f"{cell('one', 'import os')}\n{cell('two', long)}\n{cell('three', 'w=1')}"
    folder.write("chapter.qmd", chapter)
    folder.ok("tangle")
    assert ruff_format(folder.path / "src/a.py") == 0
    folder.ok("stitch")
    new = 'def f(a, b):\n    """One."""\n    return a + b\n\n\nz = "kept"'
    expected = chapter.replace(long, new).replace("w=1", "w = 1")
    assert folder.read("chapter.qmd") == expected
    folder.writes_nothing("check")
    assert ruff_format(folder.path / "src/a.py", "--check") == 0


def test_case_19_well_formatted_cells_tangle_to_well_formatted_modules(folder):
    bodies = [
        "from __future__ import annotations",
        "import os",
        "import sys\n\nX = 1",
        "# a remark\nY = 2",
        "def f():\n    return os, sys",
        "class A:\n    pass\n\n\nB = A",
        "@property\ndef g(self):\n    pass",
        "if X:\n    Y = 3",
        "",
        "# only a remark",
        "'''text'''",
    ]
    cells = [cell(f"c{n}", body.replace("'", '"')) for n, body in enumerate(bodies)]
    folder.write("chapter.qmd", "\n".join(cells))
    folder.ok("tangle")
    assert ruff_format(folder.path / "src/a.py", "--check") == 0


def test_case_20_git_conflict_markers_are_refused_with_the_way_out(folder):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    clean = folder.read("src/a.py")
    conflict = "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n"
    folder.edit("src/a.py", "x = 1\n", conflict)
    for verb in ("tangle", "stitch", "sync", "check"):
        folder.refuses(verb, "src/a.py:7: a Git conflict .*--ours .*tangle.*stitch")
    head, code = clean.split("\n", 1)
    both = f"<<<<<<< HEAD\n{head}\n=======\n{head}\n>>>>>>> theirs\n{code}"
    folder.write("src/a.py", both)
    folder.refuses("tangle", "src/a.py:1: a Git conflict")
    folder.write("chapter.qmd", TWO.replace("x = 1", 's = """\n<<<<<<< x\n"""'))
    folder.refuses("tangle", "chapter.qmd:7: this line looks like a Git conflict")
    folder.write("chapter.qmd", TWO)
    folder.write("src/a.py", clean.replace("x = 1", "x = 2"))  # either side
    folder.ok("stitch", "check")
    assert folder.read("chapter.qmd") == TWO.replace("x = 1", "x = 2")


def test_two_texts_with_one_digest_are_a_conflict(folder, monkeypatch):
    folder.write("chapter.qmd", TWO)
    folder.ok("tangle")
    folder.edit("src/a.py", "x = 1", "x = 2")
    monkeypatch.setattr("literate.tangle.digest", lambda lines: "00000000")
    folder.edit(
        "src/a.py", re.search(r"%% one (\w+)", folder.read("src/a.py"))[1], "0" * 8
    )
    folder.refuses("tangle", "chapter.qmd:3: cell one was edited here and at")


def test_the_verbs_import_nothing_heavy(folder):
    folder.write("chapter.qmd", TWO)
    program = (
        "import sys; from literate.__main__ import main; main(sys.argv[1:]);"
        "assert not {'numpy', 'torch', 'nbclient', 'pypandoc'} & set(sys.modules)"
    )
    for verb in ("tangle", "stitch", "sync", "check"):
        command = [sys.executable, "-c", program, verb, folder.path / "chapter.qmd"]
        subprocess.run(command, check=True)


@pytest.mark.slow
def test_the_verbs_run_where_only_posix_has_a_module(folder):
    folder.write("chapter.qmd", TWO)
    program = (
        "import sys; sys.modules |= dict.fromkeys(['fcntl', 'resource', 'pwd']);"
        "import literate.weave, exercise.child;"
        "from literate.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, "tangle", folder.path / "chapter.qmd"]
    subprocess.run(command, check=True)
    folder.writes_nothing("check")


def test_all_problems_are_named_at_once(folder):
    bad = TWO.replace("label: two", "label: one").replace("x = 1", "x = = 1")
    folder.write("chapter.qmd", bad + cell("three", "z = 3", file="../z.py"))
    folder.refuses(
        "tangle",
        "chapter.qmd:6: this is not Python",
        "chapter.qmd:11: label one is taken",
        "chapter.qmd:18: filename",
    )
