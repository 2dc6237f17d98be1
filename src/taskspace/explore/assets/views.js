// Flat views of the map, and where in them a new vector lies.

import { nearest } from "./similar.js";

// The names of the views: those of the data, and the map's own axes where there are several.
export function viewNames(space) {
  return [...space.views.keys(), ...(space.dimensions > 1 ? ["axes"] : [])];
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
    ...space.views.get(name),
    titles: line ? ["the only axis; the height has no meaning", null] : null,
    equal: !line,
  };
}

// Where in a view a new vector lies. In t-SNE it lies between the nearest tasks.
export function positionInView(space, view, name, [across, up], vector) {
  if (name === "axes") return [vector[across], vector[up]];
  if (space.dimensions === 1) return [vector[0], 0];
  if (name === "PCA")
    return space.network.axes.directions.map((axis) =>
      along(axis, space.network.axes.mean, vector),
    );
  const near = nearest(space, vector);
  return [view.x, view.y].map((values) =>
    near.reduce((sum, { task, share }) => sum + share * values[task], 0),
  );
}

function along(axis, mean, vector) {
  return axis.reduce((sum, weight, index) => sum + weight * (vector[index] - mean[index]), 0);
}
