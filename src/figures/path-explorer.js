// <path-explorer n="16" k="3"> around a static figure: the same four graphs, to
// play with. The graphs are those of src/paths.py, edge by edge; tests/browser/
// compares every number with path_length and sequential_steps.

export const architectures = {
  RNN: {
    layers: () => 1,
    edges(n) {
      const edges = [];
      for (let i = 0; i < n; i++) edges.push([[0, i], [1, i]]);
      for (let i = 0; i + 1 < n; i++) edges.push([[1, i], [1, i + 1]]);
      return edges;
    },
  },
  CNN: {
    layers: (n, k) => Math.max(1, Math.ceil((n - 1) / (k - 1))),
    edges: (n, k) => convolutions(n, k, architectures.CNN.layers(n, k), () => 1),
  },
  "dilated CNN": {
    layers(n, k) {
      let layers = 1;
      while (k ** layers < n) layers++;
      return layers;
    },
    edges: (n, k) =>
      convolutions(n, k, architectures["dilated CNN"].layers(n, k), (layer) => k ** layer),
  },
  attention: {
    layers: () => 1,
    edges(n) {
      const edges = [];
      for (let j = 0; j < n; j++) {
        for (let i = 0; i <= j; i++) edges.push([[0, i], [1, j]]);
      }
      return edges;
    },
  },
};

function convolutions(n, k, layers, gap) {
  const edges = [];
  for (let layer = 0; layer < layers; layer++) {
    for (let i = 0; i < n; i++) {
      for (let tap = 0; tap < k && i + tap * gap(layer) < n; tap++) {
        edges.push([[layer, i], [layer + 1, i + tap * gap(layer)]]);
      }
    }
  }
  return edges;
}

// Nodes from (0, source) to the nearest (layer >= 1, target), or null.
function shortestPath(edges, source, target) {
  const heads = new Map();
  for (const [tail, head] of edges) {
    if (!heads.has(String(tail))) heads.set(String(tail), []);
    heads.get(String(tail)).push(head);
  }
  const start = [0, source];
  const before = new Map([[String(start), null]]);
  const queue = [start];
  for (const node of queue) {
    if (node[0] >= 1 && node[1] === target) {
      const path = [];
      for (let at = node; at; at = before.get(String(at))) path.unshift(at);
      return path;
    }
    for (const head of heads.get(String(node)) ?? []) {
      if (before.has(String(head))) continue;
      before.set(String(head), node);
      queue.push(head);
    }
  }
  return null;
}

// What the explorer says of one graph: hops is null where there is no path.
export function measure(architecture, n, k, source, target) {
  const { edges, layers } = architectures[architecture];
  const all = edges(n, k);
  const path = shortestPath(all, source, target);
  return {
    path,
    hops: path && path.length - 1,
    layers: layers(n, k),
    steps: architecture === "RNN" ? n : layers(n, k),
    edges: all.length,
  };
}

const STYLE = `
path-explorer { display: block; }
path-explorer [hidden] { display: none; }
path-explorer .live { font: 0.8rem/1.5 system-ui, sans-serif; }
path-explorer .controls { display: grid; grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr)); gap: 0.5rem 1.5rem; margin-bottom: 0.75rem; }
path-explorer label { display: grid; grid-template-columns: 1fr auto; }
path-explorer input { grid-column: 1 / 3; width: 100%; height: 1.5rem; margin: 0; accent-color: var(--ink, currentColor); }
path-explorer :is(label, td) { font-variant-numeric: lining-nums tabular-nums; }
path-explorer .graphs { columns: 2 15rem; column-gap: 1.5rem; }
path-explorer .graphs > div { break-inside: avoid; margin-bottom: 0.75rem; }
path-explorer .name { margin: 0; font-weight: 600; }
path-explorer svg { display: block; width: 100%; touch-action: manipulation; cursor: pointer; }
path-explorer .edges { fill: none; stroke: var(--muted, gray); stroke-width: 0.5; }
path-explorer .nodes { fill: none; stroke: var(--muted, gray); stroke-width: 3.5; stroke-linecap: round; }
path-explorer .hop { stroke: var(--weights, #c0284d); stroke-width: 2.5; stroke-linecap: round; }
path-explorer .stop { fill: var(--weights, #c0284d); }
path-explorer text { fill: currentColor; font: 11px system-ui, sans-serif; }
path-explorer .said { min-height: 3em; margin: 0.5rem 0; }
path-explorer table { font-size: 0.75rem; }
path-explorer :is(td, th):not(:first-child) { padding-left: 0.5rem; padding-right: 0; text-align: right; }
@media (prefers-reduced-motion: no-preference) {
  path-explorer .changed .hop { animation: path-explorer-hop 200ms ease-out backwards; }
  @keyframes path-explorer-hop { from { opacity: 0; } }
}
@media print {
  path-explorer .live { display: none; }
  path-explorer [hidden] { display: revert; }
}
`;

const CONTROLS = `
<div class="controls">
  <label><span>tokens <i>n</i></span> <span aria-hidden="true"></span><input type="range" name="n" min="2" max="32"></label>
  <label><span>kernel width <i>k</i></span> <span aria-hidden="true"></span><input type="range" name="k" min="2" max="7"></label>
  <label>from token <span aria-hidden="true"></span><input type="range" name="source" min="1"></label>
  <label>to token <span aria-hidden="true"></span><input type="range" name="target" min="1"></label>
</div>
<div class="graphs"></div>
<p class="said" role="status"></p>
<table>
  <thead><tr><th scope="col">architecture</th><th scope="col">hops</th><th scope="col">layers</th>
    <th scope="col">sequential steps</th><th scope="col">edges</th></tr></thead>
  <tbody></tbody>
</table>`;

