// A line from the lower to the upper bound on a track from 0 to 1, with a dot at the score.

import { el, percent } from "../dom.js";

export function interval({ score, low, high }) {
  const text = `${percent(low)} to ${percent(high)}`;
  const line = el("span", { class: "line" });
  line.style.left = `${100 * low}%`;
  line.style.width = `${100 * (high - low)}%`;
  const dot = el("span", { class: "point" });
  dot.style.left = `${100 * (score ?? 0)}%`;
  const track = el("span", { class: "interval", "aria-hidden": "true" }, line, dot);
  return el("span", { class: "bounds" }, track, el("span", { class: "quiet", text }));
}
