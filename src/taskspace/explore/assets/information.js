// Similarities of tasks as in taskspace.similarity, in bits (mutual information) or correlations.
// They come from success profiles, or from the table of results, corrected for few agents.

import { rate } from "./data.js";

export const CORRELATION = "correlation"; // the other measure is "information"
export const ENOUGH_TOGETHER = 8; // agents that must have tried both tasks
export const PRIOR_AGENTS = 10; // by which correlations from few agents are shrunk
const LEAST_SPREAD = 1e-6; // below it, a correlation would be rounding error

// The similarity of a task with this profile (a probability per agent) and tasks with the profiles
// (agents × tasks).
export function profileSimilarities(profile, profiles, measure) {
  const agents = profile.length;
  const count = profiles.length / agents;
  const both = new Float64Array(count);
  const others = new Float64Array(count);
  for (let agent = 0, at = 0; agent < agents; agent++) {
    for (let task = 0; task < count; task++, at++) {
      both[task] += profile[agent] * profiles[at];
      others[task] += profiles[at];
    }
  }
  const own = mean(profile);
  const shared = measure === CORRELATION ? correlation : sharedBits;
  return both.map((sum, task) => shared(sum / agents, own, others[task] / agents));
}

// The similarity of a task and all tasks according to the table of results; NaN if too few agents
// tried both.
export function tableSimilarities(space, task) {
  const { count, agents } = space;
  const sums = () => new Float64Array(count);
  const [tried, solved, squares] = [sums(), sums(), sums()];
  const [together, both, first, second] = [sums(), sums(), sums(), sums()];
  let gaps = false;
  for (let agent = 0; agent < agents.length; agent++) {
    const own = rate(space, agent, task);
    for (let other = 0; other < count; other++) {
      const value = rate(space, agent, other);
      if (Number.isNaN(value)) {
        gaps = true;
        continue;
      }
      tried[other] += 1;
      solved[other] += value;
      squares[other] += value * value;
      if (Number.isNaN(own)) continue;
      together[other] += 1;
      both[other] += own * value;
      first[other] += own;
      second[other] += value;
    }
  }
  const noise = (at) => betweenAgents(solved[at] / tried[at], squares[at] / tried[at]);
  const own = noise(task);
  return both.map((sum, other) => {
    const number = together[other];
    if (gaps && number < ENOUGH_TOGETHER) return NaN;
    const rates = [sum / number, first[other] / number, second[other] / number];
    const chance = own * noise(other);
    if (space.measure === CORRELATION)
      return (correlation(...rates) * number) / (number + PRIOR_AGENTS * chance);
    return Math.max(sharedBits(...rates) - chance / (2 * Math.LN2 * number), 0);
  });
}

// The variance of success rates between agents, relative to that of single attempts.
function betweenAgents(success, square) {
  const single = success * (1 - success);
  return single > 1e-12 ? Math.min(Math.max((square - success ** 2) / single, 0), 1) : 0;
}

// The mutual information of two outcomes, from the probabilities of success on both tasks, on the
// first and on the second.
function sharedBits(both, first, second) {
  const apart = surprise(first) + surprise(1 - first) + surprise(second) + surprise(1 - second);
  const joint = [both, first - both, second - both, 1 - first - second + both];
  return Math.max(apart - joint.reduce((sum, p) => sum + surprise(p), 0), 0);
}

// The correlation of two outcomes, from the same probabilities; 0 if one of them is certain.
function correlation(both, first, second) {
  const spread = Math.sqrt(Math.max(first * (1 - first) * second * (1 - second), 0));
  if (spread <= LEAST_SPREAD) return 0;
  return Math.min(Math.max((both - first * second) / spread, -1), 1);
}

function surprise(p) {
  return p > 0 && p < 1 ? -p * Math.log2(p) : 0;
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
