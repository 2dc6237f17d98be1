// The panel of the selection: filters and lasso, comparison of two selections, CSV table.

import { button, el, figure, select } from "../dom.js";
import { extent } from "../quantities.js";
import { fits } from "../selection.js";
import { comparison } from "./comparison.js";
import { csv, save } from "./csv.js";

export class SelectPanel {
  constructor(app) {
    this.app = app;
    this.keys = ["filters", "lassos", "selections", "answers", "agent", "by", "mode"];
    this.count = el("p", { class: "count", id: "count", "aria-live": "polite" });
    this.lasso = el("div", { class: "row" });
    this.filters = el("div", { class: "filters" });
    this.adder = el("div");
    this.compared = el("section", { id: "selections" });
    this.element = el(
      "div",
      {},
      el("h2", { text: "Select tasks" }),
      this.count,
      el(
        "div",
        { class: "row" },
        button("Save as CSV", () => this.save(), { id: "save" }),
        button("Clear", () => app.state.change({ filters: [], lassos: [] }), {
          id: "clear-selection",
          class: "plain",
        }),
      ),
      el("h3", { text: "Lasso" }),
      this.lasso,
      el("h3", { text: "Filters" }),
      this.filters,
      this.adder,
      el("h3", { text: "Compare two selections" }),
      el("p", { class: "quiet", text: "Select tasks and set them as A, then set others as B." }),
      el(
        "div",
        { class: "row" },
        ...["A", "B"].map((name) =>
          button(`Set as ${name}`, () => this.assign(name), { id: `set-${name}` }),
        ),
      ),
      this.compared,
    );
  }

  update(now, changed) {
    const { space, insight } = this.app;
    const shown = insight.shown ? insight.shown.length : space.count;
    this.count.replaceChildren(
      el("strong", { text: figure(shown) }),
      ` of ${figure(space.count)} tasks`,
    );
    for (const id of ["save", "set-A", "set-B"]) {
      this.element.querySelector(`#${id}`).disabled = shown === 0;
    }
    this.element.querySelector("#clear-selection").disabled =
      !now.filters.length && !now.lassos.length;
    this.lasso.replaceChildren(...this.lassoRow(now));
    const typing = this.filters.contains(document.activeElement) && !changed.has("all");
    if (!typing)
      this.filters.replaceChildren(
        ...now.filters.map((filter, index) => this.filterRow(filter, index)),
      );
    this.adder.replaceChildren(this.choice());
    const compared = ["selections", "answers", "agent", "by", "tab", "all"];
    if (compared.some((key) => changed.has(key))) {
      this.compared.replaceChildren(...comparison(this.app, now.selections));
    }
  }

  lassoRow(now) {
    const { state, mode } = this.app;
    const drawing = mode() === "lasso";
    const count = now.lassos.length;
    const idle = count ? "Add a lasso" : "Draw a lasso";
    const flip = () => this.app.setMode(drawing ? "pan" : "lasso");
    const draw = button(drawing ? "Drag on the map …" : idle, flip, {
      id: "draw-lasso",
      "aria-pressed": String(drawing),
    });
    if (!count) return [draw];
    const last = () => state.change({ lassos: now.lassos.slice(0, -1) });
    return [
      draw,
      button(count > 1 ? "Remove the last" : "Remove", last, { class: "plain", id: "drop-lasso" }),
      ...(count > 1 ? [el("span", { class: "quiet", text: `Tasks inside any of ${count}.` })] : []),
    ];
  }

  choice() {
    const used = new Set(this.app.state.now.filters.map(({ what }) => what));
    const free = this.app.insight.choices.filter(({ key }) => !used.has(key));
    const choices = [["", "Add a filter …"], ...free.map(({ key, label }) => [key, label])];
    return select("Add a filter", choices, "", (key) => this.add(key));
  }

  add(key) {
    const { state, insight } = this.app;
    const quantity = insight.quantity(key);
    if (!quantity) return;
    const names = quantity.kind === "names";
    const filter = names
      ? {
          what: key,
          among: [...quantity.names],
        }
      : { what: key, low: null, high: null };
    state.change({ filters: [...state.now.filters, filter] });
    this.filters.lastElementChild?.querySelector("input")?.focus();
  }

  filterRow(filter, index) {
    const quantity = this.app.insight.quantity(filter.what);
    const title = quantity ? quantity.label : filter.what;
    const make = filter.among ? this.names : this.bounds;
    const fields = fits(quantity, filter) ? make.call(this, quantity, filter, index) : [];
    return el(
      "fieldset",
      { "data-filter": filter.what },
      el("legend", { text: title }),
      ...fields,
      button("×", () => this.drop(index), {
        class: "plain drop",
        "aria-label": `Remove the filter on ${title}`,
      }),
    );
  }

  names(quantity, filter, index) {
    return quantity.names.map((name) => {
      const box = el("input", { type: "checkbox" });
      box.checked = filter.among.includes(name);
      box.addEventListener("change", () => {
        const { among } = this.filter(index);
        const isChosen = (other) => (other === name ? box.checked : among.includes(other));
        this.put(index, { what: quantity.key, among: quantity.names.filter(isChosen) });
      });
      return el("label", { class: "check" }, box, el("span", { text: name }));
    });
  }

  bounds(quantity, filter, index) {
    const [low, high] = extent(quantity.values);
    const field = (end, label, shown) => {
      const box = el("input", {
        type: "number",
        step: "any",
        placeholder: figure(shown),
        "aria-label": `${quantity.label} ${label}`,
      });
      if (filter[end] !== null) box.value = filter[end];
      box.addEventListener("input", () => {
        const value = box.value === "" ? null : Number(box.value);
        this.put(index, { ...this.filter(index), [end]: value });
      });
      return box;
    };
    return [
      field("low", "from", low),
      el("span", { class: "quiet", text: "to" }),
      field("high", "to", high),
    ];
  }

  filter(index) {
    return this.app.state.now.filters[index];
  }

  put(index, filter) {
    const { state } = this.app;
    state.change({
      filters: state.now.filters.map((other, at) => (at === index ? filter : other)),
    });
  }

  drop(index) {
    const { state } = this.app;
    this.element.querySelector("select").focus();
    state.change({ filters: state.now.filters.filter((_, at) => at !== index) });
  }

  assign(name) {
    const { state } = this.app;
    const { filters, lassos, selections } = state.now;
    state.change({ selections: { ...selections, [name]: { filters, lassos } } });
  }

  save() {
    const { space, insight } = this.app;
    const text = csv(space, insight.quantities, insight.shown || [...space.names.keys()]);
    save(text, `${space.title.replace(/\W+/g, "-")}-tasks.csv`);
  }
}
