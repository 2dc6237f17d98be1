// The panel of a new task: its fields, its picture, and where it lands.

import { neighbourLists, picture } from "./cards.js";
import { valuesOf } from "./data.js";
import { fact } from "./detail.js";
import { button, el, figure, percent } from "./dom.js";
import { gridForm, gridFault } from "./grid-form.js";
import { embedded } from "./network.js";
import { length, nearest } from "./similar.js";

export class FormPanel {
  constructor(app) {
    this.app = app;
    this.keys = ["made", "answers"];
    this.fields = el("div", { class: "fields" });
    this.result = el("div", { "aria-live": "polite" });
    const from = button("Start from the chosen task", () => this.start(this.app.state.now.task), {
      id: "start-from",
    });
    this.element = el(
      "div",
      {},
      el("h2", { text: "New task" }),
      el("p", { text: "Set its values. The star shows where it lies on the map." }),
      el(
        "div",
        { class: "row" },
        from,
        button("Remove", () => app.state.change({ made: null, tab: "task" }), {
          class: "plain", id: "unmake",
        }),
      ),
      this.fields,
      this.result,
    );
  }

  // Values of a known task, or of the first one.
  start(task) {
    const { values } = valuesOf(this.app.space, task === null ? 0 : task);
    this.set(this.app.space.form.map(({ name }) => Number(values[name].toPrecision(4))));
  }

  set(made) {
    this.app.state.change({ made });
  }

  update(now) {
    if (now.made === null && now.tab === "new") {
      this.start(now.task); // there is always something to change
      return;
    }
    if (now.made === null) return;
    this.show(now.made);
    const fault = faultOf(this.app.space, now.made);
    const told = (text) => [el("p", { class: "fault", text, role: "alert" })];
    this.result.replaceChildren(...(fault ? told(fault) : this.landed(now.made)));
  }

  // Fields are made once and then set, so that a hand on a slider keeps hold of it.
  show(made) {
    const { space } = this.app;
    if (!this.setters) {
      const built = isGrid(space)
        ? gridForm(space.form, () => this.now(), (values) => this.set(values))
        : this.plain(space.form);
      this.fields.replaceChildren(...built.elements);
      this.setters = built.set;
    }
    this.setters(made);
  }

  now() {
    return this.app.state.now.made;
  }

  plain(form) {
    const shown = [...form.keys()].filter((place) => form[place].low < form[place].high);
    const put = (place) => (value) =>
      this.set(this.now().map((old, at) => (at === place ? value : old)));
    const made = shown.map((place) => field(form[place], put(place)));
    return {
      elements: made.map(({ element }) => element),
      set: (values) => made.forEach(({ set }, at) => set(values[shown[at]])),
    };
  }

  landed(made) {
    const { space, insight, go } = this.app;
    const vector = vectorOfMade(space, made);
    const near = nearest(space, vector);
    const guess = (values) => near.reduce((sum, { task, share }) => sum + share * values[task], 0);
    const facts = [
      ["difficulty", figure(length(vector))],
      ["success rate of its neighbours", percent(guess(space.success))],
    ];
    if (insight.chances) facts.push(["predicted success there", percent(guess(insight.chances))]);
    const drawn = isGrid(space) ? null : picture(space, {
      values: valuesByName(space, made), row: null,
    });
    return [
      ...(drawn ? [drawn] : []),
      el("dl", { class: "facts" }, ...facts.map(fact)),
      ...neighbourLists(space, vector, -1, go),
    ];
  }
}

export function vectorOfMade(space, made) {
  return embedded(space.network, made);
}

export function faultOf(space, made) {
  for (const [place, { name, low, high, whole }] of space.form.entries()) {
    const value = made[place];
    if (!(value >= low && value <= high)) {
      return `${name} should be from ${figure(low)} to ${figure(high)}.`;
    }
    if (whole && !Number.isInteger(value)) return `${name} should be a whole number.`;
  }
  const values = valuesByName(space, made);
  if (space.environment === "CartPoleVar" && Math.abs(values.F) < 5) {
    return "F should be at least 5 N strong, to either side.";
  }
  return isGrid(space) ? gridFault(values) : null;
}

function isGrid(space) {
  return space.environment === "BasicKarel"; // whose form is its picture
}

function valuesByName(space, made) {
  return Object.fromEntries(space.form.map(({ name }, place) => [name, made[place]]));
}

function field({ name, low, high, whole }, change) {
  if (whole && low === 0 && high === 1) return check(name, change);
  const step = whole ? 1 : "any";
  const given = { min: low, max: high, step };
  const slider = el("input", { type: "range", ...given, "aria-label": name });
  const box = el("input", { type: "number", ...given, "aria-label": `${name}, as a number`, name });
  slider.addEventListener("input", () => change(Number(Number(slider.value).toPrecision(4))));
  box.addEventListener("input", () => box.value !== "" && change(Number(box.value)));
  const set = (value) => {
    slider.value = value;
    if (Number(box.value) !== value) box.value = value;
  };
  return {
    element: el("div", { class: "field" }, el("span", { class: "name", text: name }), slider, box),
    set,
  };
}

function check(name, change) {
  const box = el("input", { type: "checkbox", name });
  box.addEventListener("change", () => change(Number(box.checked)));
  const set = (value) => {
    box.checked = value > 0.5;
  };
  return {
    element: el("label", { class: "field check" }, el("span", { class: "name", text: name }), box),
    set,
  };
}
