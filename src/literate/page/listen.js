// In the page that `watch` serves: swap sections or the style, or load the next
// version where that does not do; warn.
let version = Number(document.currentScript.dataset.version);
const stream = new EventSource("/listen");
const banner = document.createElement("pre");
banner.id = "watch-problems";
banner.setAttribute("role", "alert");
banner.hidden = true;
banner.style.cssText =
  "position:fixed;inset:auto 0 0 0;z-index:99;margin:0;padding:.75rem 1rem;max-height:40vh;" +
  "overflow:auto;white-space:pre-wrap;font:14px/1.4 monospace;color:#fff;background:#8c1d18";
document.body.append(banner);

const KEPT = "watch-place";
const folds = (part) => [...part.querySelectorAll("details")];
const opened = (part) => folds(part).map((fold) => fold.open);
function reopen(part, open) {
  const now = folds(part);
  if (now.length === open.length) now.forEach((fold, i) => (fold.open = open[i]));
}
function swap(old, html) {
  const open = opened(old);
  old.insertAdjacentHTML("afterend", html);
  const part = old.nextElementSibling;
  old.remove();
  reopen(part, open);
  part.dispatchEvent(new Event("swapped", { bubbles: true }));
}

const events = {
  version(found) {
    if (found === version) return;
    sessionStorage.setItem(KEPT, JSON.stringify({ y: scrollY, open: opened(document) }));
    location.reload();
  },
  sections([found, sections]) {
    if (found !== version + 1) return events.version(found);
    for (const [id, html] of Object.entries(sections)) {
      swap(document.getElementById(id), html);
    }
    dispatchEvent(new Event("resize")); // the page's script looks at the boxes anew
    version = found;
  },
  style(css) {
    document.querySelector("head style").textContent = css;
  },
  problems(lines) {
    banner.textContent = lines.join("\n");
    banner.hidden = lines.length === 0;
  },
};
stream.onmessage = (message) => {
  const [kind, value] = JSON.parse(message.data);
  events[kind](value);
};

// Where the reader was: the folds that were open, then the place.
const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
if (kept) {
  sessionStorage.removeItem(KEPT);
  reopen(document, kept.open);
  history.scrollRestoration = "manual";
  const back = () => scrollTo({ top: kept.y, behavior: "instant" });
  back();
  addEventListener("load", back); // the page's own script has moved things
}
