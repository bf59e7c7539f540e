// Charts: drawn when they come near the screen, in the colours of the theme; a click on a mark opens its slice.

const refuse = () => Promise.reject(new Error("this page loads nothing"));
const LOADER = { load: refuse, sanitize: refuse, http: refuse, file: refuse };
const drawn = new Map();
const drawing = new Map();

/** Return rows as objects. */
function rowsOf(figure) {
  return Array.from({ length: rowCount(figure) }, (_, i) =>
    Object.fromEntries(figure.keys.map((key, j) => [key, figure.columns[j][i]])),
  );
}

/** Draw the chart of a place, again if it has been drawn, after what is being drawn there. */
function drawChart(place) {
  const last = drawing.get(place) ?? Promise.resolve();
  const next = last
    .then(() => drawNow(place))
    .catch((error) => {
      console.error(error);
      place.textContent = "This chart cannot be drawn here; its numbers are in the table.";
    });
  drawing.set(place, next);
  return next;
}

async function drawNow(place) {
  const figure = data("data-figures")[place.dataset.figure];
  const config = page.themes[theme()];
  const spec = fitted(
    { ...figure.spec, datasets: { ...figure.spec.datasets, rows: rowsOf(figure) } },
    place.clientWidth,
  );
  drawn.get(place)?.finalize();
  const options = {
    mode: "vega-lite",
    ast: true,
    actions: false,
    renderer: "svg",
    defaultStyle: false,
    tooltip,
    loader: LOADER,
    config,
  };
  const made = await window.vegaEmbed(place, spec, options);
  drawn.set(place, made);
  place.querySelector("svg")?.setAttribute("aria-hidden", "true");
  made.view.addEventListener("click", (_, item) => openMark(item, figure));
  place.classList.add("drawn");
  exportsOf(place, figure);
}

/** Return a specification that fits a width: small multiples stand in as many columns as there is room for. */
function fitted(spec, width) {
  const inner = spec.spec?.width ?? spec.width;
  const room = typeof inner === "number" ? Math.max(1, Math.floor(width / (inner + 56))) : null;
  if (room === null) return spec;
  if (spec.columns) return { ...spec, columns: Math.min(spec.columns, room) };
  const facet = spec.encoding?.facet;
  if (!facet?.columns) return spec;
  return { ...spec, encoding: { ...spec.encoding, facet: { ...facet, columns: Math.min(facet.columns, room) } } };
}

function openMark(item, figure) {
  const slice = item?.datum?.[page.slice];
  if (slice) location.hash = addressOf(item.datum.dataset ?? figure.dataset, slice);
}

const tip = el("div", { class: "tip", "aria-hidden": "true" });

/** Show what a mark says, beside the pointer. */
function tooltip(_, event, item, value) {
  if (value === null || value === undefined || value === "") {
    tip.remove();
    return;
  }
  const pairs = typeof value === "object" ? Object.entries(value) : [["", value]];
  tip.replaceChildren(
    ...pairs.flatMap(([name, said]) => [el("span", {}, visible(name)), el("b", { dir: "auto" }, visible(said))]),
  );
  document.body.append(tip);
  const left = Math.min(event.clientX + 14, document.documentElement.clientWidth - tip.offsetWidth - 8);
  const below = event.clientY + 14;
  const top = below + tip.offsetHeight > window.innerHeight ? event.clientY - tip.offsetHeight - 14 : below;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${Math.max(8, top)}px`;
}

/** Put buttons under a chart that save it as a file. */
function exportsOf(place, figure) {
  const figureElement = place.parentElement;
  if (figureElement.querySelector(".save")) return;
  const button = (kind) =>
    el(
      "button",
      {
        type: "button",
        "aria-label": `save “${visible(figure.title)}” as ${kind.toUpperCase()}`,
        onclick: () => save(place, figure.name, kind),
      },
      kind.toUpperCase(),
    );
  place.after(el("div", { class: "save" }, "save as", button("svg"), button("png")));
}

async function save(place, name, kind) {
  const address = await drawn.get(place).view.toImageURL(kind, kind === "png" ? 2 : 1);
  el("a", { href: address, download: `${name}.${kind}` }).click();
}

const waiting = new Set();
const near = new Set();
const idle = window.requestIdleCallback ?? setTimeout;
let busy = false;
let leisure = false;
let moved = 0;
addEventListener("scroll", () => (moved = performance.now()), { passive: true });

const watch = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && waiting.has(target)) near.add(target);
      else near.delete(target);
    }
    if (!busy) drawNear();
  },
  { rootMargin: "600px" },
);

/** Draw these places as they come near the screen, and the rest while nothing else is to do. */
function drawAsSeen(places) {
  for (const place of places) {
    waiting.add(place);
    watch.unobserve(place);
    watch.observe(place);
  }
  drawAtLeisure();
}

/** Draw what is near, one after the other, so that the page can be moved in between. */
async function drawNear() {
  busy = true;
  for (const place of near) {
    await drawPlace(place);
    await new Promise((then) => setTimeout(then));
  }
  busy = false;
}

/** Draw one after the other what is not near, as long as the page is not being moved. */
async function drawAtLeisure() {
  if (leisure) return;
  leisure = true;
  for (;;) {
    await new Promise((then) => setTimeout(() => idle(then), 50));
    const place = [...waiting].find(isLaidOut);
    if (!place) break;
    if (!busy && performance.now() - moved > 1000) await drawPlace(place);
  }
  leisure = false;
}

/** Whether a place has its width: one behind another tab has none, and is drawn when it is shown. */
function isLaidOut(place) {
  return place.offsetParent !== null;
}

function drawPlace(place) {
  waiting.delete(place);
  near.delete(place);
  if (place.classList.contains("chart")) return drawChart(place);
  return drawTable(place, data("data-figures")[place.dataset.figure]);
}

/** Draw at once all that is laid out and not drawn yet. */
function drawAll() {
  for (const place of [...waiting].filter(isLaidOut)) drawPlace(place);
}

/** Return the places of the charts that are drawn. */
function drawnCharts() {
  return [...drawing.keys()];
}
