"""Where the weaver means to differ from Quarto 1.10.18: the whole list.

HTML and PDF: by case, (why, Quarto's text, the weaver's). HTML compares JSON
objects, one a line; PDF compares words without blanks and hyphens. STRICT: the
lines that a strict weave refuses, by case, though Quarto passes over them.
"""

EMBEDDED = '"src": "img.png"', '"src": "cell"'  # one file: pictures are embedded
PANEL = "a table in a panel is aligned as anywhere else"
ALGORITHM = "an algorithm is referred to by its name, as everything is"
HEADER = "the PDF shows the file name above the code, too"
ICON = "the mark of an important callout is not read out"
NUMBERS = "the PDF counts as the HTML does"
PANELS = "the PDF refers to a panel as the HTML does"
TRACEBACK = "a traceback in the PDF is plain text, its message not given twice"

HTML = {
    "front": [
        (
            "all authors, then all affiliations",
            """{"kind": "author", "text": "Mira Arden"}
{"kind": "affiliation", "text": "Lund Harbour School"}
{"kind": "author", "text": "Tomas Bole"}
""",
            """{"kind": "author", "text": "Mira Arden"}
{"kind": "author", "text": "Tomas Bole"}
""",
        ),
        (
            "all authors, then all affiliations",
            '{"kind": "titlelabel", "text": "Affiliation"}\n',
            "",
        ),
        (
            "all authors, then all affiliations",
            '{"kind": "titlelabel", "text": "Published"}\n',
            """{"kind": "titlelabel", "text": "Affiliation"}
{"kind": "affiliation", "text": "Lund Harbour School"}
{"kind": "titlelabel", "text": "Published"}
""",
        ),
        (
            "an unlisted heading is not in the table of contents",
            '{"kind": "toc", "level": 2, "number": "1.2", "text": '
            '"Hidden from the toc", "target": "#hidden-from-the-toc"}\n',
            "",
        ),
    ],
    "tables": [(PANEL, '"align": ["left"], "in": ["columns"]', '"in": ["columns"]')],
    "theorems": [(ALGORITHM, "alg. 1", "Algorithm 1")],
}

PDF = {
    "front": [
        ("no addresses", "LundHarbourSchoolmira@example.org", ","),
        ("the date as in the HTML", "20240305", "March5,2024"),
        ("no label above the abstract", "2024Abstract", "2024"),
        (
            "no label above the contents, two levels of them; other page breaks",
            "Tableofcontents1Building11.1Foldingthesheet11.1.aAthirdlevel1"
            "Unnumberedaside22Sailing23Headingwithcode,x2andemphasis2"
            "4Samename25Samename26Appendixlike2",
            "1Building21.1Foldingthesheet2Unnumberedaside22Sailing3"
            "3Headingwithcode,x2andemphasis44Samename55Samename66Appendixlike7",
        ),
        (NUMBERS, "1.1.a", "1.1.1"),
        (NUMBERS, "1.1.1.a", "1.1.1.1"),
    ],
    "figures": [
        (PANELS, "Figure2a,Figure2b", "Figure2(a),Figure2(b)"),
        (NUMBERS, "andFigure5.", "andFigure4."),
        (NUMBERS, "Figure4:Nolabel", "Nolabel"),
        (NUMBERS, "Figure5:", "Figure4:"),
        (NUMBERS, "Figure6:Two", "Figure5:Two"),
        (NUMBERS, "Figure7:", ""),
        (NUMBERS, "Figure8:", ""),
        (NUMBERS, "Figure9Figure10:", "Figure6Figure7:"),
        (NUMBERS, "Figure11:", "Figure8:"),
        (NUMBERS, "see6a,Figure6,Figure9", "see5(a),Figure5,Figure6"),
    ],
    "tables": [
        (PANELS, "Table7a", "Table7(a)"),
        (PANELS, "Table7b", "Table7(b)"),
        (PANELS, "Table8b", "Table8(b)"),
    ],
    "listings": [(HEADER, "echohello", "run.shechohello")],
    "theorems": [(ALGORITHM, "alg.1", "Algorithm1")],
    "callouts": [(ICON, "!Starts", "Starts"), (ICON, "!Important", "Important")],
    "codedisplay": [
        (HEADER, 'print("cellwithafilename")', 'boats.pyprint("cellwithafilename")'),
        (HEADER, "nameplain=True", "nameplain.pyplain=True"),
        (HEADER, "key:value", "conf/_settings.ymlkey:value"),
        (
            HEADER,
            'print("cellwithafilenameandafold")',
            'folded.pyprint("cellwithafilenameandafold")',
        ),
    ],
    "fences": [(HEADER, 'title:"Inner"', 'demo.qmdtitle:"Inner"')],
    "outputs": [("a long line is broken, not cut", "y" * 96, "y" * 150 + "')")],
    "errors": [
        (
            TRACEBACK,
            f"{error}{error.partition(':')[0]}Traceback",
            f"{error.partition(':')[0]}Traceback",
        )
        for error in (
            "ZeroDivisionError:divisionbyzero",
            "ValueError:café→ünicode,with<tags>&ampersand",
            "NameError:name'undefined_name'isnotdefined",
            "AssertionError:messageoftheassertion",
        )
    ],
    "fail-syntax": [
        (TRACEBACK, "SyntaxError:invalidsyntax(1850221797.py,line1)Cell", "Cell")
    ],
    "prose": [("the font has the emoji", "emoji:and", "emoji:🚣and")],
}

# Quarto's PDF has numbers for citations, its HTML author and date: here both have
# author and date, so the PDF is compared with the words of Quarto's HTML.
AS_HTML = {"citations", "citeend"}

# Where a footnote stands depends on where pages end: they are compared apart.
FOOTNOTES = {
    "inline": ["1With7."],
    "footnotes": [
        "1Aninlinenotewithemphasisandcode.",
        "2Ashortnote,seeSection1.",
        "3Alongnote.Asecondparagraphwithx2.code_in_note=True",
        "4Ashortnote,seeSection1.",
        "5Inaheading.",
        "6Inacaption.",
        "7Inatablecell.",
        "8Inalist.",
        "9Inacallout.",
        "10Ashortnote,seeSection1.",
    ],
}
