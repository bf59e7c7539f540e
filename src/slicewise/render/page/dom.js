// Small helpers: elements made of text alone, the page's data, and the signs of systems.

const SVG = "http://www.w3.org/2000/svg";

/** Return an element with attributes (null: none) and children, which are elements or plain text. */
function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** Return the data of a script element; evidence is large, so it is read when it is first asked for. */
const data = (() => {
  const known = new Map();
  return (name) => {
    if (!known.has(name)) {
      const found = document.getElementById(name);
      known.set(name, found ? JSON.parse(found.textContent) : null);
    }
    return known.get(name);
  };
})();

const page = data("data-page");

/** Return the evidence of a data set, or null. */
function evidenceOf(dataset) {
  const at = page.datasets.indexOf(dataset);
  return at < 0 ? null : data(`data-evidence-${at}`);
}

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

/** Return text in which characters that act on others are shown by their numbers. */
function visible(text) {
  return String(text).replace(HIDDEN, (found) => {
    const code = found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    return `[U+${code}]`;
  });
}

/** Return a count with its noun. */
function counted(n, noun) {
  return `${whole(n)} ${noun}${n === 1 ? "" : "s"}`;
}

const OUTLINES = {
  circle: "M6 1a5 5 0 1 0 .001 0z",
  square: "M1.5 1.5h9v9h-9z",
  "triangle-up": "M6 1l5 9.5h-10z",
  diamond: "M6 .5l5 5.5-5 5.5-5-5.5z",
  cross: "M4.2 1h3.6v3.2h3.2v3.6h-3.2v3.2h-3.6v-3.2h-3.2v-3.6h3.2z",
  "triangle-down": "M6 11l5-9.5h-10z",
  "triangle-right": "M11 6l-9.5 5v-10z",
  "triangle-left": "M1 6l9.5 5v-10z",
};

/** Return the mark of a system as charts draw it: its shape in its colour. */
function sign(system) {
  const at = Math.max(0, page.systems.indexOf(system));
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", "0 0 12 12");
  drawing.setAttribute("class", "sign");
  drawing.setAttribute("aria-hidden", "true");
  const outline = document.createElementNS(SVG, "path");
  outline.setAttribute("d", OUTLINES[page.shapes[at]] ?? OUTLINES.circle);
  outline.setAttribute("fill", page.colours[at] ?? "currentColor");
  drawing.append(outline);
  return drawing;
}

/** Return a system's name with its sign. */
function systemName(system, ...more) {
  return el("span", { class: "system" }, sign(system), el("bdi", {}, visible(system)), ...more);
}

/** Return the address of a slice inside the page. */
function addressOf(dataset, slice) {
  return `#/${encodeURIComponent(dataset)}/${slice}`;
}

/** Return text that is long only when it is asked to be. */
function shortened(text, limit) {
  const points = Array.from(String(text));
  if (points.length <= limit) return [visible(text)];
  const shown = el("span", {}, visible(points.slice(0, limit).join("")) + " … ");
  const more = el(
    "button",
    { type: "button", class: "more", onclick: () => ((shown.textContent = visible(text)), more.remove()) },
    "show all",
  );
  return [shown, more];
}
