// The row above the map: projection, colours, and what dragging does.

import { arrowKeys, button, el, select } from "../dom.js";
import { OF_AGENT } from "../quantities.js";
import { viewNames } from "../views.js";
import { agentFinder } from "./find-agent.js";

export class Toolbar {
  constructor(container, app) {
    this.app = app;
    this.views = this.viewButtons();
    this.axes = el("span", { class: "axes" });
    this.colours = el("span");
    this.modes = ["pan", "lasso"].map((mode) =>
      button(mode === "pan" ? "Move" : "Lasso", () => app.setMode(mode), { "data-mode": mode }),
    );
    const group = (label, items) => {
      const row = el("span", { class: "segments", role: "group", "aria-label": label }, ...items);
      arrowKeys(row);
      return row;
    };
    const byAgent = (agent) => {
      app.state.change({ colour: `${OF_AGENT}${app.space.agents[agent]}` });
    };
    container.replaceChildren(
      group("Projection", this.views),
      this.axes,
      el(
        "label",
        { class: "colour" },
        el("span", { class: "quiet", text: "Colour by" }),
        this.colours,
      ),
      agentFinder(app.space, "coloured-agents", "Colour by an agent", byAgent).element,
      group("Drag mode", this.modes),
    );
  }

  viewButtons() {
    const { space, state } = this.app;
    const shown = space.informative ? "directions" : "vectors";
    return viewNames(space).map((name) =>
      button(name === "axes" ? "Axes" : name, () => state.change({ view: name, range: null }), {
        "data-view": name,
        title: name === "axes" ? "Two axes of the vectors" : `Projection of the ${shown}`,
      }),
    );
  }

  update(now) {
    const { space, state, insight, mode } = this.app;
    for (const view of this.views)
      view.setAttribute("aria-pressed", String(view.dataset.view === now.view));
    for (const one of this.modes)
      one.setAttribute("aria-pressed", String(one.dataset.mode === mode()));
    const axis = (end, label) => {
      const choices = Array.from({ length: space.dimensions }, (_, index) => [
        String(index),
        `axis ${index + 1}`,
      ]);
      return select(label, choices, String(now.axes[end]), (value) => {
        const axes = [...now.axes];
        axes[end] = Number(value);
        state.change({ axes, range: null });
      });
    };
    const raw = now.view === "axes" && space.dimensions > 2;
    if (!this.axes.contains(document.activeElement)) {
      const both = raw ? [axis(0, "Horizontal axis"), axis(1, "Vertical axis")] : [];
      this.axes.replaceChildren(...both);
    }
    const choices = insight.choices.map(({ key, label }) => [key, label]);
    if (!this.colours.contains(document.activeElement)) {
      this.colours.replaceChildren(
        select("Colour", choices, this.app.colourKey(), (colour) => state.change({ colour })),
      );
    }
  }
}
