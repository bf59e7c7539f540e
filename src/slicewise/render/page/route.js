// The address of what is seen, the theme, and the start of everything.

/** Return the view that an address names, or null where it is not one of a slice. */
function viewAt(hash) {
  if (!hash.startsWith("#/")) return null;
  const [path, query = ""] = hash.slice(2).split(/\?(.*)/s);
  const [dataset, ...slice] = path.split("/");
  const asked = new URLSearchParams(query);
  return {
    dataset: decoded(dataset),
    slice: slice.join("/"),
    systems: asked.getAll("system"),
    label: asked.get("label") ?? "",
    show: ["wrong", "right"].includes(asked.get("show")) ? asked.get("show") : "all",
    q: asked.get("q") ?? "",
    page: Number.parseInt(asked.get("page") ?? "1", 10) || 1,
  };
}

/** Return the address of a view; what is as at first is left out. */
function addressOfView(view) {
  const asked = new URLSearchParams();
  view.systems.forEach((system) => asked.append("system", system));
  if (view.label) asked.set("label", view.label);
  if (view.show !== "all") asked.set("show", view.show);
  if (view.q) asked.set("q", view.q);
  if (view.page > 1) asked.set("page", view.page);
  const query = asked.toString();
  return addressOf(view.dataset, view.slice) + (query ? `?${query}` : "");
}

let plainHash = "";

/** Show what the address says. */
function route() {
  const view = viewAt(location.hash);
  if (view) return showView(view, changeView);
  plainHash = location.hash;
  if (panel.open) panel.close();
}

/** Go to another view of the slice; typing leaves no trail of addresses. */
function changeView(view, typing) {
  const address = addressOfView(view);
  if (typing) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  route();
}

function onClosed() {
  if (viewAt(location.hash)) history.pushState(null, "", plainHash || location.href.split("#")[0]);
}

const dark = matchMedia("(prefers-color-scheme: dark)");
let chosenTheme = remembered();
let printing = false;

function remembered() {
  try {
    const found = localStorage.getItem("slicewise-theme");
    return ["light", "dark"].includes(found) ? found : null;
  } catch {
    return null;
  }
}

/** Return the theme of now; paper is light. */
function theme() {
  if (printing) return "light";
  return chosenTheme ?? (dark.matches ? "dark" : "light");
}

function setTheme(name) {
  chosenTheme = name;
  try {
    localStorage.setItem("slicewise-theme", name);
  } catch {
    // A page from a disk may not be allowed to remember.
  }
  showTheme();
}

function showTheme() {
  if (chosenTheme) document.documentElement.dataset.theme = chosenTheme;
  themeButton.textContent = theme() === "dark" ? "Light theme" : "Dark theme";
  drawAsSeen(drawnCharts());
}

/** Draw all charts for paper at once, and those of a dark page again afterwards. */
function setPrinting(now) {
  const before = theme();
  printing = now;
  document.documentElement.classList.toggle("printing", now);
  if (theme() !== before) drawAsSeen(drawnCharts());
  if (now) drawAll();
}

const themeButton = el("button", {
  type: "button",
  class: "theme",
  onclick: () => setTheme(theme() === "dark" ? "light" : "dark"),
});

function copySignature() {
  const code = document.getElementById("signature");
  if (!code) return;
  const button = el(
    "button",
    {
      type: "button",
      onclick: async () => {
        getSelection().selectAllChildren(code);
        try {
          await navigator.clipboard.writeText(code.textContent);
          button.textContent = "copied";
        } catch {
          button.textContent = "selected";
        }
      },
    },
    "copy",
  );
  code.after(" ", button);
}

/** Keep the contents open beside the text, and closed above it where there is no room beside. */
function foldContents() {
  const contents = document.querySelector(".contents > details");
  const wide = matchMedia("(min-width: 1000px)");
  const fold = () => (contents.open = wide.matches);
  wide.addEventListener("change", fold);
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") && !wide.matches) contents.open = false;
  });
  fold();
}

/** Mark in the contents which section is being read. */
function markSection() {
  const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        links.forEach((link) => link.removeAttribute("aria-current"));
        links.get(target.id)?.setAttribute("aria-current", "true");
      }
    },
    { rootMargin: "-20% 0px -75% 0px" },
  );
  for (const section of document.querySelectorAll("main section")) seen.observe(section);
}

function openTables() {
  for (const details of document.querySelectorAll("details.numbers")) {
    const place = details.querySelector(".table");
    details.addEventListener("toggle", () => {
      if (details.open && !place.hasChildNodes()) drawTable(place, data("data-figures")[place.dataset.figure]);
    });
  }
}

/** Close the panel from anywhere in it; a slash goes to its search. */
function onKey(event) {
  if (!panel.open) return;
  const typing = /^(INPUT|SELECT)$/.test(event.target.tagName);
  if (event.key === "Escape") panel.close();
  else if (event.key === "/" && !typing) control("q")?.focus();
  else return;
  event.preventDefault();
}

document.body.append(panel);
document.querySelector(".contents").append(themeButton);
panel.addEventListener("close", onClosed);
panel.addEventListener("click", (event) => event.target === panel && panel.close());
addEventListener("keydown", onKey);
addEventListener("hashchange", route);
dark.addEventListener("change", showTheme);
addEventListener("beforeprint", () => setPrinting(true));
addEventListener("afterprint", () => setPrinting(false));
copySignature();
foldContents();
markSection();
openTables();
document.querySelectorAll(".tabs").forEach(makeTabs);
showTheme();
drawAsSeen(document.querySelectorAll(".chart, details[open] > .table"));
route();
