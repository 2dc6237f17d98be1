// A box to find a task by its name.

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
    const { found, more } = words ? matches(space.names, words) : { found: [], more: 0 };
    const note = (text) => el("li", { class: "quiet", text });
    list.replaceChildren(
      ...found.map((task, index) => option(task, index)),
      ...(found.length ? [] : [note("No task found")]),
      ...(more ? [note(`and ${figure(more)} more`)] : []),
    );
    at = found.length ? 0 : -1;
    show(words !== "");
  }

  function option(task, index) {
    const take = (event) => {
      event.preventDefault(); // the box would lose the focus before the click
      choose(task);
    };
    return el("li", {
      role: "option",
      id: `found-${index}`,
      text: space.names[task],
      "data-task": task,
      onpointerdown: take,
    });
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

// First the exact name, then names that begin with the words, then names that contain them; and the
// number of `more` matches.
function matches(names, words) {
  const [same, begin, contain] = [[], [], []];
  for (let task = 0; task < names.length; task++) {
    const name = names[task].toLowerCase();
    const index = name.indexOf(words);
    if (name === words) same.push(task);
    else if (index === 0) begin.push(task);
    else if (index > 0) contain.push(task);
  }
  const all = [...same, ...begin, ...contain];
  return { found: all.slice(0, SHOWN), more: Math.max(all.length - SHOWN, 0) };
}
