// A box to find a task by its name or a label.

import { combobox, ranked } from "./combobox.js";

export function finder(space, go) {
  const items = space.names.map((name, task) => [task, name, null]);
  const search = (words) => ranked(items, words, labelWith(space, words));
  return combobox({ id: "found", label: "Find a task", search, choose: go }).element;
}

// A function from a task to its first label that contains the words, or null.
function labelWith({ labels }, words) {
  const fitting = [...labels].map(([name, { texts, codes }]) => {
    const fits = texts.map((text) => text.toLowerCase().includes(words));
    return (task) => fits[codes[task]] && `${name}: ${texts[codes[task]]}`;
  });
  return (task) => fitting.map((label) => label(task)).find(Boolean) || null;
}
