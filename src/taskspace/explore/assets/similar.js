// Similar tasks. A task is compared by what is known of it: {index, vector, difficulty, profile}.
// The index of a new task is -1; the profile is null without a success model.

import { profileOf, vectorOf } from "./data.js";
import { profileSimilarities, tableSimilarities } from "./information.js";
import { returnSimilarities } from "./return-similarity.js";

const ROUNDING = 1e-9;

// A task of the map, as the functions below take it.
export function knownTask(space, index) {
  const [vector, profile] = [vectorOf(space, index), profileOf(space, index)];
  return { index, vector, difficulty: space.difficulty[index], profile };
}

// The similarity of a task to all tasks by the measure of the map; null for a new task without a
// success model, which can be compared only by its vector.
export function similarities(space, { index, profile }) {
  if (space.returns) return index >= 0 ? returnSimilarities(space, index) : null;
  if (profile) return profileSimilarities(profile, space.profiles, space.measure);
  return index >= 0 ? tableSimilarities(space, index) : null;
}

// The inner products of a vector with those of all tasks.
export function products({ vectors, dimensions, count }, vector) {
  const found = new Float64Array(count);
  for (let task = 0, at = 0; task < count; task++) {
    for (let axis = 0; axis < dimensions; axis++, at++) found[task] += vectors[at] * vector[axis];
  }
  return found;
}

// The numbers of the most similar tasks, best first. `side` is "harder", "easier" or null.
export function ranked(space, { index, difficulty }, similarity, count, side = null) {
  const scores = similarity.map((value, task) => {
    const harder = space.difficulty[task] > difficulty * (1 + ROUNDING);
    const easier = space.difficulty[task] < difficulty * (1 - ROUNDING);
    const fits = side === "harder" ? harder : side === "easier" ? easier : true;
    return fits && task !== index && !Number.isNaN(value) ? value : -Infinity;
  });
  return largest(scores, count);
}

// The indices of the largest scores; ties are in order of index.
function largest(scores, count) {
  const best = [];
  for (let index = 0; index < scores.length; index++) {
    const score = scores[index];
    if (score === -Infinity) continue;
    if (best.length === count && score <= scores[best[count - 1]]) continue;
    let at = best.length;
    while (at > 0 && score > scores[best[at - 1]]) at--;
    best.splice(at, 0, index);
    if (best.length > count) best.pop();
  }
  return best;
}

// The tasks with the nearest points, with weights inverse to the distance, to interpolate a task.
export function nearest({ points, count }, point, number = 3) {
  const distances = new Float64Array(count);
  for (let task = 0, at = 0; task < count; task++) {
    let sum = 0;
    for (let axis = 0; axis < point.length; axis++, at++) sum += (points[at] - point[axis]) ** 2;
    distances[task] = -Math.sqrt(sum);
  }
  const tasks = largest(distances, number);
  const raw = tasks.map((task) => 1 / Math.max(-distances[task], 1e-12));
  const total = raw.reduce((a, b) => a + b, 0);
  return tasks.map((task, index) => ({ task, weight: raw[index] / total }));
}

export function squaredLength(vector) {
  return vector.reduce((sum, value) => sum + value * value, 0);
}

// What projections show of a vector: its direction on an information map.
export function pointOf({ informative }, vector) {
  const length = Math.sqrt(squaredLength(vector));
  return informative && length > 0 ? vector.map((value) => value / length) : vector;
}
