// Views of the map (a projection or two axes), and the position of a new task in them.

import { nearest, pointOf } from "./similar.js";

// The names of the views: the projections, and the map's axes if there are several.
export function viewNames(space) {
  return [...space.projections.keys(), ...(space.dimensions > 1 ? ["axes"] : [])];
}

// The coordinates of a view: {x, y, titles, equal}.
export function viewOf(space, name, [across, up]) {
  if (name === "axes") {
    const axis = (number) =>
      Float32Array.from(
        { length: space.count },
        (_, task) => space.vectors[task * space.dimensions + number],
      );
    return {
      x: axis(across),
      y: axis(up),
      titles: [`axis ${across + 1}`, `axis ${up + 1}`],
      equal: true,
    };
  }
  const line = space.dimensions === 1;
  return {
    ...space.projections.get(name),
    titles: line ? lineTitles(space) : null,
    equal: !line,
  };
}

function lineTitles({ informative }) {
  return informative
    ? ["the only axis", "difficulty"]
    : ["the only axis (the height has no meaning)", null];
}

// The position of a new task in a view. In t-SNE it is interpolated from the nearest tasks.
export function positionInView(space, view, name, [across, up], { vector, difficulty }) {
  if (name === "axes") return [vector[across], vector[up]];
  if (space.dimensions === 1) return [vector[0], space.informative ? difficulty : 0];
  const point = pointOf(space, vector);
  const { directions, mean } = space.axes;
  if (name === "PCA") return directions.map((axis) => along(axis, mean, point));
  const near = nearest(space, point);
  return [view.x, view.y].map((values) =>
    near.reduce((sum, { task, weight }) => sum + weight * values[task], 0),
  );
}

function along(axis, mean, point) {
  return axis.reduce((sum, weight, index) => sum + weight * (point[index] - mean[index]), 0);
}
