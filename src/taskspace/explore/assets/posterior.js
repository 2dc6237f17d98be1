// Predictions from a quiz: candidate agents are weighted by the answers (Bayes).
// The same as taskspace.applications.posterior and question_value, with fewer candidates.

import { consequences, dependent } from "./dependence.js";

const LEAST = 0.25 / 255; // probabilities have steps of 1 / 255; none counts as impossible
const LIKELY = 1e-4; // candidates with a smaller weight relative to the best one are ignored
const ASKED = 400; // tasks that are considered as the next question
const WANTED = 200; // tasks that it should be informative about
const CERTAIN = 1e-9; // an answer of a smaller variance is not informative

function probability(profiles, index) {
  return Math.min(Math.max(profiles[index] / 255, LEAST), 1 - LEAST);
}

// The posterior weight of each candidate after answers [{task, result}]; `leftOut` is an agent to
// exclude from the candidates, or null.
export function weights(posterior, answers, leftOut = null) {
  const { profiles, prior, candidates, temper, shift, stretch } = posterior;
  const logs = new Float64Array(candidates);
  for (const { task, result: given } of answers) {
    const result = shift + stretch * given;
    for (let c = 0; c < candidates; c++) {
      const p = probability(profiles, task * candidates + c);
      logs[c] += temper * (result * Math.log(p) + (1 - result) * Math.log(1 - p));
    }
  }
  const out = posterior.known.indexOf(leftOut);
  const best = logs.reduce((most, log, c) => (c === out ? most : Math.max(most, log)), -Infinity);
  const found = logs.map((log, c) => (c === out ? 0 : Math.exp(log - best) * prior[c]));
  const total = found.reduce((a, b) => a + b, 0);
  return found.map((weight) => weight / total);
}

// What the answers change apart from the weights: the profiles of tasks that depend on answered ones.
export function after(posterior, answers) {
  const { profiles, candidates, dependence } = posterior;
  const known = consequences(
    dependence,
    answers.map(({ task }) => task),
  );
  const results = new Map(answers.map(({ task, result }) => [task, result]));
  const rows = new Map();
  known.tasks.forEach((task, i) => {
    const row = profileOf(posterior, task);
    known.asked.forEach((asked, a) => {
      const slope = known.slopes[i][a];
      const start = asked * candidates;
      for (let c = 0; c < candidates; c++)
        row[c] += slope * (results.get(asked) - profiles[start + c] / 255);
    });
    rows.set(
      task,
      row.map((p) => Math.min(Math.max(p, 0), 1)),
    );
  });
  return { ...known, rows };
}

function profileOf({ profiles, candidates }, task) {
  const row = profiles.subarray(task * candidates, (task + 1) * candidates);
  return Float32Array.from(row, (value) => value / 255);
}

// The predicted probability of success on every task, after answers with these consequences.
export function predictedSuccess(posterior, given, count, known) {
  const { profiles, candidates, shift, stretch } = posterior;
  const { indices, shares } = likely(given, 1e-7);
  const found = new Float32Array(count);
  for (let task = 0; task < count; task++) {
    const start = task * candidates;
    let sum = 0;
    for (let at = 0; at < indices.length; at++) sum += profiles[start + indices[at]] * shares[at];
    found[task] = Math.min(Math.max((sum / 255 - shift) / stretch, 0), 1);
  }
  for (const [task, row] of known.rows)
    found[task] = shares.reduce((sum, share, at) => sum + share * row[indices[at]], 0);
  return found;
}

function likely(given, least) {
  const bound = least * Math.max(...given);
  const indices = Int32Array.from(given.keys()).filter((c) => given[c] > bound);
  const total = indices.reduce((sum, c) => sum + given[c], 0);
  return { indices, shares: Float64Array.from(indices, (c) => given[c] / total) };
}

// -- the next question ----------------------------------------------------------------------------

// The task whose answer reduces the expected error on the others most, or null if none is left.
// `passed` are tasks that may not be asked. Of many tasks, only evenly spaced ones are considered.
export function nextQuestion(posterior, given, count, known, answers, passed) {
  const answered = new Set(answers.map(({ task }) => task));
  const isOpen = (task) => !answered.has(task); // the result of an answered task is known
  const pool = evenly(count, ASKED).filter((task) => isOpen(task) && !passed.has(task));
  if (!pool.length) return null;
  const gains = reductions(posterior, given, known, pool, evenly(count, WANTED).filter(isOpen));
  return pool[gains.indexOf(Math.max(...gains))];
}

export function evenly(count, most) {
  const step = Math.max(count / most, 1);
  return Array.from({ length: Math.min(count, most) }, (_, index) => Math.floor(index * step));
}

// The expected reduction of the variance of the results on all wanted tasks by each answer.
function reductions(posterior, given, known, asked, wanted) {
  const { indices, shares } = likely(given, LIKELY);
  const roots = Float32Array.from(shares, Math.sqrt);
  const left = scaled(posterior, known, asked, indices, roots);
  const right = scaled(posterior, known, wanted, indices, roots);
  const second = wanted.map((_, w) => mean(right, w, roots));
  const place = new Map(wanted.map((task, w) => [task, w]));
  const width = roots.length;
  return asked.map((task, a) => {
    const first = mean(left, a, roots);
    const square = dot(left, a, left, a, width);
    const variance = square - first * first + posterior.noise * (first - square);
    if (variance <= CERTAIN) return 0;
    const covariances = second.map((q, w) => dot(left, a, right, w, width) - first * q);
    if (place.has(task)) covariances[place.get(task)] = variance;
    for (const [other, value] of dependent(posterior.dependence, known, task))
      if (place.has(other)) covariances[place.get(other)] += value;
    return covariances.reduce((sum, value) => sum + value * value, 0) / variance;
  });
}

function scaled(posterior, known, tasks, indices, roots) {
  const { profiles, candidates } = posterior;
  const found = new Float32Array(tasks.length * indices.length);
  let at = 0;
  for (const task of tasks) {
    const changed = known.rows.get(task);
    for (let c = 0; c < indices.length; c++) {
      const p = changed ? changed[indices[c]] : profiles[task * candidates + indices[c]] / 255;
      found[at++] = p * roots[c];
    }
  }
  return found;
}

function mean(rows, row, roots) {
  let sum = 0;
  for (let c = 0; c < roots.length; c++) sum += rows[row * roots.length + c] * roots[c];
  return sum;
}

// Four sums at a time are faster, and most of the time is spent here.
function dot(left, a, right, b, width) {
  let [i, j, c] = [a * width, b * width, 0];
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (; c + 3 < width; c += 4, i += 4, j += 4) {
    s0 += left[i] * right[j];
    s1 += left[i + 1] * right[j + 1];
    s2 += left[i + 2] * right[j + 2];
    s3 += left[i + 3] * right[j + 3];
  }
  for (; c < width; c++, i++, j++) s0 += left[i] * right[j];
  return s0 + s1 + s2 + s3;
}
