// A grid behind the points and numbers in front, for views whose axes have a meaning.

import { svg } from "../dom.js";

const APART = 90; // minimum distance of lines in pixels

// {lines, figures} for the visible range; a title is null if its axis has no meaning.
export function axes(camera, titles) {
  if (!titles) return { lines: [], figures: [] };
  const {
    width,
    height,
    range: [left, right, bottom, top],
  } = camera;
  const [across, up] = titles;
  const [lines, figures] = [[], []];
  for (const value of across === null ? [] : ticks(left, right, width / APART)) {
    const [x] = camera.pixels(value, 0);
    lines.push(line(`M${x} 0V${height}`, value));
    figures.push(label(x, height - 6, figured(value, left, right), "middle"));
  }
  for (const value of up === null ? [] : ticks(bottom, top, height / APART)) {
    const [, y] = camera.pixels(0, value);
    lines.push(line(`M0 ${y}H${width}`, value));
    figures.push(label(6, y - 4, figured(value, bottom, top), "start"));
  }
  if (across !== null) figures.push(label(width / 2, height - 22, across, "middle", "title"));
  if (up !== null) {
    const turned = label(0, 0, up, "middle", "title");
    turned.setAttribute("transform", `translate(44 ${height / 2}) rotate(-90)`);
    figures.push(turned);
  }
  return { lines, figures };
}

function line(d, value) {
  return svg("path", { d, class: value === 0 ? "zero" : null });
}

function label(x, y, text, anchor, kind = "figure") {
  return svg("text", { x, y, text, class: kind, "text-anchor": anchor });
}

// About `count` round values in a range, spaced by 1, 2 or 5 times a power of ten.
export function ticks(low, high, count) {
  const step = stepOf(low, high, count);
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step || 0);
}

function stepOf(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((times) => times * power >= rough) || 10);
}

function figured(value, low, high) {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(high - low)));
  return Number(value.toFixed(Math.min(digits, 12)))
    .toString()
    .replace("-", "−");
}
