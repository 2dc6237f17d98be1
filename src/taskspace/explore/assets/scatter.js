// A small scatter plot of two shares: points on the diagonal agree.

import { svg } from "./dom.js";
import { evenly } from "./posterior.js";

const SHOWN = 1500; // more would be one blot

export function scatter(across, up, tasks, acrossTold, upTold) {
  const points = evenly(tasks.length, SHOWN).map((place) => {
    const task = tasks[place];
    // A little to the side, or equal rates would hide each other.
    const aside = ((place * 0.618034) % 1) * 2 - 1;
    return svg("circle", { cx: 100 * across[task], cy: 100 - 100 * up[task] + aside, r: 0.9 });
  });
  const ticks = [0, 50, 100].flatMap((at) => [
    label(at, 106.5, `${at} %`),
    label(-3, 101.5 - at, `${at} %`, "end"),
  ]);
  return svg(
    "svg",
    {
      viewBox: "-24 -4 134 122",
      class: "scatter",
      role: "img",
      "aria-label": `${upTold} against ${acrossTold}`,
    },
    svg("path", { d: "M0 0V100H100", class: "axis" }),
    svg("path", { d: "M0 100L100 0", class: "diagonal" }),
    svg("g", { class: "points" }, ...points),
    ...ticks,
    label(50, 115, acrossTold),
    svg("text", {
      transform: "translate(-19 50) rotate(-90)", text: upTold, "text-anchor": "middle",
    }),
  );
}

function label(x, y, text, anchor = "middle") {
  return svg("text", { x, y, text, "text-anchor": anchor });
}
