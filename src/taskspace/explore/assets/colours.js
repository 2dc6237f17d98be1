// Colours, safe for the colour-blind, the same as those of the library's plots.

import { extent } from "./quantities.js";
import { isDark } from "./theme.js";

const NAMED = [
  "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#6b6b6b", "#b0a000", "#882255",
];
const NAMED_DARK = [ // lighter, for a dark ground
  "#3d9be0", "#F0B429", "#1FBF92", "#DE97C0", "#8ACBF2", "#F0803C", "#a3a3a3", "#d2c52b", "#c8628f",
];
export const GREY = 6; // its place among the names
// Clusters beyond the ninth repeat colours in another shape.
const SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x"];
const NUMBERS = [
  "#1b3a63", "#3c6e8f", "#5fa08c", "#a9c46c", "#f6e05e",
]; // dark to light: low to high
const NUMBERS_DARK = ["#33588a", "#4b86a8", "#69b09a", "#b3d077", "#f9e76e"];
const ENDS = ["#D55E00", "#EBA067", "#7FB4D6", "#0072B2"]; // orange fails, blue succeeds

// What plotly needs to colour points by a quantity, and the legend to tell about it.
export function colouring(quantity) {
  if (quantity.kind === "names") return named(quantity);
  const dark = isDark();
  const [low, high] = boundsOf(quantity);
  const colours = quantity.kind === "number" ? (dark ? NUMBERS_DARK : NUMBERS) : diverging(dark);
  return {
    low, high, colours, symbols: "circle", ...withUnknown(quantity.values, low, high, colours),
  };
}

// {values, least, scale}: what is not known (NaN) lies below all else, and is grey.
function withUnknown(values, low, high, colours) {
  const least = low - (high - low) / 20;
  const start = 0.05 / 1.05;
  const steps = colours.map((colour, at) =>
    [start + ((1 - start) * at) / (colours.length - 1), colour]);
  const unknown = colourOfName(GREY);
  const scale = [[0, unknown], [start, unknown], ...steps];
  return { values: values.map((value) => (Number.isNaN(value) ? least : value)), least, scale };
}

export function colourOfName(place) {
  return (isDark() ? NAMED_DARK : NAMED)[place % NAMED.length];
}

export function shapeOfName(place) {
  return SHAPES[Math.floor(place / NAMED.length) % SHAPES.length];
}

function diverging(dark) {
  return [ENDS[0], ENDS[1], dark ? "#8a8f98" : "#d4d7dc", ENDS[2], ENDS[3]];
}

function boundsOf({ kind, values }) {
  if (kind === "chance") return [0, 1];
  if (kind === "difference") return [-1, 1];
  const [low, high] = extent(values);
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

// Names become steps of a scale: plotly colours numbers far faster than it reads colours.
function named({ values, names, palette }) {
  const count = Math.max(names.length, 1);
  const colours = names.map((_, place) => colourOfName(palette ? palette[place] : place));
  const scale = colours.flatMap((colour, at) => [[at / count, colour], [(at + 1) / count, colour]]);
  const symbols = count > NAMED.length ? Array.from(values, shapeOfName) : "circle";
  return { values, least: -0.5, high: count - 0.5, scale, symbols };
}
