// Embeds a new task in the page: {index, vector, difficulty, profile}, as in similar.js.

import { mean, profileSimilarities } from "../information.js";
import { squaredLength } from "../similar.js";

const FARTHEST = 1e6; // standard deviations
const NARROWEST = 1e-6; // bin
const LEAST_VARIANCE = 1e-5; // added by a layer that normalizes

export function embed(network, values) {
  return network.success ? byProfile(network, values) : byPerceptron(network, values);
}

// An ordinal map is a perceptron; the difficulty is the length of the vector.
function byPerceptron({ mean: centre, scale, layers }, values) {
  const standard = values.map((value, at) => (value - centre[at]) / scale[at]);
  const last = layers.length - 1;
  const vector = layers.reduce(
    (found, layer, at) => (at < last ? relu(linear(layer, found)) : linear(layer, found)),
    standard,
  );
  return { index: -1, vector, difficulty: Math.sqrt(squaredLength(vector)), profile: null };
}

// On an information map, the vector follows from the similarities to the landmarks.
function byProfile({ success, landmarks, weights, measure }, values) {
  const profile = profileIn(success, values);
  const similar = profileSimilarities(profile, landmarks, measure);
  const vector = new Array(weights.length / similar.length).fill(0);
  for (let at = 0; at < weights.length; at++) {
    vector[at % vector.length] += similar[Math.floor(at / vector.length)] * weights[at];
  }
  return { index: -1, vector, difficulty: 1 - mean(profile), profile };
}

// The success probability of every agent: residual blocks between two linear layers.
function profileIn({ first, blocks, norm, last, ...encoding }, values) {
  let hidden = linear(first, encoded(encoding, values));
  for (const block of blocks) {
    const inner = relu(linear(block.first, normalized(block.norm, hidden)));
    const change = linear(block.second, inner);
    hidden = hidden.map((value, at) => value + change[at]);
  }
  const logits = linear(last, relu(normalized(norm, hidden)));
  return logits.map((logit) => 1 / (1 + Math.exp(-logit)));
}

// Standardized values, and ramps from -1 to 1 across the bins of some of them.
function encoded({ mean: centre, scale, columns, edges }, values) {
  const standard = values.map((value, at) => clamp((value - centre[at]) / scale[at], FARTHEST));
  const ramps = columns.flatMap((column, cut) =>
    edges[cut].slice(1).map((high, bin) => {
      const low = edges[cut][bin];
      const way = (standard[column] - low) / Math.max(high - low, NARROWEST);
      return 2 * Math.min(Math.max(way, 0), 1) - 1;
    }),
  );
  return [...standard, ...ramps];
}

function clamp(value, most) {
  return Math.min(Math.max(value, -most), most);
}

function linear({ weight, bias }, inputs) {
  return Array.from(bias, (start, out) => {
    let sum = start;
    for (let at = 0; at < inputs.length; at++) sum += weight[out * inputs.length + at] * inputs[at];
    return sum;
  });
}

function relu(values) {
  return values.map((value) => Math.max(value, 0));
}

function normalized({ weight, bias }, values) {
  const centre = mean(values);
  const variance = mean(values.map((value) => (value - centre) ** 2));
  const scale = Math.sqrt(variance + LEAST_VARIANCE);
  return values.map((value, at) => ((value - centre) / scale) * weight[at] + bias[at]);
}
