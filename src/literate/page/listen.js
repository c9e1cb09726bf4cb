// In the page that `watch` serves: load the next version, swap the style, warn.
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
const folds = () => [...document.querySelectorAll("details")];

const events = {
  version(found) {
    if (found === version) return;
    const open = folds().map((fold) => fold.open);
    sessionStorage.setItem(KEPT, JSON.stringify({ y: scrollY, open }));
    location.reload();
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
  const now = folds();
  if (now.length === kept.open.length) now.forEach((fold, i) => (fold.open = kept.open[i]));
  history.scrollRestoration = "manual";
  const back = () => scrollTo({ top: kept.y, behavior: "instant" });
  back();
  addEventListener("load", back); // the page's own script has moved things
}
