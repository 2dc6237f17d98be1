// One agent: its score, its strengths by label, and the agents that are like it.

import { button, el, figure, percent } from "../dom.js";
import { interval } from "./interval.js";

const MOST_ALIKE = 6; // agents that are listed
const BARS =
  "Bars: success rate on the tried tasks of each group. Ticks: what the score of the agent predicts" +
  " for these tasks. + and − mark differences beyond chance.";

// `panel` shows another agent with show(agent) and quizzes one with load(agent), if that is possible.
export function agentCard(app, who, panel) {
  const { space, state } = app;
  const { agents, groups } = space.answers.agents;
  const name = space.agents[who];
  const row = agents.find(({ agent }) => agent === name);
  const buttons = [
    panel.load && button("Quiz this agent", () => quiz(app, panel, who), { id: "quiz-agent" }),
    button("Compare", () => compare(app, who, row), { id: "compare-agent" }),
    button("Close", () => panel.show(null), { class: "plain" }),
  ].filter(Boolean);
  const tried = `tried ${figure(row.tried)} of ${figure(space.total)} tasks`;
  return [
    el("h3", { text: name, id: "agent-name" }),
    el(
      "p",
      { class: "agent-score" },
      el("strong", { text: row.score === null ? "–" : percent(row.score) }),
      interval(row),
      el("span", { class: "quiet", text: tried }),
    ),
    ...(groups ? strengths(space, groups, who) : []),
    ...alike(space, row, panel),
    el("div", { class: "row" }, ...buttons),
  ];
}

async function quiz({ state }, panel, who) {
  state.change({ tab: "quiz" });
  await panel.load(who);
}

// With the agent that is most like it, unless another one is chosen already.
function compare({ space, state }, who, row) {
  const like = space.agentNumbers.get(row.most_similar) ?? null;
  const other = state.now.compared.find((agent) => agent !== null && agent !== who);
  state.change({ compared: [who, other ?? like], tab: "compare", colour: "compared" });
}

function strengths(space, { names, scores, expected, tried, marked }, who) {
  const rows = names.map((name, group) => {
    const at = who * names.length + group;
    return { name, score: scores[at], wanted: expected[at], tried: tried[at], mark: marked[at] };
  });
  const known = rows.filter(({ tried: number }) => number > 0);
  known.sort((a, b) => b.score - b.wanted - (a.score - a.wanted));
  return [
    el("h4", { text: `Strengths by ${space.answers.agents.by}` }),
    el("ul", { class: "bars strengths" }, ...known.map(bar)),
    el("p", { class: "quiet", text: BARS }),
  ];
}

function bar({ name, score, wanted, tried, mark }) {
  const fill = el("span", { class: "fill" });
  fill.style.width = `${100 * score}%`;
  const tick = el("span", { class: "tick" });
  tick.style.left = `${100 * wanted}%`;
  const sign = mark > 0 ? "+ " : mark < 0 ? "− " : "";
  const title = `${tried} task${tried === 1 ? "" : "s"} tried; ${percent(wanted)} expected`;
  return el(
    "li",
    { "data-group": name, title },
    el("span", { class: "name", text: `${sign}${name}` }),
    el("span", { class: "track" }, fill, tick),
    el("span", { class: "value", text: percent(score) }),
  );
}

// Who is like whom: the most similar agent, and those to which this one is the most similar.
function alike(space, row, panel) {
  const link = (agent) =>
    button(agent, () => panel.show(space.agentNumbers.get(agent)), { class: "link" });
  const others = space.answers.agents.agents.filter((each) => each.most_similar === row.agent);
  others.sort((a, b) => b.correlation - a.correlation);
  const shown = others
    .slice(0, MOST_ALIKE)
    .flatMap(({ agent }, index) => [...(index ? [", "] : []), link(agent)]);
  const rest = others.length > MOST_ALIKE ? [` and ${others.length - MOST_ALIKE} more`] : [];
  const nobody = "No agent has similar results beyond what the scores predict.";
  return [
    el("h4", { text: "Who is like it" }),
    row.most_similar
      ? el(
          "p",
          {},
          "Most similar: ",
          link(row.most_similar),
          ` (correlation ${row.correlation.toFixed(2)}).`,
        )
      : el("p", { text: nobody }),
    ...(shown.length ? [el("p", {}, "Most similar for: ", ...shown, ...rest)] : []),
  ];
}
