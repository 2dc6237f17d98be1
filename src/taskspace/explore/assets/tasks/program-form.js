// The panel of a new task that is a program: it runs in the worlds of a known task. To embed the
// task takes the encoder, which is large: the server is asked.

import { isExported, valuesOf } from "../data.js";
import { button, el } from "../dom.js";
import { drawWorlds, programOf } from "./drawing-karel.js";
import { faultLine, newTaskFacts } from "./new-task.js";

const PAUSE = 300; // milliseconds without a key, after which a program is run
const LONGEST = 1000; // letters that the server reads
const ALONE = "A new task of Karel needs the server: look at this map with taskspace explore.";
const SILENT = "The server does not answer. Is taskspace explore still running?";
const WORDS = [
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
    this.found = null; // what the server said: {made, answer} or {made, fault}
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
      this.still(); // what was typed before that does not count any more
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
    this.from = button("Start from the chosen task", () => this.start(state.now.task), {
      id: "start-from",
    });
    return [
      el("p", { text: "Write a program. The star shows where its task lies on the map." }),
      el(
        "div",
        { class: "row" },
        this.from,
        button("Remove", () => this.remove(), { class: "plain", id: "unmake" }),
      ),
      this.box,
      el("details", {}, el("summary", { text: "Words of the language" }), words()),
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
    if (made !== this.app.state.now.made) return; // another one is asked for by now
    this.found = { made, ...said };
    this.app.update(this.app.state.now, new Set(["made"]));
  }

  update(now) {
    if (isExported()) return;
    this.from.disabled = now.task === null;
    if (now.made === null) {
      if (now.tab === "new") this.start(now.task ?? 0); // there is always something to change
      return;
    }
    this.worldsOf.replaceChildren(...this.whoseWorlds(now));
    if (this.typing === null && this.box.value !== now.made.program) {
      this.box.value = now.made.program;
    }
    if (this.found?.made === now.made) this.result.replaceChildren(...this.describe(this.found));
  }

  whoseWorlds({ made: { like }, task }) {
    const { names } = this.app.space;
    const text = `It runs in the worlds of ${names[like]}. `;
    if (task === null || task === like) return [text];
    const given = { class: "link", id: "take-worlds" };
    const take = () => this.set(this.box.value, task);
    return [text, button(`Take those of ${names[task]}`, take, given)];
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
      ...newTaskFacts(this.app, answer.vector),
    ];
  }

  // Where the star is in a view, or null; until the server has answered it stays where it was.
  star(view, { made, view: name, axes }) {
    const answer = made && this.found?.answer;
    if (!answer) return null;
    return name === "axes" ? axes.map((axis) => answer.vector[axis]) : answer.places[name];
  }
}

function words() {
  return el(
    "dl",
    { class: "words" },
    ...WORDS.flatMap(([name, text]) => [el("dt", { text: name }), el("dd", { text })]),
  );
}

function plain(program) {
  return program.trim().replace(/\s+/g, " ");
}

async function answerTo({ program, like }, space) {
  try {
    const given = await fetch("api/karel", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ program, like: space.names[like] }),
    });
    const said = await given.json();
    return given.ok ? { answer: said } : { fault: sentence(said.error) };
  } catch {
    return { fault: SILENT };
  }
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}
