// The panel of a new task: its fields, its picture, and where it lands.

import { valuesOf } from "../data.js";
import { button, el, figure, short } from "../dom.js";
import { landing } from "../views.js";
import { picture } from "./cards.js";
import { gridForm, judgedGrids } from "./grid-form.js";
import { KarelPanel } from "./karel-form.js";
import { faultLine, landed } from "./landed.js";
import { embedded } from "./network.js";

// The panel for this map, or null where no new tasks can be made.
export function formOf(app) {
  const { environment, rows, form, network } = app.space;
  if (environment === "Karel" && rows) return new KarelPanel(app);
  return form && network ? new FormPanel(app) : null;
}

class FormPanel {
  constructor(app) {
    this.app = app;
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
    const { fault, told } = judged(this.app.space, now.made);
    this.result.replaceChildren(...(fault ? [faultLine(fault)] : this.landed(now.made, told)));
  }

  // Fields are made once and then set, so that a hand on a slider keeps hold of it.
  show(made) {
    const { space } = this.app;
    if (!this.setters) {
      const built = isGrid(space)
        ? gridForm(
            space.form,
            () => this.now(),
            (values) => this.set(values),
          )
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

  landed(made, told) {
    const { space } = this.app;
    const drawn = isGrid(space)
      ? el("p", { id: "solvable", text: told })
      : picture(space, { values: valuesByName(space, made), row: null });
    return [...(drawn ? [drawn] : []), ...landed(this.app, embedded(space.network, made))];
  }

  // Where the star is in a view, or null.
  star(view, { made, view: name, axes }) {
    const { space } = this.app;
    if (!made || judged(space, made).fault) return null;
    return landing(space, view, name, axes, embedded(space.network, made));
  }
}

const known = new WeakMap(); // what was made, and how it was judged: to search may take a while

// {fault} where it is no task, else {told} where there is more to say.
function judged(space, made) {
  if (!known.has(made)) known.set(made, judgedAnew(space, made));
  return known.get(made);
}

function judgedAnew(space, made) {
  for (const [place, { name, low, high, whole }] of space.form.entries()) {
    const value = made[place];
    if (!(value >= low && value <= high)) {
      return { fault: `${name} should be from ${figure(low)} to ${figure(high)}.` };
    }
    if (whole && !Number.isInteger(value)) return { fault: `${name} should be a whole number.` };
  }
  const values = valuesByName(space, made);
  if (space.environment === "CartPoleVar" && Math.abs(values.F) < 5) {
    return { fault: "F should be at least 5 N strong, to either side." };
  }
  return isGrid(space) ? judgedGrids(values) : {};
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
