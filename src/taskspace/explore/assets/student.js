// The page of a quiz that a student takes alone. It knows only the question that is asked.

import { button, el, percent } from "./dom.js";
import { interval } from "./panels/interval.js";
import { post } from "./server.js";
import { drawing } from "./tasks/drawing.js";

const place = document.getElementById("quiz");
const answers = []; // {task, answer}

async function step() {
  const { answer, fault } = await post("step", { answers });
  if (fault) {
    show(el("p", { class: "fault", text: fault }), button("Try again", step));
    return;
  }
  const { title, questions, graded, question, result } = answer;
  document.title = document.getElementById("title").textContent = `Quiz: ${title}`;
  if (result) show(...resultOf(result, questions));
  else show(...questionOf(question, questions, graded));
}

function show(...parts) {
  place.replaceChildren(...parts);
  place.querySelector("input, h2")?.focus();
}

function give(task, given) {
  answers.push({ task, answer: given });
  place.querySelectorAll("button, input").forEach((each) => (each.disabled = true));
  step();
}

function questionOf({ task, text, drawing: kind, values, row }, questions, graded) {
  const bytes = row && Uint8Array.from(row);
  const drawn = kind && drawing({ drawing: kind }, { values, row: bytes });
  const picture =
    drawn && el("figure", {}, drawn.picture, el("figcaption", { text: drawn.caption }));
  const progress = el("progress", {
    max: questions,
    value: answers.length,
    "aria-label": "Questions answered",
  });
  return [
    el("p", { class: "quiet", text: `Question ${answers.length + 1} of ${questions}` }),
    progress,
    el("h2", { text: task, tabindex: -1 }),
    ...(text ? [el("p", { class: "text", text })] : []),
    ...(picture ? [picture] : []),
    graded ? field(task) : choice(task),
  ];
}

// A field for the answer; Enter sends it.
function field(task) {
  const box = el("input", { type: "text", "aria-label": "Your answer", maxlength: 1000 });
  const send = (event) => {
    event.preventDefault();
    give(task, box.value);
  };
  const submit = el("button", { type: "submit", class: "answer", text: "Answer" });
  return el("form", { class: "row", autocomplete: "off", onsubmit: send }, box, submit);
}

function choice(task) {
  const one = (text, solved, kind) =>
    button(text, () => give(task, solved), {
      class: `answer ${kind}`,
      "data-solved": String(solved),
    });
  return el(
    "div",
    { class: "choice", role: "group", "aria-label": "Can you solve it?" },
    one("✓ I can solve it", true, "yes"),
    one("✗ I cannot", false, "no"),
  );
}

function resultOf({ level, score, warning, by, groups, answers: checked }, questions) {
  const right = checked.filter((each) => each.right).length;
  return [
    el("h2", { text: "Your result", tabindex: -1 }),
    el("p", { text: `You solved ${right} of ${questions} tasks.` }),
    el(
      "p",
      { id: "student-score" },
      `Of all ${score.tasks} tasks you are expected to solve `,
      el("strong", { text: percent(score.score) }),
      `; the ${percent(level)} interval is below.`,
    ),
    interval(score),
    ...(warning ? [el("p", { text: `Note: ${warning}.` })] : []),
    ...(groups.length ? [groupTable(by, groups)] : []),
    el("h3", { text: "Your answers" }),
    el(
      "ol",
      { class: "checked" },
      ...checked.map(({ task, right: is }) =>
        el(
          "li",
          {},
          el("span", { class: is ? "result yes" : "result no", text: is ? "✓ " : "✗ " }),
          task,
          el("span", { class: "quiet", text: is ? " solved" : " not solved" }),
        ),
      ),
    ),
  ];
}

function groupTable(by, groups) {
  const heads = [by, "expected", "interval"].map((text) => el("th", { scope: "col", text }));
  const rows = groups.map((group) =>
    el(
      "tr",
      {},
      el("th", { scope: "row", text: group.name }),
      el("td", { text: percent(group.score) }),
      el("td", {}, interval(group)),
    ),
  );
  return el(
    "table",
    { class: "agents" },
    el("thead", {}, el("tr", {}, ...heads)),
    el("tbody", {}, ...rows),
  );
}

step();
