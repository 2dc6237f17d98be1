// A box to find a task by its name or a label.

import { el, figure } from "../dom.js";

const SHOWN = 8;

export function finder(space, go) {
  const list = el("ul", { role: "listbox", id: "found", hidden: true });
  const box = el("input", {
    type: "search",
    placeholder: "Find a task",
    "aria-label": "Find a task",
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": "found",
    autocomplete: "off",
    spellcheck: "false",
  });
  let at = -1;

  function look() {
    const words = box.value.trim().toLowerCase();
    const { found, more } = words ? matches(space, words) : { found: [], more: 0 };
    const note = (text) => el("li", { class: "quiet", text });
    list.replaceChildren(
      ...found.map(([task, why], index) => option(task, why, index)),
      ...(found.length ? [] : [note("No task found")]),
      ...(more ? [note(`and ${figure(more)} more`)] : []),
    );
    at = found.length ? 0 : -1;
    show(words !== "");
  }

  function option(task, why, index) {
    const take = (event) => {
      event.preventDefault(); // the box would lose the focus before the click
      choose(task);
    };
    return el(
      "li",
      { role: "option", id: `found-${index}`, "data-task": task, onpointerdown: take },
      el("span", { text: space.names[task] }),
      why && el("span", { class: "quiet", text: ` ${why}` }),
    );
  }

  function show(open) {
    list.hidden = !open;
    box.setAttribute("aria-expanded", String(open));
    box.setAttribute("aria-activedescendant", at >= 0 ? `found-${at}` : "");
    for (const [index, item] of [...list.children].entries())
      item.setAttribute("aria-selected", String(index === at));
  }

  function choose(task) {
    box.value = "";
    list.replaceChildren();
    show(false);
    go(task);
  }

  function key(event) {
    const items = [...list.querySelectorAll("[role=option]")];
    if (event.key === "Escape") {
      box.value = "";
      show(false);
    } else if (event.key === "Enter" && at >= 0 && items[at]) {
      choose(Number(items[at].dataset.task));
    } else if (at >= 0 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      at = (at + (event.key === "ArrowDown" ? 1 : -1) + items.length) % items.length;
      show(true);
    }
  }

  box.addEventListener("input", look);
  box.addEventListener("keydown", key);
  box.addEventListener("blur", () => show(false));
  return [box, list];
}

// First the exact name, then names that begin with the words, then names that contain them, then
// labels that contain them: [task, label]; and the number of `more` matches.
function matches(space, words) {
  const [same, begin, contain, labelled] = [[], [], [], []];
  const labelOf = labelWith(space, words);
  for (let task = 0; task < space.count; task++) {
    const name = space.names[task].toLowerCase();
    const index = name.indexOf(words);
    const label = index < 0 ? labelOf(task) : null;
    if (name === words) same.push([task, null]);
    else if (index === 0) begin.push([task, null]);
    else if (index > 0) contain.push([task, null]);
    else if (label) labelled.push([task, label]);
  }
  const all = [...same, ...begin, ...contain, ...labelled];
  return { found: all.slice(0, SHOWN), more: Math.max(all.length - SHOWN, 0) };
}

// A function from a task to its first label that contains the words, or null.
function labelWith({ labels }, words) {
  const fitting = [...labels].map(([name, { texts, codes }]) => {
    const fits = texts.map((text) => text.toLowerCase().includes(words));
    return (task) => fits[codes[task]] && `${name}: ${texts[codes[task]]}`;
  });
  return (task) => fitting.map((label) => label(task)).find(Boolean) || null;
}
