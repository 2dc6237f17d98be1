// The page: loads the data, connects the parts, and draws what follows from the state.

import { Fault, isExported, load } from "./data.js";
import { arrowKeys, button, figure } from "./dom.js";
import { Insight } from "./insight.js";
import { colouring, rgb } from "./map/colours.js";
import { HoverCard } from "./map/hover.js";
import { showLegend } from "./map/legend.js";
import { TaskMap } from "./map/map.js";
import { Marks } from "./map/marks.js";
import { MapNames, namesOf } from "./map/names.js";
import { AgentsPanel } from "./panels/agents.js";
import { ComparePanel } from "./panels/compare-agents.js";
import { Detail } from "./panels/detail.js";
import { DoctorPanel } from "./panels/doctor.js";
import { finder } from "./panels/find.js";
import { QuizPanel } from "./panels/quiz.js";
import { RedundantPanel } from "./panels/redundant.js";
import { SelectPanel } from "./panels/select-panel.js";
import { ShortTestPanel } from "./panels/short-test.js";
import { Toolbar } from "./panels/toolbar.js";
import { State } from "./state.js";
import { neighbours } from "./tasks/cards.js";
import { formOf } from "./tasks/form.js";
import { isDark, pageColour, startTheme } from "./theme.js";
import { viewOf } from "./views.js";

const byId = (id) => document.getElementById(id);

