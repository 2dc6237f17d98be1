// The panel of a new Karel task: a program that runs in the worlds of a task of the map. The
// server embeds it, because the encoder is too large for the page.

import { isExported, valuesOf } from "../data.js";
import { button, el } from "../dom.js";
import { post } from "../server.js";
import { drawWorlds, programOf } from "./drawing-karel.js";
import { faultLine, newTaskFacts } from "./new-task.js";

const PAUSE = 300; // milliseconds without typing, after which the program runs
const LONGEST = 1000; // characters that the server accepts
const ALONE = "New Karel tasks need the server: open this map with taskspace explore.";
const LANGUAGE = [
  ["Actions", "move, turnLeft, turnRight, pickMarker, putMarker"],
  ["Loops", "REPEAT R=3 { … }, WHILE (…) { … }"],
  ["Choices", "IF (…) { … }, IFELSE (…) { … } ELSE { … }"],
  ["Conditions", "frontIsClear, leftIsClear, rightIsClear, markersPresent, noMarkersPresent"],
  ["Negation", "(not frontIsClear)"],
];

export class ProgramPanel {
  static worksWith({ rows }) {
    return Boolean(rows);
  }

  constructor(app) {
    this.app = app;
    this.keys = ["made", "answers", "task"];
    this.found = null; // the server's response: {made, answer} or {made, fault}
    this.typing = null;
    const heading = el("h2", { text: "New task" });
    this.element = el(
      "div",
      {},
      heading,
      ...(isExported() ? [el("p", { text: ALONE })] : this.parts()),
    );
    if (isExported()) return;
    app.state.listeners.push((now, changed) => {
      if (!changed.has("made")) return;
      this.still(); // discard what was typed before
      this.ask(now.made);
    });
    this.ask(app.state.now.made);
  }

  parts() {
    const { state } = this.app;
    this.worldsOf = el("p");
    this.box = el("textarea", {
      id: "program",
      rows: 3,
      maxlength: LONGEST,
      spellcheck: "false",
      autocapitalize: "off",
      "aria-label": "Program",
      oninput: () => this.typed(),
    });
    this.result = el("div", { "aria-live": "polite" });
    this.from = button("Start from the current task", () => this.start(state.now.task), {
      id: "start-from",
    });
    return [
      el("p", { text: "Write a program. The star shows the position of its task on the map." }),
      el(
        "div",
        { class: "row" },
        this.from,
        button("Remove", () => this.remove(), { class: "plain", id: "unmake" }),
      ),
      this.box,
      el("details", {}, el("summary", { text: "Language reference" }), words()),
      this.worldsOf,
      this.result,
    ];
  }

  start(task) {
    this.set(programOf(valuesOf(this.app.space, task).row), task);
  }

  set(program, like) {
    this.still();
    this.app.state.change({ made: { program, like } });
  }

  remove() {
    this.still();
    this.app.state.change({ made: null, tab: "task" });
  }

  typed() {
    this.still();
    const { like } = this.app.state.now.made;
    this.typing = setTimeout(() => this.set(this.box.value, like), PAUSE);
  }

  still() {
    clearTimeout(this.typing);
    this.typing = null;
  }

  async ask(made) {
    if (made === null) {
      this.found = null;
      return;
    }
    this.result?.replaceChildren(el("p", { class: "quiet", text: "Running …" }));
    const said = await answerTo(made, this.app.space);
    if (made !== this.app.state.now.made) return; // a newer request was made
    this.found = { made, ...said };
    this.app.update(this.app.state.now, new Set(["made"]));
  }

  update(now) {
    if (isExported()) return;
    this.from.disabled = now.task === null;
    if (now.made === null) {
      if (now.tab === "new") this.start(now.task ?? 0); // the form is never empty
      return;
    }
    this.worldsOf.replaceChildren(...this.worldsLine(now));
    if (this.typing === null && this.box.value !== now.made.program) {
      this.box.value = now.made.program;
    }
    if (this.found?.made === now.made) this.result.replaceChildren(...this.describe(this.found));
  }

  worldsLine({ made: { like }, task }) {
    const { names } = this.app.space;
    const text = `The program runs in the worlds of ${names[like]}. `;
    if (task === null || task === like) return [text];
    const given = { class: "link", id: "take-worlds" };
    const take = () => this.set(this.box.value, task);
    return [text, button(`Use the worlds of ${names[task]}`, take, given)];
  }

  describe({ made, answer, fault }) {
    const row = answer ? Uint8Array.from(answer.task) : valuesOf(this.app.space, made.like).row;
    const worlds = el("figure", {}, drawWorlds(row, Boolean(answer)));
    if (fault) return [faultLine(fault), worlds];
    const understood = el(
      "p",
      { class: "quiet", id: "understood" },
      "Read as ",
      el("code", {
        text: answer.program,
      }),
    );
    return [
      ...(plain(made.program) === answer.program ? [] : [understood]),
      worlds,
      ...newTaskFacts(this.app, { ...answer, index: -1 }),
    ];
  }

  // The position of the star in a view, or null; it stays until the server has responded.
  star(view, { made, view: name, axes }) {
    const answer = made && this.found?.answer;
    if (!answer) return null;
    return name === "axes" ? axes.map((axis) => answer.vector[axis]) : answer.positions[name];
  }
}

function words() {
  return el(
    "dl",
    { class: "words" },
    ...LANGUAGE.flatMap(([name, text]) => [el("dt", { text: name }), el("dd", { text })]),
  );
}

function plain(program) {
  return program.trim().replace(/\s+/g, " ");
}

function answerTo({ program, like }, space) {
  return post("api/karel", { program, like: space.names[like] });
}
