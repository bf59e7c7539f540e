// Figures that show the same of different things, one at a time: the tabs of a place, by pointer or by arrow keys.

/** Put a list of tabs over the panels of a place, and show the first. */
function makeTabs(place) {
  const panels = [...place.children];
  const tabs = panels.map((panel) =>
    el(
      "button",
      { type: "button", role: "tab", id: `${panel.id}-name`, "aria-controls": panel.id, onclick: () => show(panel) },
      visible(panel.dataset.tab),
    ),
  );
  const show = (chosen) =>
    panels.forEach((panel, i) => {
      panel.hidden = panel !== chosen;
      tabs[i].setAttribute("aria-selected", String(panel === chosen));
      tabs[i].tabIndex = panel === chosen ? 0 : -1;
    });
  const step = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.length, End: tabs.length }[event.key];
    if (by === undefined) return;
    const at = tabs.indexOf(event.target);
    const next = Math.abs(by) > 1 ? (by < 0 ? 0 : tabs.length - 1) : (at + by + tabs.length) % tabs.length;
    show(panels[next]);
    tabs[next].focus();
    event.preventDefault();
  };
  panels.forEach((panel, i) => {
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tabs[i].id);
  });
  place.prepend(el("div", { class: "tab-names", role: "tablist", onkeydown: step }, tabs));
  show(panels[0]);
}
