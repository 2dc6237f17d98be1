// Colour-blind-safe colours, the same as in the library's plots.

import { GREY, extent } from "../quantities.js";
import { isDark } from "../theme.js";

const NAMED = [
  "#0072B2",
  "#E69F00",
  "#009E73",
  "#CC79A7",
  "#56B4E9",
  "#D55E00",
  "#6b6b6b",
  "#b0a000",
  "#882255",
];
const NAMED_DARK = [
  // lighter, for a dark background
  "#3d9be0",
  "#F0B429",
  "#1FBF92",
  "#DE97C0",
  "#8ACBF2",
  "#F0803C",
  "#a3a3a3",
  "#d2c52b",
  "#c8628f",
];
// Of nine colours, six differ for all readers; every six names have another shape. points.js uses the
// same order. A cross is also for values that are missing.
const SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x"];
const SAME_SHAPE = 6; // names
export const UNKNOWN = "x"; // the shape of a task without a value
const NUMBERS = ["#1b3a63", "#3c6e8f", "#5fa08c", "#a9c46c", "#f6e05e"]; // from low to high
const NUMBERS_DARK = ["#33588a", "#4b86a8", "#69b09a", "#b3d077", "#f9e76e"];
const STEPS = 256; // of a scale
const GREYED = 0.75; // how much grey is mixed into muted colours
const OPAQUE = 217; // of 255, so that overlapping points are visible
const ENDS = ["#D55E00", "#EBA067", "#7FB4D6", "#0072B2"]; // orange fails, blue succeeds

// The colour (four bytes) and the shape of every task by a quantity, and the data of the legend.
export function colouring(quantity) {
  if (quantity.kind === "names") return named(quantity);
  const dark = isDark();
  const [low, high] = boundsOf(quantity);
  const sequential = quantity.kind === "number" || quantity.kind === "probability";
  const colours = sequential ? (dark ? NUMBERS_DARK : NUMBERS) : diverging(dark);
  const steps = scaleOf(colours.map(rgb));
  const stepOf = (value) => Math.round(((value - low) / (high - low)) * (STEPS - 1));
  const unknown = rgb(colourOfName(GREY));
  const { values } = quantity;
  const painted = paint(values, (value) => (Number.isNaN(value) ? unknown : steps[stepOf(value)]));
  const cross = SHAPES.indexOf(UNKNOWN);
  const shapes = Uint8Array.from(values, (value) => (Number.isNaN(value) ? cross : 0));
  return { values, low, high, colours, painted, shapes };
}

function named({ values, names, palette, muted }) {
  const looks = palette || [...names.keys()];
  const colours = looks.map((index) => rgb(colourOfName(index, muted)));
  const shapes = Uint8Array.from(values, (value) => shapeIndex(looks[value]));
  return { values, painted: paint(values, (value) => colours[value]), shapes };
}

function paint(values, colourOf) {
  const painted = new Uint8Array(4 * values.length);
  for (let task = 0, at = 0; task < values.length; task++) {
    const colour = colourOf(values[task]);
    painted[at++] = colour[0];
    painted[at++] = colour[1];
    painted[at++] = colour[2];
    painted[at++] = OPAQUE;
  }
  return painted;
}

// Steps from the first colour to the last.
function scaleOf(colours) {
  return Array.from({ length: STEPS }, (_, step) => {
    const at = (step / (STEPS - 1)) * (colours.length - 1);
    const low = Math.min(Math.floor(at), colours.length - 2);
    return colours[low].map((part, axis) =>
      Math.round(part + (at - low) * (colours[low + 1][axis] - part)),
    );
  });
}

// "#0072B2" as [0, 114, 178].
export function rgb(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

// Muted colours are nearly grey.
export function colourOfName(index, muted = false) {
  const colours = isDark() ? NAMED_DARK : NAMED;
  const own = colours[index % NAMED.length];
  return muted ? mixed(own, isDark() ? "#6d727b" : "#b8bcc4") : own;
}

function mixed(own, grey) {
  const parts = rgb(own).map((part, axis) => GREYED * rgb(grey)[axis] + (1 - GREYED) * part);
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

export function shapeOfName(index) {
  return SHAPES[shapeIndex(index)];
}

function shapeIndex(index) {
  return Math.floor(index / SAME_SHAPE) % SHAPES.length;
}

function diverging(dark) {
  return [ENDS[0], ENDS[1], dark ? "#8a8f98" : "#d4d7dc", ENDS[2], ENDS[3]];
}

function boundsOf({ kind, values }) {
  if (kind === "rate") return [0, 1];
  if (kind === "difference" || kind === "correlation") return [-1, 1];
  const [low, high] = extent(values);
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}
