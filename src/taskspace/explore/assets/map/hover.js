// The card beside the pointer: a task's picture and values.

import { labelsOfTask, valuesOf } from "../data.js";
import { el, figure, short } from "../dom.js";
import { fact, measures } from "../facts.js";
import { shown, words } from "../results.js";
import { picture } from "../tasks/cards.js";

const MAX_VALUES = 8;
const AWAY = 18; // pixels from the point

export class HoverCard {
  constructor(card, ring, app) {
    Object.assign(this, { card, ring, app });
  }

  show(task, x, y) {
    const { space, insight } = this.app;
    const drawn = picture(space, valuesOf(space, task));
    // Short names, because the card is narrow.
    const rows = [
      ...measures(space, space.difficulty[task], space.information?.[task]),
      [words(space).short, shown(space, task, space.success[task])],
    ];
    if (insight.predicted) rows.push(["predicted", shown(space, task, insight.predicted[task])]);
    if (space.columns.size <= MAX_VALUES) {
      for (const [name, column] of space.columns) rows.push([name, figure(short(column[task]))]);
    }
    this.card.replaceChildren(
      el("strong", { text: space.names[task] }),
      el("span", { class: "quiet", text: space.clusterNames[space.clusters[task]] }),
      ...(drawn ? [drawn] : []),
      el("dl", { class: "values" }, ...rows.map(fact)),
      el("dl", { class: "texts" }, ...labelsOfTask(space, task).slice(0, MAX_VALUES).map(fact)),
    );
    this.card.dataset.task = task;
    this.card.hidden = this.ring.hidden = false;
    this.ring.style.transform = `translate(${x}px, ${y}px)`;
    this.beside(x, y);
  }

  // To the right of the point if there is room, else to the left.
  beside(x, y) {
    const { offsetWidth: wide, offsetHeight: high, offsetParent: around } = this.card;
    const left = x + AWAY + wide < around.clientWidth ? x + AWAY : Math.max(x - AWAY - wide, 4);
    const top = Math.min(Math.max(y - high / 3, 4), Math.max(around.clientHeight - high - 4, 4));
    this.card.style.transform = `translate(${left}px, ${top}px)`;
  }

  hide() {
    this.card.hidden = this.ring.hidden = true;
  }
}