class App {
  constructor(space) {
    this.space = space;
    this.state = new State(space);
    this.insight = new Insight(space);
    this.dragging = "pan";
    this.go = (task) => this.state.change({ task, tab: "task" });
    this.mode = () => this.dragging;
    byId("title").textContent = space.title;
    byId("counts").textContent = countsOf(space);
    showVerdict(byId("verdict"), space);
    document.title = `${space.title} – taskspace explorer`;
    startTheme(byId("theme"), () => this.update(this.state.now, new Set(["all"])));
    this.hover = new HoverCard(byId("hover"), byId("ring"), this);
    this.map = new TaskMap(byId("map"), space, this.mode, {
      hover: (task) => this.hover.show(task, ...this.map.pixelsOf(task)),
      leave: () => this.hover.hide(),
      click: (task) => this.click(task),
      trace: (points) => (points ? this.marks.trace(points) : this.draw()),
      lasso: (points) => this.lasso(points),
      range: (range) => this.state.note({ range }),
      moved: () => this.moved(),
    });
    const pixels = (x, y) => this.map.pixels(x, y);
    this.marks = new Marks(byId("marks"), pixels);
    this.names = new MapNames(byId("names"), pixels);
    this.toolbar = new Toolbar(byId("toolbar"), this);
    this.panels = this.makePanels();
    byId("find").replaceChildren(finder(space, this.go));
    byId("share").addEventListener("click", () => this.share());
    this.makeZoom();
    this.state.listeners.push((now, changed) => this.update(now, changed));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  makePanels() {
    const { space } = this;
    this.form = formOf(this);
    const quiz = space.posterior && new QuizPanel(this);
    const panels = [
      ["task", "Task", new Detail(this)],
      ...(quiz ? [["quiz", "Quiz", quiz]] : []),
      ["select", "Select", new SelectPanel(this)],
      ["agents", "Agents", new AgentsPanel(this, quiz && ((agent) => quiz.load(agent)))],
      ["compare", "Compare", new ComparePanel(this)],
      ...(space.answers.redundant ? this.tablePanels() : []),
      ["doctor", "Doctor", new DoctorPanel(this)],
      ...(this.form ? [["new", "New task", this.form]] : []),
    ];
    for (const [key, title, panel] of panels) {
      const tab = button(title, () => this.state.change({ tab: key }), {
        role: "tab",
        id: `tab-${key}`,
        "aria-controls": `panel-${key}`,
      });
      byId("tabs").append(tab);
      Object.assign(panel.element, { id: `panel-${key}`, className: "one-panel" });
      panel.element.setAttribute("role", "tabpanel");
      panel.element.setAttribute("aria-labelledby", tab.id);
      byId("panels").append(panel.element);
    }
    arrowKeys(byId("tabs"));
    return panels.map(([key, , panel]) => ({ key, panel }));
  }

  // What the run of a table of successes knows about its tasks.
  tablePanels() {
    this.shortTest = new ShortTestPanel(this);
    return [
      ["redundant", "Redundant", new RedundantPanel(this)],
      ["test", "Short test", this.shortTest],
    ];
  }

  makeZoom() {
    const buttons = [
      ["+", "Zoom in", 1],
      ["−", "Zoom out", -1],
    ].map(([text, label, direction]) =>
      button(text, () => this.map.zoom(direction), { "aria-label": label, title: label }),
    );
    byId("zoom").append(
      ...buttons,
      button("⤢", () => this.map.show(null), { "aria-label": "Show all", title: "Show all" }),
    );
    byId("nothing").addEventListener("click", () => this.map.show(null));
  }

  start() {
    this.update(this.state.now, new Set([...Object.keys(this.state.now), "all"]));
    this.tellUnknown();
    return this.draw();
  }

  // A link may come from a map with other tasks or agents.
  tellUnknown() {
    const { unknown } = this.state;
    const more = unknown.length > 1 ? ` and ${unknown.length - 1} more` : "";
    if (unknown.length) this.say(`This map has no ${unknown[0]}${more}, which the link names.`);
  }

  // -- what follows from a change ----------------------------------------------------------------

  update(now, changed) {
    this.insight.update(now, changed);
    if (this.state.unknown !== this.toldUnknown && changed.has("range")) this.tellUnknown();
    this.toldUnknown = this.state.unknown;
    const tab = this.panels.some(({ key }) => key === now.tab) ? now.tab : "task";
    for (const { key, panel } of this.panels) {
      const open = key === tab;
      const opened = open && panel.element.hidden;
      panel.element.hidden = !open;
      const handle = byId(`tab-${key}`);
      handle.setAttribute("aria-selected", String(open));
      handle.tabIndex = open ? 0 : -1;
      const anew = opened || ["tab", "all", ...panel.keys].some((name) => changed.has(name));
      if (open && anew) panel.update(now, changed);
      const elsewhere = changed.has("tab") || (key === "task" && changed.has("task"));
      if (open && elsewhere) byId("panels").scrollTop = 0;
    }
    if (this.dragging === "lasso" && changed.has("tab") && tab !== "select") this.setMode("pan");
    this.toolbar.update(now);
    this.draw();
    const chosen = now.task !== null && changed.has("task") && !changed.has("range");
    if (chosen) this.map.reveal(now.task);
  }

  // The visible part of the map has changed.
  moved() {
    this.marks.reposition();
    this.names.reposition();
    byId("nothing").hidden = this.map.any();
  }

  colourKey() {
    const { colour } = this.state.now;
    return this.insight.choices.some(({ key }) => key === colour) ? colour : "cluster";
  }

  async draw() {
    const {
      space,
      insight,
      state: { now },
    } = this;
    const view = this.once("view", [now.view, ...now.axes], () =>
      viewOf(space, now.view, now.axes),
    );
    const quantity = insight.quantity(this.colourKey());
    const colours = this.once("colours", [quantity.values, isDark()], () => colouring(quantity));
    this.once("legend", [colours, now.filters], () =>
      showLegend(byId("legend"), this, quantity, colours),
    );
    await this.map.draw({
      ...view,
      range: now.range,
      colouring: colours,
      shown: insight.shown,
      pale: this.once("pale", [isDark()], () => rgb(pageColour("line"))),
    });
    const names = this.once("names", [view, quantity.values, insight.shown], () =>
      namesOf(quantity, view, insight.shown),
    );
    this.names.show(names);
    this.marks.show(this.marked(view), this.outlines());
  }

  // The previous value if the parts are the same: the map redraws only what is a new object.
  once(name, parts, make) {
    this.made ??= new Map();
    const before = this.made.get(name);
    if (before && parts.every((part, index) => part === before.parts[index])) return before.value;
    const value = make();
    this.made.set(name, { parts, value });
    return value;
  }

  marked(view) {
    const {
      space,
      state: { now },
    } = this;
    const at = (kind) => (task) => [kind, view.x[task], view.y[task]];
    const found = now.answers.map(({ task, result }) =>
      at(result >= 0.5 ? "solved" : "failed")(task),
    );
    if (now.tab === "test") found.push(...(this.shortTest?.marked ?? []).map(at("near")));
    if (now.task !== null) {
      const near = () => neighbours(space, now.task);
      if (now.tab === "task") found.push(...this.once("near", [now.task], near).map(at("near")));
      found.push(at("chosen")(now.task));
    }
    const star = this.form?.star(view, now);
    if (star) found.push(["made", ...star]);
    return found;
  }

  // The lassos that were drawn in the current view.
  outlines() {
    const { lassos, view, axes } = this.state.now;
    const isHere = (lasso) => lasso.view === view && lasso.axes.join() === axes.join();
    return lassos.filter(isHere).map(({ points }) => points);
  }

  // -- user actions ------------------------------------------------------------------------------

  click(task) {
    this.hover.hide(); // the panel shows the same and more
    const quizzing = this.state.now.tab === "quiz";
    this.state.change(quizzing ? { task } : { task, tab: "task" });
  }

  lasso(points) {
    const { view, axes, lassos } = this.state.now;
    const drawn = [...lassos, { view, axes, points }];
    if (points.length > 2) this.state.change({ lassos: drawn, tab: "select" });
    else this.draw(); // without the traced line
  }

  setMode(mode) {
    this.dragging = byId("map").dataset.mode = mode;
    this.map.gestures.drop();
    this.update(this.state.now, new Set(["mode"]));
  }

  key(event) {
    const { now } = this.state;
    if (event.key === "Escape") {
      this.map.leave();
      if (this.dragging === "lasso") this.setMode("pan");
      else if (!/INPUT|SELECT|TEXT/.test(event.target.tagName)) this.state.change({ task: null });
    }
    if (event.target !== byId("map")) return;
    if (event.key === "+" || event.key === "=") this.map.zoom(1);
    if (event.key === "-") this.map.zoom(-1);
    if (event.key === "0") this.map.show(null);
    if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      const next = now.task === null ? 0 : this.map.beside(now.task, event.key);
      if (next !== null) this.click(next);
    }
  }

