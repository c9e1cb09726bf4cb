"""The figures on a phone: no text cut, none too small to read."""

from urllib.parse import unquote

PHONE = {"width": 390, "height": 844}
LEAST = 9  # CSS pixels

SHOWN = """() => {  // [id, source, width on the page, whether it fits there]
  const images = [...document.querySelectorAll("figure img")];
  for (const image of images) {  // an explorer hides its static figure
    for (let part = image; part; part = part.parentElement) part.hidden = false;
  }
  return images.map((image) => {
    const { left, right, width } = image.getBoundingClientRect();
    const box = image.closest("figure").getBoundingClientRect();
    const fits = left >= box.left - 1 && right <= box.right + 1;
    return [image.closest("[id]").id, image.src, width, fits];
  });
}"""

TEXTS = """(width) => {  // [text, size, whether it is whole] of the drawing so wide
  const svg = document.querySelector("svg");
  svg.style.width = `${width}px`;
  svg.style.height = "auto";
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text, tspan")]
    .filter((text) => !text.querySelector("tspan") && text.textContent.trim())
    .map((text) => {
      const box = text.getBoundingClientRect();
      const { a, b } = text.getScreenCTM();
      const size = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
      const whole =
        box.left >= frame.left - 0.5 && box.right <= frame.right + 0.5 &&
        box.top >= frame.top - 2 && box.bottom <= frame.bottom + 2;
      return [text.textContent, size, whole];
    });
}"""


def test_on_a_phone_no_figure_and_no_text_is_cut_or_small(browser, woven):
    page = browser.new_page(viewport=PHONE)
    page.goto((woven / "chapter.html").as_uri())
    figures = page.evaluate(SHOWN)
    assert len(figures) > 20
    wrong = [f"{id}: wider than its box" for id, _, _, fits in figures if not fits]
    page.goto("about:blank")
    for id, source, width, _ in figures:
        page.set_content(unquote(source.split(",", 1)[1]))
        for text, size, whole in page.evaluate(TEXTS, width):
            if not whole or size < LEAST:
                how = "whole" if whole else "cut"
                wrong.append(f"{id}: {text!r} is {size:.1f} px, {how}")
    page.close()
    assert wrong == []
