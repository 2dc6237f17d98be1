// The panel of near-copies: tasks that measure the same thing twice, in groups.

import { button, el, figure, percent } from "../dom.js";
import { REDUNDANT, groupName } from "../quantities.js";

const SHOWN = 100; // groups or pairs
const WHAT =
  "Near-copies are tasks that measure the same thing twice: agents' results on them differ at" +
  " most half as often as on two tasks that share only general ability and a few skills.";
const FACTS =
  "Agreement: the fraction of agents with the same result on both tasks. Excess: 0 if the" +
  " agreement is as skills explain it, 1 if it is complete. Bits: mutual information of results.";

export class RedundantPanel {
  constructor(app) {
    this.app = app;
    this.keys = ["filters", "task"];
    const { reason, summary } = app.space.answers.redundant;
    this.list = el("div");
    this.element = el(
      "div",
      {},
      el("h2", { text: "Redundant tasks" }),
      el("p", { text: WHAT }),
      el("p", { text: reason ?? summary, id: "redundant-summary" }),
      ...(reason ? [commandLine("taskspace redundant DIR")] : [this.list]),
    );
  }

  update(now) {
    const { redundant } = this.app.space.answers;
    if (redundant.reason) return;
    const focused = this.list.contains(document.activeElement) && document.activeElement.id;
    // Without groups, the pairs are candidates that may be noise.
    this.list.replaceChildren(...(redundant.groups.length ? this.groups(now) : []));
    if (focused) this.list.querySelector(`#${focused}`)?.focus();
  }

  groups(now) {
    const { groups } = this.app.space.answers.redundant;
    const shown = groups.slice(0, SHOWN).map((tasks, index) => this.group(now, tasks, index));
    return [
      el("h3", { text: "Groups" }),
      el("p", { class: "quiet", text: "Click a group to show only its tasks on the map." }),
      el("ol", { class: "found-groups" }, ...shown),
      ...more(groups.length),
      ...this.pairs(),
    ];
  }

  group(now, tasks, index) {
    const { space } = this.app;
    const on = chosenGroup(now) === groupName(index);
    const [keep, ...others] = tasks.map((task) => space.names[task]);
    const choose = button(`Keep ${keep}`, () => this.choose(on ? null : index), {
      id: `group-${index + 1}`,
      class: "group",
      "aria-pressed": String(on),
      title: on ? "Show all tasks" : "Show only these tasks",
    });
    choose.append(el("span", { class: "others", text: `could be left out: ${others.join(", ")}` }));
    return el("li", {}, choose);
  }

  // Filter the map by a group, or show all tasks.
  choose(index) {
    const { state } = this.app;
    const rest = state.now.filters.filter(({ what }) => what !== REDUNDANT);
    const filter = index === null ? [] : [{ what: REDUNDANT, among: [groupName(index)] }];
    state.change({ filters: [...rest, ...filter] });
  }

  pairs() {
    const { pairs } = this.app.space.answers.redundant;
    const rows = pairs.slice(0, SHOWN).map((pair) => this.pair(pair));
    return [
      el("h3", { text: "Pairs" }),
      el("p", { class: "quiet", text: FACTS }),
      el("ul", { class: "pairs" }, ...rows),
      ...more(pairs.length),
    ];
  }

  pair({ first, second, agreement, expected, excess, low, high, bits, agents, confirmed }) {
    const { space, go } = this.app;
    const link = (task) => button(space.names[task], () => go(task), { class: "link" });
    const sure = confirmed ? "" : ", unsure";
    const title =
      `${percent(agreement)} of ${figure(agents)} agents agree, ${percent(expected)} expected;` +
      ` excess ${figure(excess)} (${figure(low)} to ${figure(high)})`;
    const facts = `${percent(agreement)} agreement, ${bits.toFixed(2)} bits${sure}`;
    return el(
      "li",
      { title },
      link(first),
      " and ",
      link(second),
      el("span", { class: "quiet", text: facts }),
    );
  }
}

export function commandLine(text) {
  return el("pre", { class: "command" }, el("code", { text }));
}

function chosenGroup({ filters }) {
  const filter = filters.find(({ what }) => what === REDUNDANT);
  return filter?.among?.length === 1 ? filter.among[0] : null;
}

function more(count) {
  if (count <= SHOWN) return [];
  const text = `The first ${SHOWN} of ${figure(count)}; taskspace redundant lists all.`;
  return [el("p", { class: "quiet", text })];
}
