// What results are called and how they are shown: success rates in percent, or returns.
// On the page, a result is a number from 0 to 1; with a scale, it is a normalised return.

import { figure, percent } from "./dom.js";

const SUCCESS = {
  mean: "success rate",
  short: "success",
  predicted: "predicted probability",
  observed: "observed success rate",
  of: "success rate of",
  title: "Success rate ",
};
const RETURN = {
  mean: "mean return",
  short: "return",
  predicted: "predicted return",
  observed: "observed return",
  of: "return of",
  title: "Return ",
};

export function words({ returns }) {
  return returns ? RETURN : SUCCESS;
}

// A label of results on all tasks, which have no unit in common unless they share a range.
export function label({ returns }, text) {
  return returns && !returns.shared ? `${text} (normalised)` : text;
}

// A result on a task as text.
export function shown({ returns }, task, result) {
  return returns && !Number.isNaN(result)
    ? figure(returnOf(returns, task, result))
    : percent(result);
}

// A mean result over tasks as text.
export function meanShown({ returns }, result) {
  return returns?.shared && !Number.isNaN(result)
    ? figure(returnOf(returns, 0, result))
    : percent(result);
}

export function returnOf({ low, high }, task, result) {
  return low[task] + result * (high[task] - low[task]);
}

// The result from 0 to 1 of a return; where all returns are the same, it says nothing.
export function resultOf({ low, high }, task, value) {
  const width = high[task] - low[task];
  return width > 0 ? Math.min(Math.max((value - low[task]) / width, 0), 1) : 0.5;
}