  async share() {
    this.state.write();
    const copying = navigator.clipboard?.writeText(window.location.href);
    const copied = await copying?.then(
      () => true,
      () => false,
    );
    const needed = isExported() ? " It works for people who have this file." : "";
    this.say(
      copied
        ? `Link copied.${needed}`
        : `The link could not be copied. Copy the address of this page instead.${needed}`,
    );
  }

  // A message that disappears by itself.
  say(text) {
    const toast = byId("toast");
    toast.textContent = text;
    toast.classList.add("up");
    clearTimeout(this.saying);
    this.saying = setTimeout(() => toast.classList.remove("up"), 2500 + 30 * text.length);
  }
}

function countsOf({ count, total, agents, dimensions }) {
  const some = (number, what) => `${figure(number)} ${what}${number === 1 ? "" : "s"}`;
  const part = count < total ? `${figure(count)} of ` : "";
  const all = [some(total, "task"), some(agents.length, "agent"), some(dimensions, "dimension")];
  return part + all.join(" · ");
}

function showVerdict(element, { verdict }) {
  element.hidden = !verdict;
  element.textContent = verdict?.text ?? "";
  element.classList.toggle("fault", Boolean(verdict?.weak));
}

async function begin() {
  const status = byId("status");
  try {
    const app = new App(await load());
    window.explorer = app; // for the console and for tests
    byId("page").hidden = false;
    await app.start();
    status.hidden = true;
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    byId("page").hidden = true;
    status.classList.add("fault");
    const known = error instanceof Fault;
    status.textContent = known
      ? error.message
      : "An error occurred on this page. The browser's console shows details.";
    if (!known) throw error;
  }
}

begin();
