// The panel of a new task that is a row of values: its fields, its picture, and where it lies.

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
    this.checks = new WeakMap(); // what was found of values: to search may take a while
    this.keys = ["made", "answers", "task"];
    this.fields = el("div", { class: "fields" });
    this.result = el("div", { "aria-live": "polite" });
    this.from = button("Start from the chosen task", () => this.start(this.app.state.now.task), {
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

  // Values of a known task, or of the first one.
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
      this.start(now.task); // there is always something to change
      return;
    }
    if (now.made === null) return;
    this.show(now.made);
    const { fault, note } = this.check(now.made);
    this.result.replaceChildren(...(fault ? [faultLine(fault)] : this.describe(now.made, note)));
  }

  // Fields are made once and then set, so that a hand on a slider keeps hold of it.
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

  // {elements, set}: what is shown, and how values are put into it.
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
    return [...(drawn ? [drawn] : []), ...newTaskFacts(this.app, embed(space.network, made))];
  }

  // Where the star is in a view, or null.
  star(view, { made, view: name, axes }) {
    const { space } = this.app;
    if (!made || this.check(made).fault) return null;
    return positionInView(space, view, name, axes, embed(space.network, made));
  }

  // {fault} where it is no task, else {note} where there is more to say.
  check(made) {
    if (!this.checks.has(made)) {
      const fault = faultIn(this.app.space.form, made);
      this.checks.set(made, fault ? { fault } : this.checkTask(this.byName(made)));
    }
    return this.checks.get(made);
  }

  // The same of values that are each in their range.
  checkTask() {
    return {};
  }

  byName(made) {
    return Object.fromEntries(this.app.space.form.map(({ name }, index) => [name, made[index]]));
  }
}

// Values of which one is a force that must not be weak.
export class ForcePanel extends ValuesPanel {
  checkTask({ F }) {
    return Math.abs(F) < 5 ? { fault: "F should be at least 5 N strong, to either side." } : {};
  }
}

// What is wrong with the first value that is not in its range, or null.
function faultIn(form, made) {
  for (const [index, { name, low, high, whole }] of form.entries()) {
    const value = made[index];
    if (!(value >= low && value <= high)) {
      return `${name} should be from ${figure(low)} to ${figure(high)}.`;
    }
    if (whole && !Number.isInteger(value)) return `${name} should be a whole number.`;
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
