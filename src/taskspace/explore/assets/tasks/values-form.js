// The panel of a new task with features: its fields, its picture, and similar tasks.

import { valuesOf } from "../data.js";
import { button, el, figure, short } from "../dom.js";
import { positionInView } from "../views.js";
import { picture } from "./cards.js";
import { embed } from "./network.js";
import { faultLine, newTaskFacts } from "./new-task.js";

export class ValuesPanel {
  static worksWith({ form, network }) {
    return Boolean(form && network);
  }

  constructor(app) {
    this.app = app;
    this.checks = new WeakMap(); // results by values, because a search may take a while
    this.keys = ["made", "answers", "task"];
    this.fields = el("div", { class: "fields" });
    this.result = el("div", { "aria-live": "polite" });
    this.from = button("Start from the current task", () => this.start(this.app.state.now.task), {
      id: "start-from",
    });
    this.element = el(
      "div",
      {},
      el("h2", { text: "New task" }),
      el("p", { text: "Set the features. The star shows the position of the task on the map." }),
      el(
        "div",
        { class: "row" },
        this.from,
        button("Remove", () => app.state.change({ made: null, tab: "task" }), {
          class: "plain",
          id: "unmake",
        }),
      ),
      this.fields,
      this.result,
    );
  }

  // Start from a task of the map, by default the first one.
  start(task) {
    const { values } = valuesOf(this.app.space, task === null ? 0 : task);
    this.set(this.app.space.form.map(({ name }) => short(values[name])));
  }

  set(made) {
    this.app.state.change({ made });
  }

  update(now) {
    this.from.disabled = now.task === null;
    if (now.made === null && now.tab === "new") {
      this.start(now.task); // the form is never empty
      return;
    }
    if (now.made === null) return;
    this.show(now.made);
    const { fault, note } = this.check(now.made);
    this.result.replaceChildren(...(fault ? [faultLine(fault)] : this.describe(now.made, note)));
  }

  // Fields are created only once, so that a slider being dragged is not replaced.
  show(made) {
    if (!this.setters) {
      const built = this.makeFields(this.app.space.form);
      this.fields.replaceChildren(...built.elements);
      this.setters = built.set;
    }
    this.setters(made);
  }

  now() {
    return this.app.state.now.made;
  }

  // {elements, set}: the fields, and a function that sets their values.
  makeFields(form) {
    const shown = [...form.keys()].filter((index) => form[index].low < form[index].high);
    const put = (index) => (value) =>
      this.set(this.now().map((old, at) => (at === index ? value : old)));
    const made = shown.map((index) => field(form[index], put(index)));
    return {
      elements: made.map(({ element }) => element),
      set: (values) => made.forEach(({ set }, at) => set(values[shown[at]])),
    };
  }

  describe(made, note) {
    const { space } = this.app;
    const drawn = note
      ? el("p", { id: "solvable", text: note })
      : picture(space, { values: this.byName(made), row: null });
    return [...(drawn ? [drawn] : []), ...newTaskFacts(this.app, this.embedded(made))];
  }

  // The new task as similar.js takes it.
  embedded(made) {
    return this.app.once("embedded", [made], () => embed(this.app.space.network, made));
  }

  // The position of the star in a view, or null.
  star(view, { made, view: name, axes }) {
    const { space } = this.app;
    if (!made || this.check(made).fault) return null;
    return positionInView(space, view, name, axes, this.embedded(made));
  }

  // {fault} if the values are not a valid task, else {note} if there is one.
  check(made) {
    if (!this.checks.has(made)) {
      const fault = faultIn(this.app.space.form, made);
      this.checks.set(made, fault ? { fault } : this.checkTask(this.byName(made)));
    }
    return this.checks.get(made);
  }

  // The same for values that are within their ranges.
  checkTask() {
    return {};
  }

  byName(made) {
    return Object.fromEntries(this.app.space.form.map(({ name }, index) => [name, made[index]]));
  }
}

// Features that include a force, which must not be too weak.
export class ForcePanel extends ValuesPanel {
  checkTask({ F }) {
    const fault = `F must be at least 5 N, or at most −5 N, got ${figure(F)} N.`;
    return Math.abs(F) < 5 ? { fault } : {};
  }
}

// What is wrong with the first invalid value, or null.
function faultIn(form, made) {
  for (const [index, { name, low, high, whole }] of form.entries()) {
    const value = made[index];
    if (!(value >= low && value <= high)) {
      return `${name} must be from ${figure(low)} to ${figure(high)}, got ${figure(value)}.`;
    }
    if (whole && !Number.isInteger(value)) {
      return `${name} must be an integer, got ${figure(value)}.`;
    }
  }
  return null;
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
