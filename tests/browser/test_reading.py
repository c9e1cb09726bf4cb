"""The page in Chromium: what a reader sees, presses, prints and hears."""

import statistics
from pathlib import Path

import pypdfium2
import pytest
from axe_playwright_python.sync_playwright import Axe

from literate.cells import scan

ROOT = Path(__file__).parents[2]

WIDTHS = [320, 390, 768, 1440, 2560]
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPEN_FOLDS = "document.querySelectorAll('details').forEach(fold => fold.open = true)"


def color(page, selector, property="background-color"):
    """A computed color, as Chromium writes it."""
    return page.locator(selector).first.evaluate(
        "(element, name) => getComputedStyle(element).getPropertyValue(name)", property
    )


def press_switch(page):
    page.get_by_role("button", name="Dark").click()


def test_the_page_is_one_file_of_at_most_a_megabyte(woven, record_property):
    size = (woven / "chapter.html").stat().st_size
    record_property("size", size)
    assert size <= 1_000_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_requests_nothing_and_logs_nothing(visit, scheme, record_property):
    page = visit(color_scheme=scheme)
    page.wait_for_load_state("networkidle")
    paint = page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    )
    record_property("first_contentful_paint_ms", paint)
    # visit's teardown looks at what was requested and logged.


def test_the_policy_forbids_what_is_not_in_the_file(visit):
    page = visit()
    blocked = page.evaluate(
        """() => new Promise((resolve) => {
          const blocked = [];
          document.addEventListener("securitypolicyviolation", (event) => {
            blocked.push(event.effectiveDirective);
            if (blocked.length === 3) resolve(blocked.sort());
          });
          document.body.append(
            Object.assign(new Image(), { src: "https://example.invalid/a.png" }),
            Object.assign(document.createElement("script"), { text: "1" }),
          );
          fetch("https://example.invalid/").catch(() => {});
        })"""
    )
    assert blocked == ["connect-src", "img-src", "script-src-elem"]
    visit.complaints.clear()  # what the policy said about it


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_axe_finds_nothing(visit, scheme, width):
    page = visit(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.evaluate(OPEN_FOLDS)
    options = {"runOnly": STANDARDS, "resultTypes": ["violations"]}
    results = Axe().run(page, options=options)
    assert results.violations_count == 0, results.generate_report()


@pytest.mark.parametrize("width", WIDTHS)
def test_no_width_scrolls_sideways(visit, width):
    page = visit(viewport={"width": width, "height": 900})
    page.evaluate(OPEN_FOLDS)
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.evaluate("scrollTo(10000, 0)")
    assert (wide, page.evaluate("scrollX")) == (width, 0)


def test_lines_hold_60_to_75_characters(visit):
    lengths = visit().evaluate(
        """() => {
          const paragraphs = document.querySelectorAll("section > p:not(:has(math))");
          return [...paragraphs].flatMap((p) => {
            const line = parseFloat(getComputedStyle(p).lineHeight);
            const lines = Math.round(p.getBoundingClientRect().height / line);
            // The last line of a paragraph is half full on average.
            return lines > 3 ? [p.innerText.length / (lines - 0.5)] : [];
          });
        }"""
    )
    assert 60 <= statistics.median(lengths) <= 75


def test_the_switch_turns_page_and_figures_and_is_remembered(visit):
    page = visit(color_scheme="light")
    figure = page.locator("figure img").first
    light, light_figure = color(page, "body"), figure.screenshot()
    press_switch(page)
    dark, dark_figure = color(page, "body"), figure.screenshot()
    assert dark != light and dark_figure != light_figure
    page.reload()
    assert color(page, "body") == dark
    assert (
        page.get_by_role("button", name="Dark").get_attribute("aria-pressed") == "true"
    )
    press_switch(page)
    assert color(page, "body") == light
    # Back at the system's preference, the page follows the system again.
    page.emulate_media(color_scheme="dark")
    assert color(page, "body") == dark


def test_a_remembered_scheme_is_there_before_the_first_paint(visit):
    page = visit(color_scheme="light")
    press_switch(page)
    page.add_init_script(
        """new MutationObserver((_, observer) => {
          if (!document.body) return;
          window.schemeAtBody = document.documentElement.style.colorScheme;
          observer.disconnect();
        }).observe(document, { childList: true, subtree: true })"""
    )
    page.reload()
    assert page.evaluate("window.schemeAtBody") == "dark"


def test_the_copy_buttons_copy_the_cells(visit):
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    page.evaluate(OPEN_FOLDS)
    document = scan((ROOT / "chapter.qmd").read_text("utf-8"))
    cells = {cell.code.strip("\n") for cell in document.cells if cell.filename}
    copied = set()
    for button in page.locator(".code-copy-button").all():
        button.click()
        button.filter(has_text="Copied").wait_for()
        copied.add(page.evaluate("navigator.clipboard.readText()").strip("\n"))
    assert cells <= copied


def test_the_contents_list_shows_where_one_is(visit):
    page = visit(reduced_motion="reduce")
    links = page.locator("#TOC a")
    for link in [links.nth(at) for at in range(0, links.count() - 4, 3)]:
        link.focus()
        page.keyboard.press("Enter")
        page.wait_for_timeout(100)
        current = page.locator("#TOC a[aria-current]")
        assert current.get_attribute("href") == link.get_attribute("href")
        assert current.bounding_box()["y"] < 900


def test_every_link_inside_the_page_leads_somewhere(visit):
    dead = visit().evaluate(
        """() => [...document.querySelectorAll("a[href^='#']")]
          .map((link) => decodeURIComponent(link.hash.slice(1)))
          .filter((id) => id && !document.getElementById(id))"""
    )
    assert dead == []


def test_every_file_beside_the_page_is_there(visit, woven):
    links = visit().locator(".quarto-alternate-formats a")
    names = [link.get_attribute("href") for link in links.all()]
    assert len(names) >= 4
    assert [name for name in names if not (woven / name).is_file()] == []


def test_every_picture_loads_and_says_what_it_shows(visit):
    pictures = visit().evaluate(
        "[...document.images].map((image) => [image.alt.length, image.naturalWidth])"
    )
    assert pictures
    assert all(alt > 40 and width > 0 for alt, width in pictures)


def test_the_keyboard_reaches_everything_and_shows_where_it_is(visit):
    page = visit()
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        element = page.evaluate(
            """() => {
              const element = document.activeElement;
              const { outlineStyle, outlineWidth } = getComputedStyle(element);
              return [element.tagName, outlineStyle, parseFloat(outlineWidth)];
            }"""
        )
        assert element[1:] == ["solid", 2], element
        seen.add(element[0])
    assert {"A", "BUTTON"} <= seen
    fold = page.locator("details > summary").first
    fold.focus()
    page.keyboard.press("Enter")
    assert page.locator("details").first.get_attribute("open") is not None


def test_the_print_opens_every_fold_and_leaves_the_buttons_out(visit):
    page = visit()
    answers = page.locator(".callout details p:not(:has(math))").all()
    assert answers
    printed = pypdfium2.PdfDocument(page.pdf(prefer_css_page_size=True))
    text = "".join(sheet.get_textpage().get_text_bounded() for sheet in printed)
    words = "".join(text.split())
    for answer in answers:
        beginning = "".join(answer.text_content().split()[:4])
        assert beginning in words
    assert "Copy" not in text
    assert page.locator("details:not([open])").count() > 0  # folded again on screen


def test_the_page_is_complete_without_javascript(visit):
    with_script, without = visit(), visit(java_script_enabled=False)
    text = "document.querySelector('main').cloneNode(true)"
    read = f"""() => {{
      const main = {text};
      const live = "button, .anchor, path-explorer .live, attention-explorer .live";
      main.querySelectorAll(live).forEach((part) => part.remove());
      return main.textContent.split(/\\s+/).join(" ");
    }}"""
    assert without.evaluate(read) == with_script.evaluate(read)
    assert without.get_by_role("button").count() == 0
    fold = without.locator("details").first
    fold.locator("summary").click()
    assert fold.get_attribute("open") is not None


def test_nothing_moves_for_readers_who_asked_for_that(visit):
    assert color(visit(reduced_motion="reduce"), "html", "scroll-behavior") == "auto"
    assert color(visit(), "html", "scroll-behavior") == "smooth"
