// Pairs of tasks whose results agree more than the candidates explain, e.g. near-copies.
// The same as taskspace.applications.dependence.

const RIDGE = 1e-3; // added to variances before they divide

// The covariances of results given the candidate: a map of partners per task, and variances.
export function dependenceOf(pairs, covariances, variances) {
  const partners = new Map();
  const add = (task, other, value) => {
    if (!partners.has(task)) partners.set(task, new Map());
    partners.get(task).set(other, value);
  };
  covariances.forEach((value, at) => {
    add(pairs[2 * at], pairs[2 * at + 1], value);
    add(pairs[2 * at + 1], pairs[2 * at], value);
  });
  return { partners, variances };
}

// What answers imply for tasks that depend on them: which tasks change, how much per difference of
// answer and candidate, and the covariances of the others given the answers.
export function consequences({ partners, variances }, answered) {
  const asked = [...new Set(answered)].filter((task) => partners.has(task)).sort((a, b) => a - b);
  const reached = new Set(asked.flatMap((task) => [...partners.get(task).keys()]));
  const others = [...reached].filter((task) => !asked.includes(task)).sort((a, b) => a - b);
  const tasks = [...asked, ...others];
  const table = tasks.map((i) =>
    tasks.map((j) => (i === j ? variances[i] : partners.get(i).get(j) || 0)),
  );
  const slopes = condition(table, asked.length);
  asked.forEach((task, at) => {
    // Another attempt agrees as much as the nearest copy does.
    const nearest = Math.max(...partners.get(task).values()) / (variances[task] + RIDGE);
    slopes[at] = asked.map((_, column) => (column === at ? nearest : 0));
  });
  return { asked, others, tasks, slopes, table };
}

// Make the first variables of a covariance known, one after another. The table becomes the
// covariance given them; the slopes of all variables on them are returned.
function condition(table, known) {
  const slopes = table.map(() => new Array(known).fill(0));
  for (let number = 0; number < known; number++) {
    const column = table.map((row) => row[number]);
    const slope = column.map((value) => value / (column[number] + RIDGE));
    const own = [...slopes[number]];
    slopes.forEach((row, i) =>
      row.forEach((_, a) => (row[a] += slope[i] * ((a === number ? 1 : 0) - own[a]))),
    );
    table.forEach((row, i) => row.forEach((_, j) => (row[j] -= slope[i] * column[j])));
    table.forEach((row, i) => (row[i] = Math.max(row[i], 0)));
    const deviations = table.map((row, i) => Math.sqrt(row[i]));
    table.forEach((row, i) =>
      row.forEach((value, j) => {
        const limit = deviations[i] * deviations[j];
        row[j] = Math.min(Math.max(value, -limit), limit);
      }),
    );
  }
  return slopes;
}

// The covariances of a task's result with others, given the candidate and the answers: [task, value].
export function dependent({ partners }, known, task) {
  const at = known.tasks.indexOf(task);
  const before = [...(partners.get(task) || [])];
  if (at < known.asked.length) return before; // it does not depend on an answer
  const rest = before.filter(([other]) => !known.others.includes(other));
  const given = known.others.map((other, i) => [other, known.table[at][known.asked.length + i]]);
  return [...rest, ...given.filter(([other]) => other !== task)];
}
