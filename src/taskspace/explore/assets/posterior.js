// Predictions from a quiz: candidate agents are weighted by the answers (Bayes).
// The same as taskspace.applications.posterior and quiz, with fewer candidates.

const LEAST = 0.25 / 255; // probabilities have steps of 1 / 255; none counts as impossible
const LIKELY = 1e-4; // candidates with a smaller weight relative to the best one are ignored
const ASKED = 400; // tasks that are considered as the next question
const WANTED = 200; // tasks that it should be informative about

function probability(profiles, index) {
  return Math.min(Math.max(profiles[index] / 255, LEAST), 1 - LEAST);
}

// The posterior weight of each candidate after answers [{task, result}]; `leftOut` is an agent to
// exclude from the candidates, or null.
export function weights(posterior, answers, leftOut = null) {
  const { profiles, prior, candidates, temper } = posterior;
  const logs = new Float64Array(candidates);
  for (const { task, result } of answers) {
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

// The predicted probability of success on every task.
export function predictedSuccess(posterior, given, count) {
  const { profiles, candidates } = posterior;
  const { indices, shares } = likely(given, 1e-7);
  const found = new Float32Array(count);
  for (let task = 0; task < count; task++) {
    const start = task * candidates;
    let sum = 0;
    for (let at = 0; at < indices.length; at++) sum += profiles[start + indices[at]] * shares[at];
    found[task] = sum / 255;
  }
  return found;
}

function likely(given, least) {
  const bound = least * Math.max(...given);
  const indices = Int32Array.from(given.keys()).filter((c) => given[c] > bound);
  const total = indices.reduce((sum, c) => sum + given[c], 0);
  return { indices, shares: Float64Array.from(indices, (c) => given[c] / total) };
}

// -- the next question ----------------------------------------------------------------------------

// The most informative task, or null if none is left. Of many tasks, only evenly spaced ones are
// considered.
export function nextQuestion(posterior, given, count, asked) {
  const pool = evenly(count, ASKED).filter((task) => !asked.has(task));
  if (!pool.length) return null;
  const gains = information(posterior, given, pool, evenly(count, WANTED));
  return pool[gains.indexOf(Math.max(...gains))];
}

export function evenly(count, most) {
  const step = Math.max(count / most, 1);
  return Array.from({ length: Math.min(count, most) }, (_, index) => Math.floor(index * step));
}

// The mean mutual information, in nats, of the outcomes on asked and wanted tasks.
function information(posterior, given, asked, wanted) {
  const { indices, shares } = likely(given, LIKELY);
  const roots = Float32Array.from(shares, Math.sqrt);
  const left = scaled(posterior, asked, indices, roots);
  const right = scaled(posterior, wanted, indices, roots);
  const first = asked.map((_, a) => mean(left, a, roots));
  const second = wanted.map((_, w) => mean(right, w, roots));
  const alone = second.map(negativeEntropy);
  return asked.map((_, a) => {
    let sum = 0;
    for (let w = 0; w < wanted.length; w++) {
      const both = dot(left, a, right, w, roots.length);
      sum += jointNegativeEntropy(both, first[a], second[w]) - alone[w];
    }
    return Math.max(sum / wanted.length - negativeEntropy(first[a]), 0);
  });
}

function scaled({ profiles, candidates }, tasks, indices, roots) {
  const found = new Float32Array(tasks.length * indices.length);
  let at = 0;
  for (const task of tasks) {
    for (let c = 0; c < indices.length; c++) {
      found[at++] = (profiles[task * candidates + indices[c]] / 255) * roots[c];
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

// Negative entropies: of one outcome, and of two together.
function negativeEntropy(p) {
  return pLogP(p) + pLogP(1 - p);
}

function jointNegativeEntropy(both, first, second) {
  const neither = 1 - first - second + both;
  return pLogP(both) + pLogP(first - both) + pLogP(second - both) + pLogP(neither);
}

function pLogP(p) {
  return p > 1e-9 ? p * Math.log(p) : 0;
}
