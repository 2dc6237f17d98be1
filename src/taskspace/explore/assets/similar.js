// Similar tasks: similarity is the inner product of vectors, difficulty their length.

const ROUNDING = 1e-9;

export function length(vector) {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

// The numbers of the most similar tasks, best first. `side` is "harder", "easier" or null.
export function similar(space, vector, count, side = null, except = -1) {
  const { vectors, difficulty, dimensions } = space;
  const given = length(vector);
  const scores = new Float32Array(space.count);
  for (let task = 0; task < space.count; task++) {
    const longer = difficulty[task] > given * (1 + ROUNDING);
    const shorter = difficulty[task] < given * (1 - ROUNDING);
    const fits = side === "harder" ? longer : side === "easier" ? shorter : true;
    scores[task] =
      fits && task !== except ? product(vectors, vector, task * dimensions) : -Infinity;
  }
  return largest(scores, count).map((task) => ({ task, score: scores[task] }));
}

function product(vectors, vector, start) {
  let sum = 0;
  for (let axis = 0; axis < vector.length; axis++) sum += vectors[start + axis] * vector[axis];
  return sum;
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

// The nearest tasks by distance, with weights inverse to it, to interpolate a new task.
export function nearest(space, vector, count = 3) {
  const distances = new Float32Array(space.count);
  for (let task = 0; task < space.count; task++) {
    let sum = 0;
    for (let axis = 0; axis < vector.length; axis++) {
      sum += (space.vectors[task * space.dimensions + axis] - vector[axis]) ** 2;
    }
    distances[task] = -Math.sqrt(sum);
  }
  const tasks = largest(distances, count);
  const raw = tasks.map((task) => 1 / Math.max(-distances[task], 1e-12));
  const total = raw.reduce((a, b) => a + b, 0);
  return tasks.map((task, index) => ({ task, weight: raw[index] / total }));
}
