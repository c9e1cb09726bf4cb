// What reading gains from a script. The page is complete without it.

const root = document.documentElement;
const announcement = document.querySelector(".announcement");

function scheme() {
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  const button = document.querySelector(".scheme");
  const system = () => (preferred.matches ? "dark" : "light");
  const current = () => root.style.colorScheme || system();
  const show = () => {
    button.setAttribute("aria-pressed", String(current() === "dark"));
  };
  button.addEventListener("click", () => {
    const next = current() === "dark" ? "light" : "dark";
    // A choice that agrees with the system is no choice: follow the system.
    root.style.colorScheme = next === system() ? "" : next;
    try {
      localStorage.setItem("color-scheme", root.style.colorScheme);
    } catch {
      // Not remembered where storage is forbidden.
    }
    show();
  });
  preferred.addEventListener("change", show);
  show();
  button.hidden = false;
}

function anchors(part) {
  for (const heading of part.querySelectorAll("section[id] > :is(h1, h2, h3, h4)")) {
    const anchor = document.createElement("a");
    anchor.className = "anchor";
    anchor.href = `#${heading.parentElement.id}`;
    anchor.setAttribute("aria-label", `Link to ${heading.textContent.trim()}`);
    anchor.textContent = "#";
    heading.append(anchor);
  }
}

function copyButtons(part) {
  for (const block of part.querySelectorAll("div.sourceCode")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "code-copy-button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const copied = await copy(block.querySelector("code").textContent);
      button.textContent = copied ? "Copied" : "Select it";
      announcement.textContent = copied ? "Code copied" : "Copying failed";
      setTimeout(() => {
        button.textContent = "Copy";
        announcement.textContent = "";
      }, 2000);
    });
    block.append(button);
  }
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

// The section that is being read: the last whose heading is near the top or above.
function contents() {
  const links = [...document.querySelectorAll("#TOC a[href^='#']")];
  const target = (link) =>
    document.getElementById(decodeURIComponent(link.hash.slice(1)));
  const place = document.querySelector(".bar-place");
  let current = null;
  const update = () => {
    const line = 6 * parseFloat(getComputedStyle(root).fontSize);
    const bottom = scrollY + innerHeight >= root.scrollHeight - 2;
    let at = -1;
    links.map(target).forEach((section, i) => {
      if (section && (bottom || section.getBoundingClientRect().top <= line)) at = i;
    });
    if (links[at] === current) return;
    current?.removeAttribute("aria-current");
    current = links[at];
    current?.setAttribute("aria-current", "true");
    place.textContent = current ? current.textContent : "";
    const list = document.querySelector(".toc");
    if (current && list.scrollHeight > list.clientHeight) {
      list.scrollTop = current.offsetTop - list.clientHeight / 2;
    }
  };
  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      update();
    });
  };
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon);
  update();
}

// Boxes that scroll sideways can be reached and named by keyboard users.
function scrollers() {
  const boxes = "pre, .scroller, p:has(math[display='block'])";
  const mark = () => {
    for (const box of document.querySelectorAll(boxes)) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", mark);
  document.addEventListener("toggle", mark, true);
  mark();
}

// Paper has no folds.
function unfoldForPrint() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
  });
}

// What is there once for each heading and listing; again where `watch` swaps a part.
function furnish(part) {
  anchors(part);
  copyButtons(part);
}

scheme();
furnish(document);
addEventListener("swapped", (event) => furnish(event.target));
if (document.getElementById("TOC")) contents();
scrollers();
unfoldForPrint();
