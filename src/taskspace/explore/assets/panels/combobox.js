// A box that finds one of many things by typing: a list opens below it, for mouse and keyboard.

import { el, figure } from "../dom.js";

export const SHOWN = 8; // items in the list

// `search(words)` gives {found: [[key, text, note]], more}; `choose(key)` takes one. The list of a box
// that is `open` also appears without words. Returns {element, box}.
export function combobox({ id, label, search, choose, open = false }) {
  const list = el("ul", { role: "listbox", id, "aria-label": label, hidden: true });
  const box = el("input", {
    type: "search",
    placeholder: label,
    "aria-label": label,
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": id,
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
  });
  let [at, keys] = [-1, []];

  function look() {
    const words = box.value.trim().toLowerCase();
    if (!words && !open) return hide();
    const { found, more } = search(words);
    keys = found.map(([key]) => key);
    list.replaceChildren(
      ...found.map(([, text, note], index) => option(text, note, index)),
      ...(found.length ? [] : [remark("Nothing found")]),
      ...(more ? [remark(`and ${figure(more)} more`)] : []),
    );
    at = found.length && words ? 0 : -1;
    return show(true);
  }

  function option(text, note, index) {
    const take = (event) => {
      event.preventDefault(); // the box would lose the focus before the click
      pick(index);
    };
    return el(
      "li",
      { role: "option", id: `${id}-${index}`, "data-key": keys[index], onpointerdown: take },
      el("span", { text }),
      note && el("span", { class: "quiet", text: ` ${note}` }),
    );
  }

  function remark(text) {
    return el("li", { class: "quiet", role: "option", "aria-disabled": "true", text });
  }

  function show(isOpen) {
    list.hidden = !isOpen;
    box.setAttribute("aria-expanded", String(isOpen));
    if (isOpen && at >= 0) box.setAttribute("aria-activedescendant", `${id}-${at}`);
    else box.removeAttribute("aria-activedescendant");
    for (const [index, item] of [...list.children].entries())
      item.setAttribute("aria-selected", String(index === at));
  }

  function hide() {
    at = -1;
    show(false);
  }

  function pick(index) {
    box.value = "";
    hide();
    choose(keys[index]);
  }

  function key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      box.value = "";
      hide();
    } else if (event.key === "Enter" && at >= 0 && !list.hidden) {
      event.preventDefault();
      pick(at);
    } else if (step && keys.length && !list.hidden) {
      event.preventDefault();
      at = at < 0 && step < 0 ? keys.length - 1 : (at + step + keys.length) % keys.length;
      show(true);
    } else if (step && list.hidden) look();
  }

  box.addEventListener("input", look);
  box.addEventListener("keydown", key);
  box.addEventListener("blur", hide);
  if (open) box.addEventListener("click", look);
  return { element: el("div", { class: "find" }, box, list), box };
}

// The items [key, text, note] that fit the words, in order: the same text, texts that begin with
// them, texts that contain them, and notes that contain them. `noteWith(key)` finds such a note.
export function ranked(items, words, noteWith = () => null) {
  const found = [[], [], [], []];
  for (const [key, text, note] of items) {
    const name = text.toLowerCase();
    const index = name.indexOf(words);
    const other = index < 0 ? noteWith(key) : note;
    if (name === words) found[0].push([key, text, note]);
    else if (index >= 0) found[index ? 2 : 1].push([key, text, note]);
    else if (other) found[3].push([key, text, other]);
  }
  const all = found.flat();
  return { found: all.slice(0, SHOWN), more: Math.max(all.length - SHOWN, 0) };
}
