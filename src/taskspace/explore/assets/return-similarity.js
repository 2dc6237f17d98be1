// Similarities of tasks from returns, as in taskspace.similarity.returns and return_profiles.
// The library has turned returns into normal scores; here they are multiplied and corrected.

import { rate } from "./data.js";
import { CORRELATION, ENOUGH_TOGETHER, PRIOR_AGENTS } from "./information.js";

const LEAST_SPREAD = 1e-6; // of the scores of two tasks; below it, a correlation is rounding error

// The similarity of a task and all tasks; NaN if too few agents tried both.
export function returnSimilarities(space, task) {
  const { reliability } = space.returns.scores;
  return reliability ? fromTable(space, task, reliability) : fromModel(space, task);
}

// The scores of a success model have no gaps, and their products are correlations of attempts.
function fromModel({ returns, count, agents, measure }, task) {
  const own = scoresOf(returns, task, agents.length);
  return Float64Array.from({ length: count }, (_, other) => {
    const signed = limited(dot(own, scoresOf(returns, other, agents.length)));
    return measure === CORRELATION ? signed : copulaBits(signed, agents.length);
  });
}

function fromTable(space, task, reliability) {
  const { returns, count, measure } = space;
  const agents = space.agents.length;
  const tried = (of) =>
    Array.from({ length: agents }, (_, agent) => !Number.isNaN(rate(space, agent, of)));
  const own = { scores: scoresOf(returns, task, agents), tried: tried(task) };
  const gaps = space.rates.includes(255);
  return Float64Array.from({ length: count }, (_, other) => {
    const scores = scoresOf(returns, other, agents);
    const { raw, together } = gaps
      ? withGaps(own, { scores, tried: tried(other) })
      : { raw: dot(own.scores, scores) / agents, together: agents };
    if (gaps && together < ENOUGH_TOGETHER) return NaN;
    const both = reliability[task] * reliability[other];
    const itself = task === other && scores.some((score) => score !== 0);
    const signed = itself ? 1 : limited(raw / Math.sqrt(both));
    if (measure === CORRELATION) return (signed * together) / (together + PRIOR_AGENTS / both);
    const bits = copulaBits(signed, together * both) - chanceBits(1 / both, together);
    return Math.max(bits, 0);
  });
}

// The correlation of scores over the agents that tried both tasks, and their number.
function withGaps(one, other) {
  let [n, a, b, aa, bb, ab] = [0, 0, 0, 0, 0, 0];
  for (let agent = 0; agent < one.tried.length; agent++) {
    if (!one.tried[agent] || !other.tried[agent]) continue;
    const [x, y] = [one.scores[agent], other.scores[agent]];
    n += 1;
    a += x;
    b += y;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  const variance = (squares, sum) => Math.max(squares / n - (sum / n) ** 2, 0);
  const spread = Math.sqrt(variance(aa, a) * variance(bb, b));
  return { together: n, raw: spread > LEAST_SPREAD ? (ab / n - (a / n) * (b / n)) / spread : 0 };
}

// The bits that independent tasks seem to share.
function chanceBits(noise, agents) {
  const shown = Math.max(1 - noise / agents, 0) / (1 - 1 / Math.max(agents, 2));
  return (shown * noise) / (2 * Math.LN2 * agents);
}

// The mutual information of two jointly normal scores, as far as so many agents can show it.
function copulaBits(correlation, agents) {
  const shown = 1 - 1 / Math.max(agents, 1);
  return -0.5 * Math.log2(1 - shown * correlation ** 2);
}

function scoresOf({ scores: { values } }, task, agents) {
  return values.subarray(task * agents, (task + 1) * agents);
}

function dot(one, other) {
  let sum = 0;
  for (let agent = 0; agent < one.length; agent++) sum += one[agent] * other[agent];
  return sum;
}

function limited(value) {
  return Math.min(Math.max(value, -1), 1);
}