const WIDTH = 320;
const DEEPEST = 220; // the height of the deepest graph, all to one scale,
const FLATTEST = 48; // but none below this
const EDGE = 10; // between the drawing and the frame
const FOOT = 20; // for the names of the two ends

class PathExplorer extends HTMLElement {
  connectedCallback() {
    const figure = this.querySelector("figure");
    if (!figure || this.live) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    document.adoptedStyleSheets.push(sheet);
    this.live = document.createElement("div");
    this.live.className = "live";
    this.live.innerHTML = CONTROLS;
    figure.querySelector("figcaption").before(this.live);
    for (const part of figure.children) {
      part.hidden = part !== this.live && part.localName !== "figcaption";
    }
    const [n, k] = ["n", "k"].map((name) => Number(this.getAttribute(name)));
    this.state = { n, k, source: 1, target: n };
    this.live.addEventListener("input", ({ target }) => {
      this.change({ [target.name]: Number(target.value) });
    });
    this.live.querySelector(".graphs").addEventListener("click", (event) => this.click(event));
    this.show();
  }

  // In a drawing, the lower half chooses the source, the upper the target.
  click(event) {
    const svg = event.target.closest("svg");
    if (!svg) return;
    const { left, width, top, height } = svg.getBoundingClientRect();
    const x = ((event.clientX - left) / width) * WIDTH;
    const token = Math.round(((x - EDGE) / (WIDTH - 2 * EDGE)) * (this.state.n - 1)) + 1;
    const end = event.clientY > top + height / 2 ? "source" : "target";
    this.change({ [end]: Math.min(Math.max(token, 1), this.state.n) });
  }

  change(changes) {
    const state = Object.assign(this.state, changes);
    if ("n" in changes) {
      state.target = state.n; // the longest way is the telling one
      state.source = Math.min(state.source, state.n);
    }
    this.live.querySelector(".graphs").classList.add("changed");
    this.show();
  }

  show() {
    const { n, k, source, target } = this.state;
    for (const input of this.live.querySelectorAll("input")) {
      if (input.name === "source" || input.name === "target") input.max = n;
      input.value = this.state[input.name];
      input.previousElementSibling.textContent = this.state[input.name];
    }
    const measured = Object.keys(architectures).map((name) => [
      name,
      measure(name, n, k, source - 1, target - 1),
    ]);
    const deepest = Math.max(...measured.map(([, { layers }]) => layers));
    const step = Math.min(26, DEEPEST / deepest); // from layer to layer
    this.live.querySelector(".graphs").innerHTML = measured
      .map(([name, found]) => `<div><p class="name">${name}: ${inWords(found.hops)}</p>${this.draw(name, found, step)}</div>`)
      .join("");
    this.live.querySelector(".said").textContent = this.sentence(measured);
    this.live.querySelector("tbody").innerHTML = measured
      .map(([name, { hops, layers, steps, edges }]) => {
        const cells = [hops ?? "no path", layers, steps, edges].map((cell) => `<td>${cell}</td>`);
        return `<tr><th scope="row">${name}</th>${cells.join("")}</tr>`;
      })
      .join("");
  }

  sentence(measured) {
    const { n, k, source, target } = this.state;
    const where = `from token ${source} to token ${target} of ${n}`;
    if (source > target) return `No path leads ${where}: all four look backward only.`;
    const counts = measured.map(([name, { hops }]) => `${name} ${inWords(hops)}`).join(", ");
    return `The way ${where}, with kernels of width ${k}: ${counts}.`;
  }

  draw(name, { path, layers, hops, edges }, step) {
    const { n, k } = this.state;
    const depth = Math.max(FLATTEST, layers * step);
    const height = depth + 2 * EDGE + FOOT;
    const x = (position) => (EDGE + (position * (WIDTH - 2 * EDGE)) / (n - 1)).toFixed(1);
    const y = (layer) => (EDGE + depth - (layer * depth) / layers).toFixed(1);
    const line = ([tail, head]) => `M${x(tail[1])} ${y(tail[0])}L${x(head[1])} ${y(head[0])}`;
    const lines = architectures[name].edges(n, k).map(line).join("");
    const opacity = Math.min(0.9, Math.max(0.6, 90 / edges)); // many lines, light lines
    const nodes = Array.from({ length: (layers + 1) * n }, (_, at) => [Math.floor(at / n), at % n]);
    const pause = Math.min(150, 1200 / (hops ?? 1));
    const drawn = (path ?? []).map((node, at) => {
      const stop = `<circle class="stop" cx="${x(node[1])}" cy="${y(node[0])}" r="4"/>`;
      if (at === 0) return stop;
      const delay = `style="animation-delay:${at * pause}ms"`;
      return `<path class="hop" ${delay} d="${line([path[at - 1], node])}"/>${stop}`;
    });
    const label = `${name}, ${n} tokens in ${layers + 1} rows, shortest path: ${inWords(hops)}`;
    return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">
      <path class="edges" opacity="${opacity.toFixed(2)}" d="${lines}"/>
      <path class="nodes" d="${nodes.map((node) => line([node, node])).join("")}"/>
      ${drawn.join("")}
      <text x="0" y="${height - 4}">token 1</text>
      <text x="${WIDTH}" y="${height - 4}" text-anchor="end">token ${n}</text>
    </svg>`;
  }
}

const inWords = (hops) => (hops === null ? "no path" : hops === 1 ? "1 hop" : `${hops} hops`);

customElements.define("path-explorer", PathExplorer);
